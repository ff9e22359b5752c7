"""What the discussion and conclusions say (VI, VII, VIII)."""
