"""Bringing a project's documents into its index."""
