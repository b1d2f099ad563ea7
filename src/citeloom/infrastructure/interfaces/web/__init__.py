"""The reading room: the library as web pages, which render the answers of the other doors."""
