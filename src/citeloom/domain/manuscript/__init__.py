"""Drafts, their citations and quotations, and what is found of them in the cited works."""
