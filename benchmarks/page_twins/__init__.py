"""Twins of a document as PDF and as HTML, and what the text of one says of the other's."""
