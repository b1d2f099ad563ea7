"""Finds the references of works that a draft names by DOI, title, or author and year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

from citeloom.domain.manuscript.draft import Draft, DraftCitation, Mark, NamedWork, Paragraph
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.titles import normalise_doi

_ITEM = re.compile(r"items/(?:\d+_)?([A-Z0-9]{8})\b")


def with_citekeys(draft: Draft, references: Iterable[CitationMeta]) -> Draft:
    """The draft with the citekeys of the references that its own works are; a citation by author
    and year alone that no reference has is none.
    """
    if not draft.works:
        return draft
    known = list(references)
    keys = {work.citekey: _citekey(work, known) for work in draft.works}
    nobody = {work.citekey for work in draft.works if work.author and keys[work.citekey] is None}
    paragraphs = tuple(_renamed(paragraph, keys, nobody) for paragraph in draft.paragraphs)
    return replace(draft, paragraphs=paragraphs)


def _citekey(work: NamedWork, references: list[CitationMeta]) -> str | None:
    """The citekey of the one reference that the work is; None where none is, or several are."""
    if any(one.citekey == work.citekey for one in references):
        return work.citekey
    item = _ITEM.search(work.citekey)
    doi, title = normalise_doi(work.doi), _letters(work.title)
    for is_it in (
        lambda one: bool(item) and one.item_key == (item and item[1]),
        lambda one: bool(doi) and one.doi == doi,
        lambda one: bool(title) and _letters(one.title) == title,
        lambda one: bool(work.author) and _is_by(one, work),
    ):
        found = [one.citekey for one in references if is_it(one)]
        if len(found) == 1:
            return found[0]
    return None


def _is_by(reference: CitationMeta, work: NamedWork) -> bool:
    if reference.year != work.year or not reference.authors:
        return False
    return _letters(reference.authors[0].split(",")[0]) == _letters(work.author)


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if char.isalnum())


def _renamed(paragraph: Paragraph, keys: Mapping[str, str | None], nobody: set[str]) -> Paragraph:
    marks = [_with_keys(mark, keys, nobody) for mark in paragraph.marks]
    return replace(paragraph, marks=tuple(marks))


def _with_keys(mark: Mark, keys: Mapping[str, str | None], nobody: set[str]) -> Mark:
    cited: list[DraftCitation] = [
        replace(one, citekey=keys.get(one.citekey) or one.citekey)
        for one in mark.citations
        if one.citekey not in nobody
    ]
    return replace(mark, citations=tuple(cited))
