"""The documented JSON as types: what makes it returns them, and the API is described by them."""
