"""Links into Zotero and to the pages of files."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.answers.text import file_link, open_pdf_link, select_link


def test_an_item_is_selected_in_its_own_library() -> None:
    assert select_link("library", "ABCD2345") == "zotero://select/library/items/ABCD2345"
    assert select_link("groups/77", "ABCD2345") == "zotero://select/groups/77/items/ABCD2345"


def test_a_pdf_opens_on_a_page_and_at_an_annotation() -> None:
    plain = "zotero://open-pdf/library/items/PDFA2345"
    assert open_pdf_link("library", "PDFA2345") == plain
    assert open_pdf_link("library", "PDFA2345", 7) == f"{plain}?page=7"
    both = open_pdf_link("groups/5", "PDFA2345", 7, "NNTE2345")
    assert both == "zotero://open-pdf/groups/5/items/PDFA2345?page=7&annotation=NNTE2345"
    assert open_pdf_link("library", "PDFA2345", None, "NNTE2345") == f"{plain}?annotation=NNTE2345"


@pytest.mark.parametrize(
    ("base", "path", "page", "link"),
    [
        ("/home/a b", "papers/ü#1.pdf", 3, "file:///home/a%20b/papers/%C3%BC%231.pdf#page=3"),
        ("/home/a", "/srv/50%.PDF", 1, "file:///srv/50%25.PDF#page=1"),
        ("/home/a", "notes.html", 3, "file:///home/a/notes.html"),
        ("/home/a", "x.pdf", None, "file:///home/a/x.pdf"),
        (r"C:\My papers", r"a\b.pdf", 2, "file:///C:/My%20papers/a/b.pdf#page=2"),
        (r"C:\My papers", "a/b.pdf", 2, "file:///C:/My%20papers/a/b.pdf#page=2"),
        ("/home/a", "D:/Zotero/x y.pdf", 2, "file:///D:/Zotero/x%20y.pdf#page=2"),
        ("/home/a", r"\\nas\share\x.pdf", 4, "file://nas/share/x.pdf#page=4"),
    ],
)
def test_a_file_of_any_system_opens_on_the_page_of_a_pdf(
    base: str, path: str, page: int | None, link: str
) -> None:
    assert file_link(base, path, page) == link
