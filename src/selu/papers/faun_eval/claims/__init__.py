"""The claims of FAUN-Eval, by the question that they answer; the modules are found by themselves."""
