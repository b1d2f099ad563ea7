"""Pandoc, which reads drafts and formats citations."""
