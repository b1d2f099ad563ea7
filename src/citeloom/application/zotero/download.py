"""Downloading the files of a Zotero selection, so that they can be ingested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.application.ports.progress import Progress
from citeloom.application.ports.zotero_files import FileOutcome, ZoteroFiles
from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.application.zotero.snapshot import ZoteroSnapshot, take_snapshot
from citeloom.domain.zotero import LinkMode, ZoteroAttachment
from citeloom.domain.zotero_selection import ZoteroSelection

_STORED = (LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadedFile:
    """An attachment of the selection and the outcome of its download."""

    attachment: ZoteroAttachment
    outcome: FileOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadReport:
    """Every stored file of the selection; linked files are not on the web."""

    source: str
    files: tuple[DownloadedFile, ...]

    @property
    def unfetched(self) -> tuple[DownloadedFile, ...]:
        """The files that are not stored on the web, arrived damaged, or are too large."""
        failed = (FileOutcome.ABSENT, FileOutcome.DAMAGED, FileOutcome.TOO_LARGE)
        return tuple(file for file in self.files if file.outcome in failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Downloads the stored files of the selected items that are missing or have changed."""

    zotero: ZoteroLibrary
    files: ZoteroFiles
    progress: Progress

    def __call__(self, selection: ZoteroSelection) -> DownloadReport:
        """Download the selected files.

        Raises `NotFound` for an unknown library or collection, and `SourceUnavailable` when
        Zotero cannot be reached; files downloaded before that are kept.
        """
        attachments = tuple(_stored(take_snapshot(self.zotero, selection)))
        self.progress.start(len(attachments))
        try:
            files = tuple(map(self._fetch, attachments))
        finally:
            self.progress.finish()
        return DownloadReport(source=self.zotero.source, files=files)

    def _fetch(self, attachment: ZoteroAttachment) -> DownloadedFile:
        name = attachment.stored_path.removeprefix("storage:")
        self.progress.stage(name, "download")
        outcome = self.files.fetch(attachment)
        self.progress.advance(name, outcome.value)
        return DownloadedFile(attachment=attachment, outcome=outcome)


def _stored(snapshot: ZoteroSnapshot) -> Iterator[ZoteroAttachment]:
    """The selected attachments that Zotero stores, by library and key."""
    shared = (document for others in snapshot.sharing.values() for document in others)
    documents = [*snapshot.documents.values(), *shared, *snapshot.missing]
    attachments = [document.attachment for document in documents]
    for attachment in sorted(attachments, key=lambda one: (one.library, one.key)):
        if attachment.link_mode in _STORED:
            yield attachment
