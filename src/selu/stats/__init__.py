"""Statistics of paired scores: pure functions of arrays, no files, no benchmark."""
