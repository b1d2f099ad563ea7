"""The language server: a draft checked as it is written."""
