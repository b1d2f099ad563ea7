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

from citeloom.domain.policies import DEFAULT_DENSE_MODEL, DEFAULT_SPARSE_MODEL
from citeloom.infrastructure.settings.conversion import ChunkingTable, ConversionTable, processors
from citeloom.infrastructure.settings.models import (
    AnswersTable,
    AnswerWordingTable,
    EntailmentTable,
    RemoteModelTable,
    RerankTable,
    check_name,
)
from citeloom.infrastructure.settings.project_tables import (
    DeclaredField,
    MilvusTable,
    RetrievalTable,
    ShapeTable,
    StoreTable,
    ValidationTable,
    ZoteroSelectionTable,
)
from citeloom.infrastructure.settings.server import ServerTable
from citeloom.infrastructure.settings.values import (
    Count,
    Factor,
    Seconds,
    SecondsOrZero,
    Table,
    Text,
    Texts,
    lower,
    point_id_template,
    server_addresses,
)


class QdrantTable(Table):
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
    timeout: Seconds = Field(default=10, description="Seconds to wait for the server.")
    retry_for: SecondsOrZero = Field(
        default=60,
        description="Seconds to keep retrying while no server answers; a question at most 5.",
    )
    shards: Count | None = Field(
        default=None,
        examples=[2],
        description="Number of shards of a new collection. Unset, the server decides.",
    )
    replication: Count | None = Field(
        default=None,
        examples=[2],
        description="Number of copies of each shard. Unset, the server decides.",
    )
    write_consistency: Count | None = Field(
        default=None,
        examples=[1],
        description="Number of copies that must confirm a write. Unset, the server decides.",
    )
    on_disk_vectors: bool = Field(
        default=False, description="Keep vectors on disk: less memory, slower queries."
    )
    on_disk_hnsw: bool = Field(
        default=False, description="Keep the HNSW graph on disk as well; needs on_disk_vectors."
    )
    quantization: Literal["scalar", "binary"] | None = Field(
        default=None,
        examples=["scalar"],
        description="Compress vectors in memory: scalar to a quarter, binary to 1/32.",
    )
    oversampling: Factor | None = Field(
        default=None,
        examples=[32],
        description="How many times as many hits are fetched by compressed vectors, then "
        "rescored by the full ones. Unset, 2 for scalar and 32 for binary.",
    )

    @model_validator(mode="after")
    def _graph_needs_vectors_on_disk(self) -> QdrantTable:
        if self.on_disk_hnsw and not self.on_disk_vectors:
            raise ValueError("on_disk_hnsw requires on_disk_vectors = true")
        return self

    @model_validator(mode="after")
    def _enough_copies_confirm(self) -> QdrantTable:
        if (self.write_consistency or 1) > (self.replication or 1):
            raise ValueError("write_consistency must not be more than replication")
        return self


class ZoteroTable(Table):
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
    timeout: Seconds = Field(default=20, description="Seconds to wait for an API.")
    max_download_mb: Count = Field(
        default=500, description="Largest download of a file, in megabytes."
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


class ProjectTable(Table):
    """A project; its id is namespace/name."""

    collection: Text | None = Field(
        default=None, description="Name of the vector collection. Unset, derived from the id."
    )
    references: Text | None = Field(
        default=None,
        examples=["references.json"],
        description="CSL-JSON (a Better BibTeX export), BibTeX or RIS.",
    )
    sources: Texts = Field(
        default=(),
        examples=[["library/"]],
        description="Files and folders that `citeloom ingest` reads when none are named.",
    )
    zotero: ZoteroSelectionTable | None = Field(
        default=None,
        examples=[{"collections": ["Papers/Tides"], "subcollections": True}],
        description="The project's Zotero selection, for `--zotero` and `citeloom sync`.",
    )
    embedding_model: Text = Field(
        default=DEFAULT_DENSE_MODEL,
        description="The dense model, for search by meaning.",
    )
    precision: Literal["fp32", "int8"] | None = Field(
        default=None,
        examples=["fp32"],
        description="Numeric precision of the default dense model. Unset, a collection "
        "keeps the one it was built with, and a new one gets int8, twice as "
        "fast as fp32 with nearly the same results. Changing a collection's "
        "precision needs `--rebuild`.",
    )
    sparse_model: Text = Field(
        default=DEFAULT_SPARSE_MODEL,
        description="The sparse model, for search by words. BM25 treats each text in its "
        "own language, or all texts in the language named after it: "
        "`Qdrant/bm25:portuguese`.",
    )
    hybrid_enabled: bool = Field(
        default=True, description="Whether to search by words as well as by meaning."
    )
    chunking: ChunkingTable = Field(
        default_factory=ChunkingTable, description="This project's own [chunking] values."
    )
    retrieval: RetrievalTable = Field(
        default_factory=RetrievalTable, description="This project's own [retrieval] values."
    )
    answers: AnswerWordingTable = Field(
        default_factory=AnswerWordingTable,
        description="This project's own language, prompt, refusal and prefix of [answers].",
    )
    citation_label: Text | None = Field(
        default=None,
        examples=["[{module}, {title}]"],
        description="A template for the label of a passage, made of fields of the front "
        "matter and of the reference.",
    )
    front_matter: dict[str, DeclaredField] = Field(
        default_factory=dict,
        examples=[{"module": "str"}],
        description="Fields of the front matter of Markdown files, by which queries may filter.",
    )
    point_id: Annotated[Text, AfterValidator(point_id_template)] | None = Field(
        default=None,
        examples=["{title}:{section_title}:{chunk_index}"],
        description="Template of chunk ids, which are UUIDv5 of its text. It may name "
        "fields of the front matter, section_title, section_path, chunk_index, "
        "chunk_idx and doc_id. Unset, ids are derived from the document and the"
        " chunk's position in it.",
    )
    shapes: dict[str, ShapeTable] = Field(
        default_factory=dict,
        examples=[{"result": {"heading": "section_path.-1", "confidence": "score"}}],
        description="Shapes for `--as NAME`: field names of your own, each with its path in"
        " the JSON.",
    )
    files: dict[str, Text] = Field(
        default_factory=dict,
        examples=[{"paper.pdf": "citekey"}],
        description="Citekeys of files that automatic matching does not find.",
    )


class Configuration(Table):
    """The whole file."""

    project: dict[str, ProjectTable] = Field(default_factory=dict)
    chunking: ChunkingTable = Field(default=ChunkingTable())
    retrieval: RetrievalTable = Field(default=RetrievalTable())
    rerank: RerankTable = Field(default=RerankTable())
    answers: AnswersTable = Field(default=AnswersTable())
    entailment: EntailmentTable = Field(default=EntailmentTable())
    conversion: ConversionTable = Field(default=ConversionTable())
    validation: ValidationTable = Field(default=ValidationTable(), alias="validate")
    qdrant: QdrantTable = Field(default=QdrantTable())
    store: StoreTable = Field(default=StoreTable())
    milvus: MilvusTable = Field(default=MilvusTable())
    zotero: ZoteroTable = Field(default=ZoteroTable())
    models: ModelsTable = Field(default=ModelsTable())
    server: ServerTable = Field(default=ServerTable())
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
