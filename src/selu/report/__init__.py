"""Tables, figures and the site: reads the records that stages wrote and computes no score."""
