"""Every key of citeloom.toml, with its type, default and description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    model_validator,
)

from citeloom.application.limits import DraftLimits, ZoteroLimits
from citeloom.domain.project import VectorStorage
from citeloom.infrastructure.extensions import TABLES
from citeloom.infrastructure.settings.conversion import ConversionTable, processors
from citeloom.infrastructure.settings.derived import TableOf, whole
from citeloom.infrastructure.settings.models import (
    AnswersTable,
    EntailmentTable,
    RemoteModelTable,
    RerankTable,
    check_name,
)
from citeloom.infrastructure.settings.project_tables import (
    ChunkingTable,
    ProjectTable,
    RetrievalTable,
    ServerTable,
    StoreTable,
    ValidationTable,
)
from citeloom.infrastructure.settings.values import AddedTable, Count, Table, WhenWritten, lower


class VectorStorageTable(AddedTable):
    """Where a store keeps the vectors of a new collection."""

    on_disk_vectors: bool = Field(
        default=False, description="Keep vectors on disk: less memory, slower queries."
    )
    on_disk_hnsw: bool = Field(
        default=False, description="Keep the HNSW graph on disk as well; needs on_disk_vectors."
    )

    @property
    def storage(self) -> VectorStorage:
        """The value of both keys. Raises `ValueError` if they contradict each other."""
        return VectorStorage(on_disk_vectors=self.on_disk_vectors, on_disk_hnsw=self.on_disk_hnsw)

    @model_validator(mode="after")
    def _can_be_stored(self) -> VectorStorageTable:
        _ = self.storage
        return self


class DraftsTable(TableOf[DraftLimits]):
    """The limits of Pandoc, which reads drafts and formats citations."""


class ZoteroTable(TableOf[ZoteroLimits]):
    """How Zotero is read; citeloom never writes to it."""

    access: Literal["auto", "local", "api", "web"] = Field(
        default="auto",
        description="Where Zotero is read: its database on this machine, the local API "
        "while Zotero runs, or the web API; auto is the first of these that is "
        "available.",
    )
    data_dir: Path | None = Field(
        default=None,
        examples=["~/Zotero"],
        description="The folder that holds zotero.sqlite. Unset, as in Zotero's preferences.",
    )
    base_dir: Path | None = Field(
        default=None,
        examples=["~/papers"],
        description="The base directory of linked files. Unset, as in Zotero's preferences.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The key of the web API, from the environment only."
    )
    local_url: str = Field(
        default="http://localhost:23119/api", description="Address of the local API."
    )
    web_url: str = Field(default="https://api.zotero.org", description="Address of the web API.")


class ModelsTable(Table):
    """The model cache and the threads of models; a remote model has a table of its own below."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[RemoteModelTable, WhenWritten()]] = Field(init=False)

    cache_dir: Path | None = Field(
        default=None,
        examples=["~/models"],
        description="Folder of the model cache. Unset, the user's cache folder.",
    )
    threads: Count = Field(
        default_factory=processors,
        examples=[2],
        description="Number of threads of an embedding model. Unset, one per processor.",
    )

    @property
    def remote(self) -> dict[str, RemoteModelTable]:
        """The tables of remote models by name."""
        return self.__pydantic_extra__

    @model_validator(mode="after")
    def _names_of_remote_models(self) -> ModelsTable:
        for name, table in self.remote.items():
            check_name(name, table)
        return self


class PathsTable(Table):
    """Where citeloom keeps its data; relative paths start at this file."""

    data_dir: Path = Field(
        default=Path(".citeloom"),
        description="Folder of the index, manifest, cache and audit log of all projects.",
    )
    collected_dir: Path = Field(
        default=Path("collected"),
        description="Folder of the collected passages, one Markdown file per chapter; never"
        " ingested as part of another folder.",
    )


class LoggingTable(Table):
    """The log on stderr."""

    level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lower)] = Field(
        default="warning", description="The lowest level of messages to show."
    )


class Configuration(Table):
    """The whole file."""

    project: dict[str, Annotated[ProjectTable, WhenWritten()]] = Field(default_factory=dict)
    chunking: Annotated[ChunkingTable, WhenWritten(), AfterValidator(whole)] = Field(
        default_factory=ChunkingTable.model_construct
    )
    retrieval: Annotated[RetrievalTable, WhenWritten(), AfterValidator(whole)] = Field(
        default_factory=RetrievalTable.model_construct
    )
    rerank: Annotated[RerankTable, WhenWritten()] = Field(
        default_factory=RerankTable.model_construct
    )
    answers: Annotated[AnswersTable, WhenWritten()] = Field(
        default_factory=AnswersTable.model_construct
    )
    entailment: Annotated[EntailmentTable, WhenWritten()] = Field(
        default_factory=EntailmentTable.model_construct
    )
    conversion: Annotated[ConversionTable, WhenWritten()] = Field(
        default_factory=ConversionTable.model_construct
    )
    validation: Annotated[ValidationTable, WhenWritten(), AfterValidator(whole)] = Field(
        default_factory=ValidationTable.model_construct, alias="validate"
    )
    store: Annotated[StoreTable, WhenWritten()] = Field(default_factory=StoreTable.model_construct)
    drafts: Annotated[DraftsTable, WhenWritten(), AfterValidator(whole)] = Field(
        default_factory=DraftsTable.model_construct
    )
    zotero: Annotated[ZoteroTable, WhenWritten()] = Field(
        default_factory=ZoteroTable.model_construct
    )
    models: Annotated[ModelsTable, WhenWritten()] = Field(
        default_factory=ModelsTable.model_construct
    )
    server: Annotated[ServerTable, WhenWritten(), AfterValidator(whole)] = Field(
        default_factory=ServerTable.model_construct
    )
    paths: Annotated[PathsTable, WhenWritten()] = Field(default_factory=PathsTable.model_construct)
    logging: Annotated[LoggingTable, WhenWritten()] = Field(
        default_factory=LoggingTable.model_construct
    )


SECTIONS: dict[str, type[Table]] = {
    "chunking": ChunkingTable,
    "retrieval": RetrievalTable,
    "rerank": RerankTable,
    "answers": AnswersTable,
    "entailment": EntailmentTable,
    "conversion": ConversionTable,
    "validate": ValidationTable,
    "store": StoreTable,
    "drafts": DraftsTable,
    "zotero": ZoteroTable,
    "models": ModelsTable,
    "server": ServerTable,
    "paths": PathsTable,
    "logging": LoggingTable,
}
"""The tables for all projects that come with the core, by name in the file."""
CORE_TABLES = ("project", *SECTIONS)


def all_tables() -> dict[str, type[Table]]:
    """The tables for all projects, those of extensions behind the core's own."""
    return {**SECTIONS, **{name: TABLES[name] for name in TABLES}}
