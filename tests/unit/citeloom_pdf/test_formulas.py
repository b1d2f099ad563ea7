from __future__ import annotations

from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.blocks.layout import with_formulas_whole
from citeloom_pdf.elements.page import LayoutBlock
from tests.unit.citeloom_pdf.pages import SENTENCE, block

FORMULA = DocItemLabel.FORMULA


def texts(*blocks: LayoutBlock) -> list[str]:
    return [found.text for found in with_formulas_whole(blocks)]


def test_limits_and_numbers_belong_to_their_formula() -> None:
    sum_ = block("a = ∑ b", (120, 100, 180, 120), FORMULA)
    limit = block("i=1", (150, 122, 160, 128), FORMULA)
    number = block("(3)", (280, 106, 290, 114))
    text = block(SENTENCE, (50, 140, 290, 200))
    assert texts(number, limit, sum_, text) == [SENTENCE, "a = ∑ b i=1 (3)"]


def test_a_number_belongs_to_the_formula_of_its_column() -> None:
    left = block("a = b", (120, 100, 180, 120), FORMULA)
    number = block("(3)", (280, 106, 290, 114), FORMULA)
    right = block("c = d", (380, 100, 440, 120), FORMULA)
    assert sorted(texts(left, number, right)) == ["a = b (3)", "c = d"]


def test_a_number_without_a_formula_stays() -> None:
    assert texts(block("(3)", (280, 106, 290, 114))) == ["(3)"]


def test_equations_below_one_another_stay_apart() -> None:
    first = block("f(u, p, t) = u", (120, 100, 200, 110), FORMULA)
    second = block("g(u, p, t) = p", (120, 112, 200, 122), FORMULA)
    numbers = (block("(1)", (280, 101, 290, 109)), block("(2)", (280, 113, 290, 121)))
    assert texts(first, second, *numbers) == ["f(u, p, t) = u (1)", "g(u, p, t) = p (2)"]


def test_signs_and_limits_beside_a_formula_are_a_part_of_it() -> None:
    left = block("f(x) - f(u)", (120, 100, 180, 120), FORMULA)
    sign = block("=", (184, 106, 190, 114))
    right = block("Dv(x)", (186, 98, 220, 122), FORMULA)
    comma = block(",", (221, 106, 224, 114))
    far = block("where", (50, 106, 80, 114))
    assert sorted(texts(left, sign, right, comma, far)) == ["f(x) - f(u) = Dv(x) ,", "where"]


def test_formulas_of_two_columns_stay_apart() -> None:
    left = block("a = b", (120, 100, 280, 120), FORMULA)
    right = block("c = d", (298, 100, 440, 120), FORMULA)
    assert sorted(texts(left, right)) == ["a = b", "c = d"]
