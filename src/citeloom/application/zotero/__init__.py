"""The use cases on a Zotero library."""
