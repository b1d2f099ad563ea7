"""The tables of citeloom.toml, with the type, default and meaning of each key. What the program
works with as a value is declared with that value, and is the table itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from annotated_types import Ge
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from citeloom.application.limits import (
    DocumentLimits,
    DraftLimits,
    ServerOptions,
    ZoteroLimits,
)
from citeloom.domain.fields import (
    Count,
    CountOrZero,
    Example,
    Reads,
    Seconds,
    Text,
    Texts,
    key,
    one_or_many,
)
from citeloom.domain.policies import (
    ChunkingPolicy,
    InstalledStrategy,
    RetrievalPolicy,
    StrategyName,
)
from citeloom.domain.project import ProjectOptions, RemoteModel, VectorStorage
from citeloom.domain.validation import ValidationPolicy
from citeloom.infrastructure.extensions import CHUNKERS, STORES, TABLES
from citeloom.infrastructure.settings.service_tables import (
    AnswersTable,
    EntailmentTable,
    RemoteModelTable,
    RerankTable,
    is_remote,
)
from citeloom.infrastructure.settings.values import (
    AddedTable,
    language,
    lower,
    with_possible_port,
)

# How documents are divided, and questions answered.


def named_strategy(name: object) -> StrategyName | InstalledStrategy:
    """The strategy of that name. Raises `ValueError` with all names for another."""
    if isinstance(name, str) and name in set(StrategyName):
        return StrategyName(name)
    if not isinstance(name, str) or name not in CHUNKERS:
        known = ", ".join(f"'{each}'" for each in (*StrategyName, *CHUNKERS))
        raise ValueError(f"must be one of {known}")
    chunker = CHUNKERS.extension(name)
    return InstalledStrategy(value=name, version=chunker.full_version, divide=chunker.load())


@dataclass(frozen=True, kw_only=True)
class RetrievalTable(RetrievalPolicy):
    """How a query is answered."""

    fusion: Literal["rrf"] = "rrf"
    """How dense and sparse results are fused: reciprocal rank fusion."""


# A project.

_EACH = "each"


def _listed(fields: dict[str, str]) -> dict[str, str]:
    """The fields of each item of a list. Raises `ValueError` unless the list is named."""
    if _EACH not in fields or len(fields) == 1:
        raise ValueError(
            'must name the list in `each`, and a field: { each = "failed", file = "path" }'
        )
    return fields


ShapeTable = dict[str, Text | Annotated[dict[str, Text], AfterValidator(_listed)]]
"""A project's own fields of an object, each with the path to its value in the documented JSON."""


@dataclass(frozen=True, kw_only=True)
class ProjectTable(ProjectOptions):
    """A project; its id is namespace/name."""

    zotero: Annotated[
        dict[str, Any] | None, Example({"collections": ["Papers/Tides"], "subcollections": True})
    ] = None
    """The project's Zotero selection, for `--zotero` and `citeloom sync`."""
    chunking: dict[str, Any] = field(default_factory=dict)
    """This project's own [chunking] values."""
    retrieval: dict[str, Any] = field(default_factory=dict)
    """This project's own [retrieval] values."""
    answers: dict[str, Any] = field(default_factory=dict)
    """This project's own language, prompt, refusal and prefix of [answers]."""
    front_matter: Annotated[dict[str, Any], Example({"module": "str"})] = field(
        default_factory=dict
    )
    """Fields of the front matter of Markdown files, by which queries may filter."""
    precision: Annotated[Literal["fp32", "int8"] | None, Example("fp32")] = None
    """Numeric precision of the default dense model. Unset, a collection keeps the one it was built
    with, and a new one gets int8, twice as fast as fp32 with nearly the same results. Changing a
    collection's precision needs `--rebuild`.
    """
    shapes: Annotated[
        dict[str, ShapeTable],
        Example({"result": {"heading": "section_path.-1", "confidence": "score"}}),
    ] = field(default_factory=dict)
    """Shapes for `--as NAME`: field names of your own, each with its path in the JSON."""
    files: Annotated[dict[str, Text], Example({"paper.pdf": "citekey"})] = field(
        default_factory=dict
    )
    """Citekeys of files that automatic matching does not find."""


# Conversion, and what the machine has for workers.

Language = Annotated[Text, AfterValidator(language)]
_MEGABYTE = 1 << 20
_LEAST_MEMORY, _MOST_MEMORY = 1536, 4096  # megabytes a worker needs, and may have unasked
_SHARE_OF_MEMORY = 0.8  # of the machine's that all workers together may have


def processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> int:
    """The megabytes of memory this machine has; where it does not say, enough for one worker a
    processor.
    """
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEGABYTE
    except (AttributeError, OSError, ValueError):
        return int(processors() * _MOST_MEMORY / _SHARE_OF_MEMORY)


@dataclass(frozen=True, kw_only=True)
class ConversionTable(DocumentLimits):
    """How files are converted to text."""

    layout: Literal["auto", "rules", "docling"] = "auto"
    """What analyses the layout of PDFs: citeloom's rules, or the models of a full Docling. auto is
    Docling if its packages and weights are installed, else rules.
    """
    ocr: bool = True
    """Whether pages that are images, such as scans, are read by OCR."""
    ocr_engine: Literal["auto", "tesseract", "rapidocr"] = "auto"
    """The OCR engine. auto is Tesseract if it is installed with the languages, else RapidOCR."""
    ocr_languages: Annotated[tuple[Language, ...], Example(["en", "de"]), Reads(one_or_many)] = ()
    """OCR languages if the reference names none. Unset, English and German."""
    follow_links: bool = False
    """Follow symbolic links that lead out of the folder named as source."""
    workers: Annotated[Count | None, Example(2)] = None
    """Number of documents processed at once, each in a worker process with its own models. Unset,
    one per processor, as far as memory allows.
    """
    worker_memory_mb: Annotated[Count | None, Example(4096)] = None
    """A document that needs more memory is stopped and reported. Unset, 4096, or less where all
    workers together would not fit the machine.
    """

    @property
    def worker_count(self) -> int:
        if self.workers is not None:
            return self.workers
        fitting = int(machine_memory() * _SHARE_OF_MEMORY) // (
            self.worker_memory_mb or _LEAST_MEMORY
        )
        return max(1, min(processors(), fitting))

    @property
    def worker_memory_bytes(self) -> int:
        share = int(machine_memory() * _SHARE_OF_MEMORY) // self.worker_count
        fitting = max(_LEAST_MEMORY, min(_MOST_MEMORY, share))
        return (self.worker_memory_mb or fitting) * _MEGABYTE

    @property
    def limits(self) -> str:
        """The bounds that documents are held to; another text where any of them is another."""
        return (
            f"{self.document_timeout_seconds:g} {self.page_timeout_seconds:g} "
            f"{self.ocr_timeout_seconds:g} {self.worker_memory_bytes} {self.max_text_mb} "
            f"{self.max_table_cells}"
        )

    def threads_of_worker(self, most: int) -> int:
        return max(1, min(most, processors() // self.worker_count))


# Stores.


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


_CHOSEN_ELSEWHERE = frozenset({"embedded", "http", "https"})
"""Stores without an address, or whose address stands in a table of their own."""


def store_address(value: str) -> str:
    """The address of a store, without a password. Raises `ValueError` for anything else."""
    try:
        parts = urlsplit(value)
        password = parts.password or dict(parse_qsl(parts.query)).get("password")
    except ValueError as error:
        raise ValueError("must be an address such as postgresql://user@host/database") from error
    if parts.scheme in _CHOSEN_ELSEWHERE or not STORES.is_known(parts.scheme):
        schemes = ", ".join(f"{name}:" for name in STORES if name not in _CHOSEN_ELSEWHERE)
        raise ValueError(f"must begin with the name of a store: {schemes}")
    if password:
        raise ValueError(
            "must not hold the password: set PGPASSWORD or CITELOOM_STORE_PASSWORD in the "
            "environment, or write it into ~/.pgpass"
        )
    return with_possible_port(value)


@dataclass(frozen=True, kw_only=True)
class StoreTable:
    """A vector store other than Qdrant, instead of the one in `[qdrant]`."""

    url: Annotated[
        Annotated[Text, AfterValidator(store_address)] | None,
        Example("postgresql://user@localhost/citeloom"),
    ] = None
    """A PostgreSQL database with pgvector 0.8 or newer, which needs `pip install '.[postgres]'` in
    the checkout; or Milvus, as `milvus://HOST:19530` (`milvus+https://` encrypted) or, embedded in
    the data folder, `milvus-lite:`, which need `pip install '.[milvus]'`. Unset, the store is
    Qdrant.
    """
    password: SecretStr | None = None
    """The password, or Milvus's token, from the environment only; PostgreSQL's may also be in
    ~/.pgpass.
    """
    timeout: Seconds = 10
    """Seconds to wait for the store."""


# Zotero, models, the server, and where things are.


@dataclass(frozen=True, kw_only=True)
class ZoteroTable(ZoteroLimits):
    """How Zotero is read; citeloom never writes to it."""

    access: Literal["auto", "local", "api", "web"] = "auto"
    """Where Zotero is read: its database on this machine, the local API while Zotero runs, or the
    web API; auto is the first of these that is available.
    """
    data_dir: Annotated[Path | None, Example("~/Zotero")] = None
    """The folder that holds zotero.sqlite. Unset, as in Zotero's preferences."""
    base_dir: Annotated[Path | None, Example("~/papers")] = None
    """The base directory of linked files. Unset, as in Zotero's preferences."""
    api_key: SecretStr | None = None
    """The key of the web API, from the environment only."""
    local_url: str = "http://localhost:23119/api"
    """Address of the local API."""
    web_url: str = "https://api.zotero.org"
    """Address of the web API."""
    webdav_url: Annotated[str | None, Example("https://dav.example.org/ada")] = None
    """Address of the WebDAV server that has the files of your own library, as in Zotero's settings,
    for `citeloom zotero download`.
    """
    webdav_user: str = ""
    """The name to log in there."""
    webdav_password: SecretStr | None = None
    """The password, from the environment only."""


@dataclass(frozen=True, kw_only=True)
class ModelsTable:
    """The model cache and the threads of models; a remote model has a table of its own below."""

    cache_dir: Annotated[Path | None, Example("~/models")] = None
    """Folder of the model cache. Unset, the user's cache folder."""
    threads: Annotated[Count, Example(2)] = field(default_factory=processors)
    """Number of threads of an embedding model. Unset, one per processor."""
    remote: Mapping[str, RemoteModelTable] = field(default_factory=dict, metadata=key(None))

    def binding(self, name: str) -> RemoteModel | None:
        """How a project is bound to a remote model; None for a model on this machine. Raises
        `ValueError` for a remote model without a table: text leaves the machine only for an address
        that is written down.
        """
        if name in self.remote:
            return self.remote[name].binding(name)
        if is_remote(name):
            raise ValueError(
                f"{name} is run by a service: say which in a table "
                f'[models."{name}"] with a base_url'
            )
        return None


@dataclass(frozen=True, kw_only=True)
class ServerTable(ServerOptions):
    """The HTTP server, and the limits of calls over MCP and HTTP."""

    roots: Annotated[Texts, Example(["library/"])] = ()
    """Folders in which a client may name files and folders to ingest, and the reading room drafts.
    Unset, the project's `sources`, and for drafts the folder of this file. Symbolic links in them
    are followed only if `follow_links` is set.
    """
    open_projects: CountOrZero = 8
    """Number of indexes in the data folder that a process keeps open, the most recently used ones.
    Any other is opened by its next call; 0 is no limit.
    """
    idle_minutes: Annotated[float, Ge(0)] = 10
    """Minutes without a call after which such an index is closed until its next call; 0 is
    never.
    """


@dataclass(frozen=True, kw_only=True)
class DraftsTable(DraftLimits):
    """The limits of Pandoc, which reads drafts and formats citations, and what drafts quote."""

    not_quotations: Annotated[tuple[str, ...], Example(["zero to hero"]), Reads(one_or_many)] = ()
    """Terms that stand in quotation marks and are nobody's words: `check` leaves them out, whatever
    their case.
    """


@dataclass(frozen=True, kw_only=True)
class PathsTable:
    """Where citeloom keeps its data; relative paths start at this file."""

    data_dir: Path = Path(".citeloom")
    """Folder of the index, manifest, cache and audit log of all projects."""
    collected_dir: Path = Path("collected")
    """Folder of the collected passages, one Markdown file per chapter; never ingested as part of
    another folder.
    """
    runs_dir: Path = Path("evaluation")
    """Folder of saved evaluation runs, which the reading room compares."""


@dataclass(frozen=True, kw_only=True)
class LoggingTable:
    """The log on stderr."""

    level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lower)] = (
        "warning"
    )
    """The lowest level of messages to show."""


# The whole file.

SECTIONS: dict[str, type] = {
    "chunking": ChunkingPolicy,
    "retrieval": RetrievalTable,
    "rerank": RerankTable,
    "answers": AnswersTable,
    "entailment": EntailmentTable,
    "conversion": ConversionTable,
    "validate": ValidationPolicy,
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


def all_tables() -> dict[str, type]:
    """The tables for all projects, those of extensions behind the core's own."""
    return {**SECTIONS, **{name: TABLES[name] for name in TABLES}}
