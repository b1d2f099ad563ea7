"""What the doctor finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.validation import Severity
from citeloom.domain.zotero import ZoteroAttachment, ZoteroItem
from citeloom.domain.zotero_checks import ZOTERO_CHECKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """Something in Zotero, or of it in a project, that is not as it should be.

    `library` is the path of the library, `citekey` and `title` are the item's own.
    """

    check: str
    message: str
    library: str
    item_key: str | None = None
    attachment_key: str | None = None
    citekey: str | None = None
    title: str = ""
    path: str | None = None

    @property
    def severity(self) -> Severity:
        """How grave it is."""
        return ZOTERO_CHECKS[self.check].severity

    @staticmethod
    def of(
        check: str,
        message: str,
        *,
        item: ZoteroItem | None = None,
        attachment: ZoteroAttachment | None = None,
    ) -> Symptom:
        """A symptom of an item, of one of its attachments, or of one that stands alone."""
        subject = item or attachment
        assert subject is not None
        path = attachment.path if attachment else None
        return Symptom(
            check=check,
            message=message,
            library=subject.library.path,
            item_key=item.key if item else None,
            attachment_key=attachment.key if attachment else None,
            citekey=(item.citekey or None) if item else None,
            title=subject.title,
            path=path.as_posix() if path else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was looked at, `project` None without one, and what was found, check after check.

    `begun` says that something was taken from Zotero into the project before, or is to be.
    """

    source: str
    project: str | None
    libraries: tuple[str, ...]
    items: int
    documents: int
    symptoms: tuple[Symptom, ...]
    begun: bool = False
    strict: bool = False

    @property
    def passed(self) -> bool:
        """Whether nothing was found that fails the gate: errors do, warnings when it is strict."""
        grave = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return not any(symptom.severity in grave for symptom in self.symptoms)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much each check found, for every check that ran."""
        found = Counter(symptom.check for symptom in self.symptoms)
        return {check: found[check] for check in checks_of(self.project)}

    def hint(self, check: str) -> str:
        """What mends that which the check finds."""
        command = f"citeloom sync --project {self.project}"
        if not self.begun:
            command = f"citeloom ingest --zotero --project {self.project}"
        return ZOTERO_CHECKS[check].hint.format(command=command)


def checks_of(project: str | None) -> tuple[str, ...]:
    """The checks that run with a project, or without any."""
    names = tuple(ZOTERO_CHECKS)
    return names if project else names[: names.index("format")]
