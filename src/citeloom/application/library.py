"""A research library behind one door: its projects, and what is asked of each."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from citeloom.application.library_parts import Health, LibraryInfo, LibraryParts, ProjectSummary
from citeloom.application.ports.progress import NoProgress
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import InvalidProject

if TYPE_CHECKING:
    from citeloom.application.available import AvailableEngine, AvailableModel
    from citeloom.application.ports.progress import Progress
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.diagnosis import Diagnosis
    from citeloom.application.zotero.download import Download
    from citeloom.domain.zotero_selection import ZoteroSelection


class Library:
    """A research library: projects, and what they share.

    To be closed, or used as a context manager. Nothing is opened before it is needed.
    """

    def __init__(self, parts: LibraryParts) -> None:
        self._parts = parts

    @property
    def info(self) -> LibraryInfo:
        """Where the library lies."""
        return self._parts.info

    def projects(self) -> list[ProjectSummary]:
        """The configured projects, with how many documents each has indexed."""
        return self._parts.summaries()

    def project(self, project_id: str | None = None) -> ProjectLibrary:
        """One project; it need not be named where just one is configured.

        Raises `InvalidProject` when there is none of that id.
        """
        chosen = self._parts.project(project_id or self._only_project())
        return ProjectLibrary(self._parts, chosen)

    def _only_project(self) -> str:
        known = self._parts.project_ids()
        if len(known) == 1:
            return known[0]
        raise InvalidProject(
            "which project?",
            f"Name one with --project: {', '.join(known)}"
            if known
            else "Name one with --project, e.g. --project citeloom/clean-arch, "
            "or write a citeloom.toml with: citeloom init",
        )

    def zotero(self) -> Browse:
        """Zotero's collections, items and tags, to look through."""
        return self._parts.browse

    def diagnose_zotero(
        self,
        selection: ZoteroSelection | None = None,
        *,
        project_id: str | None = None,
        strict: bool = False,
    ) -> Diagnosis:
        """What is missing, unreadable or out of date in Zotero, and in a project made from it."""
        return self._parts.doctor(project_id)(selection, strict=strict)

    def zotero_download(self, progress: Progress | None = None) -> Download:
        """Downloads files from the Zotero account whose key is in the environment."""
        return self._parts.download(progress or NoProgress())

    def last_zotero_selection(self, project_id: str) -> ZoteroSelection | None:
        """What was selected of Zotero when a project was last ingested from it."""
        return self._parts.last_selection(project_id)

    def models(self) -> list[AvailableModel]:
        """The embedding models there are, and which of them can be used here and now."""
        return self._parts.models()

    def ocr_engines(self) -> list[AvailableEngine]:
        """The engines that read images, and which of them is used."""
        return self._parts.ocr_engines()

    def health(self) -> list[Health]:
        """Whether each project's collection, and the manifest, can be used."""
        return self._parts.health()

    def close(self) -> None:
        """Close every store that was opened. May be called twice."""
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
