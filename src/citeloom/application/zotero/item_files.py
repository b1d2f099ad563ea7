"""The documents of a Zotero selection as source files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citeloom.application.ports.source_files import (
    FoundFile,
    Listing,
    SourceFiles,
    SourceFolder,
)
from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.zotero import ZoteroOrigin


class ItemFiles(SourceFiles):
    """Every document of a snapshot, whatever sources are named, before the files of these."""

    def __init__(self, snapshot: ZoteroSnapshot, disk: SourceFiles) -> None:
        self._snapshot = snapshot
        self._disk = disk

    def find(self, sources: Sequence[str], suffixes: frozenset[str]) -> Listing:
        documents = self._snapshot.documents.items()
        wanted = {path: one for path, one in documents if path.suffix.lower() in suffixes}
        items = {
            path: _of_item(file, document)
            for path, document in wanted.items()
            for file in self._disk.find([str(path)], frozenset()).files
        }
        vanished = {path: one for path, one in wanted.items() if path not in items}
        others = self._disk.find(sources, suffixes)
        names = {file.name for file in items.values()}
        return Listing(
            files=(*items.values(), *(file for file in others.files if file.name not in names)),
            missing=(*map(str, vanished), *others.missing),
            passed_over=others.passed_over,
            unreadable=others.unreadable,
            ignored=others.ignored + len(documents) - len(wanted),
            other_kinds=others.other_kinds,
            absent=frozenset(
                (one.attachment.library.path, one.attachment.key)
                for one in (*self._snapshot.missing, *vanished.values())
            ),
        )

    def folder(self, source: str) -> SourceFolder:
        return self._disk.folder(source)

    def content_hash(self, path: Path) -> str:
        return self._disk.content_hash(path)


def _of_item(file: FoundFile, document: ZoteroDocument) -> FoundFile:
    attachment, item = document.attachment, document.item
    origin = ZoteroOrigin(
        library=attachment.library.path,
        attachment_key=attachment.key,
        item_key=item.key if item else None,
    )
    return replace(file, origin=origin, citation=document.citation)
