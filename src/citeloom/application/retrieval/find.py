"""The use case `find`: a concordance, every place of a word with the words around it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from citeloom.application.collection import empty_note, selection_of
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.passages import FindRequest
from citeloom.application.retrieval.question import question_words
from citeloom.application.retrieval.search import search_in
from citeloom.application.retrieval.terms import QuestionTerms
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import (
    ChunkText,
    IndexQuery,
    Selection,
    SparseVector,
    overlap,
)
from citeloom.domain.retrieval.words import words_looked_up
from citeloom.domain.text.hebrew_arabic import unpointed
from citeloom.domain.text.normal_form import NormalText
from citeloom.domain.text.tokens import UNSEGMENTED, has_unsegmented, joined_spans
from citeloom.domain.text.verbatim import word_matches, word_spans

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

Spans = Callable[[str], Iterable[tuple[int, int]]]
"""The places of a word in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A place of a word in the text of a stored chunk."""

    text: ChunkText
    start: int
    end: int

    @property
    def word(self) -> str:
        return " ".join(self.text.text[self.start : self.end].split())

    @property
    def citation(self) -> str | None:
        """A Pandoc citation of the word, where the work has a citekey."""
        return self.text.cited_between(self.start, self.end)

    @property
    def work(self) -> str:
        """The citekey of the work, else the name of the file."""
        return self.text.work

    def before(self, width: int) -> str:
        """Up to so many characters before the word, in one line, from a whole word on."""
        text, near = self.text.text, _near(width)
        while True:
            joined = " ".join(text[max(self.start - near, 0) : self.start].split())
            if len(joined) > width:
                return joined[-width:].partition(" ")[2]
            if near >= self.start:
                return joined
            near *= 4

    def after(self, width: int) -> str:
        """Up to so many characters behind the word, in one line, of whole words."""
        text, near = self.text.text, _near(width)
        while True:
            joined = " ".join(text[self.end : self.end + near].split())
            if len(joined) > width:
                joined = joined[:width].rpartition(" ")[0]
            elif self.end + near < len(text):
                near *= 4
                continue
            return " " + joined if text[self.end : self.end + 1].isspace() and joined else joined


def _near(width: int) -> int:
    """How many characters are looked at first to show so many, since white space is joined."""
    return width + width // 4 + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPlaces:
    """The places of words in the text of a passage, ascending."""

    text: ChunkText
    spans: tuple[tuple[int, int], ...]
    as_written: frozenset[str] = frozenset()
    """The words that stand here in the form that was asked for."""


def _count(found: Iterable[ChunkPlaces]) -> int:
    return sum(len(places.spans) for places in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordance:
    """Every place of the words, by work and place: first the works that have most of them as they
    are written, of these the one with most places; not `complete` where more passages have the word
    than are read.
    """

    project: str
    words: tuple[str, ...]
    exact: bool
    found: tuple[ChunkPlaces, ...]
    """All of them, passage by passage."""
    occurrences: tuple[Occurrence, ...]
    """As many as were to be shown, from the first on."""
    in_reference_lists: int = 0
    """How many places more are in reference lists, which are left out unless they are asked for."""
    complete: bool = True
    notes: tuple[str, ...] = ()
    """Why nothing was found, and which words stand in other forms alone."""

    @property
    def count(self) -> int:
        """How many places there are."""
        return _count(self.found)

    @property
    def passages(self) -> int:
        return len(self.found)

    def by_work(self) -> Counter[str]:
        """How often they stand in each work, by citekey or file, in the order of the works."""
        return _count_by_work(self.found)

    def by_year(self) -> Counter[int]:
        """How often they stand in the works of each year; works without one are left out."""
        counts: Counter[int] = Counter()
        for places in self.found:
            if places.text.year is not None:
                counts[places.text.year] += len(places.spans)
        return counts


def find(project: OpenProject, request: FindRequest) -> Concordance:
    """Every place of words in the project. Candidates are the chunks with the terms of a word, all
    chunks where it has none; what counts is their text.

    Raises `InvalidProject` if nothing has been ingested yet.
    """
    lookup = question_words(project, search_in(project, project.bound_collection()))
    words, selection = tuple(request.words), selection_of(project, request.filters)
    finder = _Finder(
        project=project,
        words=words,
        terms=lookup.terms if lookup else None,
        exact=request.exact,
    )
    found, complete = finder(selection)
    found = _by_work(found)
    each = ((places, span) for places in found for span in places.spans)
    listed = 0
    if not request.filters.kinds:
        lists = replace(selection, kinds=(ChunkKind.REFERENCE,), without_kinds=())
        listed = _count(finder(lists)[0])
    nothing = () if found or listed else empty_note(project) or tuple(_no_words(words))
    return Concordance(
        project=project.id,
        words=words,
        exact=request.exact,
        found=found,
        occurrences=tuple(
            Occurrence(text=places.text, start=start, end=end)
            for places, (start, end) in islice(each, request.top_k)
        ),
        in_reference_lists=listed,
        complete=complete,
        notes=(*nothing, *_other_forms_alone(words, found)),
    )


def _count_by_work(found: Iterable[ChunkPlaces]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for places in found:
        counts[places.text.work] += len(places.spans)
    return counts


def _by_work(found: Sequence[ChunkPlaces]) -> tuple[ChunkPlaces, ...]:
    """The places, first those of the works that have most of the words as they are written, of
    these those of the work with most places.
    """
    counts, own = _count_by_work(found), defaultdict[str, set[str]](set)
    for places in found:
        own[places.text.work] |= places.as_written

    def rank(places: ChunkPlaces) -> tuple[int, int]:
        work = places.text.work
        return -len(own[work]), -counts[work]

    return tuple(sorted(found, key=rank))


def _other_forms_alone(words: Iterable[str], found: Sequence[ChunkPlaces]) -> Iterator[str]:
    """A note on each word that stands nowhere in the form that was asked for."""
    there = frozenset[str]().union(*(places.as_written for places in found))
    for word in words if found else ():
        if word not in there:
            yield f"'{word}' stands nowhere in this form: all places have other forms of it"


def _no_words(words: Iterable[str]) -> Iterator[str]:
    """A note on each that has signs alone, without a letter or a digit."""
    for word in words:
        if not any(map(str.isalnum, word)):
            yield f"there is no word in '{word}': signs are looked for as they are written"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finder:
    """Finds the places of words in a selection of chunks; `exact` leaves out other forms."""

    project: OpenProject
    words: tuple[str, ...]
    terms: QuestionTerms | None
    exact: bool

    def __call__(self, selection: Selection) -> tuple[tuple[ChunkPlaces, ...], bool]:
        """The places by work and place, and whether every passage with the words was read."""
        index, collection = self.project.index, self.project.collection
        vector = next(filter(None, (_vector(word, self.terms) for word in self.words)), None)
        chunks: list[ChunkText] = []
        if vector is not None:
            count = index.count(collection, selection)
            limit = min(max(count, 1), MOST_PASSAGES)
            query = IndexQuery(selection=selection, mode=Mode.SPARSE, limit=limit, sparse=vector)
            chunks = index.search_texts(collection, query)
        complete = len(chunks) < MOST_PASSAGES
        if not chunks and (vector is None or any(map(has_unsegmented, self.words))):
            # also where pairs are not indexed yet
            chunks = list(index.texts(collection, selection))
        texts = [chunk.text for chunk in chunks]
        spans = [_spans(word, None if self.exact else self.terms, texts) for word in self.words]

        def place(chunk: ChunkText) -> tuple[str, str, int]:
            return chunk.citekey or chunk.source_path, chunk.doc_id, chunk.chunk_idx

        return tuple(_places(sorted(chunks, key=place), spans, self.words)), complete


def _vector(word: str, terms: QuestionTerms | None) -> SparseVector | None:
    """The terms by which passages with a word are found; None where it has none."""
    if terms is None:
        return None
    if has_unsegmented(word):
        pair = _PAIR.search(NormalText.of(word).text)
        return terms.terms_of([pair[0]]) if pair else None
    parts = (
        terms.forms(part, terms.question_languages(word))
        for part in _TOKEN.findall(unpointed(word))
    )
    indices = {index for forms in parts for form in forms for index in form.indices}
    return SparseVector.of(dict.fromkeys(indices, 1.0)) if indices else None


def _places(
    chunks: Iterable[ChunkText], spans: Sequence[Spans], words: Sequence[str]
) -> Iterator[ChunkPlaces]:
    """The places of the words in chunks that have all of them, each once where the next chunk
    repeats the end of one.
    """
    form_of = cache(_form)
    last: ChunkText | None = None
    for chunk in chunks:
        places = [list(find(chunk.text)) for find in spans]
        if not all(places):
            continue
        repeated = 0
        if last and (last.doc_id, last.chunk_idx + 1) == (chunk.doc_id, chunk.chunk_idx):
            repeated = overlap(last.text, chunk.text)
        last = chunk
        ordered = (
            places[0] if len(places) == 1 else sorted({span for each in places for span in each})
        )
        if kept := tuple(span for span in ordered if span[1] > repeated):
            forms = {form_of(chunk.text[start:end]) for start, end in kept}
            own = {w for w in words if form_of(w) in forms or any(word_spans(chunk.text, w))}
            yield ChunkPlaces(text=chunk, spans=kept, as_written=frozenset(own))


def _form(words: str) -> str:
    """The form of words, whatever their capitals and the white space between them."""
    return NormalText.of(words).text


# The places of a question's words in texts.

_MOST_MARKED = 24
"""How many words of a question are looked for in texts."""


def places_of_words(
    project: OpenProject, question: str, texts: Sequence[str]
) -> list[list[tuple[int, int]]]:
    """Where in each of the texts the words of a question stand, in any form, ascending and apart.

    Raises `InvalidProject` if nothing has been ingested yet.
    """
    lookup = question_words(project, search_in(project, project.bound_collection()))
    terms = lookup.terms if lookup else None
    words = words_looked_up(question)[:_MOST_MARKED]
    finders = [_spans(word, terms, texts) for word in words]
    found = ([span for spans in finders for span in spans(text)] for text in texts)
    return [joined_spans(spans, lambda end, start: start <= end) for spans in found]


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
    first, *others = (
        [re.escape(form) for form in sorted(_alike(part, vocabulary, terms))] for part in parts
    )
    # what stands before is looked at last: a pattern that begins with its words is found faster
    begins = [f"{form}(?<!{_LETTER}{form})" for form in first]
    alternatives = (f"(?:{'|'.join(those)})" for those in (begins, *others))
    pattern = re.compile(rf"{_GAP.join(alternatives)}(?!{_LETTER})")
    return _Forms(pattern=pattern, literal=literal)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forms:
    """The places of words in a row, in any form; `literal` are those that have no other."""

    pattern: re.Pattern[str]
    literal: tuple[NormalText, ...]

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        if not all(word.may_stand_in(text) for word in self.literal):
            return
        yield from word_matches(self.pattern, text)


def _alike(word: str, vocabulary: AbstractSet[str], terms: QuestionTerms) -> frozenset[str]:
    """The words of a vocabulary that have a term in common with a word, and itself."""
    forms = frozenset(terms.forms_alone(word))
    if not forms:
        return frozenset((word,))
    indices = frozenset(index for form in forms for index in form.indices)
    near = terms.sharing(sorted(vocabulary), indices)
    return frozenset((word, *(each for each in near if forms & {*terms.forms_alone(each)})))
