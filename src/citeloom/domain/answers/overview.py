"""Questions about the library itself and about who wrote a work, answered from references."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citeloom.domain.answers.messages import Messages
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.domain.retrieval.words import asks_or_joins
from citeloom.domain.text.normal_form import words_of

MOST_NAMED = 8
_MOST_WORKS = 3
_LEAST_LETTERS = 3
_LIBRARY = r"(?:library|collection|project|corpus|folder)"
_BIBLIOTHEK = r"(?:bibliothek|sammlung|bücherei)|diesem projekt"
_BIBLIOTECA = r"(?:biblioteca|coleção|coleç[ãa]o|projeto|acervo)"
_ABOUT_LIBRARY = re.compile(
    "|".join(
        (
            rf"what(?:'s| is) (?:this|the|my|our) {_LIBRARY} (?:all )?about",
            rf"what (?:(?:(?:documents|papers|works) )?(?:is|are)|do i have) in "
            rf"(?:this|the|my|our) {_LIBRARY}",
            rf"worum geht es in (?:dieser|der|meiner) {_BIBLIOTHEK}",
            rf"was (?:ist|steht) in (?:dieser|der|meiner) {_BIBLIOTHEK}",
            r"(?:de que trata|sobre o que é|do que trata|o que há n)(?: ?(?:esta|este|a|o|minha))? "
            rf"{_BIBLIOTECA}",
        )
    ),
    re.IGNORECASE,
)
_WHO_WROTE = re.compile(
    r"(?:who (?:wrote|(?:is|are|was|were) the authors? of)|wer (?:hat|schrieb|ist der autor|ist die"
    r" autorin|sind die autor(?:en|innen))|quem (?:escreveu|é (?:o autor|a autora) d[eoa]|são (?:os"
    r" autores|as autoras) d[eoa]))\b(?P<work>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ENDING = re.compile(r"\s*(?:geschrieben|verfasst)?\s*[?.!]*\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.)\s+(?=\S)")
"""The number of a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryOverview:
    """What a library holds: its documents and works, the years of these, frequent words of their
    titles and tags, and frequent headings, the most frequent first.
    """

    documents: int
    """How many."""
    works: int
    """How many have a reference."""
    years: tuple[int, int] | None = None
    terms: tuple[str, ...] = ()
    """Frequent terms of titles and tags."""
    sections: tuple[str, ...] = ()
    """Frequent sections."""


def asks_about_library(question: str) -> bool:
    """Whether a question asks what the library is about, in English, German or Portuguese."""
    return _ABOUT_LIBRARY.fullmatch(_ENDING.sub("", question.strip())) is not None


def requested_works(question: str, passages: Sequence[Passage]) -> tuple[CitationMeta, ...]:
    """The works whose authors a question asks for: of the passages found, those whose title or
    citekey has a content word of the question; none for any other question.
    """
    asks = _WHO_WROTE.match(question.strip())
    if asks is None:
        return ()
    words = _content_words(_ENDING.sub("", asks["work"]))
    works = {
        passage.stored.citation: None for passage in passages if passage.stored.citation is not None
    }
    shared = {work: len(words & _content_words(f"{work.title} {work.citekey}")) for work in works}
    most = max(shared.values(), default=0)
    return tuple(work for work, count in shared.items() if most and count == most)[:_MOST_WORKS]


def overview_of(firsts: Iterable[StoredChunk], chunks: Iterable[StoredChunk]) -> LibraryOverview:
    """The overview of documents by the first chunk of each and by `chunks` of any."""
    works: dict[str, CitationMeta] = {}
    documents: set[str] = set()
    for stored in firsts:
        documents.add(stored.chunk.doc_id)
        if stored.citation is not None:
            works.setdefault(stored.citation.citekey, stored.citation)
    years = sorted(work.year for work in works.values() if work.year is not None)
    terms = Counter(
        word
        for work in works.values()
        for word in _content_words(f"{work.title} {' '.join(work.tags)}")
    )
    headings = {
        (path[-1], stored.chunk.doc_id)
        for stored in chunks
        for path in stored.chunk.stands_in
        if path
    }
    # a heading in any case of its letters is one, by its most frequent form
    sections: Counter[str] = Counter()
    forms: dict[str, str] = {}
    unnumbered = Counter(_NUMBER.sub("", heading) for heading, _ in sorted(headings))
    for heading, count in unnumbered.most_common():
        sections[forms.setdefault(heading.casefold(), heading)] += count
    return LibraryOverview(
        documents=len(documents),
        works=len(works),
        years=(years[0], years[-1]) if years else None,
        terms=_frequent(terms),
        sections=_frequent(sections),
    )


def overview_text(overview: LibraryOverview, messages: Messages) -> str:
    parts = [messages.holds.format(documents=overview.documents, works=overview.works)]
    if overview.years is not None:
        first, last = overview.years
        parts.append(messages.years.format(first=first, last=last))
    if overview.terms:
        parts.append(messages.terms.format(names=", ".join(overview.terms)))
    if overview.sections:
        parts.append(messages.sections.format(names=", ".join(overview.sections)))
    return " ".join(parts)


def authors_text(work: CitationMeta, messages: Messages) -> str:
    return messages.wrote.format(
        authors="; ".join(work.authors) or messages.nobody,
        title=work.title,
        year=f" ({work.year})" if work.year else "",
        citation=f"[@{work.citekey}]",
    )


def _frequent(counts: Counter[str]) -> tuple[str, ...]:
    """The most frequent names that occur more than once, equal ones in the order of letters."""
    ordered = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    return tuple(name for name, count in ordered[:MOST_NAMED] if count > 1)


def _content_words(text: str) -> set[str]:
    return {
        word
        for word in words_of(text)
        if len(word) >= _LEAST_LETTERS and not word.isdigit() and not asks_or_joins(word)
    }
