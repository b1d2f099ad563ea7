"""The use case `find`: a concordance, every place of a word with the words around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from citeloom.application.collection import selection_of
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import FindRequest
from citeloom.application.retrieval.question import question_words
from citeloom.application.retrieval.search import search_in
from citeloom.application.retrieval.terms import QuestionTerms
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery, SparseVector, StoredChunk, overlap
from citeloom.domain.text.normal_form import NormalText
from citeloom.domain.text.tokens import UNSEGMENTED, has_unsegmented
from citeloom.domain.text.verbatim import cuts_off_signs, word_spans

MOST_PASSAGES = 10_000
"""How many passages with a word are read at most, the fullest first."""
_FOLDABLE = re.compile(r"\w+(?:[\s-]+\w+)*")
_TOKEN = re.compile(rf"[{UNSEGMENTED}]+|[^\W{UNSEGMENTED}]+")
_GAP = re.compile(r"[\s-]+")

Spans = Callable[[str], Iterable[tuple[int, int]]]
"""The places of a word in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A place of a word in a stored chunk."""

    stored: StoredChunk
    start: int
    end: int

    @property
    def word(self) -> str:
        return " ".join(self.stored.chunk.text[self.start : self.end].split())

    @property
    def citation(self) -> str | None:
        return self.stored.cited_between(self.start, self.end)

    @property
    def work(self) -> str:
        """The citekey of the work, else the name of the file."""
        citation = self.stored.citation
        return citation.citekey if citation else PurePath(self.stored.source_path).name

    def before(self, width: int) -> str:
        """Up to so many characters before the word, in one line, from a whole word on."""
        text = " ".join(self.stored.chunk.text[: self.start].split())
        return text if len(text) <= width else text[-width:].partition(" ")[2]

    def after(self, width: int) -> str:
        """Up to so many characters behind the word, in one line, of whole words."""
        text = self.stored.chunk.text[self.end :]
        joined = " ".join(text.split())
        space = " " if text[:1].isspace() and joined else ""
        return space + (joined if len(joined) <= width else joined[:width].rpartition(" ")[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance:
    """Every place of the words, by work and place; not `complete` where more passages have the word
    than are read.
    """

    project: str
    words: tuple[str, ...]
    exact: bool
    occurrences: tuple[Occurrence, ...]
    complete: bool = True

    @property
    def passages(self) -> int:
        return len({occurrence.stored.chunk.id for occurrence in self.occurrences})

    def by_work(self) -> Counter[str]:
        """How often the words stand in each work, by citekey or file."""
        return Counter(occurrence.work for occurrence in self.occurrences)

    def by_year(self) -> Counter[int]:
        """How often they stand in the works of each year; works without one are left out."""
        citations = (occurrence.stored.citation for occurrence in self.occurrences)
        return Counter(
            citation.year
            for citation in citations
            if citation is not None and citation.year is not None
        )


def find(project: OpenProject, request: FindRequest) -> Concordance:
    """Every place of words in the project. Candidates are the chunks with the terms of a word, all
    chunks where it has none; what counts is their text.

    Raises `InvalidProject` if nothing has been ingested yet.
    """
    search = search_in(project, project.bound_collection())
    lookup = question_words(project, search)
    terms, words = lookup.terms if lookup else None, tuple(request.words)
    selection, complete = selection_of(project, request.filters), True
    vector = next(filter(None, (_vector(word, terms) for word in words)), None)
    if vector is None:
        chunks = list(project.chunks(selection))
    else:
        limit = min(max(project.index.count(project.collection, selection), 1), MOST_PASSAGES)
        hits = search(IndexQuery(selection=selection, mode=Mode.SPARSE, limit=limit, sparse=vector))
        chunks, complete = [hit.stored for hit in hits], len(hits) < MOST_PASSAGES
    spans = [_spans(word, None if request.exact else terms) for word in words]

    def place(stored: StoredChunk) -> tuple[str, str, int]:
        work = stored.citation.citekey if stored.citation else stored.source_path
        return work, stored.chunk.doc_id, stored.chunk.chunk_idx

    return Concordance(
        project=project.id,
        words=words,
        exact=request.exact,
        occurrences=tuple(_occurrences(sorted(chunks, key=place), spans)),
        complete=complete,
    )


def _vector(word: str, terms: QuestionTerms | None) -> SparseVector | None:
    """The terms by which passages with a word are found; None where it has none."""
    if terms is None or has_unsegmented(word):
        return None
    parts = (terms.forms(part, terms.question_languages(word)) for part in _TOKEN.findall(word))
    indices = {index for forms in parts for form in forms for index in form.indices}
    return SparseVector.of(dict.fromkeys(indices, 1.0)) if indices else None


def _occurrences(chunks: Iterable[StoredChunk], spans: Sequence[Spans]) -> Iterator[Occurrence]:
    """The places of the words in chunks that have all of them, each once where the next chunk
    repeats the end of one.
    """
    last: StoredChunk | None = None
    for stored in chunks:
        places = [list(find(stored.chunk.text)) for find in spans]
        if not all(places):
            continue
        is_next = last is not None and (last.chunk.doc_id, last.chunk.chunk_idx + 1) == (
            stored.chunk.doc_id,
            stored.chunk.chunk_idx,
        )
        repeated = overlap(last.chunk.text, stored.chunk.text) if last and is_next else 0
        last = stored
        for start, end in sorted({place for those in places for place in those}):
            if end > repeated:
                yield Occurrence(stored=stored, start=start, end=end)


# The places of a word in a text, in any of its forms.


def _spans(word: str, terms: QuestionTerms | None) -> Spans:
    normal = NormalText.of(word).text
    if terms is None or has_unsegmented(word) or not _FOLDABLE.fullmatch(normal):
        return lambda text: word_spans(text, word)
    return _Forms(terms=terms, words=tuple(_TOKEN.findall(normal)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forms:
    """The places of words in a row that have the same terms in some language."""

    terms: QuestionTerms
    words: tuple[str, ...]
    _known: dict[str, frozenset[object]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        normal = NormalText.of(text)
        tokens = list(_TOKEN.finditer(normal.text))
        for at in range(len(tokens) - len(self.words) + 1):
            row = tokens[at : at + len(self.words)]
            alike = all(self._forms(word) & self._forms(m[0]) for word, m in zip(self.words, row))
            gaps = ((first.end(), second.start()) for first, second in zip(row, row[1:]))
            if alike and all(_GAP.fullmatch(normal.text, *gap) for gap in gaps):
                start, end = normal.span(row[0].start(), row[-1].end())
                if not cuts_off_signs(text, start, end):
                    yield start, end

    def _forms(self, word: str) -> frozenset[object]:
        """The terms of a word in each language, and itself."""
        if word not in self._known:
            languages = self.terms.question_languages(word)
            forms = (form.indices for form in self.terms.forms(word, languages))
            self._known[word] = frozenset((word, *forms))
        return self._known[word]
