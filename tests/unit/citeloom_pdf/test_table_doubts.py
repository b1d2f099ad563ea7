"""Cells of a table that the words and rules of the page contradict are doubtful."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from citeloom_pdf.blocks.table_doubts import contradicts
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import PageContent, Word

BOUNDS = (95.0, 195.0, 295.0, 395.0)
BOX = Rect(95, 95, 395, 250)

Placed = tuple[str, float, float]  # a word with its left end and its top


def word(text: str, left: float, top: float) -> Word:
    return Word(Rect(left, top, left + 5 * len(text), top + 10), text, "Serif")


def doubted(
    *rows: Sequence[Sequence[Placed]],
    across: Sequence[Rule] = (),
    down: Sequence[Rule] = (),
    bounds: Sequence[float] = BOUNDS,
) -> bool:
    cells = [[[word(*each) for each in cell] for cell in row] for row in rows]
    page = PageContent(1, 600, 800, (), tuple(across), tuple(down))
    return contradicts(page, BOX, cells, bounds)


def row(at: int, *texts: str) -> list[list[Placed]]:
    """A row with a word, or none, at the left of each column."""
    return [
        [(text, 100 + 100 * column, 100 + 20 * at)] if text else []
        for column, text in enumerate(texts)
    ]


TABLE = [row(0, "River", "Length", "Width")] + [row(at, "Aare", "288", "57") for at in range(1, 6)]
RULES = [Rule(115 + 20 * at, 95, 395) for at in range(5)]


@pytest.mark.parametrize("across", [(), RULES, RULES[:1]])
def test_a_table_as_it_is_printed_is_not_doubtful(across: Sequence[Rule]) -> None:
    assert not doubted(*TABLE, across=across)


def test_words_of_one_cell_that_are_as_far_apart_as_cells_are_doubtful() -> None:
    glued: list[list[Placed]] = [
        [("Rhine", 100, 220)],
        [("1230", 200, 220), ("340", 300, 220)],
        [],
    ]
    assert doubted(*TABLE, glued)


def test_a_phrase_in_two_cells_is_doubtful_unless_a_rule_parts_it() -> None:
    parted: list[list[Placed]] = [[("longer", 160, 220)], [("than", 195, 220)], [("340", 300, 220)]]
    assert doubted(*TABLE, parted)
    assert not doubted(*TABLE, parted, down=[Rule(192.5, 95, 250)])


def test_cells_farther_apart_than_the_words_of_a_cell_are_not_a_phrase() -> None:
    heads: list[list[Placed]] = [
        [("longer", 162, 100)],
        [("than", 197, 100)],
        [("short", 300, 100)],
    ]
    names: list[list[list[Placed]]] = [
        [[("Old", 100, 100 + 20 * at), ("Aare", 117, 100 + 20 * at)], *row(at, "", "288", "57")[1:]]
        for at in range(1, 6)
    ]
    assert not doubted(heads, *names)


def test_lines_between_the_lines_of_cells_beside_them_are_doubtful() -> None:
    def between(many: int) -> list[list[list[Placed]]]:
        return [
            each
            for at in range(6, 6 + many)
            for each in (
                [[("Aare", 100.0, 100.0 + 20 * at)], [], []],
                [[], [("288", 200.0, 106.0 + 20 * at)], [("57", 300.0, 106.0 + 20 * at)]],
            )
        ]

    assert doubted(*TABLE, *between(5))
    assert not doubted(*TABLE, *between(1))


def test_words_above_one_another_in_a_line_of_a_cell_are_doubtful() -> None:
    mixed: list[list[Placed]] = [
        [("upper", 100, 220), ("lower", 105, 223)],
        [("288", 200, 220)],
        [("57", 300, 220)],
    ]
    assert doubted(*TABLE, mixed)


def test_a_name_glued_to_the_cell_beside_it_is_doubtful_and_a_long_title_is_not() -> None:
    name = "RhineAlpineRegionAndDelta"
    assert doubted(*TABLE, [[(name, 100, 220)], [], [("57", 300, 220)]])
    assert not doubted(*TABLE, [[(name, 100, 220)], [], []])


def test_a_rule_between_two_lines_of_a_cell_makes_it_doubtful_and_a_fraction_does_not() -> None:
    double: list[list[Placed]] = [
        [("Rhine", 100, 220), ("Main", 100, 235)],
        [("1230", 200, 220)],
        [("340", 300, 220)],
    ]
    assert doubted(*TABLE, double, across=[Rule(232.5, 95, 395)])
    assert not doubted(*TABLE, double, across=[Rule(232.5, 100, 125)])


def test_a_name_that_reaches_into_the_next_column_is_doubtful_where_this_has_no_cell() -> None:
    name: Sequence[Placed] = [("w" * 25, 100, 220)]
    number: Sequence[Placed] = [("340", 300, 220)]
    assert doubted(*TABLE, [name, [], number])
    assert not doubted(*TABLE, [name, [("1230", 230, 220)], number])


def test_two_rows_without_a_rule_between_where_all_others_have_one_are_doubtful() -> None:
    assert doubted(*TABLE, across=[*RULES[:3], RULES[4]])


def test_neighbouring_columns_that_no_row_fills_both_are_doubtful() -> None:
    numbers = [row(at, "Aare", *(("288", "") if at % 2 else ("", "57"))) for at in range(6)]
    assert doubted(*numbers)
    assert not doubted(row(0, "River", "Debit", "Credit"), *numbers[1:])


def test_lines_with_no_cells_side_by_side_are_doubtful() -> None:
    assert doubted(row(0, "import", "", ""), row(1, "print", "call", ""), row(2, "close", "", ""))


def test_scattered_labels_are_doubtful() -> None:
    bounds = (95.0, 170.0, 245.0, 320.0, 395.0)
    labels: list[list[list[Placed]]] = [
        [[], [("10", 175 + 75 * 0, 100 + 20 * at)] if at % 2 else [], [], []] for at in range(6)
    ]
    labels[0] = [[("a", 100, 100)], [("b", 175, 100)], [("c", 250, 100)], [("d", 325, 100)]]
    assert doubted(*labels, bounds=bounds)


def test_marks_of_a_plot_that_touch_are_doubtful_and_dashes_for_no_value_are_not() -> None:
    for mark, expected in (("●●", True), ("-", False), ("—", False)):
        rows = [row(at, "18" if at % 3 else "Fitted", mark, mark) for at in range(6)]
        assert doubted(*rows) is expected


def test_columns_that_begin_side_by_side_below_rows_of_others_are_doubtful() -> None:
    """Two tables, one below the other, have been read as one."""
    bounds = (*BOUNDS, 495.0)
    upper = [row(0, "River", "Length", "", "")]
    upper += [row(at, "Aare", "288", "", "") for at in range(1, 4)]
    lower = [row(4, "Lake", "Area", "Depth", "Shore")] + [
        row(at, "Thun", "48", "217", "58") for at in range(5, 8)
    ]
    assert doubted(*upper, *lower, bounds=bounds)
    named = row(0, "River", "Length", "Width", "")
    assert not doubted(named, *upper[1:], *lower[1:], bounds=bounds)


def test_lines_at_one_level_that_would_have_fitted_in_above_are_doubtful() -> None:
    """They are rows of their own; long cells beside one another and errors are not."""

    def cell(left: float, *texts: str) -> list[Placed]:
        return [(text, left, 220 + 12 * n) for n, text in enumerate(texts)]

    name: list[Placed] = [("Aare", 100, 220)]
    assert doubted(*TABLE, [name, cell(200, "288", "58"), cell(300, "57", "9")])
    errors = [name, cell(200, "288", "(58)"), cell(300, "57", "(9)")]
    long = [name, cell(200, "downstreamwards", "58"), cell(300, "57", "9")]
    assert not doubted(*TABLE, errors)
    assert not doubted(*TABLE, long)


def test_a_line_that_is_stretched_between_rules_is_not_doubtful() -> None:
    stretched: list[list[Placed]] = [
        [("Aare", 100, 220)],
        [("a", 200, 220), ("b", 288, 220), ("c", 200, 232)],
        [],
    ]
    assert doubted(*TABLE, stretched)
    assert not doubted(*TABLE, stretched, down=[Rule(at, 95, 250) for at in (195.0, 295.0)])
