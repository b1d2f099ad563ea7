"""The library for language models and editors, over the Model Context Protocol."""
