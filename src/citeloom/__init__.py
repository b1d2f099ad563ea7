"""A research library that answers with passages one can cite to the page."""
