"""The effective settings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.fields import as_base
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy
from citeloom.domain.project import Project, collisions
from citeloom.domain.validation import ValidationPolicy
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.settings.layers import Layer
from citeloom.infrastructure.settings.service_tables import (
    AnswersTable,
    EntailmentTable,
    RerankTable,
)
from citeloom.infrastructure.settings.tables import (
    ConversionTable,
    DraftsTable,
    LoggingTable,
    ModelsTable,
    ProjectTable,
    ServerTable,
    ShapeTable,
    StoreTable,
    VectorStorageTable,
    ZoteroTable,
)
from citeloom.infrastructure.settings.values import AddedTable

_Added = TypeVar("_Added", bound=AddedTable)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredProject:
    """A project, the table of the file that it is made of, and how it words its answers."""

    project: Project
    table: ProjectTable
    wording: AnswerWording


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings. Paths are absolute, except those of projects."""

    base_dir: Path
    config_file: Path | None
    data_dir: Path
    collected_dir: Path
    runs_dir: Path
    chunking: ChunkingPolicy
    retrieval: RetrievalPolicy
    rerank: RerankTable
    entailment: EntailmentTable
    answers: AnswersTable
    conversion: ConversionTable
    validation: ValidationPolicy
    store: StoreTable
    drafts: DraftsTable
    zotero: ZoteroTable
    server: ServerTable
    models: ModelsTable
    logging: LoggingTable
    added: Mapping[str, AddedTable] = field(default_factory=dict)
    """The tables of extensions that the file has."""
    configured: Mapping[str, ConfiguredProject] = field(default_factory=dict)
    """The projects of the file by id, in its order."""
    services: Mapping[tuple[str, ...], ServiceEndpoint] = field(default_factory=dict)
    """The services that text is sent to, by the table that names them."""
    warnings: tuple[str, ...] = ()
    """What is out of date in the configuration, and what to do."""
    layers: tuple[Layer, ...] = field(default=(), repr=False, compare=False)
    """The sources of the values, the last one first in force."""

    @property
    def defaults(self) -> bool:
        """Whether there is no citeloom.toml, so that any project may be named."""
        return self.config_file is None

    def projects(self) -> list[Project]:
        return [configured.project for configured in self.configured.values()]

    @property
    def shapes(self) -> Mapping[str, Mapping[str, ShapeTable]]:
        return {name: configured.table.shapes for name, configured in self.configured.items()}

    def project(self, project_id: str) -> Project:
        """The project of that id; without a citeloom.toml, any valid id has one.

        Raises `InvalidProject` when the file has no such project, or its collection is that of
        another, too.
        """
        if collision := collisions(self.projects()).get(project_id):
            raise collision
        if project_id in self.configured:
            return self.configured[project_id].project
        if self.defaults:
            storage = self.table(VectorStorageTable)
            return Project(
                id=project_id,
                chunking=self.chunking,
                retrieval=self.retrieval,
                on_disk_vectors=storage.on_disk_vectors,
                on_disk_hnsw=storage.on_disk_hnsw,
            )
        if not project_id:
            raise InvalidProject("the name of the project is empty", "Is a variable not set?")
        near = difflib.get_close_matches(project_id, self.configured, n=1)
        raise InvalidProject(
            f"{self.config_file} has no project '{project_id}'; it has "
            f"{', '.join(self.configured) or 'none'}",
            f"Did you mean {near[0]}?"
            if near
            else f'Name one of these, or add a table [project."{project_id}"].',
        )

    def table(self, kind: type[_Added]) -> _Added:
        """An extension's table, with its defaults where the file has none."""
        tables = (table for table in self.added.values() if isinstance(table, kind))
        return next(tables, None) or kind.model_construct()

    @property
    def store_url(self) -> str | None:
        """The address of the store; None for the embedded one."""
        urls = [self.store.url, *(table.store_url for table in self.added.values())]
        return next(filter(None, urls), None)

    def mapping(self, project_id: str) -> Mapping[str, str]:
        """The configured citekey of files, by path, name or pattern."""
        configured = self.configured.get(project_id)
        return configured.table.files if configured else {}

    def wording(self, project_id: str) -> AnswerWording:
        configured = self.configured.get(project_id)
        return configured.wording if configured else as_base(AnswerWording, self.answers)

    def without_model_keys(self) -> Settings:
        """These settings without the keys of remote models."""
        services = {place: replace(each, key="") for place, each in self.services.items()}
        return replace(self, services=services, layers=())

    @property
    def remote_models(self) -> Mapping[str, ServiceEndpoint]:
        """The embedding models that a service runs, by name."""
        return {each.model: each for place, each in self.services.items() if place[1:]}

    @property
    def answer_model(self) -> ServiceEndpoint | None:
        return self.services.get(("answers",))

    @property
    def rerank_service(self) -> ServiceEndpoint | None:
        return self.services.get(("rerank",))

    @property
    def entailment_service(self) -> ServiceEndpoint | None:
        return self.services.get(("entailment",))

    def resolve(self, path: str | Path) -> Path:
        """A configured path made absolute: relative ones start at the file's folder."""
        return absolute(self.base_dir, path)


def absolute(base: Path, path: str | Path) -> Path:
    """The absolute path: relative ones start at `base`, and `~` is the home folder.

    Raises `ConfigError` when the home folder is unknown.
    """
    try:
        there = Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(
            f"the home folder in {path} is unknown",
            "Set HOME, or write the whole path.",
        ) from error
    return Path(os.path.abspath(base / there))  # noqa: PTH100
