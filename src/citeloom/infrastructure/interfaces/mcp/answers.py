"""What each tool answers: the documented answers, as far as a language model needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from citeloom.application.documents import ListedDocument
from citeloom.application.jobs import Job
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.answers.answer import AnswerStatus
from citeloom.domain.answers.relevance import Verdict
from citeloom.domain.retrieval.passage import Passage, StoredChunk, trim
from citeloom.infrastructure.answers.ask import AnswerCitation, NearPassage
from citeloom.infrastructure.answers.concordance import ConcordanceAnswer, ConcordanceLine
from citeloom.infrastructure.answers.draft_support import (
    SupportCounts,
    SupportedSentence,
    SupportingPassageAnswer,
)
from citeloom.infrastructure.answers.ingests import ErrorEntry
from citeloom.infrastructure.answers.manuscript import CitedAnswer, DraftCheck
from citeloom.infrastructure.answers.model import (
    ABSENT,
    UNTRUSTED,
    Model,
    Untrusted,
    filled,
    included,
    replaced,
)
from citeloom.infrastructure.answers.passages import ShownPassage, Works
from citeloom.infrastructure.answers.zotero import (
    CollectionEntry,
    CreatorEntry,
    ItemTag,
    TagEntry,
)


@dataclass(frozen=True, slots=True)
class Part:
    """What the tools show of a type: the fields that the schema describes, and further ones. Raises
    `AttributeError` for a field that the type lacks.
    """

    kind: type[Model]
    described: tuple[str, ...]
    include: tuple[str, ...]

    @classmethod
    def of(cls, kind: type[Model], described: str, further: str | None = None) -> Self:
        """These fields; without `further` ones, all."""
        names = tuple(described.split())
        others = kind.FIELDS if further is None else further.split()
        return cls(kind, names, included(kind, *names, *others))


class ToolAnswer(Model):
    """What every answer has; `notes` say what was left out and why."""

    notes: tuple[str, ...] = ()
    correlation_id: str = ABSENT

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.FIELDS = (*(n for n in cls.FIELDS if n not in ToolAnswer.FIELDS), *ToolAnswer.FIELDS)


# Projects.


class ServedProject(Model):
    """A configured project."""

    id: str
    documents: int
    hybrid: bool


class ProjectList(ToolAnswer):
    """Of `list_projects`."""

    projects: tuple[ServedProject, ...]


class DocumentItem(Model):
    """A document."""

    content: Untrusted = UNTRUSTED
    title: str
    authors: tuple[str, ...]
    year: int | None
    citekey: str | None
    path: str
    doc_id: str
    pages: int | None
    chunks: int
    state: str
    error: str | None

    @classmethod
    def of(cls, document: ListedDocument) -> Self:
        """A document, with texts of a bounded length."""
        return filled(
            cls,
            document,
            title=trim(document.title, LONGEST)[0],
            authors=tuple(trim(author, LONGEST)[0] for author in document.authors[:10]),
            state=document.state.value,
            error=document.error and trim(document.error, LONGEST)[0],
        )


LONGEST = 500
DOCUMENT = Part.of(DocumentItem, "title path doc_id citekey state")


class DocumentList(ToolAnswer):
    """Of `list_documents`: some of `total`."""

    project: str
    total: int
    offset: int
    items: tuple[DocumentItem, ...]
    next_offset: int | None = None


class ProjectContents(ToolAnswer):
    """Of `inspect_collection`."""

    project: str
    collection: str
    models: Mapping[str, str | None]
    chunks: int
    chunks_by_kind: Mapping[str, int]
    documents_by_status: Mapping[str, int]


class ShownFinding(Model):
    """What validation found."""

    check: str
    severity: str
    message: str
    hint: str
    subject: str
    count: int


FINDING = Part.of(ShownFinding, "")


class Findings(ToolAnswer):
    """Of `validate`."""

    project: str
    content: Untrusted = UNTRUSTED
    passed: bool
    documents: int
    chunks: int
    findings: tuple[ShownFinding, ...]


# Passages.


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
        """A passage that answers a query."""
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
    "chunk_id text length next_offset citation locator",
    "content trimmed title heading_chain citekey year authors doi url doc_id page_labels "
    "page_span kind doubts score source_path",
)


class PassageList(ToolAnswer):
    """Of `query`, `query_hybrid` and `get_passage`; `fit` says how well the words of the question
    are covered, `sent_to` where it was sent, if anywhere. Of a document it has some of `total`.
    """

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
        """What a query found."""
        return filled(
            cls,
            result,
            mode=result.mode.value,
            fit=result.fit.strength.value if result.fit else None,
            sent_to=", ".join(result.destinations) or None,
            works=Works(shown=result.works_shown, found=result.works_found),
            items=tuple(map(PassageItem.of, result.passages)),
        )


PLACE = Part.of(ConcordanceLine, "")


class WordPlaces(ToolAnswer, ConcordanceAnswer):
    """Of `find`: some of `total` places of the words, each with the words around it; how many stand
    in each work and each year are counts of all.
    """

    total: int
    offset: int
    next_offset: int | None = None


CITATION = Part.of(
    AnswerCitation,
    "index chunk_id quote citation",
    "content citekey locator title page_labels source_path match",
)


class Reply(ToolAnswer):
    """Of `ask`: a `reply` with the numbers of its citations, or a refusal; `missing` are words of
    the question that the nearest passages lack, `compare` sentences in other words than their
    quotes.
    """

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


# Jobs.


class JobInShort(Model):
    """How far a job is."""

    job_id: str
    state: str
    cancelling: bool
    counts: Mapping[str, int]
    created_at: datetime

    @classmethod
    def of(cls, job: Job, **computed: object) -> Self:
        """A job."""
        counts = {name: getattr(job.counts, name) for name in job.counts.__dataclass_fields__}
        return filled(cls, job, job_id=job.id, state=job.state.value, counts=counts, **computed)


JOB = Part.of(JobInShort, "")


class FailedDocument(Model):
    """A document that failed."""

    path: str | None
    code: str = ABSENT
    message: str
    hint: str = ABSENT


FAILED = Part.of(FailedDocument, "")


class JobProgress(ToolAnswer, JobInShort):
    """Of the tools about one job: what failed, and of its events those after one."""

    LEADING = ("project", "content")

    project: str
    content: Untrusted = UNTRUSTED
    last_event: int
    events: tuple[str, ...]
    failed: tuple[FailedDocument, ...]
    error: ErrorEntry | None


class JobsOfProject(ToolAnswer):
    """Of `list_jobs`."""

    project: str
    jobs: tuple[JobInShort, ...]


# Drafts.


class CitedText(ToolAnswer, CitedAnswer):
    """Of `cite`."""


CHECK = Part.of(
    DraftCheck,
    "line quote verdict message",
    "content fails column citekey page found difference near_citekeys retracted",
)


class DraftVerdicts(ToolAnswer):
    """Of `check_quotes`: those that fail first, with the counts of all."""

    passed: bool
    citations: int
    counts: Mapping[str, int]
    checks: tuple[DraftCheck, ...]


SENTENCE = Part.of(SupportedSentence, "line text support passages", "content column claims")
SUPPORTING = Part.of(
    SupportingPassageAnswer,
    "",
    " ".join(name for name in SupportingPassageAnswer.FIELDS if name != "links"),
)


class DraftSupport(ToolAnswer):
    """Of `find_support`: those that claim something first, with the counts of all."""

    counts: SupportCounts
    sentences: tuple[SupportedSentence, ...]


# Zotero.


class ZoteroEntry(Model):
    """Something in Zotero; its words are a document's."""

    content: Untrusted = UNTRUSTED


ENTRY = Part.of(ZoteroEntry, "")


class ItemInShort(ZoteroEntry):
    """An item."""

    key: str
    citekey: str | None
    title: str
    year: int | None
    creators: tuple[CreatorEntry, ...]
    doi: str | None
    tags: tuple[ItemTag, ...]
    collections: tuple[str, ...]
    abstract: str
    has_file: bool
    annotations: int


class FoundTag(ZoteroEntry, TagEntry):
    """A tag."""


class FoundCollection(ZoteroEntry, CollectionEntry):
    """A collection."""


class FoundAnnotation(ZoteroEntry):
    """An annotation, by the key of its item, too."""

    key: str
    item: str
    citekey: str | None
    title: str
    page: str
    text: str
    comment: str
    color: str
    tags: tuple[str, ...]


class ZoteroEntries(ToolAnswer):
    """Of `zotero_search`: some of `total`."""

    project: str
    total: int
    offset: int
    items: tuple[ZoteroEntry, ...]
    next_offset: int | None = None
