"""The use case `find`: a concordance, every place of a word with the words around it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import PurePath

from citeloom.application.collection import selection_of
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import FindRequest
from citeloom.application.retrieval.question import question_words
from citeloom.application.retrieval.search import Search, search_in
from citeloom.application.retrieval.terms import QuestionTerms
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import (
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
    overlap,
)
from citeloom.domain.text.normal_form import NormalText
from citeloom.domain.text.tokens import UNSEGMENTED, has_unsegmented
from citeloom.domain.text.verbatim import cuts_off_signs, word_spans

MOST_PASSAGES = 10_000
"""How many passages with a word are read at most, the fullest first."""
_FOLDABLE = re.compile(r"\w+(?:[\s-]+\w+)*")
_LETTER = rf"[^\W{UNSEGMENTED}]"
_TOKEN = re.compile(rf"[{UNSEGMENTED}]+|{_LETTER}+")
_PAIR = re.compile(
    "[\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{2}"
)
"""Two letters of Chinese, Japanese or Korean, by which passages are indexed; unlike letters of Thai
they have no marks that would make another pair of them.
"""
_GAP = r"[\s-]+"
_NEAR = 4
"""How many times as many characters as are shown are looked at first: white space is joined."""

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
        text = self.stored.chunk.text
        near = max(0, self.start - _NEAR * width)
        joined = " ".join(text[near : self.start].split())
        if near and len(joined) <= width:
            joined = " ".join(text[: self.start].split())
        return joined if len(joined) <= width else joined[-width:].partition(" ")[2]

    def after(self, width: int) -> str:
        """Up to so many characters behind the word, in one line, of whole words."""
        text = self.stored.chunk.text
        near = self.end + _NEAR * width
        joined = " ".join(text[self.end : near].split())
        if near < len(text) and len(joined) <= width:
            joined = " ".join(text[self.end :].split())
        space = " " if text[self.end : self.end + 1].isspace() and joined else ""
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
    in_reference_lists: int = 0
    """How many places more are in reference lists, which are left out unless they are asked for."""
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
    words, selection = tuple(request.words), selection_of(project, request.filters)
    finder = _Finder(
        project=project,
        search=search,
        words=words,
        terms=lookup.terms if lookup else None,
        exact=request.exact,
    )
    occurrences, complete = finder(selection)
    listed: tuple[Occurrence, ...] = ()
    if not request.filters.kinds:
        lists = replace(selection, kinds=(ChunkKind.REFERENCE,), without_kinds=())
        listed, _ = finder(lists)
    return Concordance(
        project=project.id,
        words=words,
        exact=request.exact,
        occurrences=occurrences,
        in_reference_lists=len(listed),
        complete=complete,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    """Finds the places of words in a selection of chunks; `exact` leaves out other forms."""

    project: OpenProject
    search: Search
    words: tuple[str, ...]
    terms: QuestionTerms | None
    exact: bool

    def __call__(self, selection: Selection) -> tuple[tuple[Occurrence, ...], bool]:
        """The places by work and place, and whether every passage with the words was read."""
        vector = next(filter(None, (_vector(word, self.terms) for word in self.words)), None)
        chunks: list[StoredChunk] = []
        if vector is not None:
            count = self.project.index.count(self.project.collection, selection)
            limit = min(max(count, 1), MOST_PASSAGES)
            query = IndexQuery(selection=selection, mode=Mode.SPARSE, limit=limit, sparse=vector)
            chunks = [hit.stored for hit in self.search(query)]
        complete = len(chunks) < MOST_PASSAGES
        if not chunks and (vector is None or any(map(has_unsegmented, self.words))):
            chunks = list(self.project.chunks(selection))  # also where pairs are not indexed yet
        texts = [stored.chunk.text for stored in chunks]
        spans = [_spans(word, None if self.exact else self.terms, texts) for word in self.words]

        def place(stored: StoredChunk) -> tuple[str, str, int]:
            work = stored.citation.citekey if stored.citation else stored.source_path
            return work, stored.chunk.doc_id, stored.chunk.chunk_idx

        return tuple(_occurrences(sorted(chunks, key=place), spans)), complete


def _vector(word: str, terms: QuestionTerms | None) -> SparseVector | None:
    """The terms by which passages with a word are found; None where it has none."""
    if terms is None:
        return None
    if has_unsegmented(word):
        pair = _PAIR.search(NormalText.of(word).text)
        return terms.terms_of([pair[0]]) if pair else None
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


def _spans(word: str, terms: QuestionTerms | None, texts: Sequence[str]) -> Spans:
    """What finds the word in these texts."""
    normal = NormalText.of(word).text
    if terms is None or has_unsegmented(word) or not _FOLDABLE.fullmatch(normal):
        return lambda text: word_spans(text, word)
    parts = _TOKEN.findall(normal)
    literal = tuple(NormalText.of(part) for part in parts if not terms.forms_alone(part))
    vocabulary: set[str] = set()
    if len(literal) < len(parts):
        vocabulary.update(*(_TOKEN.findall(NormalText.of(text).text) for text in texts))
    forms = (sorted(_alike(part, vocabulary, terms)) for part in parts)
    alternatives = (f"(?:{'|'.join(map(re.escape, those))})" for those in forms)
    pattern = re.compile(rf"(?<!{_LETTER}){_GAP.join(alternatives)}(?!{_LETTER})")
    return _Forms(pattern=pattern, literal=literal)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forms:
    """The places of words in a row, in any form; `literal` are those that have no other."""

    pattern: re.Pattern[str]
    literal: tuple[NormalText, ...]

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        if not all(word.may_stand_in(text) for word in self.literal):
            return
        normal = NormalText.of(text)
        for match in self.pattern.finditer(normal.text):
            start, end = normal.span(*match.span())
            if not cuts_off_signs(text, start, end):
                yield start, end


def _alike(word: str, vocabulary: AbstractSet[str], terms: QuestionTerms) -> frozenset[str]:
    """The words of a vocabulary that have a term in common with a word, and itself."""
    forms = frozenset(terms.forms_alone(word))
    if not forms:
        return frozenset((word,))
    indices = frozenset(index for form in forms for index in form.indices)
    near = terms.sharing(sorted(vocabulary), indices)
    return frozenset((word, *(each for each in near if forms & {*terms.forms_alone(each)})))
