"""Use cases that take a draft as their input."""
