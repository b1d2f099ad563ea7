"""A Zotero in memory."""

from __future__ import annotations

from dataclasses import replace

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryRefused
from citeloom.domain.zotero.items import (
    EVERYTHING,
    ContentScope,
    ZoteroContent,
    ZoteroLibraryRef,
)


class MemoryZotero(ZoteroLibrary):
    """Libraries that a test hands over, and may exchange to play a change."""

    def __init__(self, *contents: ZoteroContent) -> None:
        self.contents = contents
        self.reads = 0
        self.stamped = True
        self.refused: frozenset[ZoteroLibraryRef] = frozenset()

    @property
    def source(self) -> str:
        return "memory"

    @property
    def warnings(self) -> tuple[str, ...]:
        return ()

    @property
    def has_stamps(self) -> bool:
        return self.stamped

    def fingerprint(self) -> str:
        return str(hash(repr(self.contents)))

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return tuple(content.library for content in self.contents)

    def read(self, library: ZoteroLibraryRef, scope: ContentScope = EVERYTHING) -> ZoteroContent:
        self.reads += 1
        if library in self.refused:
            raise LibraryRefused(f"Zotero refuses access to {library.path}", "Ask for access.")
        content = next(content for content in self.contents if content.library == library)
        return narrowed(content, scope)


def narrowed(content: ZoteroContent, scope: ContentScope) -> ZoteroContent:
    """What the scope needs, and nothing more."""
    items = [item for item in content.items if scope.items is None or item.key in scope.items]
    files = [
        file
        for file in content.attachments
        if scope.attachments
        and (scope.items is None or file.parent in {item.key for item in items})
    ]
    marks = [mark for mark in content.annotations if scope.annotations]
    kept = {file.key for file in files}
    below = kept | {item.key for item in items}
    notes = [note for note in content.notes if scope.items is None or note.parent in below]
    return replace(
        content,
        items=tuple(
            replace(
                item,
                fields={
                    name: text
                    for name, text in item.fields.items()
                    if scope.fields is None or name in scope.fields
                },
                creators=item.creators if scope.creators else (),
                tags=item.tags if scope.tags else (),
            )
            for item in items
        ),
        attachments=tuple(files),
        annotations=tuple(mark for mark in marks if scope.items is None or mark.attachment in kept),
        notes=tuple(notes if scope.notes else ()),
    )
