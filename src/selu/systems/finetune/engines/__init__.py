"""Engines: gradients and updates of a network, in one process or in several."""
