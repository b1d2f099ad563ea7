"""The report of `zotero doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from citeloom.domain.validation import Severity
from citeloom.domain.zotero import ZoteroAttachment, ZoteroItem
from citeloom.domain.zotero_checks import ZOTERO_CHECKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A fault in Zotero, or in what a project has indexed from it.

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
        """The severity of its check."""
        return ZOTERO_CHECKS[self.check].severity

    @staticmethod
    def of(
        check: str,
        message: str,
        *,
        item: ZoteroItem | None = None,
        attachment: ZoteroAttachment | None = None,
    ) -> Symptom:
        """A symptom of an item, of its attachment, or of an attachment without an item."""
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
    """The checked items and documents, and the symptoms in the order of the checks.

    `project` is None where Zotero alone was checked. `has_selection` says that the project has
    a Zotero selection, configured or from an earlier ingest. The project's texts are sent to
    `sends_text_to` where its dense model is remote.
    """

    source: str
    project: str | None
    libraries: tuple[str, ...]
    items: int
    documents: int
    symptoms: tuple[Symptom, ...]
    has_selection: bool = False
    strict: bool = False
    sends_text_to: str | None = None

    @property
    def passed(self) -> bool:
        """Whether no error was found, and with `strict` no warning either."""
        failing = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return not any(symptom.severity in failing for symptom in self.symptoms)

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of symptoms of each check that ran."""
        found = Counter(symptom.check for symptom in self.symptoms)
        return {check: found[check] for check in checks_of(self.project)}

    def hint(self, check: str) -> str:
        """How to fix what the check finds."""
        command = f"citeloom sync --project {self.project}"
        if not self.has_selection:
            command = f"citeloom ingest --zotero --project {self.project}"
        return ZOTERO_CHECKS[check].hint.format(command=command)


def checks_of(project: str | None) -> tuple[str, ...]:
    """The checks that run, with a project or without."""
    names = tuple(ZOTERO_CHECKS)
    return names if project else names[: names.index("format")]
