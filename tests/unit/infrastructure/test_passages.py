from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from citeloom.domain.passage import StoredChunk
from citeloom.domain.sections import Paragraph
from citeloom.infrastructure.cli.passages import place, stored_json
from tests.fakes.embedded_chunks import rich

BASE = Path("/home/me")


def without_pages() -> StoredChunk:
    stored = rich("a").stored
    ends = (Paragraph(section="2.1", number=4), Paragraph(section="2.1", number=6))
    chunk = replace(stored.chunk, page_span=None, paragraphs=ends, page_labels=(), boxes=())
    return replace(stored, chunk=chunk, source_path="papers/a.docx")


def test_a_passage_without_pages_says_its_paragraphs() -> None:
    told = stored_json(without_pages(), BASE)
    assert told["page_span"] is None
    assert told["paragraph_span"] == [
        {"section": "2.1", "paragraph": 4},
        {"section": "2.1", "paragraph": 6},
    ]
    assert told["locator"] == "sec. 2.1, \u00b6\u00b6 4-6"
    assert place(without_pages()) == "[@baker2007, sec. 2.1, paras. 4-6]"


def test_a_link_opens_a_pdf_at_the_page_and_another_file_as_a_whole() -> None:
    paged = replace(rich("a").stored, source_path="papers/a b.pdf")
    links = {"pdf": "file:///home/me/papers/a%20b.pdf#page=11"}
    assert stored_json(paged, BASE)["links"] == {
        **links,
        "file": links["pdf"],
        "zotero": "zotero://select/library/items/ABCD2345",
    }
    assert stored_json(without_pages(), BASE)["links"] == {
        "pdf": None,
        "file": "file:///home/me/papers/a.docx",
        "zotero": "zotero://select/library/items/ABCD2345",
    }
