"""The shape of what each tool answers: the documented JSON, as far as a language model needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel

Json = dict[str, object]


class PassageItem(BaseModel):
    """A passage, in words of its document; a few more fields come with it."""

    chunk_id: str
    content: Literal["untrusted"]
    text: str
    trimmed: bool
    citation: str | None
    citation_label: str | None = None
    citekey: str | None
    title: str | None
    year: int | None
    page_labels: list[str]
    locator: str
    heading_chain: str
    source_path: str


PASSAGE_FIELDS = frozenset(PassageItem.model_fields) | {
    "authors",
    "doi",
    "url",
    "page_span",
    "kind",
    "score",
}
"""All fields of a passage."""


class Answer(BaseModel):
    """What every answer has; `notes` say what was left out and why."""

    notes: list[str]
    correlation_id: str


class ProjectItem(BaseModel):
    """A configured project."""

    id: str
    documents: int
    hybrid: bool


class ProjectsAnswer(Answer):
    """Of `list_projects`."""

    projects: list[ProjectItem]


class QueryAnswer(Answer):
    """Of `query` and `query_hybrid`; `fit` says how well the words of the question are covered,
    `sent_to` where it was sent, if anywhere.
    """

    project: str
    mode: str
    fit: str | None
    sent_to: str | None
    items: list[PassageItem]
    duration_ms: float


class PassageAnswer(Answer):
    """Of `get_passage`: the passage and its neighbours in reading order."""

    project: str
    items: list[PassageItem]


class CitationItem(BaseModel):
    """Words of a document, and where they stand; a few more fields come with it."""

    index: int
    chunk_id: str
    content: Literal["untrusted"]
    quote: str
    citation: str | None
    citation_label: str | None = None
    locator: str


CITATION_FIELDS = frozenset(CitationItem.model_fields) | {
    "citekey",
    "title",
    "page_labels",
    "source_path",
    "match",
}
"""All fields of a citation."""


class AskAnswer(Answer):
    """Of `ask`: a `reply` with the numbers of its citations, or a refusal; `missing` are words of
    the question that the nearest passages lack. A few more fields come with it, such as
    `written_by`, the model that wrote from the quotes; null where all are quotations.
    """

    content: Literal["untrusted"]
    status: Literal["answered", "partial", "nothing_relevant"]
    sent_to: str | None
    reply: str
    citations: list[CitationItem]
    missing: list[str]


class CollectionAnswer(Answer):
    """Of `inspect_collection`."""

    project: str
    collection: str
    models: dict[str, str | None]
    chunks: int
    chunks_by_kind: dict[str, int]
    documents_by_status: dict[str, int]
    documents: list[dict[str, str | int | None]]


class JobAnswer(Answer):
    """Of the tools about jobs."""

    project: str
    job_id: str
    state: str
    cancelling: bool
    counts: dict[str, int]
    last_event: int
    events: list[str]
    failed: list[dict[str, str]]
    error: dict[str, str] | None


class ValidationAnswer(Answer):
    """Of `validate`."""

    project: str
    passed: bool
    documents: int
    chunks: int
    findings: list[dict[str, str | int]]


class ZoteroAnswer(Answer):
    """Of `zotero_search`."""

    project: str
    items: list[dict[str, object]]


def compact_schema(full: Mapping[str, object]) -> Json:
    """A JSON schema without titles, docstrings of ours and defaults that mean `unset`."""
    compact = _compact(dict(full))
    assert isinstance(compact, dict)
    for schema in (compact, *_definitions(compact)):
        schema.pop("description", None)
    return compact


def answer_schema(answer: type[Answer]) -> Json:
    """The JSON schema of an answer; every field is always there, and is not said to be."""
    compact = compact_schema(answer.model_json_schema())
    for schema in (compact, *_definitions(compact)):
        schema.pop("required", None)
    return compact


def _definitions(schema: Json) -> list[Json]:
    definitions = schema.get("$defs")
    return [*definitions.values()] if isinstance(definitions, dict) else []


def _compact(node: object) -> object:
    if isinstance(node, list):
        return [_compact(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "properties" in node:
        node = {**node, "properties": {k: _compact(v) for k, v in node["properties"].items()}}
    kept = {
        key: value if key == "properties" else _compact(value)
        for key, value in node.items()
        if key not in {"title", "additionalProperties"} and (key, value) not in _SILENT
    }
    return _without_choice(kept)


_SILENT: tuple[tuple[str, object], ...] = (
    ("default", None),
    ("default", ""),
    ("default", []),
    ("default", False),
)


def _without_choice(node: Json) -> Json:
    """`anyOf` a type or null, in its shorter form."""
    choice = node.pop("anyOf", None)
    if not isinstance(choice, list):
        return node
    types = [one.get("type") for one in choice]
    if all(isinstance(one, str) for one in types):
        rest = {k: v for one in choice for k, v in one.items() if k != "type"}
        return {"type": types, **rest, **node}
    return {"anyOf": choice, **node}
