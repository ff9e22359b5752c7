"""A prompted model on FAUN-Eval's three tasks: answer a question, name the file at fault, edit the code."""
