"""Letters that no font says anything of."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.page import PageContent
from citeloom_pdf.elements.text import undecoded_share
from citeloom_pdf.scans import needs_reading
from tests.unit.citeloom_pdf.pages import SENTENCE, line


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("plain text", 0.0),
        ("a\ufffd b\x07", 0.5),
        ("(cid:12)", 1.0),
        ("ab GLYPH<3>", 0.8),
    ],
)
def test_the_share_of_undecoded_characters(text: str, share: float) -> None:
    assert undecoded_share(text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "reads"), [(SENTENCE, False), ("\ufffd\ufffd of \ufffd\ufffd", True)]
)
def test_a_page_of_fonts_without_mapping_is_read_as_an_image(text: str, *, reads: bool) -> None:
    page = PageContent(1, 600.0, 800.0, (line(SENTENCE, 50, 50), line(text * 10, 50, 70)))
    assert needs_reading(page, lambda _: False) is reads
