"""A project made from a Zotero in memory, with the files it holds in memory, too."""

from __future__ import annotations

from dataclasses import replace

from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.zotero.ingest_zotero import IngestZotero
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment, ZoteroContent, ZoteroItem
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.source_files import LIBRARY
from tests.fakes.zotero_contents import OWN, many_items
from tests.fakes.zotero_library import MemoryZotero
from tests.unit.application.library import Library, paper

SUBJECTS = ("wheat", "barley", "oats", "millet")
EVERYTHING = ZoteroSelection()


class ZoteroProject:
    """Some items, each with a stored file; `library` has the index and the rest of the project."""

    def __init__(self, count: int = 3) -> None:
        self.library = Library()
        self.content = replace(many_items(count), attachments=())
        for number, item in enumerate(self.content.items):
            self.attach(f"PDFAAAA{number + 2}", item.key, paper(SUBJECTS[number]))

    def attach(self, key: str, parent: str | None, text: str | None, name: str = "") -> str:
        """Give an item a file and return its path; without a text the file is missing."""
        path = LIBRARY / "storage" / key / (name or f"{key}.txt")
        if text is not None:
            self.library.files.write(path.as_posix(), text)
        attachment = ZoteroAttachment(
            library=OWN,
            key=key,
            parent=parent,
            link_mode=LinkMode.IMPORTED_FILE,
            path=path,
            exists=text is not None,
        )
        others = tuple(one for one in self.content.attachments if one.key != key)
        attachments = sorted((*others, attachment), key=lambda one: one.key)
        self.content = replace(self.content, attachments=tuple(attachments))
        return path.relative_to(LIBRARY).as_posix()

    def change(self, number: int, **fields: object) -> None:
        """Edit an item."""
        items = list(self.content.items)
        items[number] = replace(items[number], **fields)  # type: ignore[arg-type]
        self.content = replace(self.content, items=tuple(items))

    def retitle(self, number: int, **fields: str) -> None:
        """Edit what an item's fields say."""
        self.change(number, fields={**self.item(number).fields, **fields})

    def bin(self, number: int) -> None:
        """Put an item into the bin, and its attachments with it."""
        gone = self.item(number).key
        self.content = replace(
            self.content,
            items=tuple(item for item in self.content.items if item.key != gone),
            attachments=tuple(one for one in self.content.attachments if one.parent != gone),
        )

    def item(self, number: int) -> ZoteroItem:
        return self.content.items[number]

    def ingest(
        self, selection: ZoteroSelection = EVERYTHING, request: IngestRequest | None = None
    ) -> IngestReport:
        return self.use_case()(request or IngestRequest(), selection)

    def sync(self, request: IngestRequest | None = None) -> IngestReport:
        return self.use_case().sync(request or IngestRequest())

    def sync_until(self, step: int) -> bool:
        """A sync that loses power before its n-th step; whether it got so far."""
        return self.library.until(step, self.sync)

    def use_case(self, *contents: ZoteroContent) -> IngestZotero:
        zotero = MemoryZotero(*(contents or (self.content,)))
        return IngestZotero(parts=self.library.parts(), reach=lambda: zotero)
