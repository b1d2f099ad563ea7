"""Zotero: its local database, and what lies beside it."""
