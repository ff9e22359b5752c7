"""The claims of CrossCodeBench, by what they are about."""
