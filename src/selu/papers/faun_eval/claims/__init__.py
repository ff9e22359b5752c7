"""The claims of FAUN-Eval, by the question that they answer; modules are discovered."""
