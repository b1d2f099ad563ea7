from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import LayoutBlock, PageLayout
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


def test_notes_on_a_page_alone_are_notes() -> None:
    notes = [note(f"Gravel moves early\nin reach {n}\nbelow the mill.") for n in (1, 2)]
    assert labels(paged(1, *notes)) == [[DocItemLabel.FOOTNOTE] * 2]


def test_notes_on_one_page_of_two_are_notes() -> None:
    second = paged(2, note("Gravel moves early\nin the reach\nbelow the mill."))
    assert labels(paged(1), second) == [[], [DocItemLabel.FOOTNOTE]]


def test_small_print_with_a_notice_is_furniture() -> None:
    bar = [
        note("Gravel moves early\nin the reach\nbelow the mill."),
        note("Received: 4 May 2031"),
        note("Authors of papers retain copyright and release the work under a licence."),
    ]
    assert labels(paged(1, *bar)) == [[DocItemLabel.PAGE_HEADER] * 3]


def test_small_numbers_beside_the_body_are_furniture() -> None:
    assert labels(paged(1, note("12\n14\n16"), note("18"))) == [[DocItemLabel.PAGE_HEADER] * 2]
