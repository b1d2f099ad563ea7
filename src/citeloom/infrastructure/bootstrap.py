"""The one place that builds adapters and hands them to the use cases.

Libraries that take long to load are imported where an adapter first needs them; building an
`App` loads none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citeloom.application.delete import Delete
from citeloom.application.inspect import Inspect
from citeloom.application.ocr import choose_engine, ocr_fingerprint
from citeloom.application.ports.document_converter import DocumentConverter
from citeloom.application.ports.ocr_engine import OcrEngine
from citeloom.application.ports.progress import Progress
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.application.query import Query
from citeloom.application.show import Show
from citeloom.application.validate import Validate
from citeloom.domain.manifest import Status
from citeloom.domain.policies import OcrOptions
from citeloom.domain.project import Project
from citeloom.domain.zotero_selection import ZoteroSelection
from citeloom.infrastructure.audit.jsonl import JsonlAuditLog
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.infrastructure.embedding.fastembed.tokenizer import ModelTokenizer
from citeloom.infrastructure.filesystem import DiskSourceFiles
from citeloom.infrastructure.manifest.sqlite import SqliteManifest
from citeloom.infrastructure.settings import Settings

if TYPE_CHECKING:
    from citeloom.application.evaluate.pages import EvaluatePages
    from citeloom.application.ingest import Ingest, IngestParts
    from citeloom.application.zotero.diagnosis import Diagnosis
    from citeloom.application.zotero.ingest import IngestZotero
    from citeloom.infrastructure.conversion.ocr.catalogue import AvailableEngine
    from citeloom.infrastructure.embedding.fastembed.catalogue import AvailableModel


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A project's use cases, ready to be called, and what to close after them."""

    project: Project
    base_dir: Path
    data_dir: Path
    ingest: Callable[[Path | None], Ingest]
    ingest_zotero: Callable[[Path | None], IngestZotero]
    query: Query
    show: Show
    inspect: Inspect
    validate: Validate
    evaluate_pages: Callable[[], EvaluatePages]
    delete: Delete
    close: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A configured project in one line."""

    id: str
    collection: str
    embedding_model: str
    sparse_model: str | None
    references: str | None
    documents: int


class NoProgress(Progress):
    """Says nothing."""

    def start(self, total: int) -> None: ...

    def stage(self, document: str, stage: str) -> None: ...

    def advance(self, document: str, outcome: str) -> None: ...

    def finish(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Models:
    """The embedding models of a project."""

    counter: ModelTokenizer
    dense: FastEmbedDense
    sparse: FastEmbedSparse | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stores:
    """What a project's runs write to."""

    index: VectorIndex
    manifest: SqliteManifest
    audit: JsonlAuditLog


def build(settings: Settings, project_id: str, *, progress: Progress | None = None) -> App:
    """The use cases of one project under these settings."""
    project = settings.project(project_id)
    models, index, manifest = _models(settings, project), _index(settings), _manifest(settings)
    audit, clock = JsonlAuditLog(settings.data_dir / "audit"), SystemClock()
    stores = _Stores(index=index, manifest=manifest, audit=audit)
    parts = _ingest_parts(settings, project, models, stores, progress or NoProgress())

    def ingest(references: Path | None = None) -> Ingest:
        from citeloom.application.ingest import Ingest

        return Ingest(parts(references))

    def ingest_zotero(references: Path | None = None) -> IngestZotero:
        from citeloom.application.zotero.ingest import IngestZotero
        from citeloom.infrastructure.zotero_reader import zotero

        return IngestZotero(parts=parts(references), zotero=zotero(settings))

    def evaluate_pages() -> EvaluatePages:
        return _evaluate_pages(settings, project, index, manifest)

    def close() -> None:
        index.close()
        manifest.close()

    return App(
        project=project,
        base_dir=settings.base_dir,
        data_dir=settings.data_dir,
        ingest=ingest,
        ingest_zotero=ingest_zotero,
        query=Query(
            project=project, dense=models.dense, sparse=models.sparse, index=index, clock=clock
        ),
        show=Show(project=project, index=index),
        inspect=Inspect(project=project, index=index, manifest=manifest),
        validate=_validate(settings, project, models, index, manifest),
        evaluate_pages=evaluate_pages,
        delete=Delete(project=project, index=index, manifest=manifest, audit=audit),
        close=close,
    )


def _ingest_parts(
    settings: Settings, project: Project, models: _Models, stores: _Stores, progress: Progress
) -> Callable[[Path | None], IngestParts]:
    """What an ingest is made of, given the references of the run."""

    def parts(references: Path | None) -> IngestParts:
        from citeloom.application.ingest import IngestParts

        return IngestParts(
            project=project,
            files=DiskSourceFiles(settings.base_dir),
            converter=_converter(settings),
            reading=_image_reading(settings),
            ocr_languages=settings.conversion.ocr_languages if settings.conversion.ocr else None,
            ocr_min_confidence=settings.conversion.ocr_min_confidence,
            references=_references(settings, project, references),
            counter=models.counter,
            dense=models.dense,
            sparse=models.sparse,
            index=stores.index,
            manifest=stores.manifest,
            audit=stores.audit,
            progress=progress,
            clock=SystemClock(),
        )

    return parts


def _models(settings: Settings, project: Project) -> _Models:
    cache, threads = settings.models.cache_dir, settings.models.threads
    sparse = project.bound_sparse_model
    return _Models(
        counter=ModelTokenizer(project.embedding_model, cache_dir=cache),
        dense=FastEmbedDense(project.embedding_model, cache_dir=cache, threads=threads),
        sparse=FastEmbedSparse(sparse, cache_dir=cache, threads=threads) if sparse else None,
    )


def _validate(
    settings: Settings,
    project: Project,
    models: _Models,
    index: VectorIndex,
    manifest: SqliteManifest,
) -> Validate:
    return Validate(
        project=project,
        policy=settings.validation,
        index=index,
        manifest=manifest,
        references=_references(settings, project),
        counter=models.counter,
        dense=models.dense,
    )


def _evaluate_pages(
    settings: Settings, project: Project, index: VectorIndex, manifest: SqliteManifest
) -> EvaluatePages:
    from citeloom.application.evaluate.pages import EvaluatePages
    from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts

    return EvaluatePages(
        project=project,
        index=index,
        manifest=manifest,
        files=DiskSourceFiles(settings.base_dir),
        page_texts=PdfiumPageTexts(),
    )


def project_summaries(settings: Settings) -> list[ProjectSummary]:
    """The configured projects, with how many documents each has indexed."""
    manifest = _manifest(settings)
    try:
        return [
            ProjectSummary(
                id=project.id,
                collection=project.collection,
                embedding_model=project.embedding_model,
                sparse_model=project.bound_sparse_model,
                references=project.references,
                documents=sum(
                    entry.status is Status.INDEXED for entry in manifest.entries(project.id)
                ),
            )
            for project in settings.projects()
        ]
    finally:
        manifest.close()


def list_models(settings: Settings) -> list[AvailableModel]:
    """The embedding models there are."""
    from citeloom.infrastructure.embedding.fastembed.catalogue import available_models

    return available_models(cache_dir=settings.models.cache_dir)


def examine_zotero(
    settings: Settings,
    zotero: ZoteroLibrary,
    project_id: str | None,
    selection: ZoteroSelection | None,
    *,
    strict: bool,
) -> Diagnosis:
    """What the doctor finds in Zotero and, where one is named, of it in a project."""
    from citeloom.application.zotero.doctor import Doctor
    from citeloom.application.zotero.index_checks import IngestedProject
    from citeloom.infrastructure.conversion.by_suffix import SUFFIXES

    if project_id is None:
        return Doctor(zotero=zotero)(selection, strict=strict)
    manifest, known = _manifest(settings), settings.project(project_id)
    project = IngestedProject(
        id=known.id,
        manifest=manifest,
        files=DiskSourceFiles(settings.base_dir),
        suffixes=SUFFIXES,
        configured=known.zotero,
    )
    try:
        return Doctor(zotero=zotero, project=project)(selection, strict=strict)
    finally:
        manifest.close()


def zotero_selection(settings: Settings, project_id: str) -> ZoteroSelection | None:
    """What of Zotero a project was last made from, if it ever was."""
    manifest = _manifest(settings)
    try:
        return manifest.selection(settings.project(project_id).id)
    finally:
        manifest.close()


def _manifest(settings: Settings) -> SqliteManifest:
    return SqliteManifest(settings.data_dir / "manifest.sqlite")


def _index(settings: Settings) -> VectorIndex:
    """The embedded index, or the server's where there is a url."""
    tokenizer: Literal["prefix", "word"] = "prefix" if settings.qdrant.prefix_index else "word"
    if settings.qdrant.url is None:
        from citeloom.infrastructure.stores.qdrant.edge_index import QdrantEdgeIndex

        return QdrantEdgeIndex(settings.data_dir / "projects", text_tokenizer=tokenizer)
    from citeloom.infrastructure.stores.qdrant.cluster import ClusterOptions
    from citeloom.infrastructure.stores.qdrant.server_index import QdrantServerIndex

    qdrant = settings.qdrant
    return QdrantServerIndex.connect(
        settings.qdrant.url,
        api_key=qdrant.api_key.get_secret_value() if qdrant.api_key else None,
        timeout=int(qdrant.timeout),
        cluster=ClusterOptions(
            shards=qdrant.shards,
            replication_factor=qdrant.replication,
            write_consistency_factor=qdrant.write_consistency,
            quantization=qdrant.quantization,
        ),
        text_tokenizer=tokenizer,
    )


def _converter(settings: Settings) -> DocumentConverter:
    """Docling in worker processes, behind the cache of conversions."""
    from citeloom.infrastructure.conversion.by_suffix import SUFFIXES, AnyConversion
    from citeloom.infrastructure.conversion.cache.cached_converter import CachedConverter
    from citeloom.infrastructure.conversion.pdf_layout.factory import PdfConversion
    from citeloom.infrastructure.conversion.version import converter_version
    from citeloom.infrastructure.conversion.workers.pool import ConversionPool
    from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

    conversion = settings.conversion
    cache = settings.data_dir / "cache"
    engines = _ocr_engines(settings)
    pdf = PdfConversion(
        page_window=conversion.page_window, windows=cache / "windows", engines=engines
    )
    pool = ConversionPool(
        factory=AnyConversion(pdf=pdf),
        version=converter_version(),
        suffixes=SUFFIXES,
        workers=conversion.workers,
        limits=WorkerLimits(
            document_seconds=conversion.document_timeout_seconds,
            page_seconds=conversion.page_timeout_seconds,
            image_seconds=conversion.ocr_timeout_seconds,
        ),
    )
    return CachedConverter(pool, cache / "conversions", reading=_image_reading(settings))


def _ocr_engines(settings: Settings) -> tuple[OcrEngine, ...]:
    """The engines that may read images, the preferred one first."""
    from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
    from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine

    every: dict[str, OcrEngine] = {"tesseract": TesseractEngine(), "rapidocr": RapidOcrEngine()}
    chosen = settings.conversion.ocr_engine
    return tuple(every.values()) if chosen == "auto" else (every[chosen],)


def _image_reading(settings: Settings) -> Callable[[OcrOptions | None], str]:
    """Names how images would be read."""
    engines = _ocr_engines(settings)
    return lambda wanted: ocr_fingerprint(engines, wanted)


def list_ocr_engines(settings: Settings) -> list[AvailableEngine]:
    """The engines there are to read images, and which of them does."""
    from citeloom.infrastructure.conversion.ocr.catalogue import available_engines

    conversion, engines = settings.conversion, _ocr_engines(settings)
    wanted = OcrOptions.choose(zotero=None, configured=conversion.ocr_languages)
    choice = choose_engine(engines, wanted if conversion.ocr else None)
    return available_engines(engines, wanted.languages, choice.engine if choice else None)


def _references(
    settings: Settings, project: Project, override: Path | None = None
) -> ReferenceLibrary:
    """The project's references, those named for this run, or none."""
    from citeloom.infrastructure.references.file_library import (
        EmptyReferenceLibrary,
        FileReferenceLibrary,
    )

    if override is not None:
        path = override.absolute()
    elif project.references is not None:
        path = settings.resolve(project.references)
    else:
        return EmptyReferenceLibrary()
    return FileReferenceLibrary(path, mapping=settings.mapping(project.id))
