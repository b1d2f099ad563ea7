"""The shape of what each tool answers: the documented JSON, as far as a language model needs it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

Json = dict[str, object]


class PassageItem(BaseModel):
    """A passage, in words of its document; a few more fields come with it. One that was trimmed has
    the `length` of its text, and `next_offset` for `get_passage` to read on.
    """

    chunk_id: str
    text: str
    length: int
    next_offset: int | None
    citation: str | None
    locator: str


PASSAGE_FIELDS = frozenset(PassageItem.model_fields) | {
    "content",
    "trimmed",
    "title",
    "heading_chain",
    "citekey",
    "year",
    "authors",
    "doi",
    "url",
    "doc_id",
    "page_labels",
    "page_span",
    "kind",
    "doubts",
    "score",
    "source_path",
}
"""All fields of a passage."""


class Answer(BaseModel):
    """What every answer has, beside its `correlation_id`; `notes` say what was left out and why."""

    notes: list[str]


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

    fit: str | None
    sent_to: str | None
    items: list[PassageItem]


class FindAnswer(Answer):
    """Of `find`: some of `total` places of the words, each with the words around it; how many stand
    in each work and each year are counts of all.
    """

    total: int
    next_offset: int | None
    works: dict[str, int]
    items: list[dict[str, object]]


class PassageAnswer(Answer):
    """Of `get_passage`: the passage and its neighbours in reading order."""

    items: list[PassageItem]


class CitationItem(BaseModel):
    """Words of a document, and where they stand; a few more fields come with it."""

    index: int
    chunk_id: str
    quote: str
    citation: str | None


CITATION_FIELDS = frozenset(CitationItem.model_fields) | {
    "content",
    "citekey",
    "locator",
    "title",
    "page_labels",
    "source_path",
    "match",
}
"""All fields of a citation."""


class AskAnswer(Answer):
    """Of `ask`: a `reply` with the numbers of its citations, or a refusal; `missing` are words of
    the question that the nearest passages lack. A few more fields come with it.
    """

    status: str
    sent_to: str | None
    reply: str
    citations: list[CitationItem]
    missing: list[str]


class DocumentItem(BaseModel):
    """A document; a few more fields come with it."""

    title: str
    path: str
    doc_id: str
    citekey: str | None
    state: str


class DocumentsAnswer(Answer):
    """Of `list_documents`: some of `total`."""

    total: int
    next_offset: int | None
    items: list[DocumentItem]


class CollectionAnswer(Answer):
    """Of `inspect_collection`."""

    models: dict[str, str | None]
    chunks: int
    documents_by_status: dict[str, int]


class JobAnswer(Answer):
    """Of the tools about one job."""

    job_id: str
    state: str
    counts: dict[str, int]
    failed: list[dict[str, str]]
    events: list[str]


class JobsAnswer(Answer):
    """Of `list_jobs`."""

    jobs: list[dict[str, object]]


class ValidationAnswer(Answer):
    """Of `validate`."""

    passed: bool
    findings: list[dict[str, str | int]]


class CitedAnswer(Answer):
    """Of `cite`."""

    text: str


class CheckItem(BaseModel):
    """The verdict on a quotation or a citation; a few more fields come with it."""

    line: int
    quote: str | None
    verdict: str
    message: str


CHECK_FIELDS = frozenset(CheckItem.model_fields) | {
    "content",
    "fails",
    "column",
    "citekey",
    "page",
    "found",
    "difference",
    "near_citekeys",
    "retracted",
}
"""All fields of a check."""


class ChecksAnswer(Answer):
    """Of `check_quotes`: those that fail first, with the counts of all."""

    passed: bool
    checks: list[CheckItem]


class SentenceItem(BaseModel):
    """A sentence of a draft, and what supports it; a few more fields come with it."""

    line: int
    text: str
    support: str
    passages: list[dict[str, object]]


SENTENCE_FIELDS = frozenset(SentenceItem.model_fields) | {"content", "column", "claims"}
"""All fields of a sentence."""


class SupportAnswer(Answer):
    """Of `find_support`: those that claim something first, with the counts of all."""

    sentences: list[SentenceItem]


class ZoteroAnswer(Answer):
    """Of `zotero_search`: some of `total`."""

    total: int
    next_offset: int | None
    items: list[dict[str, object]]


def input_schema(full: Mapping[str, object]) -> Json:
    """The JSON schema of arguments; optional ones are left out, and not said to be null."""
    return _compacted(full, without_null=True)


def answer_schema(answer: type[Answer]) -> Json:
    """The JSON schema of an answer. Every field is always there, and is not said to be; nor are the
    notes, which every answer has.
    """
    compact = _compacted(answer.model_json_schema(), without_null=False)
    for schema in _objects(compact):
        schema.pop("required", None)
    properties = compact["properties"]
    assert isinstance(properties, dict)
    del properties["notes"]
    return compact


def _compacted(full: Mapping[str, object], *, without_null: bool) -> Json:
    """A schema without titles, patterns, docstrings, wide bounds, and defaults that mean `unset`;
    what it defines stands where it is used, unless that is twice.
    """
    text = json.dumps(full)
    definitions = cast("dict[str, Json]", full.get("$defs", {}))
    once = {name: one for name, one in definitions.items() if text.count(f'/{name}"') == 1}
    compact = _Compacting(once, without_null=without_null).compact(dict(full))
    assert isinstance(compact, dict)
    others = {name: one for name, one in compact.pop("$defs", {}).items() if name not in once}
    compact |= {"$defs": others} if others else {}
    for schema in _objects(compact):
        schema.pop("description", None)
    return compact


def _objects(schema: Json) -> Iterator[Json]:
    """The schema, and those that it defines."""
    yield schema
    definitions = schema.get("$defs")
    yield from definitions.values() if isinstance(definitions, dict) else ()


@dataclass(frozen=True, slots=True)
class _Compacting:
    once: Mapping[str, Json]
    without_null: bool

    def compact(self, node: object) -> Any:
        if isinstance(node, list):
            return [self.compact(one) for one in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in self.once:
            inlined = {k: v for k, v in self.once[name].items() if k not in _OF_DEFINITIONS}
            return self.compact(inlined)
        compacted = {
            key: self._properties(value) if key == "properties" else self.compact(value)
            for key, value in node.items()
            if key not in _LEFT_OUT and (key, value) not in _SILENT
        }
        return self._without_choice(compacted)

    def _properties(self, properties: Mapping[str, object]) -> Json:
        return {name: self.compact(one) for name, one in properties.items()}

    def _without_choice(self, node: Json) -> Json:
        """`anyOf` a type or null, in its shorter form."""
        choice = node.pop("anyOf", None)
        if not isinstance(choice, list):
            return node
        if self.without_null:
            choice = [one for one in choice if one != {"type": "null"}]
        types = [one.get("type") for one in choice]
        rest = {k: v for one in choice for k, v in one.items() if k != "type"}
        if all(isinstance(one, str) for one in types):
            return {"type": types if len(types) > 1 else types[0], **rest, **node}
        return {"anyOf": choice, **node}


_OF_DEFINITIONS = frozenset({"description", "required"})
_LEFT_OUT = frozenset({"title", "additionalProperties", "maxLength", "maxItems", "pattern"})
_SILENT: tuple[tuple[str, object], ...] = (
    ("default", None),
    ("default", ""),
    ("default", []),
    ("default", False),
    ("default", 0),
    ("minimum", 0),
    ("maximum", 9999),
    ("maximum", 10_000_000),
)
