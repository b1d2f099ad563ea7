"""Every key of citeloom.toml, with its type, its default and why one would set it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    model_validator,
)

from citeloom.domain.policies import (
    DEFAULT_DENSE_MODEL,
    DEFAULT_MAX_TOKENS,
    DEFAULT_SPARSE_MODEL,
    ChunkingPolicy,
    RetrievalPolicy,
)
from citeloom.domain.validation import Severity, ValidationPolicy
from citeloom.infrastructure.settings.conversion import ConversionTable, processors
from citeloom.infrastructure.settings.selection_table import ZoteroSelectionTable
from citeloom.infrastructure.settings.values import (
    Count,
    Graded,
    Seconds,
    Share,
    Table,
    Text,
    lower,
    one_or_many,
    web_address,
)

_CHUNKING = ChunkingPolicy()
_RETRIEVAL = RetrievalPolicy()
_VALIDATION = ValidationPolicy()


class ChunkingTable(Table):
    """How documents are cut. All sizes are tokens of the bound model's own tokenizer."""

    max_tokens: Count | None = Field(
        default=None,
        examples=[DEFAULT_MAX_TOKENS],
        description="Most tokens of a chunk, headings included. Unset, it follows the model: "
        f"{DEFAULT_MAX_TOKENS}, or what its window allows.",
    )
    overlap_tokens: int = Field(
        default=_CHUNKING.overlap_tokens,
        ge=0,
        description="Tokens repeated from the chunk before, so that no thought is cut in two.",
    )
    heading_context: int = Field(
        default=_CHUNKING.heading_context,
        ge=0,
        description="Ancestor headings put before the text the model reads.",
    )
    tokenizer_id: Text | None = Field(
        default=None,
        examples=[DEFAULT_DENSE_MODEL],
        description="Tokenizer to count with. Unset, it is the embedding model's own.",
    )
    min_chunk_tokens: Count = Field(
        default=_CHUNKING.min_chunk_tokens,
        description="A shorter chunk is merged with its neighbours, or else left out.",
    )
    min_signal_to_noise: Share = Field(
        default=_CHUNKING.min_signal_to_noise,
        description="A chunk below this share of real words is left out.",
    )

    def policy(self) -> ChunkingPolicy:
        """The domain's policy. Raises `ValueError` when the values contradict each other."""
        return ChunkingPolicy(
            max_tokens=self.max_tokens,
            overlap_tokens=self.overlap_tokens,
            heading_context=self.heading_context,
            tokenizer_id=self.tokenizer_id,
            min_chunk_tokens=self.min_chunk_tokens,
            min_signal_to_noise=self.min_signal_to_noise,
        )


class RetrievalTable(Table):
    """How a query is answered."""

    top_k: Count = Field(default=_RETRIEVAL.top_k, description="Passages a query returns.")
    fusion: Literal["rrf"] = Field(
        default="rrf",
        description="How dense and sparse results are merged: reciprocal rank fusion.",
    )
    rrf_k: Count = Field(
        default=_RETRIEVAL.rrf_k,
        description="The constant of the fusion, 1 / (k + rank); a smaller one trusts first "
        "places more.",
    )
    candidates: Count = Field(
        default=_RETRIEVAL.candidates, description="How deep each side of a hybrid query looks."
    )
    feedback: int = Field(
        default=_RETRIEVAL.feedback,
        ge=0,
        description="How many of its best passages a hybrid query is expanded by and asked again; "
        "0 asks once.",
    )
    diversify_by_page: bool = Field(
        default=_RETRIEVAL.diversify_by_page,
        description="Whether the best passage of each page comes before the second best of any.",
    )
    fold_duplicates: bool = Field(
        default=_RETRIEVAL.fold_duplicates,
        description="Whether a text that several documents hold is returned once, under the best.",
    )
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None,
        examples=[0.02],
        description="Passages that score less are not returned. Hybrid scores lie below "
        "2 / (rrf_k + 1), which is 0.033 by default; dense ones are cosines, up to 1; sparse ones "
        "have no bound.",
    )
    max_chars_per_chunk: Count = Field(
        default=_RETRIEVAL.max_chars_per_chunk,
        description="A passage's text is trimmed to this many characters, between words.",
    )

    def policy(self) -> RetrievalPolicy:
        """The domain's policy."""
        return RetrievalPolicy(**self.model_dump(exclude={"fusion"}))


class ValidationTable(Table):
    """What `citeloom validate` calls a finding."""

    min_body_share: Share = Field(
        default=_VALIDATION.min_body_share,
        description="Least share of a document's body text that its chunks must keep.",
    )
    max_window_overflow: int = Field(
        default=_VALIDATION.max_window_overflow,
        ge=0,
        description="Chunks that may be longer than the model reads.",
    )
    min_chunks_per_document: int = Field(
        default=_VALIDATION.min_chunks_per_document,
        ge=0,
        description="Fewest chunks an indexed document must have.",
    )
    min_headed_share: Share = Field(
        default=_VALIDATION.min_headed_share,
        description="Least share of a document's chunks that must stand in a section.",
    )
    max_garbled_share: Share = Field(
        default=_VALIDATION.max_garbled_share,
        description="Largest share of a chunk's characters that may be no text.",
    )
    max_documents_per_text: Count = Field(
        default=_VALIDATION.max_documents_per_text,
        description="Documents that may have a chunk of the same text.",
    )
    max_norm_deviation: Share = Field(
        default=_VALIDATION.max_norm_deviation,
        description="How far the length of a vector may be from 1.",
    )
    require_citekey: bool = Field(
        default=_VALIDATION.require_citekey,
        description="Whether every document must have a reference.",
    )
    strict: bool = Field(
        default=_VALIDATION.strict, description="Whether warnings fail the gate, too."
    )
    severity: Annotated[tuple[Graded, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[["headings=error", "identifier=off"]],
        description="How grave what a check finds is: error, warning, info, or off.",
    )

    def policy(self) -> ValidationPolicy:
        """The domain's policy."""
        graded = {
            name: Severity(level) for name, _, level in (g.partition("=") for g in self.severity)
        }
        return ValidationPolicy(**{**self.model_dump(), "severity": graded})


class QdrantTable(Table):
    """Where vectors live: in this process, or on a server when there is a `url`."""

    url: Annotated[Text, AfterValidator(web_address)] | None = Field(
        default=None,
        examples=["http://localhost:6333"],
        description="A Qdrant server or cluster. Unset, the index is embedded in `data_dir`.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The server's key, from the environment only."
    )
    timeout: Seconds = Field(default=10, description="Seconds to wait for the server.")
    shards: Count | None = Field(
        default=None,
        examples=[2],
        description="Shards of a new collection. Unset, the server decides.",
    )
    replication: Count | None = Field(
        default=None, examples=[2], description="Copies of each shard. Unset, the server decides."
    )
    write_consistency: Count | None = Field(
        default=None,
        examples=[1],
        description="Copies that must confirm a write. Unset, the server decides.",
    )
    on_disk_vectors: bool = Field(
        default=False, description="Keep vectors on disk: less memory, slower queries."
    )
    on_disk_hnsw: bool = Field(
        default=False, description="Keep the graph on disk too; needs on_disk_vectors."
    )
    quantization: Literal["scalar", "binary"] | None = Field(
        default=None,
        examples=["scalar"],
        description="Compress vectors in memory: scalar to a quarter, binary to a 32nd.",
    )
    prefix_index: bool = Field(
        default=False, description="Let text filters match beginnings of words; a larger index."
    )

    @model_validator(mode="after")
    def _graph_lies_with_vectors(self) -> QdrantTable:
        if self.on_disk_hnsw and not self.on_disk_vectors:
            raise ValueError("on_disk_hnsw requires on_disk_vectors = true")
        return self

    @model_validator(mode="after")
    def _enough_copies_confirm(self) -> QdrantTable:
        if (self.write_consistency or 1) > (self.replication or 1):
            raise ValueError("write_consistency must not be more than replication")
        return self


class ZoteroTable(Table):
    """How Zotero is read. Nothing of it is ever written."""

    access: Literal["auto", "local", "api", "web"] = Field(
        default="auto",
        description="Its database on this machine, its interface while it runs, or its web API; "
        "auto takes the first of them that can be reached.",
    )
    data_dir: Path | None = Field(
        default=None,
        examples=["~/Zotero"],
        description="The folder that holds zotero.sqlite. Unset, Zotero's preferences say.",
    )
    base_dir: Path | None = Field(
        default=None,
        examples=["~/papers"],
        description="Where relative links to files start. Unset, Zotero's preferences say.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The key of the web API, from the environment only."
    )
    timeout: Seconds = Field(default=20, description="Seconds to wait for an interface.")
    max_download_mb: Count = Field(
        default=500, description="Megabytes that a downloaded file may have at most."
    )
    local_url: str = Field(
        default="http://localhost:23119/api", description="Where Zotero answers on this machine."
    )
    web_url: str = Field(default="https://api.zotero.org", description="Where the web API answers.")


class ModelsTable(Table):
    """Where models are kept and how much of the machine they use."""

    cache_dir: Path | None = Field(
        default=None,
        examples=["~/models"],
        description="Folder of prepared models. Unset, the user's cache folder.",
    )
    threads: Count = Field(
        default_factory=processors,
        examples=[2],
        description="Threads of an embedding model. Unset, one for each processor.",
    )


class PathsTable(Table):
    """Where citeloom keeps its data; relative paths start at this file."""

    data_dir: Path = Field(
        default=Path(".citeloom"),
        description="Index, manifest, cache and audit log of all projects.",
    )


class LoggingTable(Table):
    """What goes to stderr."""

    level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lower)] = Field(
        default="warning", description="The least grave messages to show."
    )


class ProjectTable(Table):
    """One library scope; its id is namespace/name."""

    collection: Text | None = Field(
        default=None, description="Name of the vector collection. Unset, derived from the id."
    )
    references: Text | None = Field(
        default=None,
        examples=["references.json"],
        description="CSL-JSON (a Better BibTeX export), BibTeX or RIS.",
    )
    sources: Annotated[tuple[Text, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[["library/"]],
        description="Files and folders that `citeloom ingest` reads when none is named.",
    )
    zotero: ZoteroSelectionTable | None = Field(
        default=None,
        examples=[{"collections": ["Papers/Tides"], "subcollections": True}],
        description="What of Zotero belongs to the project, for `--zotero` and `citeloom sync`.",
    )
    embedding_model: Text = Field(
        default=DEFAULT_DENSE_MODEL, description="The model whose vectors capture meaning."
    )
    sparse_model: Text = Field(
        default=DEFAULT_SPARSE_MODEL, description="The model whose vectors capture exact words."
    )
    hybrid_enabled: bool = Field(
        default=True, description="Search by meaning and by words; false leaves the words out."
    )
    chunking: ChunkingTable = Field(
        default_factory=ChunkingTable, description="This project's own [chunking] values."
    )
    retrieval: RetrievalTable = Field(
        default_factory=RetrievalTable, description="This project's own [retrieval] values."
    )
    files: dict[str, Text] = Field(
        default_factory=dict,
        examples=[{"paper.pdf": "citekey"}],
        description="Which reference a file belongs to, where matching needs help.",
    )


class Configuration(Table):
    """The whole file."""

    project: dict[str, ProjectTable] = Field(default_factory=dict)
    chunking: ChunkingTable = Field(default=ChunkingTable())
    retrieval: RetrievalTable = Field(default=RetrievalTable())
    conversion: ConversionTable = Field(default=ConversionTable())
    validation: ValidationTable = Field(default=ValidationTable(), alias="validate")
    qdrant: QdrantTable = Field(default=QdrantTable())
    zotero: ZoteroTable = Field(default=ZoteroTable())
    models: ModelsTable = Field(default=ModelsTable())
    paths: PathsTable = Field(default=PathsTable())
    logging: LoggingTable = Field(default=LoggingTable())


SECTIONS: dict[str, type[Table]] = {
    "chunking": ChunkingTable,
    "retrieval": RetrievalTable,
    "conversion": ConversionTable,
    "validate": ValidationTable,
    "qdrant": QdrantTable,
    "zotero": ZoteroTable,
    "models": ModelsTable,
    "paths": PathsTable,
    "logging": LoggingTable,
}
"""The tables that hold for all projects, by their name in the file."""
