"""Finding passages: a list of named stages, and the use cases built on it."""
