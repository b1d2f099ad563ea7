"""What is done with a researcher's Zotero."""
