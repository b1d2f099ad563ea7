"""Queries, passages and answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Self

from pydantic import Field

from citeloom.application.requests.passages import AskRequest, FindRequest, QueryRequest
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.answers.answer import Agreement, AnswerStatus
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.documents.conversion import doubts_in_words
from citeloom.domain.errors import MetadataMissing, NotFound
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Passage, StoredChunk, trim
from citeloom.infrastructure.answers.ask import AnswerCitation, AskAnswer, NearPassage
from citeloom.infrastructure.answers.concordance import (
    ConcordanceAnswer,
    ConcordanceLine,
    incomplete_note,
)
from citeloom.infrastructure.answers.model import ABSENT, UNTRUSTED, Untrusted, filled, replaced
from citeloom.infrastructure.answers.passages import ShownPassage, Works
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.mcp.call_progress import AnswerProgress
from citeloom.infrastructure.interfaces.mcp.tool_answers import (
    WARNING,
    Part,
    ToolAnswer,
    bounded_text,
    facts_of,
    named,
    pairs,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import Id, Limit, Offset, ToolCall, tool
from citeloom.infrastructure.library.project import ProjectLibrary

# What the tools answer.


class PassageItem(ShownPassage):
    """A passage; one that was trimmed has the `length` of its text, and `next_offset` for
    `get_passage` to read on. Its text begins at `offset` in that of the chunk.
    """

    LEADING = ("chunk_id", "score", "content", "text", "trimmed")

    score: float = ABSENT
    trimmed: bool
    citation: str | None
    length: int
    next_offset: int | None
    offset: int

    @classmethod
    def of(cls, passage: Passage) -> Self:
        return cls._placed(passage.stored, passage.text, passage.trimmed, score=passage.score)

    @classmethod
    def of_stored(cls, stored: StoredChunk, longest: int, offset: int = 0) -> Self:
        """A chunk from an offset on, with so much of its text."""
        return cls._placed(stored, *trim(stored.chunk.text[offset:], longest), offset=offset)

    @classmethod
    def _placed(
        cls, stored: StoredChunk, text: str, trimmed: bool, offset: int = 0, score: float = ABSENT
    ) -> Self:
        return cls.of_chunk(
            stored,
            score=score,
            text=text,
            trimmed=trimmed,
            citation=stored.cited,
            length=len(stored.chunk.text),
            next_offset=offset + len(text) - 1 if trimmed else None,
            offset=offset,
        )

    def shortened(self, text: str) -> Self:
        """The passage with less of its text, that ends in an ellipsis."""
        next_offset = self.offset + len(text) - 1
        return replaced(self, text=text, trimmed=True, next_offset=next_offset)


PASSAGE = Part.of(
    PassageItem,
    "chunk_id text next_offset citation locator",
    "content trimmed length title heading_chain citekey year authors doi url doc_id page_labels "
    "page_span kind doubts doubtful_words score source_path",
)


class PassageList(ToolAnswer):
    """Of `query` and `query_hybrid`; `fit` says how well the words of the question
    are covered, `sent_to` where it was sent, if anywhere. Of a document it has some of `total`.
    """

    DESCRIBED = "fit sent_to items"
    PARTS = (PASSAGE,)

    project: str
    mode: str = ABSENT
    fit: str | None = ABSENT
    sent_to: str | None = ABSENT
    works: Works = ABSENT
    total: int = ABSENT
    offset: int = ABSENT
    items: tuple[PassageItem, ...]
    duration_ms: float = ABSENT
    next_offset: int | None = ABSENT

    @classmethod
    def of(cls, result: QueryResult) -> Self:
        return filled(
            cls,
            result,
            mode=result.mode.value,
            fit=result.fit.strength.value if result.fit else None,
            sent_to=", ".join(result.destinations) or None,
            works=Works(shown=result.works_shown, found=result.works_found),
            items=tuple(map(PassageItem.of, result.passages)),
        )

    def lines(self) -> Iterator[str]:
        facts = facts_of(mode=self.mode, fit=self.fit, sent_to=self.sent_to)
        of = f" of {self.works.shown} works" if self.works is not ABSENT else ""
        yield f"{counted(len(self.items), 'passage')}{of} in {self.project}{facts}"
        yield WARNING
        for number, item in enumerate(self.items, start=1):
            name = named(item.title or item.source_path, "; ".join(item.authors), item.year)
            where = f", {one_line(item.heading_chain)}" if item.heading_chain else ""
            yield ""
            yield f"{number}. {_cited(item)} {name}{where}"
            rest = ""
            if item.trimmed:
                after = item.next_offset
                rest = f"; {item.length} characters, the rest from offset {after}"
            yield f"chunk_id {item.chunk_id}, {one_line(item.source_path)}{rest}"
            yield from (f"> {line}" for line in item.text.splitlines())


class PassageInContext(PassageList):
    """Of `get_passage`."""

    DESCRIBED = "items"


PLACE = Part.of(ConcordanceLine, "")


class WordPlaces(ToolAnswer, ConcordanceAnswer):
    """Of `find`: some of `total` places of the words, each with the words around it; how many stand
    in each work and each year are counts of all.
    """

    DESCRIBED = "total next_offset works items"
    PARTS = (PLACE,)

    total: int
    offset: int
    next_offset: int | None = None

    def lines(self) -> Iterator[str]:
        yield (
            f"{', '.join(self.words)}: {len(self.items)} of {self.total} places in {self.project}"
        )
        yield f"by work: {pairs(self.works)}"
        yield f"by year: {pairs(self.years)}"
        yield WARNING
        for name, places in groupby(self.items, _cited):
            yield ""
            yield name
            for place in places:
                text = one_line(f"{place.before} [{place.word}]{place.after}")
                yield f"- {text} (chunk_id {place.chunk_id})"


CITATION = Part.of(
    AnswerCitation,
    "index chunk_id quote citation",
    "content citekey citation_label locator title page_labels source_path match doubts "
    "doubtful_words",
)


class Reply(ToolAnswer):
    """Of `ask`: a `reply` with the numbers of its citations, or a refusal; `missing` are words of
    the question that the nearest passages lack, `compare` sentences in other words than their
    quotes.
    """

    DESCRIBED = "status sent_to reply citations compare missing"
    PARTS = (CITATION,)

    project: str
    status: AnswerStatus
    verdict: Verdict
    method: str
    sent_to: str | None
    content: Untrusted = UNTRUSTED
    reply: str
    written_by: str | None
    judged_by: str | None
    compare: tuple[str, ...]
    missing: tuple[str, ...]
    citations: tuple[AnswerCitation, ...]
    nearest: tuple[NearPassage, ...]
    duration_ms: float

    def lines(self) -> Iterator[str]:
        facts = facts_of(
            sent_to=self.sent_to,
            written_by=self.written_by,
            entailed_by=self.judged_by,
            missing_words=", ".join(self.missing),
        )
        yield from (f"{self.status.value}{facts}", WARNING, "", self.reply, "")
        yield from (f"in other words than its quotes: {one_line(text)}" for text in self.compare)
        for row in self.citations:
            quote = "" if row.quote in self.reply else f' "{one_line(row.quote)}"'
            label = f" {one_line(row.citation_label)}" if row.citation_label else ""
            yield f"[{row.index}] {_cited(row)}{label}{quote} (chunk_id {row.chunk_id})"


def _cited(item: PassageItem | AnswerCitation | ConcordanceLine) -> str:
    """Its citation, and what speaks against its words."""
    doubts = doubts_in_words(item.doubts, item.doubtful_words)
    cited = item.citation or f"(no citation; {item.locator})"
    return one_line(f"{cited} ({doubts})" if doubts else cited)


# The tools.


@tool(title="Find passages by meaning", limit="query_seconds", reaches_out=True)
def query(call: ToolCall, project: ProjectLibrary, request: QueryRequest) -> PassageList:
    """Quick, best first; for any project."""
    return _answer(call, project, request, Mode.DENSE)


@tool(title="Find passages", limit="hybrid_seconds", reaches_out=True)
def query_hybrid(call: ToolCall, project: ProjectLibrary, request: QueryRequest) -> PassageList:
    """Passages by meaning and words; for hybrid projects, names and quotations."""
    return _answer(call, project, request, Mode.HYBRID)


@tool(title="Find a word", limit="hybrid_seconds", reading=True)
def find(
    project: ProjectLibrary,
    request: FindRequest,
    offset: Offset = 0,
    limit: Limit = 20,
) -> WordPlaces:
    """Every place of a word, cited; counts by work and year."""
    concordance = project.find(replace(request, top_k=offset + limit))
    places = ConcordanceAnswer.of(concordance, offset)
    return filled(
        WordPlaces,
        places,
        total=places.occurrences,
        offset=offset,
        notes=(*incomplete_note(concordance), *concordance.notes),
    )


@tool(title="Read a passage", limit="inspect_seconds")
def get_passage(
    project: ProjectLibrary,
    chunk_id: Id,
    context: Annotated[int, Field(ge=0, le=5, description="Neighbours on each side.")] = 1,
    offset: Annotated[Offset, Field(description="The next_offset of a trimmed passage.")] = 0,
    cite: Annotated[bool, Field(description="Fail unless it has a reference.")] = False,
) -> PassageInContext:
    """A passage with its neighbours."""
    shown = project.show(chunk_id, context=context)
    [passage, *others] = shown.chunks
    if others or passage.chunk.id != chunk_id:
        raise NotFound(
            f"project '{project.project.id}' has no passage '{chunk_id}'",
            "Take the chunk_id of a query's result.",
        )
    if cite and passage.cited is None:
        raise MetadataMissing(
            "the passage's document has no reference, so it cannot be cited",
            "Add the document to the project's references and ingest again, or name the file.",
        )
    longest = project.project.retrieval.max_chars_per_chunk
    items = (
        PassageItem.of_stored(stored, longest, offset if stored is passage else 0)
        for stored in (*shown.before, passage, *shown.after)
    )
    return PassageInContext(project=project.project.id, items=tuple(items))


def _answer(
    call: ToolCall, project: ProjectLibrary, request: QueryRequest, mode: Mode
) -> PassageList:
    usual = project.project.retrieval.top_k
    request = call.library.limits.admitted(replace(request, mode=mode), usual)
    return PassageList.of(project.query(request))


@tool(title="Answer a question", limit="ask_seconds", reaches_out=True)
def ask(call: ToolCall, project: ProjectLibrary, request: AskRequest) -> Reply:
    """Quotations, or a model's sentences with quotes, or none; slow."""
    limits = call.library.limits
    request = limits.admitted(request, project.project.retrieval.top_k)
    events = AnswerProgress(call.progress)
    call.progress("searching")
    answer = project.ask(replace(request, events=events, cancellation=call.cancellation))
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
