"""Systems that are picked from a grid of candidates, each learnt in a worker process."""
