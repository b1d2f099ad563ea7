"""Citations of a place as the formats of drafts write them."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.domain.retrieval.locator import Locator

PAGE = Locator(page_start=4, page_end=4)
PAGES = Locator(page_start=4, page_end=5, page_labels=("iv_1", "v"))


@pytest.mark.parametrize(
    ("suffix", "page", "pages", "work"),
    [
        (".md", "[@rye2001, p. 4]", "[@rye2001, pp. iv_1-v]", "[@rye2001]"),
        (".tex", r"\autocite[4]{rye2001}", r"\autocite[iv\_1--v]{rye2001}", r"\autocite{rye2001}"),
        (
            ".TYP",
            "#cite(<rye2001>, supplement: [p. 4])",
            r"#cite(<rye2001>, supplement: [pp. iv\_1-v])",
            "#cite(<rye2001>)",
        ),
        (".org", "[cite:@rye2001 p. 4]", "[cite:@rye2001 pp. iv_1-v]", "[cite:@rye2001]"),
    ],
)
def test_each_format_has_its_own(suffix: str, page: str, pages: str, work: str) -> None:
    assert CitedPlace.of("rye2001", PAGE).in_file(suffix) == page
    assert CitedPlace.of("rye2001", PAGES).in_file(suffix) == pages
    assert CitedPlace.of("rye2001", Locator()).in_file(suffix) == work


def test_a_key_that_is_no_label_in_typst_is_written_as_text() -> None:
    cited = CitedPlace(citekey='de "x" müller').typst()
    assert cited == r'#cite(label("de \"x\" müller"))'
