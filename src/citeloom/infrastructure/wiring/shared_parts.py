"""What the projects of a library share."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from citeloom.infrastructure.audit.jsonl import JsonlAuditLog
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.filesystem import DiskSourceFiles
from citeloom.infrastructure.settings import Settings
from citeloom.infrastructure.wiring.resources import Resources
from citeloom.infrastructure.wiring.stores import machine_of, open_lease, open_store
from citeloom.infrastructure.wiring.zotero import open_zotero

if TYPE_CHECKING:
    from citeloom.application.answering.entailment import EntailmentCheck
    from citeloom.application.ports.manifest_store import ManifestStore
    from citeloom.application.ports.page_images import PageImages
    from citeloom.application.ports.session_store import SessionStore
    from citeloom.application.ports.vector_index import VectorIndex
    from citeloom.application.ports.write_lease import WriteLease
    from citeloom.application.ports.zotero_library import ZoteroLibrary
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.project import Project
    from citeloom.infrastructure.calibration.json_files import JsonCalibrations
    from citeloom.infrastructure.wiring.embedders import Embedders


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
        self._resources = Resources()

    @property
    def index(self) -> VectorIndex:
        """The vector store."""
        return self._resources.opened("vector store", lambda: open_store(self.settings))

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
        from citeloom.infrastructure.wiring.manifests import open_manifest

        return self._resources.opened(
            "manifest", lambda: open_manifest(self.settings, lambda: self.index)
        )

    @cached_property
    def calibrations(self) -> JsonCalibrations:
        """The calibrations of the collections."""
        from citeloom.infrastructure.calibration.json_files import JsonCalibrations

        return JsonCalibrations(self.settings.data_dir / "calibrations")

    @property
    def sessions(self) -> SessionStore:
        """The sessions of all projects."""
        from citeloom.infrastructure.sessions.sqlite import SqliteSessions

        path = self.settings.data_dir / "sessions.sqlite"
        return self._resources.opened("sessions", lambda: SqliteSessions(path))

    @cached_property
    def lease(self) -> WriteLease:
        """The write leases of the projects."""
        return open_lease(self.settings, lambda: self.index)

    @cached_property
    def page_images(self) -> PageImages:
        """Draws pages; the last ones are kept."""
        from citeloom.infrastructure.conversion.pdfium import PdfiumPageImages

        return PdfiumPageImages()

    @property
    def zotero(self) -> ZoteroLibrary:
        """Zotero."""
        return self._resources.get("Zotero", lambda: open_zotero(self.settings))

    def embedders(self, project: Project) -> Embedders:
        """A project's models, the same for each project and thread that uses them."""
        from citeloom.infrastructure.wiring.embedders import open_embedders

        name = f"models {project.embedding_model}, {project.bound_sparse_model}"
        return self._resources.get(name, lambda: open_embedders(self.settings, project))

    def reranking(self, project: Project, name: str | None) -> Reranking:
        """The configured reranker or the one of that name, the same for each project with the same
        dense model.
        """
        from citeloom.infrastructure.wiring.rerankers import open_reranking

        chosen = f"reranker {name or self.settings.rerank.model} {project.embedding_model}"
        return self._resources.get(chosen, lambda: open_reranking(self.settings, project, name))

    @cached_property
    def entailment(self) -> EntailmentCheck | None:
        """The configured check of what quotes entail; None where rules alone decide."""
        from citeloom.infrastructure.wiring.answer_model import open_entailment

        return open_entailment(self.settings)

    def close(self) -> None:
        self._resources.close()
