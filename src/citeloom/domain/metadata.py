"""Document metadata: what the front matter of a Markdown file says, checked against a schema."""

from __future__ import annotations

MetadataValue = str | int | float | bool | tuple[str, ...]
"""A value of a field; a date is text in ISO form."""
