"""What validation finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(str, Enum):
    """How much a finding matters: an error fails the gate, a warning is only told."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it should be, with the check that found it and what mends it."""

    check: str
    message: str
    severity: Severity = Severity.ERROR
    subject: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """Every check that ran, in order, and what was found."""

    project: str
    checks: tuple[str, ...]
    findings: tuple[Finding, ...]
    documents: int
    chunks: int

    @property
    def passed(self) -> bool:
        """Whether nothing worse than a warning was found."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)
