from __future__ import annotations

import pytest

from citeloom.domain.answers.extraction import says_something


@pytest.mark.parametrize(
    "sentence",
    [
        "Winter rye was sown on plot nine.",
        "It costs 45 EUR per m2.",
        "O centeio d'inverno foi semeado (em 2019).",
        "Physics-informed networks solve it faster.",
    ],
)
def test_prose_says_something(sentence: str) -> None:
    assert says_something(sentence, 5)


@pytest.mark.parametrize(
    "sentence",
    [
        "7 @allocated solve!(solver, nlp, stats) # = 0",
        "1  using DataFrames2, PlotLib, SolverCore",
        "LL = (X'WX) + 1 and b1 = L1 * (X'Wy) + 2 = 0",
        "These are the weeks of sowing:",
        "Rye was sown.",
        "",
    ],
)
def test_code_formulas_and_announcements_say_nothing(sentence: str) -> None:
    assert not says_something(sentence, 5)
