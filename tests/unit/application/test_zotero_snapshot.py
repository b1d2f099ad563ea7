from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from citeloom.application.zotero.snapshot import ZoteroSnapshot, take_snapshot
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment, ZoteroContent, ZoteroTag
from citeloom.domain.zotero.selection import ZoteroSelection
from tests.fakes.zotero_contents import OWN, many_items
from tests.fakes.zotero_library import MemoryZotero

LIBRARY = many_items(4)
FIRST, SECOND, THIRD, FOURTH = (item.key for item in LIBRARY.items)


def _attachment(
    key: str, parent: str | None, name: str = "", **changes: object
) -> ZoteroAttachment:
    attachment = ZoteroAttachment(
        library=OWN,
        key=key,
        parent=parent,
        link_mode=LinkMode.IMPORTED_FILE,
        path=Path(f"/zotero/storage/{name or key}.pdf"),
        exists=True,
    )
    return replace(attachment, **changes)  # type: ignore[arg-type]


def _snapshot(
    *attachments: ZoteroAttachment, selection: ZoteroSelection | None = None
) -> ZoteroSnapshot:
    content: ZoteroContent = replace(LIBRARY, attachments=attachments)
    return take_snapshot(MemoryZotero(content), selection or ZoteroSelection())


def test_a_document_is_cited_as_its_item() -> None:
    snapshot = _snapshot(_attachment("FILEAAA2", SECOND))
    (document,) = snapshot.documents.values()
    assert document.citation is not None
    assert document.citation.item_key == SECOND
    assert document.citation.citekey == "fenn1981n1"
    assert [item.key for item in snapshot.without_file] == [FIRST, THIRD, FOURTH]


def test_a_file_of_two_items_is_one_document() -> None:
    snapshot = _snapshot(
        _attachment("FILEAAA2", FIRST, "shared"), _attachment("FILEAAA3", SECOND, "shared")
    )
    (path,) = snapshot.documents
    assert snapshot.documents[path].attachment.key == "FILEAAA2"
    assert [other.attachment.key for other in snapshot.sharing[path]] == ["FILEAAA3"]


def test_every_file_of_an_item_is_a_document_but_links_are_not() -> None:
    link = _attachment("FILEAAA4", FIRST, link_mode=LinkMode.LINKED_URL, path=None, exists=False)
    snapshot = _snapshot(_attachment("FILEAAA2", FIRST), _attachment("FILEAAA3", FIRST), link)
    assert [path.stem for path in snapshot.documents] == ["FILEAAA2", "FILEAAA3"]
    assert snapshot.missing == ()


def test_a_missing_file_is_told_with_its_item() -> None:
    (document,) = _snapshot(_attachment("FILEAAA2", FIRST, exists=False)).missing
    assert document.item is not None
    assert document.item.key == FIRST


def test_an_attachment_that_stands_alone_is_chosen_by_its_own_tags() -> None:
    alone = _attachment("FILEAAA2", None, tags=(ZoteroTag(name="Tide"),))
    assert len(_snapshot(alone, selection=ZoteroSelection(tags=("tide",))).documents) == 1
    assert _snapshot(alone, selection=ZoteroSelection(tags=("dunes",))).documents == {}


def test_a_selection_leaves_the_files_of_other_items_out() -> None:
    snapshot = _snapshot(
        _attachment("FILEAAA2", FIRST),
        _attachment("FILEAAA3", SECOND),
        selection=ZoteroSelection(tags=("tides",)),
    )
    assert [path.stem for path in snapshot.documents] == ["FILEAAA2"]
    assert snapshot.without_file == ()
