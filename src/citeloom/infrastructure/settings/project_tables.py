"""The tables of a project: retrieval, selection, templates, validation, front matter, stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from citeloom.domain.chunks.validation import Severity, ValidationPolicy
from citeloom.domain.documents.metadata import FieldKind, MetadataField, MetadataSchema
from citeloom.domain.policies import RetrievalPolicy
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.settings.values import (
    Count,
    CountOrZero,
    Graded,
    Seconds,
    Share,
    Table,
    Text,
    Texts,
    one_or_many,
    with_possible_port,
)

# The [retrieval] table: how queries are answered.

_RETRIEVAL = RetrievalPolicy()


class RetrievalTable(Table):
    """How a query is answered."""

    top_k: Count = Field(
        default=_RETRIEVAL.top_k, description="Number of passages a query returns."
    )
    fusion: Literal["rrf"] = Field(
        default="rrf",
        description="How dense and sparse results are fused: reciprocal rank fusion.",
    )
    rrf_k: Count = Field(
        default=_RETRIEVAL.rrf_k,
        description="The constant k of the fusion, 1 / (k + rank); a smaller one favours the first "
        "ranks.",
    )
    candidates: Count = Field(
        default=_RETRIEVAL.candidates,
        description="Number of results from each search, dense and sparse, that a hybrid "
        "query fuses.",
    )
    feedback: CountOrZero = Field(
        default=_RETRIEVAL.feedback,
        description="Number of best passages whose terms expand a hybrid query; 0 turns "
        "expansion off.",
    )
    diversify_by_page: bool = Field(
        default=_RETRIEVAL.diversify_by_page,
        description="Whether the best passage of each page comes before the second best of "
        "any page.",
    )
    fold_duplicates: bool = Field(
        default=_RETRIEVAL.fold_duplicates,
        description="Whether nearly the same text in several documents is returned once, "
        "under the best hit.",
    )
    min_score: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        default=None,
        examples=[0.02],
        description="Minimum score; passages below it are not returned. Hybrid scores are "
        "less than 2 / (rrf_k + 1), which is 0.033 by default; dense scores are"
        " cosines, up to 1; sparse scores have no upper bound.",
    )
    floor: bool = Field(
        default=_RETRIEVAL.floor,
        description="Whether a query returns nothing for a question that the library does "
        "not cover, by the threshold of `citeloom calibrate`.",
    )
    rerank: bool = Field(
        default=_RETRIEVAL.rerank,
        description="Whether the reranker of [rerank], if there is one, puts the best passages in "
        "order.",
    )
    max_chars_per_chunk: Count = Field(
        default=_RETRIEVAL.max_chars_per_chunk,
        description="A passage's text is trimmed to this many characters, between words.",
    )

    def policy(self) -> RetrievalPolicy:
        """The domain's policy."""
        return self.made_into(RetrievalPolicy)


# The Zotero selection of a project.


class ZoteroSelectionTable(Table):
    """Selects the items that are in any of the collections, have all tags and no excluded tag."""

    library: Texts = Field(
        default=(),
        examples=[["library"]],
        description="`library` (your own, the default), a group's name, `groups/ID`, or `all`.",
    )
    collections: Texts = Field(
        default=(),
        examples=[["Papers/Tides"]],
        description="Paths or keys of Zotero collections; write a slash within a name as "
        "`\\\\/`. Unset, the whole library.",
    )
    subcollections: bool = Field(default=False, description="Whether subcollections are included.")
    tags: Texts = Field(default=(), examples=[["coast"]], description="Tags an item must have.")
    exclude_tags: Texts = Field(
        default=(), examples=[["draft"]], description="Tags an item must not have."
    )

    annotations: bool = Field(
        default=False, description="Whether annotations become passages of their own."
    )
    notes: bool = Field(default=False, description="Whether notes become passages of their own.")

    def selection(self) -> ZoteroSelection:
        """The domain's selection."""
        return self.made_into(ZoteroSelection, libraries=self.library)


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


# The [validate] table: the limits and severities of `citeloom validate`.

_VALIDATION = ValidationPolicy()


class ValidationTable(Table):
    """The limits and severities of `citeloom validate`."""

    min_body_share: Share = Field(
        default=_VALIDATION.min_body_share,
        description="Minimum share of a document's body text that must be in chunks.",
    )
    max_window_overflow: CountOrZero = Field(
        default=_VALIDATION.max_window_overflow,
        description="Maximum number of chunks longer than the model's window.",
    )
    min_chunks_per_document: CountOrZero = Field(
        default=_VALIDATION.min_chunks_per_document,
        description="Minimum number of chunks of an indexed document.",
    )
    min_headed_share: Share = Field(
        default=_VALIDATION.min_headed_share,
        description="Minimum share of a document's chunks that must be under a heading.",
    )
    max_label_share: Share = Field(
        default=_VALIDATION.max_label_share,
        description="Maximum share of numbers and single letters among the words of a text chunk.",
    )
    max_garbled_share: Share = Field(
        default=_VALIDATION.max_garbled_share,
        description="Maximum share of garbled characters in a chunk.",
    )
    max_documents_per_text: Count = Field(
        default=_VALIDATION.max_documents_per_text,
        description="Maximum number of documents that share the text of a chunk.",
    )
    max_norm_deviation: Share = Field(
        default=_VALIDATION.max_norm_deviation,
        description="Maximum deviation of a vector's length from 1.",
    )
    require_citekey: bool = Field(
        default=_VALIDATION.require_citekey,
        description="Whether every document must have a reference.",
    )
    strict: bool = Field(
        default=_VALIDATION.strict, description="Whether warnings fail validation, too."
    )
    severity: Annotated[tuple[Graded, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        examples=[["headings=error", "identifier=off"]],
        description="Severity of a check: error, warning, info, or off.",
    )

    def policy(self) -> ValidationPolicy:
        """The domain's policy."""
        graded = {
            name: Severity(level) for name, _, level in (g.partition("=") for g in self.severity)
        }
        return self.made_into(ValidationPolicy, severity=graded)


# The fields of front matter that a project declares.


class FrontMatterFieldTable(Table):
    """A field of the front matter of Markdown files. A field with only a type may be written in
    short, as `module = "str"`. A file without a required field, or with an invalid one, is not
    ingested.
    """

    type: Literal["str", "int", "float", "bool", "date", "list[str]"] = Field(
        default="str", description="The type of its value."
    )
    required: bool = Field(default=False, description="Whether every file must have it.")
    max_length: Count | None = Field(
        default=None,
        examples=[255],
        description="Maximum number of characters in a text, or in each text of a list.",
    )
    max_items: Count | None = Field(
        default=None, examples=[50], description="Maximum number of items in a list."
    )
    choices: Texts = Field(
        default=(), examples=[["A2", "B1"]], description="The allowed values. Unset, any."
    )


def _table(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


DeclaredField = Annotated[FrontMatterFieldTable, BeforeValidator(_table)]


def schema_of(fields: Mapping[str, FrontMatterFieldTable]) -> MetadataSchema:
    """The domain's schema. Raises `ValueError` for a name that is none, or is taken."""
    return MetadataSchema(
        tuple(
            MetadataField(
                name=name,
                kind=FieldKind(table.type),
                required=table.required,
                max_length=table.max_length,
                max_items=table.max_items,
                choices=table.choices,
            )
            for name, table in fields.items()
        )
    )


# The [milvus] table: how collections in Milvus are indexed.


class MilvusTable(Table):
    """The index over dense vectors of a new collection, where `[store] url` is Milvus."""

    documents: Text | None = Field(
        default=None,
        examples=["document_metadata"],
        description="A collection that mirrors the manifest, with the front matter of each "
        "document, for other programs to read. Unset, there is none.",
    )
    index: Literal["FLAT", "IVF_FLAT", "HNSW"] = Field(
        default="FLAT",
        description="`FLAT` compares with every vector and is exact; the other two are "
        "faster on large collections, but approximate.",
    )
    metric: Literal["COSINE", "IP"] = Field(
        default="COSINE",
        description="The similarity measure. Vectors have unit length, so both give the "
        "same ranking.",
    )
    nlist: Count = Field(default=1024, description="Number of clusters of an `IVF_FLAT` index.")
    nprobe: Count = Field(default=16, description="Number of clusters that a query searches.")
    m: Count = Field(default=16, description="Links per vector of an `HNSW` index.")
    ef_construction: Count = Field(
        default=200, description="Candidates considered while an `HNSW` index is built."
    )
    ef: Count = Field(
        default=128, description="Candidates considered while an `HNSW` index is searched."
    )


# The [store] table: a vector store other than Qdrant.

_SCHEMES = ("postgresql", "postgres", "milvus", "milvus+https", "milvus-lite")


def store_address(value: str) -> str:
    """The address of a store, without a password. Raises `ValueError` for anything else."""
    try:
        parts = urlsplit(value)
        password = parts.password or dict(parse_qsl(parts.query)).get("password")
    except ValueError as error:
        raise ValueError("must be an address such as postgresql://user@host/database") from error
    if parts.scheme not in _SCHEMES:
        raise ValueError("must begin with postgresql:// or milvus://, or be milvus-lite:")
    if parts.scheme == "milvus-lite" and value != "milvus-lite:":
        raise ValueError("is in the data folder and has no address: write milvus-lite:")
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
    layout: Literal["citeloom", "langchain"] = Field(
        default="citeloom",
        description="The tables of a new collection: citeloom's own, or LangChain's "
        "(`langchain_pg_collection` and `langchain_pg_embedding`), which "
        "LangChain programs can read and write, too.",
    )
