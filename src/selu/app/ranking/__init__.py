"""Rankings of systems from tables of scores, and what is asked of them."""
