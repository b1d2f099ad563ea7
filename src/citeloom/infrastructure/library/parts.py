"""The wiring of a library: what its projects share, and what the use cases of each are built of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from citeloom.application.events import ReadEvent, no_reader
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.audit import JsonlAuditLog
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.filesystem import DiskSourceFiles
from citeloom.infrastructure.wiring.stores import (
    failed_store,
    machine_of,
    open_manifest,
    open_store,
)
from citeloom.infrastructure.wiring.zotero import open_zotero

if TYPE_CHECKING:
    from citeloom.application.answering.ask import Ask
    from citeloom.application.answering.calibrate import Calibrate
    from citeloom.application.answering.relevance import JudgeRelevance
    from citeloom.application.answering.verification import EntailmentCheck
    from citeloom.application.ingest.plan import IngestParts
    from citeloom.application.library_info import LibraryInfo
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.conversion import PageImages
    from citeloom.application.ports.embedders import Embedders, QuestionModels
    from citeloom.application.ports.records import ManifestStore, SessionStore
    from citeloom.application.ports.runtime import WriteLease
    from citeloom.application.ports.sources import ReferenceLibrary, ZoteroLibrary
    from citeloom.application.ports.vector_index import StoreState, VectorIndex
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.project import Project
    from citeloom.infrastructure.json_calibrations import JsonCalibrations
    from citeloom.infrastructure.settings import Settings


# Resources built at first use and closed in reverse order.

T = TypeVar("T")


class Closable(Protocol):
    def close(self) -> None:
        """Close it. May be called twice."""


C = TypeVar("C", bound=Closable)


class Resources:
    """Builds each resource once, by name, and thread-safely."""

    def __init__(self) -> None:
        self._built: dict[str, object] = {}
        self._stack = ExitStack()
        self._lock = RLock()

    def get(self, name: str, build: Callable[[], T]) -> T:
        """The resource of that name, built at first use."""
        with self._lock:
            if name not in self._built:
                self._built[name] = build()
            return cast("T", self._built[name])

    def opened(self, name: str, build: Callable[[], C]) -> C:
        """As `get`, for a resource that `close` closes."""

        def build_and_keep() -> C:
            part = build()
            self._stack.callback(part.close)
            return part

        return self.get(name, build_and_keep)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._built))

    def close(self) -> None:
        """Close all resources, the last one first; a later `get` builds them again.

        A resource may wait for a thread that gets another one meanwhile.
        """
        with self._lock:
            self._built.clear()
            opened, self._stack = self._stack, ExitStack()
        opened.close()


# What the projects of a library share.


class LibraryParts:
    """Stores, models and files of a library, each opened at its first use."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = SystemClock()
        self.files = DiskSourceFiles(
            settings.base_dir,
            follow_links=settings.conversion.follow_links,
            left_out=settings.collected_dir,
        )
        self.audit = JsonlAuditLog(settings.data_dir / "audit")
        self.resources = Resources()

    @property
    def index(self) -> VectorIndex:
        return self.resources.opened("vector store", lambda: open_store(self.settings))

    @property
    def machine(self) -> str | None:
        """The id of this machine's data folder in a store that several machines may share."""
        return machine_of(self.settings)

    def make_machine(self) -> str:
        """As `machine`, made where there is none yet."""
        return machine_of(self.settings, make=True) or ""

    @property
    def manifest(self) -> ManifestStore:
        return self.resources.opened(
            "manifest", lambda: open_manifest(self.settings, lambda: self.index)
        )

    @cached_property
    def calibrations(self) -> JsonCalibrations:
        from citeloom.infrastructure.json_calibrations import JsonCalibrations

        return JsonCalibrations(self.settings.data_dir / "calibrations")

    @property
    def sessions(self) -> SessionStore:
        from citeloom.infrastructure.sessions import SqliteSessions

        path = self.settings.data_dir / "sessions.sqlite"
        return self.resources.opened("sessions", lambda: SqliteSessions(path))

    @property
    def lease(self) -> WriteLease:
        """The write leases of the projects: files in the data folder, and what the store adds."""
        from citeloom.infrastructure.leases import FileWriteLease

        folder = self.settings.data_dir / "leases"
        return self.resources.get("lease", lambda: self.index.write_lease(FileWriteLease(folder)))

    @cached_property
    def page_images(self) -> PageImages:
        from citeloom.infrastructure.conversion.pdfium import PdfiumPageImages

        return PdfiumPageImages()

    @property
    def zotero(self) -> ZoteroLibrary:
        return self.resources.get("Zotero", lambda: open_zotero(self.settings))

    def embedders(self, project: Project) -> Embedders:
        """A project's models, the same for each project and thread that uses them."""
        from citeloom.infrastructure.wiring.models import open_embedders

        name = f"models {project.embedding_model}, {project.bound_sparse_model}"
        return self.resources.get(name, lambda: open_embedders(self.settings, project))

    def reranking(self, project: Project, name: str | None) -> Reranking:
        """The configured reranker or the one of that name, the same for each project with the same
        dense model.
        """
        from citeloom.infrastructure.wiring.models import open_reranking

        chosen = f"reranker {name or self.settings.rerank.model} {project.embedding_model}"
        return self.resources.get(chosen, lambda: open_reranking(self.settings, project, name))

    @cached_property
    def entailment(self) -> EntailmentCheck | None:
        """The configured check of what quotes entail; None where rules alone decide."""
        from citeloom.infrastructure.wiring.models import open_entailment

        return open_entailment(self.settings)

    @property
    def info(self) -> LibraryInfo:
        from citeloom.application.library_info import ConfiguredModel, LibraryInfo
        from citeloom.infrastructure.wiring.models import entailment_destination

        settings = self.settings
        service = settings.rerank_service

        def model(name: str | None, host: str | None) -> ConfiguredModel | None:
            return ConfiguredModel(name=name, sends_to=host) if name else None

        writer = settings.answer_model
        return LibraryInfo(
            base_dir=settings.base_dir,
            data_dir=settings.data_dir,
            config_file=settings.config_file,
            log_level=settings.logging.level,
            shapes=settings.shapes,
            answer_model=model(writer.model, writer.host) if writer else None,
            reranker=model(settings.rerank.model, service.host if service else None),
            entailment=model(settings.entailment.model, entailment_destination(settings)),
            warnings=settings.warnings,
            has_remote_store=machine_of(settings) is not None,
        )

    def check_store(self, collections: Sequence[str]) -> StoreState:
        """The state of the vector store and of collections; where it does not answer, why."""
        try:
            index = self.index
        except CiteloomError as error:
            return failed_store(self.settings, error)
        return index.check(collections)

    def close(self) -> None:
        """Close all that is open. May be called twice."""
        self.resources.close()


# What the use cases of one project are built of.


class ProjectParts:
    """A project of a library, with whose other projects it shares `parts`.

    The use cases that others are built on are made once.
    """

    def __init__(self, parts: LibraryParts, project: Project) -> None:
        self.parts = parts
        self._configured = project
        self.chosen_references: dict[str, str] = {}
        """The citekeys of files that were configured since the configuration was read."""

    @cached_property
    def project(self) -> Project:
        """The project as it is configured, with its model in the precision of its collection."""
        from citeloom.infrastructure.wiring.models import in_its_precision

        parts = self.parts
        return in_its_precision(self._configured, parts.settings, lambda: parts.index)

    @property
    def embedders(self) -> Embedders:
        return self.parts.embedders(self.project)

    @property
    def question_models(self) -> QuestionModels:
        from citeloom.application.ports.embedders import QuestionModels

        project = self.project
        return QuestionModels(
            dense_name=project.embedding_model,
            dense=lambda: self.embedders.dense,
            sparse_name=project.bound_sparse_model,
            sparse=lambda: self.embedders.sparse,
            dense_is_remote=project.remote is not None,
        )

    @cached_property
    def opened(self) -> OpenProject:
        """The project as use cases work with it, with the configured reranker."""
        from citeloom.application.open_project import OpenProject

        parts = self.parts
        return OpenProject(
            settings=self.project,
            index=parts.index,
            files=parts.files,
            clock=parts.clock,
            open_manifest=lambda: parts.manifest,
            open_embedders=cache(
                lambda: parts.index.question_embedders(
                    self.project.collection, self.question_models
                )
            ),
            open_reranking=self.reranking,
            find_machine=lambda: parts.machine,
        )

    def reranking(self, name: str | None = None) -> Reranking | None:
        """The reranking by the reranker of that name, or else by the configured one, if any."""
        if name is None and (
            self.parts.settings.rerank.model is None or not self.project.retrieval.rerank
        ):
            return None
        return self.parts.reranking(self.project, name)

    @cached_property
    def relevance(self) -> JudgeRelevance:
        from citeloom.application.answering.relevance import JudgeRelevance

        return JudgeRelevance(project=self.opened, calibrations=self.parts.calibrations)

    def calibration_with(self, events: ReadEvent = no_reader) -> Calibrate:
        """What calibrates the verdicts on questions."""
        from citeloom.application.answering.calibrate import Calibrate

        return Calibrate(
            project=self.opened,
            judge=self.relevance,
            calibrations=self.parts.calibrations,
            events=events,
        )

    @cached_property
    def answering(self) -> Ask:
        """What answers questions, by the configured model or with the passages' own sentences."""
        from citeloom.application.answering.ask import Ask
        from citeloom.infrastructure.wiring.models import open_answer_model

        settings = self.parts.settings
        return Ask(
            project=self.opened,
            judge=self.relevance,
            model=open_answer_model(settings),
            entailment=self.parts.entailment,
            wording=settings.wording(self.project.id),
        )

    def references(self, file: Path | None = None) -> ReferenceLibrary:
        """The bibliography in `file`, or else the configured one; an empty one without either."""
        from citeloom.infrastructure.references.file_library import (
            EmptyReferenceLibrary,
            FileReferenceLibrary,
        )

        project, settings = self.project, self.parts.settings
        if file is not None:
            path = file.absolute()
        elif project.references is not None:
            path = settings.resolve(project.references)
        else:
            return EmptyReferenceLibrary()
        mapping = {**settings.mapping(project.id), **self.chosen_references}
        return FileReferenceLibrary(path, mapping=mapping)

    def ingest_parts(self, references: Path | None = None) -> IngestParts:
        """The dependencies of an ingest, with `references` instead of the project's own."""
        from importlib.metadata import version

        from citeloom.application.ingest.plan import IngestParts
        from citeloom.infrastructure.filesystem.source_files import FolderDiskSpace
        from citeloom.infrastructure.wiring.conversion import (
            DocumentTools,
            image_reading,
            open_executor,
        )

        parts, settings, models = self.parts, self.parts.settings, self.embedders
        conversion, bibliography = settings.conversion, self.references(references)
        # A text may have been too long for the window of a remote model.
        window = f" {models.counter.window}" if models.remote else ""
        tools = DocumentTools(settings=settings, project=self.project, references=bibliography)
        here = replace(tools(), counter=models.counter, dense=models.dense, sparse=models.sparse)
        return IngestParts(
            project=self.opened,
            tools=here,
            executor=open_executor(tools, here),
            ocr_fingerprint=image_reading(settings),
            ocr_languages=conversion.ocr_languages if conversion.ocr else None,
            ocr_min_confidence=conversion.ocr_min_confidence,
            limits=f"{version('citeloom')} {conversion.limits}{window}",
            remote=models.remote,
            audit=parts.audit,
            lease=parts.lease,
            space=FolderDiskSpace(settings.data_dir / "projects"),
            calibrate=self.calibration_with().if_changed if models.remote is None else None,
            machine=parts.make_machine if parts.machine is not None else None,
        )
