"""The tables of a project, and of those for all projects the ones whose values are policies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, model_validator

from citeloom.application.limits import ServerOptions
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.documents.metadata import MetadataField, MetadataSchema
from citeloom.domain.policies import (
    ChunkingPolicy,
    InstalledStrategy,
    RetrievalPolicy,
    StrategyName,
)
from citeloom.domain.project import Project
from citeloom.domain.references.citation_label import CitationLabel
from citeloom.domain.validation import Severity, ValidationPolicy
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.extensions import CHUNKERS, STORES
from citeloom.infrastructure.settings.derived import FORMS, TableOf
from citeloom.infrastructure.settings.values import (
    CountOrZero,
    Seconds,
    Severities,
    Table,
    Text,
    Texts,
    WhenWritten,
    with_possible_port,
)

# Policies: their fields are the keys.


def _strategy(name: str) -> StrategyName | InstalledStrategy:
    if name in set(StrategyName):
        return StrategyName(name)
    if name not in CHUNKERS:
        known = ", ".join(f"'{each}'" for each in (*StrategyName, *CHUNKERS))
        raise ValueError(f"must be one of {known}")
    chunker = CHUNKERS.extension(name)
    return InstalledStrategy(value=name, version=chunker.full_version, divide=chunker.load())


FORMS[StrategyName | InstalledStrategy] = Annotated[str, AfterValidator(_strategy)]


class ChunkingTable(TableOf[ChunkingPolicy]):
    """How documents are split into chunks. Sizes are in tokens of the embedding model."""


class RetrievalTable(TableOf[RetrievalPolicy]):
    """How a query is answered."""

    fusion: Literal["rrf"] = Field(
        default="rrf",
        description="How dense and sparse results are fused: reciprocal rank fusion.",
    )


class AnswerWordingTable(TableOf[AnswerWording]):
    """How answers and refusals are worded."""


class ZoteroSelectionTable(TableOf[ZoteroSelection]):
    """Selects the items that are in any of the collections, have all tags and no excluded tag."""


FORMS[Mapping[str, Severity]] = Severities


class ValidationTable(TableOf[ValidationPolicy]):
    """The limits and severities of `citeloom validate`."""


class ServerTable(TableOf[ServerOptions]):
    """The HTTP server, and the limits of calls over MCP and HTTP."""

    roots: Texts = Field(
        default=(),
        examples=[["library/"]],
        description="Folders in which a client may name files and folders to ingest. Unset,"
        " the project's `sources`. Symbolic links in them are followed only if "
        "`follow_links` is set.",
    )
    open_projects: CountOrZero = Field(
        default=8,
        description="Number of indexes in the data folder that a process keeps open, the "
        "most recently used ones. Any other is opened by its next call; 0 is no"
        " limit.",
    )
    idle_minutes: float = Field(
        default=10,
        ge=0,
        allow_inf_nan=False,
        description="Minutes without a call after which such an index is closed until its "
        "next call; 0 is never.",
    )


# The shapes in which a project's results may be printed.

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


# The fields of front matter that a project declares.


class FrontMatterFieldTable(TableOf[MetadataField]):
    """A field of the front matter of Markdown files. A field with only a type may be written in
    short, as `module = "str"`. A file without a required field, or with an invalid one, is not
    ingested.
    """


def _table(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


DeclaredField = Annotated[FrontMatterFieldTable, WhenWritten(), BeforeValidator(_table)]


def _schema(fields: Mapping[str, FrontMatterFieldTable]) -> MetadataSchema:
    """The domain's schema. Raises `ValueError` for a name that is none, or is taken."""
    return MetadataSchema(tuple(table.value(name=name) for name, table in fields.items()))


# A project.

FORMS.update(
    {
        ChunkingPolicy: ChunkingTable,
        RetrievalPolicy: RetrievalTable,
        ZoteroSelection: ZoteroSelectionTable,
        CitationLabel: Annotated[Text, AfterValidator(CitationLabel)],
        MetadataSchema: Annotated[dict[str, DeclaredField], AfterValidator(_schema)],
    }
)


class ProjectTable(TableOf[Project]):
    """A project; its id is namespace/name."""

    precision: Literal["fp32", "int8"] | None = Field(
        default=None,
        examples=["fp32"],
        description="Numeric precision of the default dense model. Unset, a collection "
        "keeps the one it was built with, and a new one gets int8, twice as "
        "fast as fp32 with nearly the same results. Changing a collection's "
        "precision needs `--rebuild`.",
    )
    answers: Annotated[AnswerWordingTable, WhenWritten()] = Field(
        default_factory=AnswerWordingTable.model_construct,
        description="This project's own language, prompt, refusal and prefix of [answers].",
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


# The [store] table: a vector store other than Qdrant.

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


class StoreTable(Table):
    """A vector store other than Qdrant, instead of the one in `[qdrant]`."""

    url: Annotated[Text, AfterValidator(store_address)] | None = Field(
        default=None,
        examples=["postgresql://user@localhost/citeloom"],
        description="A PostgreSQL database with pgvector 0.8 or newer, which needs "
        "`pip install '.[postgres]'` in the checkout; or Milvus, as `milvus://HOST:19530` "
        "(`milvus+https://` encrypted) or, embedded in the data folder, `milvus-lite:`, which need "
        "`pip install '.[milvus]'`. Unset, the store is Qdrant.",
    )
    password: SecretStr | None = Field(
        default=None,
        description="The password, or Milvus's token, from the environment only; PostgreSQL's "
        "may also be in ~/.pgpass.",
    )
    timeout: Seconds = Field(default=10, description="Seconds to wait for the store.")

    @model_validator(mode="before")
    @classmethod
    def _with_layout_in_address(cls, values: object) -> object:
        """`layout = "langchain"` of earlier versions as the scheme of the address."""
        if not isinstance(values, dict) or values.get("layout") not in ("citeloom", "langchain"):
            return values
        values = dict(values)
        if values.pop("layout") == "langchain" and isinstance(values.get("url"), str):
            values["url"] = re.sub(r"^postgres(ql)?://", "postgresql+langchain://", values["url"])
        return values
