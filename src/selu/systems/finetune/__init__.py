"""Fine-tuning of open models: batches without padding, checkpoints that resume to the bit."""
