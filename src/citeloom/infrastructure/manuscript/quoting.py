"""Passages as quotations of a draft in LaTeX or Typst, each with its citation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.retrieval.locator import Locator
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.manuscript.csl_items import Item
from citeloom.infrastructure.manuscript.pandoc import run_pandoc

# These escape what LaTeX and Typst would make dashes and typographic marks of.
_WRITERS = {"latex": "latex-smart", "typst": "typst"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedQuotation:
    """Words of a work, with the place that they are cited from."""

    text: str
    place: CitedPlace


def quotations(passage: Passage) -> Iterator[CitedQuotation]:
    """The passage between what its neighbours add; nothing for one without a reference."""
    stored = passage.stored
    for one in passage.context_before:
        yield from _quotation(one.stored, one.text, one.stored.cited_locator(one.start, one.end))
    locator = stored.cited_locator(0, len(stored.chunk.text))
    yield from _quotation(stored, passage.text, locator)
    for one in passage.context_after:
        yield from _quotation(one.stored, one.text, one.stored.cited_locator(one.start, one.end))


def _quotation(stored: StoredChunk, text: str, locator: Locator) -> Iterator[CitedQuotation]:
    if stored.citation is not None:
        place = CitedPlace.of(stored.citation.citekey, locator)
        yield CitedQuotation(text=text, place=place)


def quoted(quotations: Iterable[CitedQuotation], form: str) -> str:
    """The quotations as blocks in `latex` or `typst`, in which their words stay words: Pandoc
    escapes what would be a command, and the citation stands at the end.

    Raises `ConfigError` where Pandoc is not installed.
    """
    blocks = [{"t": "BlockQuote", "c": [*_paragraphs(one, form)]} for one in quotations]
    if not blocks:
        return ""
    document = {"pandoc-api-version": [1, 23], "meta": {}, "blocks": blocks}
    arguments = ["-f", "json", "-t", _WRITERS[form], "--wrap=none"]
    written = run_pandoc(arguments, json.dumps(document).encode(), "the passages")
    return written.decode().rstrip("\n")


def _paragraphs(quotation: CitedQuotation, form: str) -> Iterator[Item]:
    *before, last = [part for part in quotation.text.split("\n\n") if part.strip()] or [""]
    yield from ({"t": "Para", "c": _words(part)} for part in before)
    place = quotation.place
    citation = place.latex() if form == "latex" else place.typst()
    yield {"t": "Para", "c": [*_words(last), {"t": "RawInline", "c": [form, citation]}]}


def _words(text: str) -> list[Item]:
    """The words, each with a space behind it."""
    return [one for word in text.split() for one in ({"t": "Str", "c": word}, {"t": "Space"})]
