"""Indexing a test collection in an index of its own, as a project's documents are indexed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from citeloom.application.collection import make_target
from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.ingest.embedding import embed
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import TokenCounter
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    ConversionResult,
    Fragment,
    Heading,
)
from citeloom.domain.evaluation.measures import EvaluationCollection, Text
from citeloom.domain.project import Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk

_GROUP_TEXTS = 256
_PARAGRAPHS = re.compile(r"\S.*?(?=\n\s*\n|\s*\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCollection:
    """Chunks, embeds and stores the texts of a test collection, and gives the project over them.

    The models, the chunker and the retrieval policy are the project's, but texts of any length are
    indexed: the collection's qrels need each.
    """

    project: OpenProject
    counter: TokenCounter
    events: ReadEvent

    def __call__(self, collection: EvaluationCollection) -> OpenProject:
        """Index the collection. Raises `ModelUnavailable` when a model is missing."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", collection.name).strip("-._") or "collection"
        settings = replace(self.project.settings, id=f"eval/{name}", collection="")
        project = replace(self.project, settings=settings)
        target = make_target(project, project.dense)
        with reported_run(len(collection.texts), self.events):
            for group in _groups(collection.texts):
                chunks = [chunk for text in group for chunk in self._chunks(settings, text)]
                project.index.upsert(target.name, embed(chunks, project.dense, project.sparse))
                for text in group:
                    self.events(DocumentDone(document=text.id, state="indexed"))
            project.index.optimize(target.name)
        return project

    def _chunks(self, project: Project, text: Text) -> Iterator[StoredChunk]:
        fitted = project.chunking.fitted(self.counter.window)
        chunked = chunk_document(
            conversion_of(text),
            policy=replace(fitted, min_chunk_tokens=1, min_signal_to_noise=0.0),
            embedding_model=project.embedding_model,
            special_tokens=self.counter.special_tokens,
            count_all=self.counter.count_all,
            is_estimate=not self.counter.exact,
        )
        for chunk in chunked.chunks:
            yield StoredChunk(
                project_id=project.id,
                chunk=chunk,
                source_path=text.id,
                citation=CitationMeta(citekey=text.id, title=text.title),
                embed_model=project.embedding_model,
                sparse_model=project.bound_sparse_model,
            )


def conversion_of(text: Text) -> ConversionResult:
    """A text without pages as a converted document, its title as the heading of all of it.

    Of a text without a body the title is the body.
    """
    plain = text.text.strip() or text.title.strip()
    headings = [Heading(level=1, title=text.title.strip(), start=0)] if text.title.strip() else []
    blocks = [
        Block(
            kind=BlockKind.PARAGRAPH,
            fragments=(Fragment(start=match.start(), end=match.end()),),
            section=0 if headings else None,
        )
        for match in _PARAGRAPHS.finditer(plain)
    ]
    return ConversionResult(
        doc_id=text.id,
        plain_text=plain,
        blocks=tuple(blocks),
        headings=tuple(headings),
        page_map={},
        page_count=0,
    )


def _groups(texts: Iterable[Text]) -> Iterator[list[Text]]:
    texts_with_words = [text for text in texts if text.text.strip() or text.title.strip()]
    for start in range(0, len(texts_with_words), _GROUP_TEXTS):
        yield texts_with_words[start : start + _GROUP_TEXTS]
