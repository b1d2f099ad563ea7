"""The use case `zotero doctor`: what keeps items of Zotero from being found and cited."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ports.records import ManifestStore
from citeloom.application.ports.sources import FoundFile, SourceFiles, ZoteroLibrary
from citeloom.application.zotero.snapshot import (
    CitedItem,
    ZoteroDocument,
    ZoteroSnapshot,
    take_snapshot,
)
from citeloom.domain.documents.manifest import ManifestEntry, Status
from citeloom.domain.errors import EmptyDocument
from citeloom.domain.references.citation import ZoteroOrigin
from citeloom.domain.validation import ZOTERO_CHECKS, Severity
from citeloom.domain.zotero.duplicates import duplicates_in
from citeloom.domain.zotero.items import UNDATED, ZoteroAttachment, ZoteroItem
from citeloom.domain.zotero.selection import ZoteroSelection

# The report of `zotero doctor`.


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A fault in Zotero, or in what a project has indexed from it."""

    check: str
    """The check ([what they mean](../zotero.md#what-is-missing-or-out-of-date))."""
    message: str
    """What is wrong."""
    library: str
    """As of a collection."""
    item_key: str | None = None
    """The item, if one is concerned."""
    attachment_key: str | None = None
    """The attachment, if one is concerned."""
    citekey: str | None = None
    """That of the item."""
    title: str = ""
    """That of the item."""
    path: str | None = None
    """The file."""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
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
    a Zotero selection, configured or from an earlier ingest.
    """

    source: str
    """What was read."""
    project: str | None
    """Null without one."""
    libraries: tuple[str, ...]
    """Paths."""
    items: int
    """How many were looked at."""
    documents: int
    """How many were looked at."""
    symptoms: tuple[Symptom, ...]
    has_selection: bool = False
    strict: bool = False
    """Whether warnings fail it, too."""
    sends_text_to: str | None = None
    """The address of the project's remote model."""

    @property
    def passed(self) -> bool:
        """Whether no finding fails the diagnosis."""
        failing = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return not any(symptom.severity in failing for symptom in self.symptoms)

    @property
    def counts(self) -> Mapping[str, int]:
        """How much each check found, for every check that ran."""
        counts = Counter(symptom.check for symptom in self.symptoms)
        return {check: counts[check] for check in checks_of(self.project)}

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


# What is missing or wrong in Zotero itself.

_RELATIVE = "attachments:"
_WITH_DOI = frozenset({"journalArticle", "conferencePaper", "preprint"})
_KEY = re.compile(r"\b[A-Z0-9]{8}\b")


def item_symptoms(snapshot: ZoteroSnapshot) -> Iterator[Symptom]:
    """The faults of the selected items and their files, independent of any project."""
    items = [each.item for each in snapshot.items]
    flaws = {  # those that the reader reported, by library and by each key they name
        (content.library.path, key): flaw
        for content in snapshot.contents
        for flaw in content.flaws
        for key in _KEY.findall(flaw)
    }
    symptoms = [_missing(document, flaws) for document in snapshot.missing]
    using: dict[str, list[ZoteroItem]] = defaultdict(list)
    for content in snapshot.contents:
        for item in content.items:
            using[item.citekey].append(item)
    for item in items:
        others = [other for other in using[item.citekey] if other is not item]
        if item.citekey and others:
            places = ", ".join(f"{other.key} ({other.library.path})" for other in others)
            message = f"has the citekey of {places}, too"
            symptoms.append(Symptom.of("citekey-clash", message, item=item))
    yield from symptoms
    known = {(s.library, key) for s in symptoms for key in (s.item_key, s.attachment_key)}
    for content in snapshot.contents:
        library = content.library.path
        for flaw in content.flaws:
            if not any((library, key) in known for key in _KEY.findall(flaw)):
                yield Symptom(check="reading", message=flaw, library=library)
    yield from _duplicates(snapshot)
    for each in snapshot.items:
        yield from _faults(each)
    for item in snapshot.without_file:
        yield Symptom.of("attachment", "no document is attached", item=item)
    for document in snapshot.selected:
        if document.item is None:
            yield Symptom.of("item", "belongs to no item", attachment=document.attachment)


def _missing(document: ZoteroDocument, reasons: Mapping[tuple[str, str], str]) -> Symptom:
    attachment = document.attachment
    reason = (
        f"no file at {attachment.path.as_posix()}"
        if attachment.path
        else reasons.get(
            (attachment.library.path, attachment.key),
            f"cannot be located on this machine: {attachment.stored_path or attachment.title}",
        )
    )
    relative = attachment.path is None and attachment.stored_path.startswith(_RELATIVE)
    check = "base-dir" if relative else "file"
    return Symptom.of(check, reason, item=document.item, attachment=attachment)


def _duplicates(snapshot: ZoteroSnapshot) -> Iterator[Symptom]:
    """The sets of duplicates with a selected item, at the first of each."""
    selected = {(each.item.library, each.item.key) for each in snapshot.items}
    for content in snapshot.contents:
        for first, *others in duplicates_in(content.items):
            if any((item.library, item.key) in selected for item in (first, *others)):
                names = ", ".join(" ".join(filter(None, (o.key, o.citekey))) for o in others)
                yield Symptom.of("duplicate", f"is the same work as {names}", item=first)


def _faults(cited: CitedItem) -> Iterator[Symptom]:
    """That an item is retracted, and what it lacks."""
    item, citation = cited.item, cited.citation
    if item.retracted:
        when = "" if item.retracted == UNDATED else f" on {item.retracted}"
        yield Symptom.of("retracted", f"was retracted{when}", item=item)
    if not item.citekey:
        yield Symptom.of("citekey", f"no citekey; is cited as {citation.citekey}", item=item)
    if not citation.title:
        yield Symptom.of("title", "no title", item=item)
    if not citation.authors:
        yield Symptom.of("creator", "no creator", item=item)
    if citation.year is None:
        typed = item.fields.get("date", "")
        yield Symptom.of("year", f"no year in {typed!r}" if typed else "no date", item=item)
    if not citation.doi and item.item_type in _WITH_DOI:
        yield Symptom.of("doi", "no DOI", item=item)


# Where a project's documents differ from Zotero.


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosedProject:
    """A project and its manifest; `suffixes` are of the files that can be read, `configured` is
    the Zotero selection in citeloom.toml, if there is one, and `sends_text_to` the address its
    texts go to, if they do.
    """

    id: str
    manifest: ManifestStore
    files: SourceFiles
    suffixes: frozenset[str]
    configured: ZoteroSelection | None = None
    sends_text_to: str | None = None

    @property
    def selection(self) -> ZoteroSelection | None:
        """The project's Zotero selection: configured, or else that of its last ingest."""
        last = self.manifest.selection(self.id)
        return self.configured.recalling(last) if self.configured else last


def index_symptoms(
    project: DiagnosedProject, snapshot: ZoteroSnapshot, *, whole: bool
) -> Iterator[Symptom]:
    """The faults of the selected documents in the project; with `whole`, the selection is all
    that the project takes from Zotero.
    """
    entries = project.manifest.entries(project.id)
    by_path = {entry.path: entry for entry in entries}
    for path, document in snapshot.documents.items():
        symptom = partial(Symptom.of, item=document.item, attachment=document.attachment)
        for file in project.files.find([str(path)], frozenset()).files:
            entry = by_path.get(file.name)
            if entry is None and file.path.suffix.lower() not in project.suffixes:
                kind = file.path.suffix or "suffixless"
                yield symptom("format", f"{kind} files cannot be read")
            elif state := _state(entry, file, document):
                yield symptom(*state)
    for entry in entries:
        if (origin := entry.origin) and (message := _absence(origin, snapshot, whole=whole)):
            yield Symptom(
                check="deleted",
                message=message,
                library=origin.library,
                item_key=origin.item_key,
                attachment_key=origin.attachment_key,
                citekey=entry.citekey,
                path=entry.path,
            )


def _state(
    entry: ManifestEntry | None, file: FoundFile, document: ZoteroDocument
) -> tuple[str, str] | None:
    """The check a document fails in the project, and why; None if it fails none."""
    if entry is None:
        return "not-indexed", "not indexed yet"
    if entry.status is Status.FAILED:
        scanned = entry.error_code == EmptyDocument.code
        return "scanned" if scanned else "unreadable", f"{entry.error_code}: {entry.error}"
    if entry.status is not Status.INDEXED:
        return "not-indexed", "its ingest was interrupted"
    if change := _change(entry, file, document):
        return "out-of-date", change
    return ("unmatched", "no reference was found for it") if entry.citekey is None else None


def _change(entry: ManifestEntry, file: FoundFile, document: ZoteroDocument) -> str | None:
    """What changed since the document was indexed. A file that was ingested from a folder, or for
    another attachment with the same content, need not be cited as the item.
    """
    if (file.size, file.modified_ns) != (entry.size, entry.modified_ns):
        return "its file changed since it was indexed"
    if document.citation is None:
        return None
    if entry.citekey is None:
        return "it was indexed without the reference that Zotero has"
    attachment = document.attachment
    indexed_as = (entry.zotero_library, entry.attachment_key)
    if indexed_as != (attachment.library.path, attachment.key):
        return None
    changed = citation_fingerprint(document.citation) != entry.citation
    return "its reference changed since it was indexed" if changed else None


def _absence(origin: ZoteroOrigin, snapshot: ZoteroSnapshot, *, whole: bool) -> str | None:
    """Why an indexed document should be removed, or None if it should stay."""
    if origin.library in snapshot.refused:
        return None
    content = next((c for c in snapshot.contents if c.library.path == origin.library), None)
    if content is not None and origin.attachment_key not in {a.key for a in content.attachments}:
        return "was deleted from Zotero, or is in its trash"
    selected = {(d.attachment.library.path, d.attachment.key) for d in snapshot.selected}
    if whole and (origin.library, origin.attachment_key) not in selected:
        return "is no longer in the project's selection"
    return None


def diagnose(
    selection: ZoteroSelection | None = None,
    *,
    zotero: ZoteroLibrary,
    project: DiagnosedProject | None = None,
    strict: bool = False,
) -> Diagnosis:
    """Check the selected items of Zotero for faults and, given a project, compare them with its
    index; without a selection, those of the project's own.

    Raises `NotFound` for an unknown library or collection, and what `ZoteroLibrary` raises.
    """
    own = project.selection if project else None
    chosen = selection or own or ZoteroSelection()
    snapshot = take_snapshot(zotero, chosen.with_marks(annotations=False, notes=False))
    refused = "Zotero gives no access to it"
    symptoms = [
        *(Symptom(check="reading", message=refused, library=path) for path in snapshot.refused),
        *item_symptoms(snapshot),
    ]
    if project:
        symptoms += index_symptoms(project, snapshot, whole=chosen == own)
    rank = {name: number for number, name in enumerate(ZOTERO_CHECKS)}

    def place(symptom: Symptom) -> tuple[int, str, str, str]:
        return rank[symptom.check], symptom.library, symptom.citekey or "", symptom.title

    return Diagnosis(
        source=snapshot.source,
        project=project.id if project else None,
        libraries=tuple(content.library.path for content in snapshot.contents),
        items=len(snapshot.items),
        documents=len(snapshot.selected),
        symptoms=tuple(sorted(symptoms, key=place)),
        has_selection=own is not None,
        strict=strict,
        sends_text_to=project.sends_text_to if project else None,
    )
