"""Answering with the passages' own sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.term_language import embed_texts, language_of_stored
from citeloom.domain.answers.answer import Citation, Sentence
from citeloom.domain.answers.extraction import (
    Candidate,
    Excerpt,
    ExtractionPolicy,
    choose_excerpts,
    cosine,
    quotable_spans,
)
from citeloom.domain.answers.untrusted import inert, trusted_length
from citeloom.domain.fit import Wording
from citeloom.domain.passage import Passage, StoredChunk
from citeloom.domain.quotation import letters_of

_Span = tuple[int, StoredChunk, int, int]
"""A sentence: the rank of its passage, the passage's chunk, its start and its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractAnswer:
    """Chooses the excerpts of passages that answer a question best."""

    dense: DenseEmbedder
    sparse: SparseEmbedder | None
    policy: ExtractionPolicy

    def __call__(
        self, question: str, passages: Sequence[Passage], wording: Wording
    ) -> tuple[Sentence, ...]:
        """The excerpts, best first, each of which is its own quote."""
        spans = self._spans(passages)
        if not spans:
            return ()
        query = self.dense.embed_query(question)
        texts = [stored.chunk.text[start:end] for _, stored, start, end in spans]
        vectors = self.dense.embed_passages(texts)
        candidates = [
            Candidate(
                stored=stored,
                start=start,
                end=end,
                rank=rank,
                similarity=cosine(query, vector),
                terms=terms,
            )
            for (rank, stored, start, end), vector, terms in zip(
                spans, vectors, self._terms(spans, texts, wording.weights)
            )
        ]
        return tuple(map(_sentence, choose_excerpts(candidates, self.policy)))

    def _spans(self, passages: Sequence[Passage]) -> list[_Span]:
        """The sentences that can be quoted, each once, up to an order to a model; the title of a
        section is none.
        """
        first: dict[str, _Span] = {}
        for rank, passage in enumerate(passages[: self.policy.passages], start=1):
            chunk = passage.stored.chunk
            titles = set(map(letters_of, chunk.section_path))
            for start, end in self._sentences(chunk.text):
                letters = letters_of(chunk.text[start:end])
                if letters not in titles:
                    first.setdefault(letters, (rank, passage.stored, start, end))
        return list(first.values())

    def _sentences(self, text: str) -> Iterator[tuple[int, int]]:
        trusted = trusted_length(text)
        return ((start, end) for start, end in quotable_spans(text, self.policy) if end <= trusted)

    def _terms(
        self, spans: Sequence[_Span], texts: Sequence[str], weights: Mapping[str, float]
    ) -> list[float]:
        """For each text the share of the weight of the question's words that it holds."""
        total = sum(weights.values())
        if self.sparse is None or not total:
            return [0.0] * len(texts)
        known = self.sparse.languages
        languages = [language_of_stored(stored, known) for _, stored, _, _ in spans]
        own = {
            (word, language): set(self.sparse.embed_query(word, language).indices)
            for word in weights
            for language in set(languages)
        }
        return [
            sum(weights[word] for word in weights if own[word, language] <= set(vector.indices))
            / total
            for vector, language in zip(embed_texts(self.sparse, texts, languages), languages)
        ]


def _sentence(excerpt: Excerpt) -> Sentence:
    citation = Citation(stored=excerpt.stored, start=excerpt.start, end=excerpt.end)
    return Sentence(text=inert(citation.quote), citations=(citation,), shown=True)
