"""The claims of BLANCA's paper, by what they are about."""
