"""The claims of the SELU paper, one small function each, in a module for what they are about."""
