"""What the verbs of the command line do; one module per verb or family of verbs."""
