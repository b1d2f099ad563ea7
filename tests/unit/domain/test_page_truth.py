"""Whether a text stands on the pages it claims: right claims pass, every wrong one is seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.chunk import Chunk, PageBox
from citeloom.domain.documents.conversion import Box
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.evaluation.page_truth import Letters, PageCheck, PageVerdict, check_page_span

RYE = "Winter rye was sown on the twelfth of October and came up within nine days."
OATS = "Oats were drilled in March, as soon as a tractor could cross the lower field."
FROST = "A late frost took one plant in seven, most of them along the northern hedge."
NOWHERE = (Paragraph(section="", number=1), Paragraph(section="", number=1))
YIELD = "Threshed in August, the plots gave between four and six tonnes to the hectare."


def said(*pages: str) -> list[Letters]:
    """Pages under a running head."""
    return [Letters(f"Field notes, vol. 3\n{text}\n{n}") for n, text in enumerate(pages, start=1)]


def looked_up(
    text: str,
    span: tuple[int, int] | None,
    pages: list[Letters],
    order: tuple[int, ...] = (),
    starts: tuple[int, ...] = (),
) -> PageCheck:
    place = Box(left=0, top=0, right=1, bottom=1)
    chunk = Chunk(
        id="0",
        doc_id="doc",
        text=text,
        page_span=span,
        page_starts=starts,
        paragraphs=None if span else NOWHERE,
        chunk_idx=0,
        token_count=1,
        signal_to_noise=1.0,
        boxes=tuple(PageBox(page=page, box=place) for page in order),
    )
    return check_page_span(chunk, pages)


FIELD = said(f"{RYE}\n{OATS}", f"{FROST}\n{YIELD}", "Harvest and storage are told elsewhere.")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        (RYE, (1, 1)),
        (f"{RYE} {OATS}", (1, 1)),
        (f"{OATS} {FROST}", (1, 2)),
        (f"{RYE}\n\n{OATS}\n\n{FROST}\n\n{YIELD}", (1, 2)),
    ],
)
def test_what_stands_on_its_pages_in_order_is_exact(text: str, span: tuple[int, int]) -> None:
    assert looked_up(text, span, FIELD) == PageCheck(verdict=PageVerdict.EXACT, share=1.0)


@pytest.mark.parametrize(
    "raw",
    [
        "Winter rye was sown on the twelfth of Octo-\nber and came up within nine days.",
        "Winter rye was sown on the twelfth of Octo\ufffe\nber and came up within nine days.",
        "Winter rye was sown\u00a0on the twelfth of October\nand came up with\u00adin nine days .",
        "WINTER RYE was sown on the twelfth of OCTOBER and came up within nine days",
    ],
)
def test_typesetting_does_not_count(raw: str) -> None:
    assert looked_up(RYE, (1, 1), said(raw)).verdict is PageVerdict.EXACT


@pytest.mark.parametrize(
    ("drawn", "composed"),
    [
        ("opci\u00b4on", "opción"),
        ("g\u00a8ulti\u02c7g", "gültiǧ"),
        ("th\u00b4eor`eme", "théorème"),
        ("l\u00b4\u0131nea", "línea"),
    ],
)
def test_accents_do_not_count_however_they_are_drawn(drawn: str, composed: str) -> None:
    assert Letters(drawn).words == Letters(composed).words


def test_ligatures_are_their_letters() -> None:
    raw = OATS.replace("field", "\ufb01eld")
    assert looked_up(OATS, (1, 1), said(raw)).verdict is PageVerdict.EXACT


def test_ligatures_without_names_are_their_letters() -> None:
    assert Letters("a di\x0berent \x0cle").words == ["a", "different", "file"]


def test_cells_in_another_order_are_near() -> None:
    raw = "Plot Sown Yield\nA1 B2 C3\nOctober March April\n4.1 3.9 5.5"
    table = "Plot | Sown | Yield\nA1 | October | 4.1\nB2 | March | 3.9\nC3 | April | 5.5"
    check = looked_up(table, (1, 1), said(raw))
    assert (check.verdict, check.share) == (PageVerdict.NEAR, 1.0)


def test_numbers_in_another_order_are_near_though_another_page_has_them_so() -> None:
    rows = "2571 8256 0925\n1082 5138 2510\n7731 9264 4480"
    columns = "2571 1082 7731\n8256 5138 9264\n0925 2510 4480"
    check = looked_up(f"Yields {rows}", (1, 1), said(f"Yields {columns}", f"Prices {rows}"))
    assert (check.verdict, check.share) == (PageVerdict.NEAR, 1.0)


def test_a_word_counts_no_oftener_than_the_page_has_it() -> None:
    check = looked_up("Oats. Oats. Oats. Oats.", (1, 1), said("Oats and other oats"))
    assert (check.verdict, check.share) == (PageVerdict.NOT_FOUND, 0.5)
    assert check.missing == "oats oats"


def test_text_that_is_nowhere_is_not_found_and_named() -> None:
    check = looked_up(f"{RYE} Locusts ate everything else.", (1, 1), FIELD)
    assert check.verdict is PageVerdict.NOT_FOUND
    assert check.missing == "locusts ate everything else"


@pytest.mark.parametrize(
    ("text", "span", "stands_on"),
    [
        pytest.param(RYE, (2, 2), (1,), id="another page"),
        pytest.param(f"{RYE} {OATS}", (1, 2), (1,), id="a page too far"),
        pytest.param(f"{FROST} {YIELD}", (1, 2), (2,), id="a page too early"),
        pytest.param(f"{OATS} {FROST}", (1, 1), (1, 2), id="a page too few"),
        pytest.param(f"{RYE} {OATS} {RYE} {OATS} {FROST}", (1, 1), (1, 2), id="a stray sentence"),
        pytest.param(RYE, (1, 9), (1,), id="past the end"),
    ],
)
def test_a_wrong_claim_is_seen(
    text: str, span: tuple[int, int], stands_on: tuple[int, ...]
) -> None:
    check = looked_up(text, span, FIELD)
    assert (check.verdict, check.stands_on) == (PageVerdict.WRONG_PAGE, stands_on)


def test_words_in_another_order_are_found_on_the_page_that_has_them() -> None:
    pages = said("Nothing to see", "A1 B2 C3\nOctober March April")
    check = looked_up("A1 | October\nB2 | March\nC3 | April", (1, 1), pages)
    assert (check.verdict, check.stands_on) == (PageVerdict.WRONG_PAGE, (2,))


def test_the_last_words_of_a_paragraph_may_be_all_that_a_page_has_of_it() -> None:
    pages = said(f"{RYE} The rest is", "told below.", "told twice, the rest is")
    assert looked_up(f"{RYE} The rest is told below.", (1, 2), pages).verdict is PageVerdict.EXACT


def test_a_short_end_that_both_pages_have_belongs_to_the_one_it_is_claimed_for() -> None:
    pages = said(f"{RYE} By hand.", f"By hand. {OATS}")
    text = f"{RYE} By hand."
    assert looked_up(text, (1, 2), pages, starts=(len(RYE) + 1,)).verdict is PageVerdict.EXACT
    assert looked_up(text, (1, 2), pages).verdict is PageVerdict.WRONG_PAGE
    elsewhere = said(f"{RYE} By hand.", OATS)
    found = looked_up(text, (1, 2), elsewhere, starts=(len(RYE) + 1,))
    assert found.verdict is PageVerdict.WRONG_PAGE


def test_a_caption_that_both_pages_have_belongs_to_the_one_it_is_placed_on() -> None:
    caption = "Figure 2. Yield of the plots by year, in tonnes to the hectare."
    pages = said(f"{RYE}\n{caption}", f"{FROST}\n{caption}")
    claimed = f"{RYE}\n\n{caption}"
    assert looked_up(claimed, (1, 2), pages, order=(1, 2)).verdict is PageVerdict.EXACT
    assert looked_up(claimed, (1, 2), pages, order=(2, 1)).verdict is PageVerdict.WRONG_PAGE


@pytest.mark.parametrize("span", [(2, 2), (1, 2), (2, 3), None])
def test_without_raw_text_nothing_can_be_said(span: tuple[int, int] | None) -> None:
    pages = [FIELD[0], Letters(""), FIELD[1]]
    assert looked_up(RYE, span, pages) == PageCheck(verdict=PageVerdict.NO_TEXT)


@given(
    words=st.lists(st.text("abcdefghijklmnop", min_size=3, max_size=9), min_size=1, max_size=40),
    start=st.integers(min_value=0, max_value=39),
    hyphens=st.booleans(),
)
def test_any_stretch_of_a_page_is_exact(words: list[str], start: int, hyphens: bool) -> None:
    raw = " ".join(f"{word[:2]}-\n{word[2:]}" if hyphens else word for word in words)
    text = " ".join(words[start % len(words) :])
    check = looked_up(text, (1, 1), said(raw))
    assert check == PageCheck(verdict=PageVerdict.EXACT, share=1.0)
