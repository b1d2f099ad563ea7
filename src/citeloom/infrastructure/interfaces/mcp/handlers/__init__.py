"""What each tool does, with the library alone."""
