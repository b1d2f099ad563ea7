"""The words of a quotation on a page, found by PDFium's characters."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.domain.documents.conversion import Box
from citeloom.infrastructure.conversion.word_boxes import word_boxes

LEFT = ("The ferry left on the minute", "on every day of the sur-", "vey, as the log has it.")
RIGHT = ("A second column speaks of", "gravestones and of years.")
WHOLE = Box(left=0, top=0, right=400, bottom=300)


def page(folder: Path, *, turn: int = 0) -> pypdfium2.PdfPage:
    """A page of two columns; the first line of each is 50 points below the upper edge."""
    canvas = Canvas(str(folder / "page.pdf"), pagesize=(400, 300))
    canvas.setFont("Helvetica", 10)
    for x, lines in ((20, LEFT), (220, RIGHT)):
        for number, line in enumerate(lines):
            canvas.drawString(x, 250 - 14 * number, line)
    canvas.setPageRotation(turn)
    canvas.save()
    return pypdfium2.PdfDocument(folder / "page.pdf")[0]


def test_words_over_lines_have_a_box_a_line(tmp_path: Path) -> None:
    boxes = word_boxes(page(tmp_path), "left on the minute on every day of the survey", [WHOLE])
    assert len(boxes) == 3
    tops = [round(box.top) for box in boxes]
    assert tops == sorted(tops)
    assert all(36 < box.top < box.bottom < 90 for box in boxes)
    first, second, third = boxes
    assert first.left > 60
    assert second.left == pytest.approx(20, abs=2)
    assert third.right < 60


def test_words_over_columns_are_in_both(tmp_path: Path) -> None:
    boxes = word_boxes(page(tmp_path), "as the log has it. A second column speaks", [])
    assert len(boxes) == 2
    assert boxes[0].right < 200 < boxes[1].left
    assert boxes[1].top < boxes[0].top


def test_the_same_words_elsewhere_are_not_marked(tmp_path: Path) -> None:
    right = Box(left=210, top=30, right=390, bottom=80)
    [box] = word_boxes(page(tmp_path), "gravestones and of years", [right])
    assert box.left == pytest.approx(220, abs=2)
    assert word_boxes(page(tmp_path), "left on the minute", [right]) == []


def test_a_part_on_another_page_and_words_that_are_not_there(tmp_path: Path) -> None:
    sheet = page(tmp_path)
    [line] = word_boxes(sheet, "gravestones and of years. More on the next page", [WHOLE])
    assert line.left == pytest.approx(220, abs=2)
    assert word_boxes(sheet, "nothing of it stands on this page", [WHOLE]) == []
    assert word_boxes(sheet, "of it " + "and much that is not there " * 9, [WHOLE]) == []


def test_a_turned_page_has_its_boxes_as_it_is_shown(tmp_path: Path) -> None:
    [box] = word_boxes(page(tmp_path, turn=90), "The ferry left on the minute", [])
    assert box.bottom - box.top > box.right - box.left
    assert box.left > 230
