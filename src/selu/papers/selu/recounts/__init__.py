"""Published scores computed again from the counts that the authors' result files hold."""
