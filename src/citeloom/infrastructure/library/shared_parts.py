"""What the projects of a library share: store, manifest, models, sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from citeloom.infrastructure.audit import JsonlAuditLog
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.extensions import MANIFESTS, extensions, not_installed
from citeloom.infrastructure.filesystem import DiskSourceFiles
from citeloom.infrastructure.settings import Settings
from citeloom.infrastructure.wiring.stores import machine_of, open_store
from citeloom.infrastructure.wiring.zotero import open_zotero

if TYPE_CHECKING:
    from citeloom.application.answering.verification import EntailmentCheck
    from citeloom.application.ports.conversion import PageImages
    from citeloom.application.ports.records import ManifestStore, SessionStore
    from citeloom.application.ports.runtime import WriteLease
    from citeloom.application.ports.sources import ZoteroLibrary
    from citeloom.application.ports.vector_index import VectorIndex
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.project import Project
    from citeloom.infrastructure.calibration import JsonCalibrations
    from citeloom.infrastructure.wiring.models import Embedders


# The manifest of a library.


_MIRROR = "milvus-documents"


def open_manifest(settings: Settings, index: Callable[[], VectorIndex]) -> ManifestStore:
    """The manifest in the data folder, repeated in Milvus if that is configured and installed."""
    from citeloom.infrastructure.manifest import SqliteManifest

    manifest = SqliteManifest(settings.data_dir / "manifest.sqlite")
    name = settings.milvus.documents
    if name is None or not (settings.store.url or "").startswith("milvus"):
        return manifest
    mirror = extensions(MANIFESTS).get(_MIRROR)
    if mirror is None:
        raise not_installed(_MIRROR, "[milvus] documents")
    return cast("ManifestStore", mirror.load()(settings, index, manifest))


# Resources built at first use and closed in reverse order.

T = TypeVar("T")


class Closable(Protocol):
    """Something that holds a file, a lock or a connection until it is closed."""

    def close(self) -> None:
        """Close it. May be called twice."""
        ...


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
        """The names of the resources built so far."""
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


class SharedParts:
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
        """The vector store."""
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
        """The manifest of all projects."""
        return self.resources.opened(
            "manifest", lambda: open_manifest(self.settings, lambda: self.index)
        )

    @cached_property
    def calibrations(self) -> JsonCalibrations:
        """The calibrations of the collections."""
        from citeloom.infrastructure.calibration import JsonCalibrations

        return JsonCalibrations(self.settings.data_dir / "calibrations")

    @property
    def sessions(self) -> SessionStore:
        """The sessions of all projects."""
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
        """Draws pages; the last ones are kept."""
        from citeloom.infrastructure.conversion.pdfium import PdfiumPageImages

        return PdfiumPageImages()

    @property
    def zotero(self) -> ZoteroLibrary:
        """Zotero."""
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
        from citeloom.infrastructure.wiring.rerankers import open_reranking

        chosen = f"reranker {name or self.settings.rerank.model} {project.embedding_model}"
        return self.resources.get(chosen, lambda: open_reranking(self.settings, project, name))

    @cached_property
    def entailment(self) -> EntailmentCheck | None:
        """The configured check of what quotes entail; None where rules alone decide."""
        from citeloom.infrastructure.wiring.models import open_entailment

        return open_entailment(self.settings)

    def close(self) -> None:
        """Close all that is open. May be called twice."""
        self.resources.close()
