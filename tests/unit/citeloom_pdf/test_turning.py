"""Places on pages that are shown turned."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.parsing.opened_pages import Turning


@pytest.mark.parametrize(
    ("angle", "shown"),
    [
        (0, Rect(10, 270, 60, 280)),  # 20 points above the bottom of a page of 500 x 300
        (90, Rect(20, 10, 30, 60)),
        (180, Rect(440, 20, 490, 30)),
        (270, Rect(270, 440, 280, 490)),
    ],
)
def test_a_box_is_where_it_is_seen_and_back(angle: int, shown: Rect) -> None:
    turning = Turning(angle, 5, 7, 505, 307)
    own = (15.0, 27.0, 65.0, 37.0)
    assert turning.shown(*own) == shown
    assert turning.own(shown) == own
