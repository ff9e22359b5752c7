"""Systems that are asked through an API."""
