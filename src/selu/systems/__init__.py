"""What answers a task: classical, fine-tuned and prompted learners."""
