"""A library as it is answered: projects, documents, models, validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

from citeloom.application.documents import DocumentPage, Inspection, ListedDocument, OutlineEntry
from citeloom.application.library_info import (
    ConfiguredModel,
    LibraryInfo,
)
from citeloom.application.models import (
    AvailableEngine,
    AvailableModel,
    ModelKind,
    RecommendedModels,
)
from citeloom.application.ports.vector_index import StoreState
from citeloom.application.validate.chunk_checks import ValidationReport
from citeloom.domain.documents.language import name_of_guessed
from citeloom.domain.documents.manifest import DocumentState
from citeloom.infrastructure.answers.model import UNTRUSTED, ListPart, Model, Untrusted
from citeloom.infrastructure.answers.passages import ShownPassage


@dataclass(frozen=True, kw_only=True)
class InspectAnswer(Inspection):
    """What a project's index holds: that of `inspect --json`, with the models that write and judge
    answers, and the project's reranker.
    """

    answer_model: ConfiguredModel | None
    """Null without one."""
    reranker: ConfiguredModel | None
    """The project's reranker; null without one."""
    entailment: ConfiguredModel | None
    """Null without one."""
    recommended: RecommendedModels
    """The languages of some passages, and the models that read them."""
    content: Untrusted = UNTRUSTED
    """The words of the sample, and those left out, are a document's."""

    @classmethod
    def of(cls, inspection: Inspection, info: LibraryInfo, recommended: RecommendedModels) -> Self:
        return cls(
            **{each.name: getattr(inspection, each.name) for each in fields(inspection)},
            answer_model=info.answer_model,
            reranker=info.reranker if inspection.project.retrieval.rerank else None,
            entailment=info.entailment,
            recommended=recommended,
        )


def languages_found(models: RecommendedModels) -> str:
    """In which languages the passages are that were looked at."""
    counts = (f"{n} in {name_of_guessed(code)}" for code, n in models.languages.items())
    return f"of {models.chunks} passages {', '.join(counts) or 'none clearly in a language'}"


def recommended_steps(models: RecommendedModels) -> Iterator[tuple[str, str]]:
    """What to do for each recommended model, and why."""
    for model in models.models:
        key = "embedding_model" if model.kind is ModelKind.DENSE else "sparse_model"
        change = "" if model.rebuild else f'{key} = "{model.name}", then '
        yield f"{change}citeloom ingest --project {models.project} --rebuild", model.reason


class ModelsAnswer(Model):
    """Models and what reads images of pages: that of `models --json`."""

    models: tuple[AvailableModel, ...]
    """Models and rerankers."""
    ocr_engines: tuple[AvailableEngine, ...]
    """What may read images of pages."""
    recommended: RecommendedModels | None
    """Null without `--project`."""


@dataclass(frozen=True, kw_only=True)
class StoreAnswer(StoreState):
    """How the vector store is: that of `store check --json`."""

    available: bool
    """Whether it answers and may be read."""

    @classmethod
    def of(cls, state: StoreState) -> Self:
        shown = {each.name: getattr(state, each.name) for each in fields(state)}
        return cls(**shown, available=state.is_available)


class ServerStatus(Model):
    """That the server is up."""

    status: str
    """`ok`."""
    version: str
    """That of citeloom."""


class Readiness(Model):
    """Whether the models are loaded, so that queries are answered at once."""

    ready: bool
    """Whether they are."""


class DocumentPageAnswer(ListPart):
    """Some of a project's documents."""

    LEADING = ("project", "content")

    project: str
    """The project."""
    content: Untrusted = UNTRUSTED
    """Titles and metadata are a document's."""
    items: tuple[ListedDocument, ...]
    """The documents, by path."""


class IndexedFile(Model):
    """An indexed file."""

    content_hash: str
    """SHA-256."""
    last_ingested_at: str | None
    """When its state was last reached."""
    chunk_count: int
    """How many chunks."""


class ManifestAnswer(Model):
    """The indexed files by path: that of `list --manifest`."""

    files: Mapping[str, IndexedFile]
    """By path."""
    last_run: str | None
    """When anything last changed."""

    @classmethod
    def of(cls, documents: Sequence[ListedDocument]) -> Self:
        moments = [document.updated_at for document in documents if document.updated_at]
        files = {
            document.path: IndexedFile(
                content_hash=document.content_hash,
                last_ingested_at=document.updated_at.isoformat() if document.updated_at else None,
                chunk_count=document.chunks,
            )
            for document in documents
            if document.state is DocumentState.INDEXED
        }
        return cls(files=files, last_run=max(moments).isoformat() if moments else None)


class ChunkPage(ListPart):
    """Some of a document's chunks in reading order."""

    items: tuple[ShownPassage, ...]
    """The chunks."""


class DocumentAnswer(Model):
    """A document with its headings, its pages and some of its chunks."""

    project: str
    """The project."""
    content: Untrusted = UNTRUSTED
    """The words of the object are a document's."""
    document: ListedDocument
    """As in `list --json`."""
    outline: tuple[OutlineEntry, ...]
    """Its headings."""
    pages: tuple[DocumentPage, ...]
    """Its pages."""
    chunks: ChunkPage
    """Its chunks."""


_VALIDATION = (
    *("project", "passed", "strict", "checks", "documents", "chunks", "findings", "by_document"),
    *("sends_text_to", "of_other_machines"),
)


class Validation(Model, of=ValidationReport, keys=_VALIDATION):
    """What validation found: that of `validate --format json`."""


class ValidationAnswer(Validation):
    """Likewise over HTTP."""

    content: Untrusted = UNTRUSTED
    """Paths are a document's."""
