"""Embedding chunks: dense vectors, and sparse ones where there is an embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.application.retrieval.terms import (
    embed_texts,
    language_of_chunk,
    language_of_document,
)
from citeloom.domain.retrieval.passage import DenseVector, EmbeddedChunk, SparseVector, StoredChunk
from citeloom.domain.retrieval.sparse import document_context, marked, with_opening

TOGETHER = 64
"""How many texts a model gets at a time: enough for batches of similar length."""


def embed(
    chunks: Sequence[StoredChunk],
    dense: DenseEmbedder,
    sparse: SparseEmbedder | None,
    done: Callable[[int], None] = lambda _number: None,
) -> list[EmbeddedChunk]:
    """The chunks with their vectors, in their order; sparse ones where there is an embedder.

    The chunks of a document come together and all at once: each carries the document's opening. A
    text that occurs twice is embedded once. `done` is called with the number of further chunks that
    have a dense vector.
    """
    vectors: dict[str, DenseVector] = {}
    for start in range(0, len(chunks), TOGETHER):
        texts = [stored.chunk.embedding_text for stored in chunks[start : start + TOGETHER]]
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        vectors |= zip(new, dense.embed_passages(new), strict=True)
        done(len(texts))
    by_meaning = [vectors[stored.chunk.embedding_text] for stored in chunks]
    return with_vectors(chunks, by_meaning, sparse_vectors(chunks, sparse))


def with_vectors(
    chunks: Sequence[StoredChunk],
    dense: Sequence[DenseVector],
    sparse: Sequence[SparseVector | None],
) -> list[EmbeddedChunk]:
    return [
        EmbeddedChunk(stored=stored, dense=by_meaning, sparse=by_words)
        for stored, by_meaning, by_words in zip(chunks, dense, sparse, strict=True)
    ]


def sparse_vectors(
    chunks: Sequence[StoredChunk], sparse: SparseEmbedder | None
) -> list[SparseVector | None]:
    """Each chunk's terms, with those of its document's opening, each in its own language; None
    without an embedder.
    """
    if sparse is None:
        return [None] * len(chunks)
    supported = sparse.languages
    documents: dict[str, list[StoredChunk]] = {}
    for stored in chunks:
        documents.setdefault(stored.chunk.doc_id, []).append(stored)
    of_document = {
        doc_id: language_of_document(document, supported) for doc_id, document in documents.items()
    }
    texts = []
    for document in documents.values():
        first = document[0]
        if first.chunk.mark is None:
            texts.append(document_context(stored.chunk for stored in document))
        else:  # a reader's mark has no opening, but names of its work what one says
            cited = first.citation
            texts.append("\n".join((cited.title, *cited.authors)) if cited else "")
    openings = dict(zip(documents, embed_texts(sparse, texts, of_document.values())))
    languages = [language_of_chunk(s, of_document[s.chunk.doc_id], supported) for s in chunks]
    vectors = embed_texts(sparse, [stored.chunk.embedding_text for stored in chunks], languages)
    return [
        marked(with_opening(v, openings[doc_id]), filter(None, (language, of_document[doc_id])))
        for doc_id, v, language in zip((s.chunk.doc_id for s in chunks), vectors, languages)
    ]
