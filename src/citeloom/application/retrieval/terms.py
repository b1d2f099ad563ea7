"""Words made into terms: of questions and of passages, in the languages a collection holds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.domain.chunks.chunk import LEFT_OUT, ChunkKind
from citeloom.domain.documents.language import (
    DEFAULT_LANGUAGE,
    TERM_LANGUAGES,
    UNDETERMINED,
    clear_language,
    language_code,
    name_of_guessed,
)
from citeloom.domain.policies import MULTILINGUAL_MODEL, Mode
from citeloom.domain.project import Collection, reads_english_alone
from citeloom.domain.retrieval.passage import IndexQuery, Selection, SparseVector, StoredChunk
from citeloom.domain.retrieval.sparse import any_of, languages_of, primary_language
from citeloom.domain.retrieval.words import (
    clear_question_language,
    function_words,
)
from citeloom.domain.text.hebrew_arabic import unpointed
from citeloom.domain.text.tokens import SPELLED, UNSEGMENTED, unsegmented_letters, words_with_signs

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import SparseEmbedder
    from citeloom.application.retrieval.search import Search

Languages = tuple[str | None, ...]
"""Codes of languages; None alone is English, where the collection holds nothing else."""
_TOKEN = re.compile(r"\w+")
_READ_WORD = re.compile(rf"[^\W{UNSEGMENTED}{SPELLED}]{{2,}}")
_SPELLED_WORD = re.compile(rf"[{SPELLED}]{{2,}}")
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
        while True:
            # the languages of one chunk that has others than those known
            matches = search.match(further_languages(search.collection, languages))
            vectors = (match.sparse for match in matches if match.sparse is not None)
            further = {code for vector in vectors for code in languages_of(vector)}
            if further <= languages:
                break
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


def unread_language(
    question: str, collection: Collection, languages: tuple[str, ...]
) -> tuple[str, ...]:
    """A note on a question in a language, or a script, that the collection has no texts of, as far
    as its terms tell, and its dense model was not trained on; none on any other.
    """
    language = clear_question_language(question)
    if language is None and words_alone(question, collection.dense_model):
        language = clear_language(question) or UNDETERMINED
    named = ":" in (collection.sparse_model or "")
    read = (None, DEFAULT_LANGUAGE, *languages)
    if not reads_english_alone(collection.dense_model) or named or language in read:
        return ()
    return (
        f"the question is in {name_of_guessed(str(language))}, and {collection.dense_model} was "
        "trained on English: ask in English, or set "
        f'embedding_model = "{MULTILINGUAL_MODEL}", which reads both, and run '
        f"citeloom ingest --project {collection.project_id} --rebuild",
    )


def words_alone(question: str, dense_model: str) -> bool:
    """Whether most of a question is in a script that the default dense model cannot read: its
    ranking only disturbs that by words. Two letters count as a word where no spaces part them.
    """
    if not reads_english_alone(dense_model):
        return False
    unread = len(_SPELLED_WORD.findall(question)) + unsegmented_letters(question) / 2
    return unread > len(_READ_WORD.findall(question))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerms:
    """Makes questions into terms: of English, and of the `languages` that the collection holds."""

    sparse: SparseEmbedder
    languages: tuple[str, ...] = ()

    def vector(self, text: str) -> SparseVector:
        """The terms of a question, without the function words of its own language."""
        text = unpointed(text)
        languages, functional = self.question_languages(text), function_words(text)

        def carrying(token: re.Match[str]) -> str:
            word = token[0]
            if word.casefold() in functional:
                return " "
            carries = any(self.sparse.embed_query(word, code).indices for code in languages)
            return word if carries else " "

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

    def forms_alone(self, word: str) -> tuple[SparseVector, ...]:
        """The terms of a word that is asked for alone: none where any language has it as a stop
        word.
        """
        vectors = self._in_each(word)
        carries = all(vector.indices for vector in vectors)
        return tuple(dict.fromkeys(vectors)) if carries else ()

    def sharing(self, words: Sequence[str], terms: AbstractSet[int]) -> Iterator[str]:
        """Those of the words that have any of the terms: looked for by halves, since most have none
        and a text costs hardly more than a word.
        """
        for start in range(0, len(words), _MOST_TOKENS):
            part = words[start : start + _MOST_TOKENS]
            if terms.isdisjoint(
                index for v in self._in_each(" ".join(part)) for index in v.indices
            ):
                continue
            if len(part) == 1:
                yield part[0]
                continue
            half = len(part) // 2
            yield from self.sharing(part[:half], terms)
            yield from self.sharing(part[half:], terms)

    def terms_of(self, words: Iterable[str]) -> SparseVector:
        """The terms of each of the words in every language."""
        return _united([vector for word in words for vector in self._in_each(word)])

    def question_languages(self, text: str) -> Languages:
        """The language of a question: that with most stop words in it, several where they have as
        many.
        """
        if not self.languages:
            return self._all
        tokens = list(dict.fromkeys(_TOKEN.findall(unpointed(text))))[:_MOST_TOKENS]
        stop_words = {
            language: sum(not self.sparse.embed_query(token, language).indices for token in tokens)
            for language in self._all
        }
        return tuple(
            language for language in self._all if stop_words[language] == max(stop_words.values())
        )

    @property
    def _all(self) -> Languages:
        return (DEFAULT_LANGUAGE, *self.languages) if self.languages else (None,)

    def _in_each(self, text: str) -> list[SparseVector]:
        return [self.sparse.embed_query(text, language) for language in self._all]


def _united(vectors: Sequence[SparseVector]) -> SparseVector:
    pairs = (zip(vector.indices, vector.values) for vector in vectors)
    return SparseVector.of({index: value for terms in pairs for index, value in terms})


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
