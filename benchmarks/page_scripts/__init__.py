"""Pages in scripts other than Latin, set by several programs, whose text is known."""
