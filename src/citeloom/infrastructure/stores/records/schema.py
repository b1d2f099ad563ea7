"""The names and indexes every citeloom collection has, whatever store it is in."""

from __future__ import annotations

DENSE = "dense"
SPARSE = "sparse"

KEYWORD_FIELDS = (
    "project_id",
    "doc_id",
    "citekey",
    "tags",
    "item_key",
    "attachment_key",
    "kind",
    "section_keys",
    "source_path",
)
INTEGER_FIELDS = ("year",)

SUCCESSOR = "@rebuild"
"""Marks the name of a staged successor; no collection's own name can hold an `@`."""


def successor_of(name: str) -> str:
    """The name under which the successor of collection `name` is filled."""
    return name + SUCCESSOR


def collection_of(name: str) -> str:
    """The collection that `name`, perhaps a successor's, belongs to."""
    return name.removesuffix(SUCCESSOR)


def check_facet_key(key: str) -> None:
    """Raise `ValueError` unless chunks can be counted by `key`."""
    if key not in KEYWORD_FIELDS:
        raise ValueError(f"'{key}' is not a keyword field; there are {', '.join(KEYWORD_FIELDS)}")
