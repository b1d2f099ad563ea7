"""Pages with formulas of our own, set by several programs, and what each formula says in a line."""
