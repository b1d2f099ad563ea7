from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.page import LayoutBlock, PageLayout
from citeloom_pdf.structure.furniture import mark_side_notes
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page, style

BODY = (100.0, 100.0, 500.0, 700.0)
LEFT, RIGHT = (20.0, 200.0, 90.0, 260.0), (510.0, 300.0, 580.0, 310.0)


def note(text: str, box: tuple[float, float, float, float] = LEFT) -> LayoutBlock:
    return block(text, box, look=style(8))


def labels(*pages: PageLayout) -> list[list[DocItemLabel]]:
    mark_side_notes(pages, body_size=10.0)
    return [[found.label for found in one.blocks[1:]] for one in pages]


def paged(number: int, *notes: LayoutBlock) -> PageLayout:
    return page(number, block(SENTENCE, BODY), *notes)


def test_notes_on_several_pages_are_notes_on_either_side() -> None:
    pages = [paged(n, note(f"Of gravel\nin reach {n}\nalone")) for n in (1, 2, 3)]
    found = labels(*pages, paged(4, note("Short", RIGHT)))
    assert found == [[DocItemLabel.FOOTNOTE]] * 4


def test_small_print_on_the_first_page_is_furniture() -> None:
    first = paged(1, note("DOI: 10.5555/x\nReview\nArchive"))
    assert labels(first, paged(2), paged(3)) == [[DocItemLabel.PAGE_HEADER], [], []]


def test_small_print_on_every_page_is_furniture() -> None:
    pages = [paged(n, note("River Studies\nOpen\nArchive")) for n in (1, 2, 3)]
    assert labels(*pages) == [[DocItemLabel.PAGE_HEADER]] * 3
