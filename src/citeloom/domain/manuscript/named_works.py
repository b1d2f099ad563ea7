"""The references that the works are which a draft describes itself."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import ascii_lowercase

from citeloom.domain.manuscript.draft import Draft, Mark, NamedWork
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.titles import normalise_doi

_ITEM = re.compile(r"items/(?:\d+_)?([A-Z0-9]{8})\b")
_HOST = re.compile(r"(?:[\w-]+\.)+(?:[a-z]{2}|com|org|net|edu|gov|info|social|online)")
_LEAST_TITLE = 12
"""How many letters of a title are enough to know a work by, where author and year agree."""


def with_citekeys(draft: Draft, references: Iterable[CitationMeta]) -> Draft:
    """The draft with the citekeys of the references that its own works are. One that no reference
    is is called what the draft says of it; known by author and year in the text, it is no citation,
    nor is the host of an address, `@example.org`.
    """
    hosts = {one.citekey for one in draft.citations if one.in_text and _HOST.fullmatch(one.citekey)}
    if not draft.works and not hosts:
        return draft
    known = _References(references)
    names: dict[str, str | None] = {
        host: known.citekey(NamedWork(citekey=host)) for host in sorted(hosts)
    }
    for work in draft.works:
        names[work.citekey] = known.citekey(work) or (None if work.is_in_text else str(work))
    unmatched = tuple(
        one
        for one in draft.citations
        if one.citekey not in hosts and not names.get(one.citekey, one.citekey)
    )

    def renamed(mark: Mark) -> Mark:
        named = ((one, names.get(one.citekey, one.citekey)) for one in mark.citations)
        return replace(
            mark, citations=tuple(replace(one, citekey=key) for one, key in named if key)
        )

    paragraphs = tuple(
        replace(paragraph, marks=tuple(map(renamed, paragraph.marks)))
        for paragraph in draft.paragraphs
    )
    return replace(draft, paragraphs=paragraphs, unmatched=unmatched)


class _References:
    """References by what a draft may know them by."""

    def __init__(self, references: Iterable[CitationMeta]) -> None:
        self._by: dict[tuple[str, object], list[CitationMeta]] = defaultdict(list)
        for reference in references:
            for known_by in {*_known_by(reference)}:
                self._by[known_by].append(reference)

    def citekey(self, work: NamedWork) -> str | None:
        """The citekey of the one reference that the work is; None where none is, or several are."""
        item = _ITEM.search(work.citekey)
        for known_by in (
            ("citekey", work.citekey),
            ("item", item and item[1]),
            ("doi", normalise_doi(work.doi)),
            ("title", _letters(work.title)),
        ):
            found = self._by[known_by] if known_by[1] else []
            if len(found) == 1:
                return found[0].citekey
        found = self._by["author", (_letters(work.author), work.year)] if work.author else []
        if work.title:
            found = [reference for reference in found if _is_titled(reference, work)]
        elif len(found) > 1 and work.letter:
            found = sorted(found, key=lambda reference: reference.title.casefold())
            at = ascii_lowercase.index(work.letter)
            found = found[at : at + 1]
        return found[0].citekey if len(found) == 1 else None


def _known_by(reference: CitationMeta) -> Iterator[tuple[str, object]]:
    yield "citekey", reference.citekey
    yield "item", reference.item_key
    yield "doi", reference.doi
    yield "title", _letters(reference.title)
    for author in reference.authors[:1]:
        family = author.split(",")[0]
        for name in (family, *family.split()[-1:]):
            yield "author", (_letters(name), reference.year)


def _is_titled(reference: CitationMeta, work: NamedWork) -> bool:
    """Whether one of the titles begins with the other, as one without a subtitle does."""
    shorter, longer = sorted((_letters(reference.title), _letters(work.title)), key=len)
    return len(shorter) >= _LEAST_TITLE and longer.startswith(shorter)


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in plain if char.isalnum())
