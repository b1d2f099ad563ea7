"""An answer as it is kept: the words that it quotes, and the places of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from citeloom.domain.answers.answer import Answer, Citation, Sentence
from citeloom.domain.chunk import Chunk
from citeloom.domain.citation import CitationMeta
from citeloom.domain.metadata import MetadataValue
from citeloom.domain.passage import Passage, StoredChunk, trim

MOST_PASSAGES = 20
LONGEST_QUOTE = 2_000
_LONGEST_PASSAGE = 200
_MOST_NAMES = 20
_LONGEST_VALUE = 500


def excerpt(answer: Answer) -> Answer:
    """The answer without what it does not quote: as it can be shown, and no larger than needed.

    Of a cited passage the quoted words are kept, with their own place in the work; of the passages
    read, the first words of the first twenty. Sentences that were left out have no citations.
    """
    return replace(
        answer,
        sentences=tuple(map(_sentence, answer.sentences)),
        unverified=tuple(replace(one, citations=()) for one in answer.unverified),
        works=tuple(map(_work, answer.works)),
        passages=tuple(map(_passage, answer.passages[:MOST_PASSAGES])),
    )


def _sentence(sentence: Sentence) -> Sentence:
    return replace(sentence, citations=tuple(map(_citation, sentence.citations)))


def _citation(citation: Citation) -> Citation:
    start = citation.start
    end = min(citation.end, start + LONGEST_QUOTE)
    chunk = citation.stored.chunk.between(start, end)
    return replace(citation, stored=_small(citation.stored, chunk), start=0, end=end - start)


def _passage(passage: Passage) -> Passage:
    chunk = passage.stored.chunk
    text, _ = trim(chunk.text, _LONGEST_PASSAGE)
    begun = replace(chunk, text=text, page_starts=(), boxes=(), heading_context=())
    return replace(
        passage,
        stored=_small(passage.stored, begun),
        text=text,
        trimmed=True,
        before=(),
        after=(),
        duplicates=(),
    )


def _small(stored: StoredChunk, chunk: Chunk) -> StoredChunk:
    return replace(
        stored,
        chunk=chunk,
        citation=_work(stored.citation) if stored.citation else None,
        metadata=_values(stored.metadata),
    )


def _work(work: CitationMeta) -> CitationMeta:
    """The work with as many names and tags as are ever shown."""
    return replace(
        work,
        title=trim(work.title, _LONGEST_VALUE)[0],
        authors=tuple(trim(name, _LONGEST_VALUE)[0] for name in work.authors[:_MOST_NAMES]),
        tags=work.tags[:_MOST_NAMES],
        collections=(),
    )


def _values(metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataValue]:
    """The metadata without long texts."""
    return {
        name: value
        for name, value in list(metadata.items())[:_MOST_NAMES]
        if len(str(value)) <= _LONGEST_VALUE
    }
