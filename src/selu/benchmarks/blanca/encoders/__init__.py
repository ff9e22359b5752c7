"""Text encoders as systems of BLANCA: the distance of a pair is that of its texts' vectors."""
