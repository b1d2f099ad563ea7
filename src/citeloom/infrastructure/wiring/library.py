"""Builds a library from its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.library import Library
from citeloom.application.library_parts import (
    AnswerModelInfo,
    EntailmentInfo,
    Health,
    LibraryInfo,
    LibraryParts,
    ProjectSummary,
    RerankerInfo,
)
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.settings import Settings, load_settings
from citeloom.infrastructure.wiring.project import ProjectWiring
from citeloom.infrastructure.wiring.shared_parts import SharedParts
from citeloom.infrastructure.wiring.stores import failed_store, machine_of
from citeloom.infrastructure.wiring.zotero import open_download

if TYPE_CHECKING:
    from citeloom.application.limits import CallLimits, ServerOptions
    from citeloom.application.models import AvailableEngine, AvailableModel
    from citeloom.application.ports.runtime import Progress
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.doctor import Doctor
    from citeloom.application.zotero.snapshot import Download
    from citeloom.domain.answers.evaluation import LabelledClaim
    from citeloom.domain.evaluation.measures import EvaluationCollection, Question
    from citeloom.domain.zotero.selection import ZoteroSelection


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
    return Library(LibraryWiring(_settings(where, overrides)))


def _settings(
    where: str | Path | Settings | None, overrides: Mapping[str, Mapping[str, object]] | None
) -> Settings:
    if isinstance(where, Settings):
        return where
    path = Path(where) if where is not None else None
    if path is not None and path.is_dir():
        return load_settings(cwd=path, overrides=overrides)
    return load_settings(config=path, overrides=overrides)


class LibraryWiring(SharedParts, LibraryParts):
    """Builds the use cases of a library, each at its first use."""

    @property
    def info(self) -> LibraryInfo:
        settings, model = self.settings, self.settings.answer_model
        return LibraryInfo(
            base_dir=settings.base_dir,
            data_dir=settings.data_dir,
            config_file=settings.config_file,
            log_level=settings.logging.level,
            shapes=settings.shapes,
            answer_model=AnswerModelInfo(name=model.name, sends_to=model.host) if model else None,
            reranker=self._reranker,
            entailment=self._entailment,
            warnings=settings.warnings,
            has_remote_store=machine_of(settings) is not None,
        )

    @property
    def _reranker(self) -> RerankerInfo | None:
        name, service = self.settings.rerank.model, self.settings.rerank_service
        return RerankerInfo(name=name, sends_to=service.host if service else None) if name else None

    @property
    def _entailment(self) -> EntailmentInfo | None:
        from citeloom.infrastructure.wiring.models import entailment_destination

        name, host = self.settings.entailment.model, entailment_destination(self.settings)
        return EntailmentInfo(name=name, sends_to=host) if name else None

    @property
    def limits(self) -> CallLimits:
        return self.settings.server.limits()

    @property
    def server(self) -> ServerOptions:
        return self.settings.server.options(self.settings.base_dir)

    @property
    def browse(self) -> Browse:
        from citeloom.application.zotero.browse import Browse

        return Browse(lambda: self.zotero)

    def project_ids(self) -> tuple[str, ...]:
        return tuple(project.id for project in self.settings.projects())

    def citekeys(self, project_id: str) -> tuple[str, ...]:
        entries = self.manifest.entries(self.settings.project(project_id).id)
        return tuple(sorted({entry.citekey for entry in entries if entry.citekey}))

    def project(self, project_id: str) -> ProjectWiring:
        project = self.settings.project(project_id)
        return self._resources.get(f"project {project.id}", lambda: ProjectWiring(self, project))

    def summaries(self) -> list[ProjectSummary]:
        return [
            ProjectSummary(
                id=project.id,
                collection=project.collection,
                embedding_model=project.embedding_model,
                sparse_model=project.bound_sparse_model,
                sends_text_to=project.sends_text_to,
                references=project.references,
                documents=sum(entry.is_searchable for entry in self.manifest.entries(project.id)),
            )
            for project in self.settings.projects()
        ]

    def last_selection(self, project_id: str) -> ZoteroSelection | None:
        return self.manifest.selection(self.settings.project(project_id).id)

    def doctor(self, project_id: str | None) -> Doctor:
        from citeloom.application.zotero.doctor import Doctor, IngestedProject
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        if project_id is None:
            return Doctor(zotero=self.zotero)
        known = self.settings.project(project_id)
        project = IngestedProject(
            id=known.id,
            manifest=self.manifest,
            files=self.files,
            suffixes=readable_suffixes(),
            configured=known.zotero,
            sends_text_to=known.sends_text_to,
        )
        return Doctor(zotero=self.zotero, project=project)

    def download(self, progress: Progress) -> Download:
        return open_download(self.settings, progress)

    def check_store(self, project_id: str | None) -> StoreState:
        projects = self.settings.projects() if project_id is None else ()
        chosen = projects or (self.settings.project(project_id or ""),)
        try:
            index = self.index
        except CiteloomError as error:
            return failed_store(self.settings, error)
        return index.check([project.collection for project in chosen])

    def store_error(self) -> str:
        try:
            state = self.index.check(())
        except CiteloomError as error:
            return error.message
        return "" if state.is_available else "; ".join(state.problems) or "it may not be read"

    def models(self) -> list[AvailableModel]:
        from citeloom.infrastructure.wiring.models import list_models
        from citeloom.infrastructure.wiring.rerankers import list_rerankers

        return [*list_models(self.settings), *list_rerankers(self.settings)]

    def fetch_model(self, name: str) -> None:
        from citeloom.infrastructure.embedding.fastembed.model_cache import fetch_model

        fetch_model(name, cache_dir=self.settings.models.cache_dir)

    def ocr_engines(self) -> list[AvailableEngine]:
        from citeloom.infrastructure.wiring.conversion import list_ocr_engines

        return list_ocr_engines(self.settings)

    def questions(self, path: Path) -> tuple[Question, ...]:
        from citeloom.infrastructure.evaluation.files import read_questions

        return read_questions(path)

    def claims(self, path: Path) -> tuple[LabelledClaim, ...]:
        from citeloom.infrastructure.evaluation.files import read_claims

        return read_claims(path)

    def collection(self, folder: Path) -> EvaluationCollection:
        from citeloom.infrastructure.evaluation.files import read_collection

        return read_collection(folder)

    def health(self) -> list[Health]:
        return list(self._health())

    def _health(self) -> Iterator[Health]:
        for project in self.settings.projects():
            yield self._checked(f"collection {project.collection}", project.collection)
        try:
            self.manifest.entries("")
        except CiteloomError as error:
            yield Health(part="manifest", ok=False, detail=error.message)
        else:
            yield Health(part="manifest", ok=True)

    def _checked(self, part: str, collection: str) -> Health:
        try:
            bound = self.index.binding(collection)
        except CiteloomError as error:
            return Health(part=part, ok=False, detail=error.message)
        return Health(part=part, ok=True, detail="" if bound else "nothing ingested yet")
