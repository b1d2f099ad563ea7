"""Which of an item's files is the work itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citeloom.domain.zotero.attachments import attachment_name, is_supplement, main_attachment
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment, ZoteroItem
from tests.fakes.zotero_contents import OWN

ITEM = ZoteroItem(
    library=OWN,
    key="ITEMAAA2",
    item_type="journalArticle",
    fields={"title": "Tidal mixing", "url": "https://example.org/tides"},
)
PDF = ZoteroAttachment(
    library=OWN,
    key="PDFAAAA2",
    parent=ITEM.key,
    link_mode=LinkMode.IMPORTED_FILE,
    title="Full Text PDF",
    content_type="application/pdf",
    stored_path="storage:moor2019.pdf",
    added=datetime(2026, 5, 4, 9, tzinfo=UTC),
)
LATER = replace(PDF, key="PDFAAAA3", added=datetime(2026, 5, 4, 10, tzinfo=UTC))
SNAPSHOT = replace(
    PDF, key="HTMLAAA2", title="Snapshot", content_type="text/html", stored_path="storage:a.html"
)


@pytest.mark.parametrize(
    ("attachments", "main"),
    [
        ((), None),
        ((PDF,), PDF),
        ((LATER, PDF), PDF),
        ((replace(LATER, url="https://example.org/tides"), PDF), "PDFAAAA3"),
        ((replace(SNAPSHOT, added=None), LATER), LATER),
        ((replace(LATER, added=PDF.added), PDF), None),
        ((replace(LATER, added=None), replace(PDF, added=None)), None),
        ((replace(PDF, title="Supplementary material"), LATER), LATER),
        ((replace(PDF, stored_path="storage:moor2019_mmc1.pdf"), LATER), LATER),
        ((replace(PDF, title="Supporting Information"),), None),
    ],
)
def test_the_main_file_is_zoteros_best_one_and_none_in_doubt(
    attachments: tuple[ZoteroAttachment, ...], main: ZoteroAttachment | str | None
) -> None:
    found = main_attachment(ITEM, attachments)
    wanted = main.key if isinstance(main, ZoteroAttachment) else main
    assert (found.key if found else None) == wanted


@pytest.mark.parametrize(
    ("name", "title", "said"),
    [
        ("supplement.pdf", "Tidal mixing", True),
        ("moor2019-S1.pdf", "Tidal mixing", True),
        ("Moor 2019 - SI.pdf", "Tidal mixing", True),
        ("Appendix A", "Tidal mixing", True),
        ("Moor - 2001 - A supplement to tides.pdf", "A supplement to tides", False),
        ("Moor - 2001 - Simple sites.pdf", "Tidal mixing", False),
        ("s41586-019-1234-5.pdf", "Tidal mixing", False),
        ("1-s2.0-S0022169412000108-main.pdf", "Tidal mixing", False),
        ("Full Text PDF", "Tidal mixing", False),
    ],
)
def test_a_supplement_is_told_by_its_name(name: str, title: str, said: bool) -> None:
    assert is_supplement((name,), title) is said


def test_an_attachment_is_named_where_there_are_several() -> None:
    assert attachment_name(PDF, (PDF,)) is None
    assert attachment_name(SNAPSHOT, (PDF, SNAPSHOT)) == "Snapshot"
    alike = replace(LATER, stored_path="storage:moor2019-v2.pdf")
    assert attachment_name(alike, (PDF, alike)) == "moor2019-v2.pdf"
