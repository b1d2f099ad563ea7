"""Search in one collection: the terms of a question in its languages, their statistics, and what
the store cannot do itself.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.application.ports.vector_index import Capability, VectorReader
from citeloom.domain.chunks.chunk import LEFT_OUT, ChunkKind
from citeloom.domain.documents.language import clear_language, language_code
from citeloom.domain.documents.text import UNSEGMENTED, unsegmented_letters, words_with_signs
from citeloom.domain.policies import DEFAULT_DENSE_MODEL, MULTILINGUAL_MODEL, Mode
from citeloom.domain.project import Collection, published_name
from citeloom.domain.retrieval.feedback import (
    TERM_LANGUAGES,
    any_of,
    languages_of,
    primary_language,
)
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Match,
    Ranked,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.domain.retrieval.ranking import Fusion, Scored, TermStatistics
from citeloom.domain.retrieval.words import (
    DEFAULT_LANGUAGE,
    LANGUAGE_NAMES,
    clear_question_language,
    function_words,
)

# Cached term statistics of collections, and cached weights of single words.

_QUESTIONS = 1_000


class TermStatisticsCache:
    """Term statistics by collection, kept until its generation or its number of chunks changes.

    Counting reads every vector of the collection once; checking that the cache is valid costs one
    `count` for each query. Documents replaced chunk by chunk are not noticed.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, int], TermStatistics]] = {}

    def __call__(self, reader: VectorReader, collection: Collection) -> TermStatistics:
        """The statistics of the collection's sparse vectors."""
        everything = Selection(project_id=collection.project_id)
        state = (collection.generation, reader.count(collection.name, everything))
        known = self._known.get(collection.name)
        if known is None or known[0] != state:
            chunks = reader.examine(collection.name, everything)
            vectors = (chunk.sparse for chunk in chunks if chunk.sparse is not None)
            known = state, TermStatistics.of(vectors)
            self._known[collection.name] = known
        return known[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordTerms:
    """The terms of a word in each language, and its weight in a collection, the least of them; None
    where no chunk has any. A `rare` word is in few chunks; the term of a `signed` word is that of
    the word with its signs.
    """

    forms: tuple[SparseVector, ...]
    weight: float | None
    rare: bool = False
    signed: bool = False

    @property
    def unknown(self) -> bool:
        """Whether it has terms, but no chunk has them."""
        return bool(self.forms) and self.weight is None


class WordWeightCache:
    """The weights of words in the collection that was asked last, kept for 1,000 questions.

    A word that no chunk has is not kept: the next document may have it.
    """

    def __init__(self) -> None:
        self._known: dict[str, WordTerms] = {}
        self._collection: Hashable = None
        self._questions = 0
        self.chunks: int | None = None
        """How many chunks there are, once they have been counted."""

    def current(self, collection: Hashable) -> Mapping[str, WordTerms]:
        """The weights known in a collection, to be read."""
        return self._known if collection == self._collection else {}

    def at(self, collection: Hashable) -> dict[str, WordTerms]:
        """The weights known in a collection, to be added to; those of any other are forgotten."""
        self._questions += 1
        if collection != self._collection or self._questions > _QUESTIONS:
            self._collection, self._known, self._questions = collection, {}, 0
            self.chunks = None
        return self._known


# Search in one collection, with what the store cannot do itself done here.

_ANY = SparseVector(indices=(), values=())


Sides = tuple[tuple[Hit, ...], ...]
"""The rankings of a query: one, or the dense and the sparse one before fusion."""


@dataclass(slots=True)
class _Results:
    """The results of the searches made so far, by their queries."""

    hits: dict[object, tuple[Hit, ...]] = field(default_factory=dict)
    matches: dict[object, tuple[Match, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Searches one collection for one question. A `fusion` replaces the store's own for hybrid
    queries. The same search is made once.
    """

    reader: VectorReader
    collection: Collection
    statistics: TermStatisticsCache
    fusion: Fusion | None = None
    _results: _Results = field(default_factory=_Results, init=False, repr=False, compare=False)

    def __call__(self, query: IndexQuery) -> list[Hit]:
        """The hits of a query, best first."""
        return self.fuse(self.sides(query), query)

    def match(self, query: IndexQuery) -> tuple[Match, ...]:
        """The matches of a query, best first, without their text."""
        self.look_ahead([], [query])
        return self._results.matches[_key(query)]

    def look_ahead(self, queries: Sequence[IndexQuery], matches: Sequence[IndexQuery] = ()) -> None:
        """Make searches that are still to come, and have not been made, in one exchange with the
        store.
        """
        known = self._results
        sides = {_key(side): side for query in queries for side in self._sides_of(query)}
        missing = {key: side for key, side in sides.items() if key not in known.hits}
        alone = {_key(query): query for query in matches if _key(query) not in known.matches}
        if not missing and not alone:
            return
        weighted = [self._weighted(query) for query in alone.values()]
        results = self.reader.search_batch(self.collection.name, [*missing.values()], weighted)
        known.hits.update((key, tuple(hits)) for key, hits in zip(missing, results.hits))
        known.matches.update((key, tuple(matches)) for key, matches in zip(alone, results.matches))

    def sides(self, query: IndexQuery) -> Sides:
        """The query's rankings: one if the store fuses them, else one for each side."""
        self.look_ahead([query])
        return tuple(self._results.hits[_key(side)] for side in self._sides_of(query))

    def fuse(self, sides: Sides, query: IndexQuery) -> list[Hit]:
        """The sides fused into one ranking, up to the query's limit."""
        if len(sides) == 1:
            return list(sides[0])
        dense, sparse = sides
        hits = {hit.stored.chunk.id: hit for hit in (*dense, *sparse)}
        merged = self.fusion_of(query).merge(_scored(dense), _scored(sparse))
        return [replace(hits[name], score=score) for name, score in merged[: query.limit]]

    @property
    def store_fuses(self) -> bool:
        """Whether the store fuses hybrid queries."""
        return self.fusion is None and Capability.FUSION in self.reader.capabilities

    def fusion_of(self, query: IndexQuery) -> Fusion:
        """The fusion of the query."""
        return self.fusion or Fusion(k=query.rrf_k)

    def _sides_of(self, query: IndexQuery) -> tuple[IndexQuery, ...]:
        """What the store is asked for a query."""
        query = self._weighted(query)
        if query.mode is not Mode.HYBRID or self.store_fuses:
            return (query,)
        depth = max(query.candidates, query.limit)
        return tuple(replace(query, mode=mode, limit=depth) for mode in (Mode.DENSE, Mode.SPARSE))

    def _weighted(self, query: IndexQuery) -> IndexQuery:
        """The query with its terms weighted by IDF, where the store does not do that."""
        if query.sparse is None or Capability.IDF in self.reader.capabilities:
            return query
        statistics = self.statistics(self.reader, self.collection)
        return replace(query, sparse=statistics.weigh(query.sparse))


def _key(query: IndexQuery) -> object:
    """What tells queries apart; the vector may be of a type that has no hash."""
    dense = None if query.dense is None else tuple(query.dense)
    return (
        replace(query, dense=None, mode=Mode.SPARSE, sparse=_ANY),
        query.mode,
        dense,
        query.sparse,
    )


def _scored(hits: Sequence[Hit]) -> list[Scored]:
    return [(hit.stored.chunk.id, hit.score) for hit in hits]


# The neighbouring chunks in a document.

Neighbours = tuple[tuple[StoredChunk, ...], tuple[StoredChunk, ...]]
"""The chunks before and after one in its document, in reading order."""


def neighbours(
    reader: VectorReader, collection: str, chunks: Sequence[StoredChunk], distance: int
) -> list[Neighbours]:
    """The neighbours of each chunk, up to `distance` before and after it, in one exchange with the
    store.
    """
    if distance < 1 or not chunks:
        return [((), ()) for _ in chunks]
    around = reader.scroll_batch(collection, [_around(stored, distance) for stored in chunks])
    return [_before_and_after(stored, neighbour) for stored, neighbour in zip(chunks, around)]


def _around(stored: StoredChunk, distance: int) -> Selection:
    here = stored.chunk.chunk_idx
    return Selection(
        project_id=stored.project_id,
        doc_id=stored.chunk.doc_id,
        chunks=(max(here - distance, 0), here + distance),
        without_kinds=(ChunkKind.HIDDEN,),
    )


def _before_and_after(stored: StoredChunk, around: Sequence[StoredChunk]) -> Neighbours:
    here = stored.chunk.chunk_idx
    ordered = sorted(around, key=lambda neighbour: neighbour.chunk.chunk_idx)
    return (
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx < here),
        tuple(neighbour for neighbour in ordered if neighbour.chunk.chunk_idx > here),
    )


# The terms of a question in each language that a collection holds.

Languages = tuple[str | None, ...]
"""Codes of languages; None alone is English, where the collection holds nothing else."""


_TOKEN = re.compile(r"\w+")


_OTHER_WORD = re.compile(rf"[^\W{UNSEGMENTED}]{{2,}}")
_MOST_TOKENS = 200


class LanguageCache:
    """The languages, besides English, that collections hold terms of.

    Each question looks for further ones: where there are none, one search that finds nothing.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def __call__(self, search: Search) -> tuple[str, ...]:
        """The codes of the languages that a collection holds, sorted."""
        languages = frozenset(self.known(search.collection))
        while further := _one_more(search, languages):
            languages |= further
        self._known[search.collection.name, search.collection.generation] = languages
        return tuple(sorted(languages))

    def known(self, collection: Collection) -> tuple[str, ...]:
        """The codes of the languages that are known of a collection so far, sorted."""
        return tuple(sorted(self._known.get((collection.name, collection.generation), ())))


def further_languages(collection: Collection, languages: Iterable[str]) -> IndexQuery:
    """The search for a chunk in another language than those held."""
    return IndexQuery(
        selection=Selection(project_id=collection.project_id),
        mode=Mode.SPARSE,
        limit=1,
        sparse=any_of(TERM_LANGUAGES - frozenset(languages)),
        with_vectors=True,
    )


def _one_more(search: Search, languages: frozenset[str]) -> frozenset[str]:
    """The languages of one chunk that has others than those held; none where there is no such."""
    matches = search.match(further_languages(search.collection, languages))
    vectors = (match.sparse for match in matches if match.sparse is not None)
    return frozenset(code for vector in vectors for code in languages_of(vector)) - languages


def unread_language(
    question: str, collection: Collection, languages: tuple[str, ...]
) -> tuple[str, ...]:
    """A note on a question in a language that the collection has no texts of and its dense model
    was not trained on; none on any other.
    """
    language = clear_question_language(question)
    named = ":" in (collection.sparse_model or "")
    reads_english = published_name(collection.dense_model) == DEFAULT_DENSE_MODEL
    if not reads_english or named or language in (None, DEFAULT_LANGUAGE, *languages):
        return ()
    return (
        f"the question is in {LANGUAGE_NAMES[str(language)]}, and {collection.dense_model} was "
        "trained on English: ask in English, or set "
        f'embedding_model = "{MULTILINGUAL_MODEL}", which reads both, and run '
        f"citeloom ingest --project {collection.project_id} --rebuild",
    )


def words_alone(question: str, collection: Collection) -> bool:
    """Whether a question is in a script without spaces, which the default dense model cannot read:
    its ranking only disturbs that by words. Two such letters count as a word.
    """
    others = len(_OTHER_WORD.findall(question))
    reads_english = published_name(collection.dense_model) == DEFAULT_DENSE_MODEL
    return reads_english and unsegmented_letters(question) > 2 * others


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerms:
    """Makes questions into terms: of English, and of the `languages` that the collection holds."""

    sparse: SparseEmbedder
    languages: tuple[str, ...] = ()

    def vector(self, text: str) -> SparseVector:
        """The terms of a question, without the function words of its own language."""
        languages, functional = self.question_languages(text), function_words(text)

        def carrying(token: re.Match[str]) -> str:
            word = token[0]
            left_out = word.casefold() in functional or not self._carries(word, languages)
            return " " if left_out else word

        signs = [self.sparse.embed_signs(word) for word in words_with_signs(text)]
        return _united([*self._in_each(_TOKEN.sub(carrying, text)), *signs])

    def signs(self, word: str) -> SparseVector | None:
        """The term of a word with signs or of a symbol; None where the model has none for it, which
        is not asked for any other word: it would be loaded for that.
        """
        vector = self.sparse.embed_signs(word) if any(words_with_signs(word)) else None
        return vector if vector and vector.indices else None

    def forms(self, word: str, languages: Languages) -> tuple[SparseVector, ...]:
        """The terms of a word in each language; none if it carries nothing in those `languages`."""
        terms = dict(zip(self._all, self._in_each(word)))
        if not any(terms[language].indices for language in languages):
            return ()
        return tuple(dict.fromkeys(vector for vector in terms.values() if vector.indices))

    def terms_of(self, words: Iterable[str]) -> SparseVector:
        """The terms of each of the words in every language."""
        return _united([vector for word in words for vector in self._in_each(word)])

    def question_languages(self, text: str) -> Languages:
        """The language of a question: that with most stop words in it, several where they have as
        many.
        """
        if not self.languages:
            return self._all
        tokens = list(dict.fromkeys(_TOKEN.findall(text)))[:_MOST_TOKENS]
        stop_words = {language: self._stop_words(tokens, language) for language in self._all}
        return tuple(
            language for language in self._all if stop_words[language] == max(stop_words.values())
        )

    @property
    def _all(self) -> Languages:
        return (DEFAULT_LANGUAGE, *self.languages) if self.languages else (None,)

    def _stop_words(self, tokens: Iterable[str], language: str | None) -> int:
        return sum(not self.sparse.embed_query(token, language).indices for token in tokens)

    def _carries(self, word: str, languages: Languages) -> bool:
        return any(self.sparse.embed_query(word, language).indices for language in languages)

    def _in_each(self, text: str) -> list[SparseVector]:
        return [self.sparse.embed_query(text, language) for language in self._all]


def _united(vectors: Sequence[SparseVector]) -> SparseVector:
    terms: Mapping[int, float] = {
        index: value for vector in vectors for index, value in zip(vector.indices, vector.values)
    }
    indices = tuple(sorted(terms))
    return SparseVector(indices=indices, values=tuple(terms[index] for index in indices))


# The language whose terms a text is given.

_LOOKED_AT = 30
"""So many chunks of a document say what language it is in."""


_SURELY = 8
"""The different frequent words that a chunk has in another language than its document: more than
the name of an institution has.
"""


def language_of_document(
    document: Sequence[StoredChunk], languages: AbstractSet[str]
) -> str | None:
    """Which of the languages a document is in: as declared, else as found in its text; None where
    it is none of them.
    """
    if not languages:
        return None
    first = document[0]
    named = first.metadata.get("language") or (first.citation and first.citation.language) or ""
    declared = primary_language(language_code(str(named)))
    if declared is not None:
        return _known(declared, languages)
    text = "\n".join(stored.chunk.text for stored in document[:_LOOKED_AT] if _is_prose(stored))
    return _known(clear_language(text), languages)


def language_of_chunk(
    stored: StoredChunk, of_document: str | None, languages: AbstractSet[str]
) -> str | None:
    """Which of the languages a chunk is in: as its text clearly shows, else as its document."""
    if not languages or not _is_prose(stored):
        return of_document
    language = clear_language(stored.chunk.text, least=_SURELY)
    return of_document if language is None else _known(language, languages)


def language_of_stored(stored: StoredChunk, languages: AbstractSet[str]) -> str | None:
    """As `language_of_chunk`, of a chunk whose document is not at hand."""
    return language_of_chunk(stored, language_of_document([stored], languages), languages)


def embed_texts(
    sparse: SparseEmbedder, texts: Sequence[str], languages: Iterable[str | None]
) -> list[SparseVector]:
    """The vectors of passages, each in its language."""
    places: dict[str | None, list[int]] = {}
    for place, language in enumerate(languages):
        places.setdefault(language, []).append(place)
    vectors = {
        place: vector
        for language, those in places.items()
        for place, vector in zip(
            those, sparse.embed_passages([texts[place] for place in those], language)
        )
    }
    return [vectors[place] for place in range(len(texts))]


def _is_prose(stored: StoredChunk) -> bool:
    return stored.chunk.kind not in (*LEFT_OUT, ChunkKind.TABLE)


def _known(language: str | None, languages: AbstractSet[str]) -> str | None:
    return language if language in languages else None


# The ranks of chunks in either side of a search, for explanations.


def ranks(query: IndexQuery, search: Search, mode: Mode) -> dict[str, Ranked]:
    """The ranks of chunks in one side alone, up to the query's number of candidates."""
    vector = query.dense if mode is Mode.DENSE else query.sparse
    if vector is None:
        return {}
    matches = search.match(_ranking(query, mode))
    return {
        match.chunk_id: Ranked(rank=rank, score=match.score)
        for rank, match in enumerate(matches, start=1)
    }


def rankings(query: IndexQuery) -> list[IndexQuery]:
    """The searches for the ranks in the sides of a query."""
    sides = ((Mode.DENSE, query.dense), (Mode.SPARSE, query.sparse))
    return [_ranking(query, mode) for mode, vector in sides if vector is not None]


def _ranking(query: IndexQuery, mode: Mode) -> IndexQuery:
    return replace(query, mode=mode, limit=query.candidates, with_vectors=False)
