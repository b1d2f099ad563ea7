"""The drafts that visitors look at: read and checked once, the last few kept in memory."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from citeloom.application.manuscript.decisions import key_of
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.marked_draft import MarkedParagraph, marked_paragraphs, worst_first
from citeloom.domain.manuscript.sentence_support import uncited_sentences
from citeloom.domain.manuscript.verdicts import CitationCheck, DraftReport
from citeloom.infrastructure.answers.draft_support import DraftEvidence, SupportedSentence
from citeloom.infrastructure.interfaces.web.views import FRESH_SECONDS, LatestValues
from citeloom.infrastructure.library.project import ProjectLibrary

_MOST_CHARACTERS, _MOST_DRAFTS = 2_000_000, 40


@dataclass(frozen=True, kw_only=True)
class CheckedDraft:
    """A draft with its checks; `path` is its file, and `identifier` what a given text is called."""

    draft: Draft
    report: DraftReport
    digest: str
    path: Path | None = None
    identifier: str = ""
    checked: float = field(default_factory=time.monotonic)
    support: dict[int, tuple[SupportedSentence, ...]] = field(default_factory=dict)
    """What was found for the sentences of a paragraph, by its first line."""

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.checked <= FRESH_SECONDS

    @property
    def checks(self) -> tuple[CitationCheck, ...]:
        return self.report.checks

    @cached_property
    def places(self) -> list[str]:
        """What an address says of each check: its key and its line, which a later edit moves."""
        return [f"{key_of(check)}.{check.place.line}" for check in self.checks]

    @cached_property
    def paragraphs(self) -> list[MarkedParagraph]:
        return marked_paragraphs(self.draft, self.checks)

    @cached_property
    def worst_first(self) -> list[int]:
        return worst_first(self.checks)

    @cached_property
    def claim_lines(self) -> list[int]:
        """The lines on which sentences without a citation begin that claim something."""
        return [one.place.line for one in uncited_sentences(self.draft) if one.is_claim]

    def evidence(self, number: int) -> DraftEvidence:
        return DraftEvidence.of(self.draft, self.checks[number])

    def at(self, place: str) -> int | None:
        """The check at a place of an address: of those with its key the one nearest to its line, or
        else the nearest one within a few lines, since words there may have been edited.
        """
        key, _, number = place.partition(".")
        line = int(number) if number.isdecimal() else 0
        ranked = (
            (not known.startswith(f"{key}."), abs(check.place.line - line), at)
            for at, (known, check) in enumerate(zip(self.places, self.checks))
        )
        is_other, distance, at = min(ranked, default=(True, _NEAR_LINES + 1, 0))
        return None if is_other and (not line or distance > _NEAR_LINES) else at


_NEAR_LINES = 3


class CheckedDrafts:
    """The drafts that were looked at last: at most 40, with two million characters together, or a
    single larger one. A text that was given belongs to the session that gave it.
    """

    def __init__(self) -> None:
        self._latest = LatestValues[CheckedDraft](
            _MOST_DRAFTS, weight=lambda one: len(one.draft.text), most_weight=_MOST_CHARACTERS
        )

    def of_file(self, project: ProjectLibrary, name: str, cancel: Cancellation) -> CheckedDraft:
        """The draft in a file that the server may read, as it is now."""
        path = project.allowed_draft(name)
        content = project.draft_content(path)
        digest, key = digest_of(content), (project.project.id, path)
        known = self._latest.get(key)
        if known is None or known.digest != digest:
            draft = replace(project.read_upload(content, path.name, cancellation=cancel), name=name)
            known = _checked(project, draft, digest, path=path)
        return self._latest.keep(key, _fresh(project, known))

    def unchanged(self, project: ProjectLibrary, name: str, digest: str) -> CheckedDraft | None:
        """The draft in a file if it was checked a short time ago, and has this digest still."""
        known = self._latest.get((project.project.id, project.allowed_draft(name)))
        return known if known and known.digest == digest and known.is_fresh else None

    def of_text(
        self, project: ProjectLibrary, session: str, identifier: str
    ) -> CheckedDraft | None:
        """A text that was given in a session; None where it is no longer in memory."""
        key = (project.project.id, session, identifier)
        known = self._latest.get(key)
        return self._latest.keep(key, _fresh(project, known)) if known else None

    def add(self, project: ProjectLibrary, session: str, draft: Draft) -> str:
        """Check and keep a text that is given; what it is called."""
        identifier = secrets.token_urlsafe(9)
        checked = _checked(project, draft, identifier, identifier=identifier)
        self._latest.keep((project.project.id, session, identifier), checked)
        return identifier


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _checked(
    project: ProjectLibrary,
    draft: Draft,
    digest: str,
    path: Path | None = None,
    identifier: str = "",
) -> CheckedDraft:
    [report] = project.check_drafts(draft)
    return CheckedDraft(draft=draft, report=report, digest=digest, path=path, identifier=identifier)


def _fresh(project: ProjectLibrary, known: CheckedDraft) -> CheckedDraft:
    if known.is_fresh:
        return known
    return _checked(project, known.draft, known.digest, known.path, known.identifier)
