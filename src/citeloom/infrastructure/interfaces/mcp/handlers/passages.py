"""Queries, passages and answers."""

from __future__ import annotations

from functools import partial

from citeloom.application.requests.passages import AskRequest, QueryRequest
from citeloom.domain.answers.answer import Agreement
from citeloom.domain.errors import MetadataMissing, NotFound
from citeloom.domain.policies import Mode
from citeloom.infrastructure.answers.ask import AskAnswer
from citeloom.infrastructure.answers.concordance import ConcordanceAnswer, incomplete_note
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.interfaces.mcp import reading
from citeloom.infrastructure.interfaces.mcp.answers import (
    CITATION,
    PASSAGE,
    PLACE,
    Part,
    PassageItem,
    PassageList,
    Reply,
    WordPlaces,
)
from citeloom.infrastructure.interfaces.mcp.bounding import bounded_text
from citeloom.infrastructure.interfaces.mcp.progress import AnswerProgress
from citeloom.infrastructure.interfaces.mcp.tool_call import (
    Asked,
    FindArguments,
    PassageArguments,
    Tool,
    ToolCall,
)

# Queries and passages.


@partial(
    Tool,
    title="Find passages by meaning",
    answer=Part.of(PassageList, "fit sent_to items"),
    parts=(PASSAGE,),
    text=reading.passages_text,
    limit="query_seconds",
    reaches_out=True,
)
def query(call: ToolCall[Asked[QueryRequest]]) -> PassageList:
    """Quick, best first; for any project."""
    return _answer(call, Mode.DENSE)


@partial(
    Tool,
    title="Find passages",
    answer=Part.of(PassageList, "fit sent_to items"),
    parts=(PASSAGE,),
    text=reading.passages_text,
    limit="hybrid_seconds",
    reaches_out=True,
)
def query_hybrid(call: ToolCall[Asked[QueryRequest]]) -> PassageList:
    """Passages by meaning and words; for hybrid projects, names and quotations."""
    return _answer(call, Mode.HYBRID)


@partial(
    Tool,
    title="Find a word",
    answer=Part.of(WordPlaces, "total next_offset works items"),
    parts=(PLACE,),
    text=reading.concordance_text,
    limit="hybrid_seconds",
)
def find(call: ToolCall[FindArguments]) -> WordPlaces:
    """Every place of a word, cited; counts by work and year."""
    arguments = call.arguments
    concordance = call.project.find(arguments.asked())
    places = ConcordanceAnswer.of(concordance, arguments.limit, offset=arguments.offset)
    return filled(
        WordPlaces,
        places,
        total=places.occurrences,
        offset=arguments.offset,
        notes=incomplete_note(concordance),
    )


@partial(
    Tool,
    title="Read a passage",
    answer=Part.of(PassageList, "items"),
    parts=(PASSAGE,),
    text=reading.passages_text,
    limit="inspect_seconds",
)
def get_passage(call: ToolCall[PassageArguments]) -> PassageList:
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
    items = (
        PassageItem.of_stored(stored, longest, arguments.offset if stored is passage else 0)
        for stored in (*shown.before, passage, *shown.after)
    )
    return PassageList(project=arguments.project, items=tuple(items))


def _answer(call: ToolCall[Asked[QueryRequest]], mode: Mode) -> PassageList:
    project, asked = call.project, call.arguments.asked(mode=mode)
    usual = project.project.retrieval.top_k
    return PassageList.of(project.query(call.library.limits.admitted(asked, usual)))


# Answers whose every sentence is tied to words of a passage.


@partial(
    Tool,
    title="Answer a question",
    answer=Part.of(Reply, "status sent_to reply citations compare missing"),
    parts=(CITATION,),
    text=reading.answer_text,
    limit="ask_seconds",
    reaches_out=True,
)
def ask(call: ToolCall[Asked[AskRequest]]) -> Reply:
    """Quotations, or a model's sentences with their quotes, or none; slow."""
    limits, project = call.library.limits, call.project
    asked = call.arguments.asked(
        events=AnswerProgress(call.progress), cancellation=call.cancellation
    )
    asked = limits.admitted(asked, project.project.retrieval.top_k)
    call.progress("searching")
    answer = project.ask(asked)
    documented = AskAnswer.of(answer)
    reply, note = bounded_text(documented.reply, limits.answer_tokens // 2)
    judges = (sentence.judged_by for sentence in answer.sentences if sentence.judged_by)
    return filled(
        Reply,
        documented,
        reply=reply,
        judged_by=next(judges, None),
        compare=tuple(
            sentence.text
            for sentence in answer.sentences
            if sentence.agreement is Agreement.COMPARE
        ),
        missing=documented.relevance.missing,
        notes=(*answer.notes, *note),
    )
