"""What validation finds."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.domain.validation import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault, the check that found it, and how to fix it.

    `subject` is the document's path, or its id where it has none. `count` is how many of its
    chunks are concerned, `chunks` the ids of the first of them.
    """

    check: str
    message: str
    severity: Severity = Severity.ERROR
    subject: str = ""
    hint: str = ""
    count: int = 0
    chunks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDocument:
    """A document's size and its number of findings."""

    path: str
    doc_id: str
    citekey: str | None
    pages: int
    chunks: int
    errors: int
    warnings: int
    infos: int
    citekey_made_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """The checks that ran, in order, and their findings; the project's texts are sent to
    `sends_text_to` where its dense model is remote. So many documents are of other machines.
    """

    project: str
    checks: tuple[str, ...]
    findings: tuple[Finding, ...]
    documents: int
    chunks: int
    by_document: tuple[CheckedDocument, ...] = ()
    strict: bool = False
    sends_text_to: str | None = None
    of_other_machines: int = 0

    def fails(self, finding: Finding) -> bool:
        """Whether this finding alone fails validation."""
        failing = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return finding.severity in failing

    @property
    def passed(self) -> bool:
        """Whether no finding fails validation."""
        return not any(map(self.fails, self.findings))
