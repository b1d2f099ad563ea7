"""A project's own label for the place of a passage: `[Module 1, Chapter 2, Lesson 3]`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from string import Formatter

from citeloom.domain.documents.metadata import MetadataSchema, as_text
from citeloom.domain.retrieval.passage import StoredChunk

REFERENCE_FIELDS = (
    "citekey",
    "title",
    "authors",
    "year",
    "doi",
    "url",
    "container",
    "locator",
    "section",
    "source_path",
)
"""What a label may name besides fields of front matter."""


@dataclass(frozen=True, slots=True)
class CitationLabel:
    """A template with fields in braces: `[{module}, {chapter}, {title}]`.

    Raises `ValueError` for a template that cannot be read.
    """

    template: str

    def __post_init__(self) -> None:
        try:
            names = self.names
        except ValueError as error:
            raise ValueError(f"citation_label '{self.template}': {error}") from error
        if not names:
            raise ValueError(f"citation_label '{self.template}' names no field in braces")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name, _, _ in Formatter().parse(self.template) if name is not None)

    def check(self, schema: MetadataSchema) -> None:
        """Raise `ValueError` for a field that is neither of front matter nor of a reference."""
        known = (*schema.fields, *REFERENCE_FIELDS)
        for name in self.names:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
                raise ValueError(f"citation_label names an unknown field '{name}'{hint}")

    def of(self, stored: StoredChunk) -> str | None:
        """The label of a chunk; None where it has no value for one of the fields."""
        values = {name: _value(stored, name) for name in self.names}
        if not all(values.values()):
            return None
        parts = Formatter().parse(self.template)
        return "".join(f"{text}{values[name] if name else ''}" for text, name, _, _ in parts)


def _value(stored: StoredChunk, name: str) -> str:
    """The value of front matter, or else of the reference or the place."""
    if name in stored.metadata:
        return as_text(stored.metadata[name])
    if name == "locator":
        return str(stored.locator)
    if name == "section":
        return stored.chunk.section_titles
    if name == "source_path":
        return stored.source_path
    value = getattr(stored.citation, name, None) if name in REFERENCE_FIELDS else None
    return "" if value is None else as_text(value)
