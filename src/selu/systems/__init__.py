"""Learners that answer a task: classical, fine-tuned and prompted."""
