"""Prompting of models behind an API: prompts, batches that are never paid twice, replies read strictly."""
