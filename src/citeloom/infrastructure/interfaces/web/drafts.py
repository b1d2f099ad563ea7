"""The view of drafts: the manuscript with its verdicts, and the evidence for one of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, Query, UploadFile
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from citeloom.application.manuscript.decisions import (
    LONGEST_NOTE,
    DecidedChecks,
    Decision,
    DraftDecision,
    decided,
    key_of,
)
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import CiteloomError, NotFound, SourceChanged, UnreadableDocument
from citeloom.domain.manuscript.cited_place import MARKUPS, Markup
from citeloom.domain.manuscript.corrections import corrected
from citeloom.domain.manuscript.draft import LARGEST_DRAFT, Draft
from citeloom.domain.manuscript.marked_draft import MarkedParagraph
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict
from citeloom.infrastructure.answers.draft_checks import (
    unread_places,
    written_checks,
)
from citeloom.infrastructure.answers.draft_support import (
    DraftEvidence,
    SupportAnswer,
    SupportedSentence,
)
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.problems import Refusal, refusal_for
from citeloom.infrastructure.interfaces.request_models import OfProject
from citeloom.infrastructure.interfaces.web.checked_drafts import (
    CheckedDraft,
    CheckedDrafts,
    digest_of,
)
from citeloom.infrastructure.interfaces.web.views import Changing, T, Visit, Visiting, rendered

router = APIRouter()
_LONGEST_TEXT = 500_000
"""Characters of a text that is pasted; a longer one is a file."""
_LONGEST_NAME = 1_000
_TONES = {
    CitationVerdict.EXACT: ("ok", "✓"),
    CitationVerdict.NEAR: ("compare", "≈"),
    CitationVerdict.WRONG_PAGE: ("wrong", "✗"),
    CitationVerdict.OTHER_WORK: ("wrong", "✗"),
    CitationVerdict.ABSENT: ("wrong", "✗"),
    CitationVerdict.UNVERIFIABLE: ("unknown", "?"),
}


def tone_of(check: CitationCheck) -> tuple[str, str]:
    """How a check is marked in the margin: its tone, and its sign."""
    if check.fails and check.verdict is CitationVerdict.UNVERIFIABLE:
        return "wrong", "✗"
    tone, sign = _TONES[check.verdict]
    return ("unknown", sign) if tone == "wrong" and not check.fails else (tone, sign)


class DraftAddress(OfProject):
    """What a draft is called, and what of it is shown."""

    file: str = Field("", max_length=_LONGEST_NAME)
    draft: str = Field("", max_length=40)
    at: str = Field("", max_length=30)
    only: Literal["", "findings"] | CitationVerdict = ""
    support: int | None = Field(None, ge=1, le=10_000_000)
    since: str = Field("", max_length=40)


# What a page shows.


@dataclass(frozen=True, kw_only=True)
class DraftPage:
    """A checked draft as one address of it shows it."""

    checked: CheckedDraft
    address: DraftAddress
    paragraphs: Sequence[MarkedParagraph]
    decided: DecidedChecks
    problem: Refusal | None
    chosen: int | None
    evidence: DraftEvidence | None
    next: int | None
    queue: Sequence[int]
    support: Sequence[SupportedSentence]

    @property
    def followed(self) -> dict[str, object]:
        """The parameters that a page asks with whether its file has changed."""
        kept = self.to(support=None, since=self.checked.digest)
        if self.chosen is not None and self.address.at:
            kept["at"] = self.checked.places[self.chosen]
        return kept

    @property
    def findings(self) -> int:
        return len(self.checked.worst_first)

    @property
    def looked_at(self) -> int:
        """How many findings have a decision that holds."""
        return self.findings - len(self.queue)

    @property
    def unread(self) -> Sequence[object]:
        return unread_places(self.checked.report.coverage, everything=True)

    def has_claims(self, paragraph: MarkedParagraph) -> bool:
        """Whether a sentence of a paragraph claims something without a citation."""
        lines = self.checked.claim_lines
        return bisect_left(lines, paragraph.line) < bisect_left(lines, paragraph.last_line + 1)

    def to(self, **changes: object) -> dict[str, object]:
        """The parameters of another address of the same draft."""
        shown = self.address
        kept = {"file": shown.file, "draft": shown.draft, "only": shown.only, "at": shown.at}
        return {**kept, "support": shown.support, **changes}

    def at(self, number: int) -> dict[str, object]:
        return self.to(at=self.checked.places[number])


def _page(visit: Visit, address: DraftAddress, checked: CheckedDraft) -> DraftPage:
    decisions: tuple[DraftDecision, ...] = ()
    problem = None
    if checked.path is not None:
        try:
            decisions = visit.project.decisions(checked.path)
        except CiteloomError as error:
            problem = refusal_for(error, visit.service.paths)
    known = decided(checked.checks, decisions)
    queue = [number for number in checked.worst_first if number not in known.by_check]
    chosen = checked.at(address.at) if address.at else None
    chosen = next(iter(queue), None) if chosen is None else chosen
    place = queue.index(chosen) + bool(address.at) if chosen in queue else 0
    return DraftPage(
        checked=checked,
        address=address,
        paragraphs=[one for one in checked.paragraphs if _is_shown(one, checked, address.only)],
        decided=known,
        problem=problem,
        chosen=chosen,
        evidence=None if chosen is None else checked.evidence(chosen),
        next=next(iter((*queue[place:], *queue[:place])), None),
        queue=queue,
        support=_support(visit, checked, address.support) if address.support else (),
    )


def _is_shown(paragraph: MarkedParagraph, checked: CheckedDraft, only: str) -> bool:
    checks = [checked.checks[number] for number in paragraph.checks]
    if only == "findings":
        return any(check.is_finding for check in checks)
    return not only or any(check.verdict == only for check in checks)


def _support(visit: Visit, checked: CheckedDraft, line: int) -> Sequence[SupportedSentence]:
    """What the library has in support of the sentences of the paragraph on a line."""
    found = next((one for one in checked.paragraphs if one.line <= line <= one.last_line), None)
    if found is None or not any(
        found.line <= one <= found.last_line for one in checked.claim_lines
    ):
        return ()
    if found.line not in checked.support:
        lines = range(found.line, min(found.last_line, found.line + _MOST_LINES - 1) + 1)
        reports = visit.project.support_drafts(checked.draft, lines=[*lines])
        checked.support[found.line] = SupportAnswer.of(reports).sentences
    return checked.support[found.line]


_MOST_LINES = 1_000


# The pages.


@router.get("/drafts")
async def drafts(shown: Annotated[DraftAddress, Query()], visit: Visiting) -> Response:
    """A draft with its checks, or the form that asks for one."""
    if not (shown.file or shown.draft):
        return await _start(visit)
    page, digest = await visit.run(lambda: _at_hand(visit, shown))
    if shown.since and shown.since == digest:
        return Response(status_code=HTTPStatus.NO_CONTENT)

    def make(cancellation: Cancellation) -> DraftPage | None:
        checked = _checked(visit, shown, cancellation)
        return None if checked is None else _page(visit, shown, checked)

    try:
        page = page or await in_lane(visit, make)
    except CiteloomError as error:
        refusal = refusal_for(error, visit.service.paths)
        if not isinstance(error, UnreadableDocument):
            return await _start(visit, refusal)
        values = {"page": None, "shown": shown, "refusal": refusal, "digest": digest}
        return await rendered("draft.html", visit, values, refusal.status)
    if page is None:
        return await _start(visit, _GONE)
    return await rendered("draft.html", visit, {"page": page, "shown": shown, "tone_of": tone_of})


def _at_hand(visit: Visit, shown: DraftAddress) -> tuple[DraftPage | None, str]:
    """The page of a file that is as it was checked, and a digest of the file as it is; a file that
    an editor is about to replace is as a page has it.
    """
    if not shown.file:
        return None, ""
    try:
        digest = digest_of(visit.project.draft_content(visit.project.allowed_draft(shown.file)))
        known = _drafts(visit).unchanged(visit.project, shown.file, digest)
    except CiteloomError:
        return None, shown.since
    is_shown = known is not None and digest != shown.since and not shown.support
    return _page(visit, shown, known) if known and is_shown else None, digest


_GONE = Refusal(
    status=HTTPStatus.GONE,
    code="NOT_FOUND",
    message="this text is no longer in memory",
    hint="A text that is pasted or uploaded is kept for a short time only: give it again, or put "
    "the file where the server may read it.",
)


async def _start(visit: Visit, refusal: Refusal | None = None) -> Response:
    def known() -> list[str]:
        base = visit.service.library.info.base_dir
        return [
            path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()
            for path in visit.project.latest_drafts()
        ]

    values = {"files": await visit.run(known), "markups": MARKUPS, "refusal": refusal}
    return await rendered("drafts.html", visit, values, refusal.status if refusal else 200)


async def in_lane(visit: Visit, make: Callable[[Cancellation], T], lane: Calls | None = None) -> T:
    """What a long call makes, by default one that may start Pandoc; it ends with the request."""
    cancellation, service = Cancellation(), visit.service
    try:
        seconds = service.limits.ask_seconds
        return await visit.run(lambda: make(cancellation), seconds, lane or service.drafts)
    finally:
        cancellation.request()


def _drafts(visit: Visit) -> CheckedDrafts:
    known: CheckedDrafts = visit.request.app.state.drafts
    return known


def _session(visit: Visit) -> str:
    return str(visit.request.state.session)


def _checked(visit: Visit, shown: DraftAddress, cancellation: Cancellation) -> CheckedDraft | None:
    if shown.file:
        return _drafts(visit).of_file(visit.project, shown.file, cancellation)
    return _drafts(visit).of_text(visit.project, _session(visit), shown.draft)


@router.post("/drafts")
async def give(
    visit: Visiting,
    upload: Annotated[UploadFile | None, File()] = None,
    text: Annotated[str, Form(max_length=_LONGEST_TEXT)] = "",
    markup: Annotated[Markup, Form()] = "markdown",
) -> Response:
    """Check a text that is pasted, or a file that is uploaded."""
    content = await upload.read(LARGEST_DRAFT + 1) if upload and upload.filename else b""
    if not content and not text.strip():
        return await _start(visit, _NOTHING)

    def make(cancellation: Cancellation) -> str:
        draft: Draft
        if content and upload is not None:
            name = upload.filename or ""
            draft = visit.project.read_upload(content, name, cancellation=cancellation)
        else:
            draft = visit.project.read_text(text, markup, cancellation=cancellation)
        return _drafts(visit).add(visit.project, _session(visit), draft)

    outcome = await visit.outcome(in_lane(visit, make))
    if outcome.refusal:
        return await _start(visit, outcome.refusal)
    return RedirectResponse(visit.address("/drafts", draft=outcome.answer), status_code=303)


_NOTHING = Refusal(
    status=HTTPStatus.UNPROCESSABLE_ENTITY,
    code="INVALID_FILTER",
    message="there is no draft yet",
    hint="Choose a file, or paste a text.",
)


@router.post("/drafts/decisions", dependencies=[Changing])
async def decide(
    visit: Visiting,
    file: Annotated[str, Form(min_length=1, max_length=_LONGEST_NAME)],
    key: Annotated[str, Form(pattern=r"^[0-9a-f]{12}$")],
    decision: Annotated[Decision | Literal["none"], Form()],
    note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
    only: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Keep a decision on a check, or take one back; then to the next one to look at."""

    def make(cancellation: Cancellation) -> None:
        checked = _drafts(visit).of_file(visit.project, file, cancellation)
        assert checked.path is not None
        check = next((one for one in checked.checks if key_of(one) == key), None)
        if decision == "none":
            visit.project.forget_decision(checked.path, key)
        elif check is None:
            raise SourceChanged(f"{file} has changed", "Look at the draft as it is now.")
        else:
            visit.project.decide(checked.path, check, decision, note)

    await in_lane(visit, make)
    return RedirectResponse(visit.address("/drafts", file=file, only=only), status_code=303)


# Downloads.

EXPORTS: Mapping[str, tuple[str, str]] = {
    "text": ("checks.txt", "text/plain"),
    "json": ("checks.json", "application/json"),
    "junit": ("checks.xml", "application/xml"),
    "sarif": ("checks.sarif", "application/json"),
    "diff": ("corrections.diff", "text/x-diff"),
    "bibtex": ("references.bib", "text/x-bibtex"),
    "biblatex": ("references.bib", "text/x-bibtex"),
    "csl-json": ("references.json", "application/json"),
    "ris": ("references.ris", "application/x-research-info-systems"),
}
"""The formats of `check` and of `bib`: what a file of each is called, and its type."""


class ExportAddress(DraftAddress):
    """A draft, and the format of a file."""

    format: str = Field(pattern=f"^({'|'.join(EXPORTS)})$")


@router.get("/drafts/export")
async def export(shown: Annotated[ExportAddress, Query()], visit: Visiting) -> Response:
    """The checks of a draft, its corrections, or the references that it cites, as a file."""

    def make(cancellation: Cancellation) -> str:
        checked = _checked(visit, shown, cancellation)
        if checked is None:
            raise NotFound(_GONE.message, _GONE.hint or "")
        match shown.format:
            case "text" | "json" | "junit" | "sarif" as form:
                door = visit.service.door
                return f"{written_checks([checked.report], form, door, everything=True)}\n"
            case "diff":
                return corrected(checked.draft, checked.report).diff()
            case form:
                return visit.project.draft_bibliography(checked.draft, form=form)

    text = await in_lane(visit, make)
    name, kind = EXPORTS[shown.format]
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{kind}; charset=utf-8", headers=headers)
