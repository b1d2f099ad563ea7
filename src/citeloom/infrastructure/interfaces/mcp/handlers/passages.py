"""Queries, passages and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from citeloom.application.options import AskOptions, FilterOptions
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.errors import MetadataMissing, NotFound
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import StoredChunk, trim
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    CITATION_FIELDS,
    PASSAGE_FIELDS,
    AskAnswer,
    FindAnswer,
    Json,
    PassageAnswer,
    QueryAnswer,
)
from citeloom.infrastructure.interfaces.mcp.progress import AnswerProgress
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    AskArguments,
    FindArguments,
    PassageArguments,
    QueryArguments,
    Tool,
    ToolCall,
)
from citeloom.infrastructure.serialisation.answers import answer_json
from citeloom.infrastructure.serialisation.concordance import concordance_json, incomplete_note
from citeloom.infrastructure.serialisation.json import UNTRUSTED, bounded
from citeloom.infrastructure.serialisation.passages import passage_json, stored_json

# Queries and passages.


@partial(
    Tool,
    title="Find passages by meaning",
    answer=QueryAnswer,
    text=reading.passages_text,
    limit="query_seconds",
    reaches_out=True,
)
def query(call: ToolCall[QueryArguments]) -> Json:
    """Quick, best first; for any project."""
    return _answer(call, Mode.DENSE)


@partial(
    Tool,
    title="Find passages",
    answer=QueryAnswer,
    text=reading.passages_text,
    limit="hybrid_seconds",
    reaches_out=True,
)
def query_hybrid(call: ToolCall[QueryArguments]) -> Json:
    """Passages by meaning and by words, best first; for hybrid projects, names and quotations."""
    return _answer(call, Mode.HYBRID)


@partial(
    Tool,
    title="Find a word",
    answer=FindAnswer,
    text=reading.concordance_text,
    limit="hybrid_seconds",
)
def find(call: ToolCall[FindArguments]) -> Json:
    """Every place of a word, with its citation; counts by work and year."""
    arguments = call.arguments
    filters = arguments.options(FilterOptions, top_k=arguments.limit)
    concordance = call.project.find(*arguments.words, exact=arguments.exact, **filters)
    made = concordance_json(concordance, arguments.limit, offset=arguments.offset)
    counts = {"total": made["occurrences"], "offset": arguments.offset}
    return {**made, **counts, "notes": [*incomplete_note(concordance)]}


@partial(
    Tool,
    title="Read a passage",
    answer=PassageAnswer,
    text=reading.passages_text,
    limit="inspect_seconds",
)
def get_passage(call: ToolCall[PassageArguments]) -> Json:
    """A passage with its neighbours."""
    arguments, project = call.arguments, call.project
    shown = project.show(arguments.chunk_id, context=arguments.context)
    [passage, *others] = shown.chunks
    if others or passage.chunk.id != arguments.chunk_id:
        raise NotFound(
            f"project '{arguments.project}' has no passage '{arguments.chunk_id}'",
            "Take the chunk_id of a query's result.",
        )
    if arguments.cite and passage.cited is None:
        raise MetadataMissing(
            "the passage's document has no reference, so it cannot be cited",
            "Add the document to the project's references and ingest again, or name the file.",
        )
    longest = project.project.retrieval.max_chars_per_chunk
    base = call.library.info.base_dir
    items = [
        _item(stored, base, longest, arguments.offset if stored is passage else 0)
        for stored in (*shown.before, passage, *shown.after)
    ]
    return {"project": arguments.project, "items": items}


def whole_passages(chunks: Sequence[StoredChunk], base: Path) -> list[Json]:
    """Chunks as a resource has them, with all of their text."""
    return [_item(stored, base, max(1, len(stored.chunk.text)), 0) for stored in chunks]


def _answer(call: ToolCall[QueryArguments], mode: Mode) -> Json:
    arguments, limits, project = call.arguments, call.library.limits, call.project
    limits.check_query(arguments.text, arguments.top_k)
    top_k = limits.passages(arguments.top_k, project.project.retrieval.top_k)
    filters = arguments.options(FilterOptions, top_k=top_k)
    result = project.query(arguments.text, mode=mode, **filters)
    return {
        "project": result.project,
        "mode": result.mode.value,
        "fit": result.fit.strength.value if result.fit else None,
        "sent_to": ", ".join(result.destinations) or None,
        "works": {"shown": result.works_shown, "found": result.works_found},
        "items": _items(result, call.library.info.base_dir),
        "duration_ms": result.duration_ms,
        "notes": list(result.notes),
    }


def _items(result: QueryResult, base: Path) -> list[Json]:
    return [
        _shown(passage_json(passage, base), passage.stored.chunk.text)
        for passage in result.passages
    ]


def _item(stored: StoredChunk, base: Path, longest: int, offset: int) -> Json:
    text, trimmed = trim(stored.chunk.text[offset:], longest)
    named = {"chunk_id": stored.chunk.id, **UNTRUSTED, "text": text, "trimmed": trimmed}
    item = {**named, "citation": stored.cited, **stored_json(stored, base)}
    return _shown(item, stored.chunk.text, offset)


def _shown(item: Mapping[str, object], whole: str, offset: int = 0) -> Json:
    """The fields of an item, how long its text is, and where to read on if it was trimmed."""
    shown = str(item["text"]).removesuffix("…")
    end = max(0, whole.find(shown, offset) + len(shown))
    known = {key: value for key, value in item.items() if key in PASSAGE_FIELDS}
    return {**known, "length": len(whole), "next_offset": end if item["trimmed"] else None}


# Answers whose every sentence is tied to words of a passage.

_SAME = ("project", "status", "verdict", "method", "sent_to")
"""What is as in the documented JSON."""


@partial(
    Tool,
    title="Answer a question",
    answer=AskAnswer,
    text=reading.answer_text,
    limit="ask_seconds",
    reaches_out=True,
)
def ask(call: ToolCall[AskArguments]) -> Json:
    """Quotations, or a model's sentences with their quotes, or none; slow."""
    arguments, limits = call.arguments, call.library.limits
    limits.check_query(arguments.text, arguments.top_k)
    project = call.project
    top_k = limits.passages(arguments.top_k, project.project.retrieval.top_k)
    call.progress("searching")
    answer = project.ask(
        arguments.text,
        events=AnswerProgress(call.progress),
        cancellation=call.cancellation,
        **arguments.options(AskOptions, top_k=top_k),
    )
    made: Mapping[str, object] = answer_json(answer, call.library.info.base_dir)
    citations = cast("list[Json]", made["citations"])
    relevance = cast("Json", made["relevance"])
    reply = bounded([{"text": made["reply"]}], limits.answer_tokens // 2)
    return {
        **{key: made[key] for key in _SAME},
        **UNTRUSTED,
        "reply": reply.items[0]["text"] if reply.items else "",
        "written_by": made["written_by"],
        "judged_by": next(
            (sentence.judged_by for sentence in answer.sentences if sentence.judged_by), None
        ),
        "notes": [*answer.notes, *filter(None, (reply.note,))],
        "missing": relevance["missing"],
        "citations": [
            {key: citation[key] for key in citation if key in CITATION_FIELDS}
            for citation in citations
        ],
        "nearest": made["nearest"],
        "duration_ms": made["duration_ms"],
    }
