"""Every number that decides something says what it is."""

from __future__ import annotations

from scripts.make_reference import Threshold, thresholds, thresholds_page

MODULE = '''
"""A module."""

# of the page's width:
# a wider block is the body's
_WIDE = 0.4
_NEAR, _FAR = 9.0, 2 * 30.0  # points
_SILENT = 3
_NAME = "no number"
'''


def test_a_threshold_is_a_number_with_the_comment_beside_or_above_it() -> None:
    assert list(thresholds(MODULE)) == [
        Threshold("_WIDE", "0.4", "of the page's width: a wider block is the body's"),
        Threshold("_NEAR, _FAR", "9.0, 2 * 30.0", "points"),
        Threshold("_SILENT", "3", ""),
    ]


def test_no_threshold_of_the_engine_is_silent() -> None:
    rows = [line for line in thresholds_page().splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    assert [row for row in rows if row.endswith("|  |")] == []
