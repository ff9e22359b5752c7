"""The claims of the competition's paper, one small function each, by what they are about."""
