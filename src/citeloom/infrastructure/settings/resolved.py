"""The effective settings."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.chunks.validation import ValidationPolicy
from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.project import INT8, Project, quantised_name
from citeloom.domain.references.citation_label import CitationLabel
from citeloom.infrastructure.settings.conversion import ChunkingTable, ConversionTable
from citeloom.infrastructure.settings.models import (
    AnswerModelSettings,
    AnswersTable,
    EntailmentServiceSettings,
    EntailmentTable,
    RemoteModelSettings,
    RerankServiceSettings,
    RerankTable,
)
from citeloom.infrastructure.settings.project_tables import (
    MilvusTable,
    RetrievalTable,
    ShapeTable,
    StoreTable,
    schema_of,
)
from citeloom.infrastructure.settings.server import ServerTable
from citeloom.infrastructure.settings.tables import (
    LoggingTable,
    ModelsTable,
    ProjectTable,
    QdrantTable,
    ZoteroTable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The effective settings. Paths are absolute, except those of projects."""

    base_dir: Path
    config_file: Path | None
    data_dir: Path
    collected_dir: Path
    chunking: ChunkingTable
    retrieval: RetrievalTable
    rerank: RerankTable
    entailment: EntailmentTable
    answers: AnswersTable
    conversion: ConversionTable
    validation: ValidationPolicy
    qdrant: QdrantTable
    store: StoreTable
    milvus: MilvusTable
    zotero: ZoteroTable
    server: ServerTable
    models: ModelsTable
    logging: LoggingTable
    listed: tuple[Project, ...] = ()
    refused: Mapping[str, InvalidProject] = field(default_factory=dict)
    mappings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    shapes: Mapping[str, Mapping[str, ShapeTable]] = field(default_factory=dict)
    remote_models: Mapping[str, RemoteModelSettings] = field(default_factory=dict)
    answer_model: AnswerModelSettings | None = None
    rerank_service: RerankServiceSettings | None = None
    entailment_service: EntailmentServiceSettings | None = None
    wordings: Mapping[str, AnswerWording] = field(default_factory=dict)
    with_precision: frozenset[str] = frozenset()
    """The projects whose tables say what precision they want."""
    warnings: tuple[str, ...] = ()
    """What is out of date in the configuration, and what to do."""

    @property
    def defaults(self) -> bool:
        """Whether there is no citeloom.toml, so that any project may be named."""
        return self.config_file is None

    def projects(self) -> list[Project]:
        """The projects of the file, in its order."""
        return list(self.listed)

    def project(self, project_id: str) -> Project:
        """The project of that id; without a citeloom.toml, any valid id has one.

        Raises `InvalidProject` when the file has no such project, or its collection is that of
        another, too.
        """
        if project_id in self.refused:
            raise self.refused[project_id]
        for project in self.listed:
            if project.id == project_id:
                return project
        if self.defaults:
            return project_from(
                project_id, ProjectTable(), self.chunking, self.retrieval, self.qdrant
            )
        raise self._unknown(project_id)

    def mapping(self, project_id: str) -> Mapping[str, str]:
        """The configured citekey of files, by path, name or pattern."""
        return self.mappings.get(project_id, {})

    def wording(self, project_id: str) -> AnswerWording:
        """How a project words its answers and refusals."""
        return self.wordings.get(project_id) or self.answers.wording()

    def without_model_keys(self) -> Settings:
        """These settings without the keys of remote models."""
        models = {name: model.without_key() for name, model in self.remote_models.items()}
        answers = replace(self.answer_model, key=None) if self.answer_model else None
        rerank = replace(self.rerank_service, key=None) if self.rerank_service else None
        entailment = self.entailment_service
        return replace(
            self,
            remote_models=models,
            answer_model=answers,
            rerank_service=rerank,
            entailment_service=replace(entailment, key=None) if entailment else None,
        )

    def resolve(self, path: str | Path) -> Path:
        """A configured path made absolute: relative ones start at the file's folder."""
        return absolute(self.base_dir, path)

    def _unknown(self, project_id: str) -> InvalidProject:
        known = [project.id for project in self.listed]
        near = difflib.get_close_matches(project_id, known, n=1)
        return InvalidProject(
            f"{self.config_file} has no project '{project_id}'; it has "
            f"{', '.join(known) or 'none'}",
            f"Did you mean {near[0]}?"
            if near
            else f'Name one of these, or add a table [project."{project_id}"].',
        )


def project_from(
    project_id: str,
    table: ProjectTable,
    chunking: ChunkingTable,
    retrieval: RetrievalTable,
    qdrant: QdrantTable,
) -> Project:
    """The project of a table, with its effective chunking, retrieval and storage.

    Raises `ValueError` for a precision that the model does not have.
    """
    model = table.embedding_model
    return Project(
        id=project_id,
        collection=table.collection or "",
        references=table.references,
        sources=table.sources,
        zotero=table.zotero.selection() if table.zotero else None,
        embedding_model=quantised_name(model) if table.precision == INT8 else model,
        sparse_model=table.sparse_model,
        hybrid_enabled=table.hybrid_enabled,
        on_disk_vectors=qdrant.on_disk_vectors,
        on_disk_hnsw=qdrant.on_disk_hnsw,
        chunking=chunking.policy(),
        retrieval=retrieval.policy(),
        front_matter=schema_of(table.front_matter),
        citation_label=CitationLabel(table.citation_label) if table.citation_label else None,
        point_id=table.point_id,
    )


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
