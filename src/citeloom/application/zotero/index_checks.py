"""Where a project's documents differ from Zotero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citeloom.application.ingest.fingerprints import citation_fingerprint
from citeloom.application.ports.manifest_store import ManifestStore
from citeloom.application.ports.source_files import FoundFile, SourceFiles
from citeloom.application.zotero.diagnosis import Symptom
from citeloom.application.zotero.item_checks import selected_documents
from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.errors import EmptyDocument
from citeloom.domain.manifest import ManifestEntry, Status
from citeloom.domain.zotero import ZoteroOrigin
from citeloom.domain.zotero_selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedProject:
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
    project: IngestedProject, snapshot: ZoteroSnapshot, *, whole: bool
) -> Iterator[Symptom]:
    """The faults of the selected documents in the project; with `whole`, the selection is all
    that the project takes from Zotero.
    """
    entries = project.manifest.entries(project.id)
    yield from _of_documents(project, snapshot, {entry.path: entry for entry in entries})
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


def _of_documents(
    project: IngestedProject, snapshot: ZoteroSnapshot, by_path: Mapping[str, ManifestEntry]
) -> Iterator[Symptom]:
    """The faults of the documents that Zotero has."""
    for path, document in snapshot.documents.items():
        for file in project.files.find([str(path)], frozenset()).files:
            entry = by_path.get(file.name)
            if entry is None and file.path.suffix.lower() not in project.suffixes:
                kind = file.path.suffix or "suffixless"
                yield _symptom("format", f"{kind} files cannot be read", document)
            elif found := _state(entry, file, document):
                yield _symptom(*found, document)


def _symptom(check: str, message: str, document: ZoteroDocument) -> Symptom:
    return Symptom.of(check, message, item=document.item, attachment=document.attachment)


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
    content = next((c for c in snapshot.contents if c.library.path == origin.library), None)
    if content is not None and origin.attachment_key not in {a.key for a in content.attachments}:
        return "was deleted from Zotero, or is in its trash"
    selected = {(d.attachment.library.path, d.attachment.key) for d in selected_documents(snapshot)}
    if whole and (origin.library, origin.attachment_key) not in selected:
        return "is no longer in the project's selection"
    return None
