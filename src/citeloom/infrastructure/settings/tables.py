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

from citeloom.application.limits import ZoteroLimits
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
from citeloom.infrastructure.settings.values import (
    Count,
    Table,
    Text,
    lower,
    server_addresses,
)
from citeloom.infrastructure.store_options import MilvusOptions, QdrantOptions


class QdrantTable(TableOf[QdrantOptions]):
    """The vector store: embedded, or on a server if there is a `url`."""

    url: Annotated[tuple[Text, ...], BeforeValidator(server_addresses)] | None = Field(
        default=None,
        examples=["http://localhost:6333"],
        description="The address of a Qdrant server, or several addresses of one cluster, "
        "tried in turn when one does not answer. Unset, the index is embedded "
        "in `data_dir`.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The server's API key, from the environment only."
    )


class MilvusTable(TableOf[MilvusOptions]):
    """The index over dense vectors of a new collection, where `[store] url` is Milvus."""

    documents: Text | None = Field(
        default=None,
        examples=["document_metadata"],
        description="A collection that mirrors the manifest, with the front matter of each "
        "document, for other programs to read; it needs `pip install "
        "./recipes/markdown-notes/extension` in the checkout. Unset, there is none.",
    )


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
    __pydantic_extra__: dict[str, RemoteModelTable] = Field(init=False)

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

    project: dict[str, ProjectTable] = Field(default_factory=dict)
    chunking: Annotated[ChunkingTable, AfterValidator(whole)] = Field(default=ChunkingTable())
    retrieval: Annotated[RetrievalTable, AfterValidator(whole)] = Field(default=RetrievalTable())
    rerank: RerankTable = Field(default=RerankTable())
    answers: AnswersTable = Field(default=AnswersTable())
    entailment: EntailmentTable = Field(default=EntailmentTable())
    conversion: ConversionTable = Field(default=ConversionTable())
    validation: Annotated[ValidationTable, AfterValidator(whole)] = Field(
        default=ValidationTable(), alias="validate"
    )
    qdrant: Annotated[QdrantTable, AfterValidator(whole)] = Field(default=QdrantTable())
    store: StoreTable = Field(default=StoreTable())
    milvus: Annotated[MilvusTable, AfterValidator(whole)] = Field(default=MilvusTable())
    zotero: ZoteroTable = Field(default=ZoteroTable())
    models: ModelsTable = Field(default=ModelsTable())
    server: Annotated[ServerTable, AfterValidator(whole)] = Field(default=ServerTable())
    paths: PathsTable = Field(default=PathsTable())
    logging: LoggingTable = Field(default=LoggingTable())


SECTIONS: dict[str, type[Table]] = {
    "chunking": ChunkingTable,
    "retrieval": RetrievalTable,
    "rerank": RerankTable,
    "answers": AnswersTable,
    "entailment": EntailmentTable,
    "conversion": ConversionTable,
    "validate": ValidationTable,
    "qdrant": QdrantTable,
    "store": StoreTable,
    "milvus": MilvusTable,
    "zotero": ZoteroTable,
    "models": ModelsTable,
    "server": ServerTable,
    "paths": PathsTable,
    "logging": LoggingTable,
}
"""The tables for all projects, by name in the file."""
