"""`Library`, the public entry point: projects, Zotero, models, health."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from citeloom.application.library_parts import Health, LibraryInfo, LibraryParts, ProjectSummary
from citeloom.application.ports.runtime import NoProgress
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import InvalidProject

if TYPE_CHECKING:
    from citeloom.application.limits import CallLimits, ServerOptions
    from citeloom.application.models import AvailableEngine, AvailableModel
    from citeloom.application.ports.runtime import Progress
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.doctor import Diagnosis
    from citeloom.application.zotero.snapshot import Download
    from citeloom.domain.zotero.selection import ZoteroSelection


class Library:
    """A research library: its projects and what they share.

    Close it, or use it as a context manager. Stores and models are opened when first needed.
    """

    def __init__(self, parts: LibraryParts) -> None:
        self._parts = parts

    @property
    def info(self) -> LibraryInfo:
        """The library's configuration file and folders."""
        return self._parts.info

    @property
    def limits(self) -> CallLimits:
        """The limits of what other programs may ask."""
        return self._parts.limits

    @property
    def server(self) -> ServerOptions:
        """Where the HTTP server listens, and whom it answers."""
        return self._parts.server

    def projects(self) -> list[ProjectSummary]:
        """The configured projects, each with its number of indexed documents."""
        return self._parts.summaries()

    def project_ids(self) -> tuple[str, ...]:
        """The configured projects, in the order of the configuration."""
        return self._parts.project_ids()

    def citekeys(self, project_id: str | None = None) -> tuple[str, ...]:
        """The citekeys of a project's documents, sorted. Raises `InvalidProject` as `project`."""
        return self._parts.citekeys(self._only_project() if project_id is None else project_id)

    def project(self, project_id: str | None = None) -> ProjectLibrary:
        """A project by its id, which may be omitted if only one is configured.

        Raises `InvalidProject` for an unknown id.
        """
        chosen = self._parts.project(self._only_project() if project_id is None else project_id)
        return ProjectLibrary(self._parts, chosen)

    def _only_project(self) -> str:
        known = self._parts.project_ids()
        if len(known) == 1:
            return known[0]
        raise InvalidProject("which project?", _how_to_name_one(known, self.info))

    def zotero(self) -> Browse:
        """Zotero's collections, items and tags."""
        return self._parts.browse

    def diagnose_zotero(
        self,
        selection: ZoteroSelection | None = None,
        *,
        project_id: str | None = None,
        strict: bool = False,
    ) -> Diagnosis:
        """What is missing, unreadable or outdated in Zotero, and in a project ingested from it."""
        return self._parts.doctor(project_id)(selection, strict=strict)

    def zotero_download(self, progress: Progress | None = None) -> Download:
        """Downloads files from the Zotero account whose key is in the environment."""
        return self._parts.download(progress or NoProgress())

    def last_zotero_selection(self, project_id: str) -> ZoteroSelection | None:
        """The Zotero selection of a project's last ingest from Zotero."""
        return self._parts.last_selection(project_id)

    def models(self) -> list[AvailableModel]:
        """The supported embedding models and rerankers, and which of them are installed."""
        return self._parts.models()

    def fetch_model(self, name: str) -> None:
        """Download a model that runs here into the cache, unless it is there.

        Raises `ModelUnavailable` for an unknown name, and where it cannot be downloaded.
        """
        self._parts.fetch_model(name)

    def ocr_engines(self) -> list[AvailableEngine]:
        """The OCR engines, and which of them is used."""
        return self._parts.ocr_engines()

    def check_store(self, project_id: str | None = None) -> StoreState:
        """The state of the vector store and of the projects' collections, or of one project's; of a
        store that does not answer, why. Nothing is changed.
        """
        return self._parts.check_store(project_id)

    def store_error(self) -> str:
        """Why the vector store does not answer; empty where it does."""
        return self._parts.store_error()

    def health(self) -> list[Health]:
        """Whether each project's collection, and the manifest, can be used."""
        return self._parts.health()

    def close(self) -> None:
        """Close every open store. May be called twice."""
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _how_to_name_one(known: tuple[str, ...], info: LibraryInfo) -> str:
    if known:
        return f"Name one with --project: {', '.join(known)}"
    if info.config_file is not None:
        return f'Add one to {info.config_file}: a table [project."citeloom/clean-arch"].'
    return (
        "There is no citeloom.toml here: write one with `citeloom init`, "
        "or name a project, e.g. --project citeloom/clean-arch"
    )
