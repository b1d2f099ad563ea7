"""The language whose terms a text is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from citeloom.application.ports.embedders import SparseEmbedder
from citeloom.domain.chunk import LEFT_OUT, ChunkKind
from citeloom.domain.language_of_text import clear_language
from citeloom.domain.languages import language_code
from citeloom.domain.passage import SparseVector, StoredChunk
from citeloom.domain.term_languages import primary_language

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
    found = clear_language(stored.chunk.text, least=_SURELY)
    return of_document if found is None else _known(found, languages)


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
