"""Converters, OCR engines, and the tools that prepare documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from citeloom.application.ports.conversion import (
    ConverterOptions,
    DocumentConverter,
    FileConverter,
    OcrEngine,
    SourceFile,
    choose_engine,
    ocr_fingerprint,
)
from citeloom.domain.policies import OcrOptions, StrategyName
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.extensions import CONVERTERS, Extension
from citeloom.infrastructure.wiring.models import open_embedders

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from citeloom.application.ingest.prepare import Tools
    from citeloom.application.models import AvailableEngine
    from citeloom.application.ports.runtime import Executor, Task
    from citeloom.application.ports.sources import ReferenceLibrary
    from citeloom.domain.documents.conversion import EmbeddedMetadata
    from citeloom.domain.documents.manifest import ManifestEntry
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings import Settings


# The converter, and the engines that read images for it, by name.

OCR_ENGINES = ("tesseract", "rapidocr")
"""The preferred one first."""


def cached_first_pages(settings: Settings) -> Callable[[ManifestEntry], EmbeddedMetadata | None]:
    """Gives a document's metadata and first pages out of its cached conversion, if there is one."""
    converter, conversion = open_converter(settings), settings.conversion
    ocr = OcrOptions.choose(zotero=None, configured=conversion.ocr_languages)

    def first_pages(entry: ManifestEntry) -> EmbeddedMetadata | None:
        source = SourceFile(
            path=settings.resolve(entry.path),
            doc_id=entry.doc_id,
            content_hash=entry.content_hash,
            ocr=ocr if conversion.ocr else None,
        )
        result = converter.cached_result(source)
        return result.embedded if result else None

    return first_pages


def open_converter(settings: Settings) -> DocumentConverter:
    """What reads documents, behind the cache of conversions; it loads with the first file."""
    from citeloom.infrastructure.conversion.cache import CachedConverter
    from citeloom.infrastructure.conversion.docling_layout import (
        downloaded_weights,
        layout_version,
        weights_for,
    )
    from citeloom.infrastructure.conversion.file_conversion import FileConversion

    cache = settings.data_dir / "cache"
    weights = weights_for(settings.conversion.layout, downloaded_weights())
    options = ConverterOptions(
        limits=settings.conversion,
        windows=cache / "windows",
        engines=open_ocr_engines(settings),
        layout_weights=weights,
    )
    versions = dict(converter_versions())
    if weights:
        versions[".pdf"] = layout_version(weights)
    converter = FileConversion(partial(open_file_converter, options=options), versions)
    return CachedConverter(converter, cache / "conversions", reading=image_reading(settings))


def converters() -> Mapping[str, Extension]:
    """The converters of citeloom and, for further suffixes, those of other distributions."""
    return {f".{name.lower()}": CONVERTERS.extension(name) for name in reversed([*CONVERTERS])}


def open_file_converter(suffix: str, options: ConverterOptions) -> FileConverter:
    """The converter of the files with that suffix; what it needs is imported now."""
    from citeloom.infrastructure.conversion.docling_core import load_docling_core

    extension = converters()[suffix]
    if extension.is_own:
        load_docling_core()
    loaded = CONVERTERS[extension.name]
    if isinstance(loaded, type):
        return loaded(options)
    from citeloom.infrastructure.conversion.markdown.text_files import AddedConverter

    return AddedConverter(loaded, options, extension.full_version)


def converter_versions() -> Mapping[str, str]:
    """The version of the converter for each suffix, without importing it."""
    from citeloom.infrastructure.conversion.versions import converter_version, own_versions

    own = own_versions()
    return {
        suffix: own.get(suffix, converter_version()) if each.is_own else each.full_version
        for suffix, each in converters().items()
    }


def readable_suffixes() -> frozenset[str]:
    """The suffixes of the files that can be converted."""
    return frozenset(converters())


def languages_of(paths: Iterable[Path]) -> Counter[str]:
    """How many of the files that can be converted are in each language, by their first words."""
    from citeloom.infrastructure.conversion.first_words import languages_of_files

    return languages_of_files(paths, readable_suffixes())


def open_ocr_engines(settings: Settings) -> tuple[OcrEngine, ...]:
    """The engines that may read images, the preferred one first."""
    chosen = settings.conversion.ocr_engine
    return tuple(map(_ocr_engine, OCR_ENGINES if chosen == "auto" else (chosen,)))


def _ocr_engine(name: str) -> OcrEngine:
    if name == "tesseract":
        from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine

        return TesseractEngine()
    from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine

    return RapidOcrEngine()


def image_reading(settings: Settings) -> Callable[[OcrOptions | None], str]:
    """Names how images would be read."""
    engines = open_ocr_engines(settings)
    return partial(ocr_fingerprint, engines)


def list_ocr_engines(settings: Settings) -> list[AvailableEngine]:
    """The engines there are to read images, and which of them does."""
    from citeloom.infrastructure.conversion.ocr.catalogue import available_engines

    conversion, engines = settings.conversion, open_ocr_engines(settings)
    options = OcrOptions.choose(zotero=None, configured=conversion.ocr_languages)
    choice = choose_engine(engines, options if conversion.ocr else None)
    return available_engines(engines, options.languages, choice.engine if choice else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTools:
    """Builds the tools of a project in the calling process; models are loaded at first use."""

    settings: Settings
    project: Project
    references: ReferenceLibrary

    def __call__(self) -> Tools:
        models = open_embedders(self.settings, self.project)
        from citeloom.application.ingest.prepare import Tools

        return Tools(
            converter=open_converter(self.settings),
            references=self.references,
            counter=models.counter,
            dense=models.dense,
            sparse=models.sparse,
            clock=SystemClock(),
        )


SHORT = 500_000
"""Characters of cached text that a run prepares without worker processes."""


@dataclass(slots=True)
class CachedWork:
    """Tools of this process for documents that need no limits: their conversions are cached, their
    texts together are short, and no other distribution divides them. Their converter keeps the
    cached result for the work on it.
    """

    tools: Tools
    characters: int

    def __call__(self, task: Task) -> Tools | None:
        from citeloom.application.ingest.prepare import DocumentTask, ToolsTask

        if not isinstance(task, DocumentTask | ToolsTask):
            return None
        source, strategy = task.source, task.project.chunking.strategy
        if source is None or source.ignore_cache or not isinstance(strategy, StrategyName):
            return None
        result = self.tools.converter.cached_result(source)
        if result is None or len(result.plain_text) > self.characters:
            return None
        if isinstance(task, DocumentTask):
            self.characters -= len(result.plain_text)
        return self.tools


def open_executor(tools: DocumentTools, here: Tools) -> Executor[Tools]:
    """An executor with worker processes, whose models share the processors. They get no key of a
    remote model, which they do not use. What is cached and short is prepared with the tools `here`.
    """
    from citeloom.infrastructure.conversion.workers.processes import (
        HereFirstExecutor,
        ProcessExecutor,
    )
    from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

    settings = tools.settings
    conversion, models = settings.conversion, settings.models
    limits = conversion
    threads = conversion.threads_of_worker(models.threads)
    shared = replace(settings.without_model_keys(), models=replace(models, threads=threads))
    workers = ProcessExecutor(
        replace(tools, settings=shared),
        workers=conversion.worker_count,
        limits=WorkerLimits(
            document_seconds=limits.document_timeout_seconds,
            page_seconds=limits.page_timeout_seconds,
            image_seconds=limits.ocr_timeout_seconds,
            memory=conversion.worker_memory_bytes,
        ),
    )
    return HereFirstExecutor(CachedWork(here, SHORT), workers)
