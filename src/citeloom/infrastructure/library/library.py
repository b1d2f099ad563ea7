"""`Library`, the public entry point: projects, Zotero, models, health."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from citeloom.application.library_info import (
    Health,
    LibraryInfo,
    ListedSetting,
    ProjectSummary,
)
from citeloom.domain.errors import CiteloomError, InvalidFilter, InvalidProject
from citeloom.infrastructure.library.parts import LibraryParts
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.settings import Settings, load_settings

if TYPE_CHECKING:
    from citeloom.application.events import Progress
    from citeloom.application.jobs import IngestTarget
    from citeloom.application.limits import CallLimits, ServerOptions
    from citeloom.application.models import AvailableEngine, AvailableModel
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.doctor import Diagnosis
    from citeloom.application.zotero.export import ReferenceExport
    from citeloom.application.zotero.snapshot import Download
    from citeloom.domain.zotero.selection import ZoteroSelection
    from citeloom.infrastructure.leases import ServerAddress


def open_library(
    where: str | Path | Settings | None = None,
    *,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
) -> Library:
    """The library of a folder or a citeloom.toml, by default of the current folder.

    A folder uses the citeloom.toml in it or in the nearest parent. `overrides`, by table and key,
    take precedence over the configuration. Stores and models are opened when first needed. Raises
    `ConfigError` with every error in the configuration.
    """
    if isinstance(where, Settings):
        return Library(where)
    path = Path(where) if where is not None else None
    if path is not None and path.is_dir():
        return Library(load_settings(cwd=path, overrides=overrides))
    return Library(load_settings(config=path, overrides=overrides))


class Library:
    """A research library: its projects and what they share.

    Close it, or use it as a context manager. Stores and models are opened when first needed.
    """

    def __init__(self, settings: Settings) -> None:
        self.parts = LibraryParts(settings)

    @property
    def info(self) -> LibraryInfo:
        return self.parts.info

    @property
    def limits(self) -> CallLimits:
        return self.parts.settings.server.limits

    @property
    def server(self) -> ServerOptions:
        return self.parts.settings.server

    def settings(self, project_id: str) -> tuple[ListedSetting, ...]:
        """Every setting of a project and of the library, with where its value comes from; those
        that are secret without their value.
        """
        from citeloom.infrastructure.settings.listing import list_settings

        return list_settings(self.parts.settings.layers, project_id)

    @property
    def server_address(self) -> ServerAddress:
        """The address of the HTTP server of this library, while one runs."""
        from citeloom.infrastructure.leases import ServerAddress

        return ServerAddress(self.parts.settings.data_dir)

    def projects(self) -> list[ProjectSummary]:
        """The configured projects, each with its number of indexed documents."""
        manifest = self.parts.manifest
        return [
            ProjectSummary(
                id=project.id,
                collection=project.collection,
                embedding_model=project.embedding_model,
                sparse_model=project.bound_sparse_model,
                sends_text_to=project.sends_text_to,
                references=project.references,
                documents=sum(entry.is_searchable for entry in manifest.entries(project.id)),
            )
            for project in self.parts.settings.projects()
        ]

    def project_ids(self) -> tuple[str, ...]:
        return tuple(project.id for project in self.parts.settings.projects())

    def citekeys(self, project_id: str | None = None) -> tuple[str, ...]:
        """The citekeys of a project's documents, sorted. Raises `InvalidProject` as `project`.

        Nothing but the manifest is read.
        """
        chosen = self._only_project() if project_id is None else project_id
        project = self.parts.settings.project(chosen)
        entries = self.parts.manifest.entries(project.id)
        return tuple(sorted({entry.citekey for entry in entries if entry.citekey}))

    def project(self, project_id: str | None = None) -> ProjectLibrary:
        """A project by its id, which may be omitted if only one is configured.

        Raises `InvalidProject` for an unknown id.
        """
        chosen = self._only_project() if project_id is None else project_id
        project = self.parts.settings.project(chosen)
        return self.parts.resources.get(
            f"project {project.id}", lambda: ProjectLibrary(self.parts, project)
        )

    def ingest_target(self, project_id: str) -> IngestTarget:
        """The project of that id as jobs ingest into it. Raises `InvalidProject`."""
        from citeloom.application.jobs import IngestTarget

        chosen = self.project(project_id)
        return IngestTarget(
            project=chosen.project, allowed_path=chosen.allowed_path, ingest=chosen.ingest
        )

    def _only_project(self) -> str:
        ids, config_file = self.project_ids(), self.info.config_file
        if len(ids) == 1:
            return ids[0]
        hint = (
            "There is no citeloom.toml here: write one with `citeloom init`, "
            "or name a project, e.g. --project citeloom/clean-arch"
        )
        if ids:
            hint = f"Name one with --project: {', '.join(ids)}"
        elif config_file is not None:
            hint = f'Add one to {config_file}: a table [project."citeloom/clean-arch"].'
        raise InvalidProject("which project?", hint)

    def zotero(self) -> Browse:
        from citeloom.application.zotero.browse import Browse

        return Browse(lambda: self.parts.zotero)

    def diagnose_zotero(
        self,
        selection: ZoteroSelection | None = None,
        *,
        project_id: str | None = None,
        strict: bool = False,
    ) -> Diagnosis:
        """What is missing, unreadable or outdated in Zotero, and in a project ingested from it."""
        from citeloom.application.zotero.doctor import DiagnosedProject, diagnose
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        parts, ingested = self.parts, None
        if project_id is not None:
            project = parts.settings.project(project_id)
            ingested = DiagnosedProject(
                id=project.id,
                manifest=parts.manifest,
                files=parts.files,
                suffixes=readable_suffixes(),
                configured=project.zotero,
                sends_text_to=project.sends_text_to,
            )
        return diagnose(selection, zotero=parts.zotero, project=ingested, strict=strict)

    def export_zotero(
        self,
        selection: ZoteroSelection | None = None,
        citekeys: Sequence[str] = (),
        form: str = "biblatex",
        *,
        cited_in: str | None = None,
    ) -> tuple[str, ReferenceExport]:
        """The references of selected items, or of those with the `citekeys` or that a text cites as
        `[@key]`, as `bibtex`, `biblatex`, `csl-json` or `ris`; and which of them have generated
        citekeys.

        Raises `NotFound` for an unknown citekey, `InvalidFilter` for a text without citations, and
        `ConfigError` where Pandoc, which writes the former two, is not installed.
        """
        from citeloom.application.zotero.export import export_references
        from citeloom.domain.zotero.selection import ZoteroSelection
        from citeloom.infrastructure.manuscript.citation_scan import SCANS
        from citeloom.infrastructure.manuscript.csl_items import exported

        if cited_in is not None:
            text = cited_in.replace("`", " ")  # answers show a citation as code
            citekeys = [*citekeys, *(found.citekey for found in SCANS["markdown"](text))]
            if not citekeys:
                raise InvalidFilter("the text cites nothing", "A citation is written as [@key].")
        export = export_references(self.parts.zotero, selection or ZoteroSelection(), citekeys)
        return exported(export.items, form, marked=export.generated), export

    def zotero_citekeys(
        self, prefix: str = "", selection: ZoteroSelection | None = None
    ) -> tuple[str, ...]:
        """The citekeys of selected items, generated ones included, that begin so in any case."""
        from citeloom.application.zotero.export import citekeys_from
        from citeloom.domain.zotero.selection import ZoteroSelection

        return citekeys_from(self.parts.zotero, selection or ZoteroSelection(), prefix)

    def zotero_download(self, progress: Progress | None = None) -> Download:
        """Downloads files from the Zotero account whose key is in the environment."""
        from citeloom.application.events import reader_of
        from citeloom.infrastructure.wiring.zotero import open_download

        return open_download(self.parts.settings, reader_of(progress))

    def last_zotero_selection(self, project_id: str) -> ZoteroSelection | None:
        """The Zotero selection of a project's last ingest from Zotero."""
        return self.parts.manifest.selection(self.parts.settings.project(project_id).id)

    def models(self) -> list[AvailableModel]:
        """The supported embedding models and rerankers, and which of them are installed."""
        from citeloom.infrastructure.wiring.models import list_models, list_rerankers

        return [*list_models(self.parts.settings), *list_rerankers(self.parts.settings)]

    def fetch_model(self, name: str) -> None:
        """Download a model that runs here into the cache, unless it is there.

        Raises `ModelUnavailable` for an unknown name, and where it cannot be downloaded.
        """
        from citeloom.infrastructure.embedding.fastembed.model_cache import fetch_model

        fetch_model(name, cache_dir=self.parts.settings.models.cache_dir)

    def ocr_engines(self) -> list[AvailableEngine]:
        from citeloom.infrastructure.wiring.conversion import list_ocr_engines

        return list_ocr_engines(self.parts.settings)

    def check_store(self, project_id: str | None = None) -> StoreState:
        """The state of the vector store and of the projects' collections, or of one project's; of a
        store that does not answer, why. Nothing is changed.
        """
        settings = self.parts.settings
        projects = settings.projects() if project_id is None else ()
        chosen = projects or (settings.project(project_id or ""),)
        return self.parts.check_store([project.collection for project in chosen])

    def store_error(self) -> str:
        """Why the vector store does not answer; empty where it does."""
        try:
            state = self.parts.index.check(())
        except CiteloomError as error:
            return error.message
        return "" if state.is_available else "; ".join(state.problems) or "it may not be read"

    def health(self) -> list[Health]:
        """Whether each project's collection, and the manifest, can be used."""
        parts, health = self.parts, list[Health]()
        for name in (project.collection for project in parts.settings.projects()):
            try:
                detail = "" if parts.index.binding(name) else "nothing ingested yet"
                health.append(Health(part=f"collection {name}", ok=True, detail=detail))
            except CiteloomError as error:
                health.append(Health(part=f"collection {name}", ok=False, detail=error.message))
        try:
            parts.manifest.entries("")
            health.append(Health(part="manifest", ok=True))
        except CiteloomError as error:
            health.append(Health(part="manifest", ok=False, detail=error.message))
        return health

    def close(self) -> None:
        """Close every open store. May be called twice."""
        self.parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
