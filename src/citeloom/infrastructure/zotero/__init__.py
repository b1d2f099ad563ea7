"""Reading Zotero: its local database, its local API and its web API."""
