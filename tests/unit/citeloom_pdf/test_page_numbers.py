"""The numbers around the text of a page, among which is its own."""

from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.parsing.metadata import edge_numbers
from tests.unit.citeloom_pdf.pages import SENTENCE, block, page


def test_only_whole_numbers_that_stand_alone_in_heads_and_feet_count() -> None:
    head = block("River Studies 12(3), 2019, pp. 1123-1134", (100, 30, 300, 40))
    foot = block("1124 | doi:10.5555/77.8 | 4.5 km, page 2", (100, 780, 300, 790))
    head.label, foot.label = DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER
    body = block(f"{SENTENCE} 45", (100, 100, 500, 700))
    numbers = edge_numbers([page(1, body), page(2, head, body, foot)])
    assert numbers == {2: (2, 3, 12, 1124, 2019)}
