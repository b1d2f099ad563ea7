"""Locators as people write them, and the pages of works."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.page_locator import (
    labelled_pages,
    page_locator,
    pages_behind,
    unread_locator,
)
from citeloom.domain.manuscript.work_text import WorkPages

PRINTED = WorkPages(count=4, labels={1: "101", 2: "102", 3: "103", 4: "104"})
BY_REFERENCE = WorkPages(count=4, labels={}, reference="101-104")
PLAIN = WorkPages(count=9, labels={})
BOOK = WorkPages(count=4, labels={1: "iii", 2: "iv", 3: "1", 4: "2"})
LISTED = WorkPages(count=4, labels={1: "iv", 2: "2", 4: "2"}, reference="1-4", of_page_list=True)


@pytest.mark.parametrize(
    ("suffix", "written"),
    [
        (", p. 45", "45"),
        ("pp. 45-47", "45-47"),
        (", 45", "45"),
        ("p.\xa045", "45"),
        (", S. 12", "12"),
        (", page 4 ", "4"),
        ("p45", "45"),
        (", pp. 45, 50 and 52", "45, 50 and 52"),
        (", p. iv", "iv"),
        ("45ff., my translation", "45ff."),
        (", p. 3; see also", "3"),
        (", p. 3, emphasis added", "3"),
        (": 7", "7"),
        (", fig. 2, p. 7", "7"),
        ("vol. 1, p. 7", "7"),
        ("t. 2, p. 5", "5"),
        (", esp. p. 7", "7"),
        (", ch. 1, p. 2", "2"),
        ("here p. 2", "2"),
        ("S. 3; eigene Übersetzung", "3"),
        ("s.v. 'ferry', p. 4", "4"),
        (", {p. 9}", "9"),
        ("p. 45 y ss.", "45 y ss."),
        ("Bd. 2, S. 13 f.", "13 f."),
    ],
)
def test_pages_are_read_as_they_are_written(suffix: str, written: str) -> None:
    locator = page_locator(suffix)
    assert locator is not None
    assert str(locator) == written


@pytest.mark.parametrize(
    "suffix",
    [
        "",
        ", chap. 3",
        ", sec. 2.3, para. 4",
        ", fig. 2",
        "my translation",
        ", § 5",
        "vi",
        "s. v. Haus",
        "2 vols.",
        "fol. 12",
        "Rn. 12",
    ],
)
def test_other_places_are_no_pages(suffix: str) -> None:
    assert page_locator(suffix) is None
    assert unread_locator(suffix) == ""


BY_LANGUAGE = {
    "af": "bl. 12", "ar": "ص 12", "bal": "تاکدیم 12", "bg": "стр. 12", "ca": "pàg. 12",
    "cs": "s. 12", "cy": "tudalen 12", "da": "s. 12", "de": "S. 12", "el": "σελ. 12",
    "el, long": "σελίδες 12", "en": "pages 12", "es": "págs. 12", "et": "lk 12", "eu": "or. 12",
    "eu, behind": "12. or.", "fa": "صص 12", "fi": "s. 12", "fr": "p. 12", "gl": "páx. 12",
    "he": "עמ' 12", "hi": "पृ. 12", "hr": "str. 12", "hu": "12. o.", "id": "hlm. 12",
    "is": "bls. 12", "it": "pagg. 12", "ja": "12ページ", "ja, kanji": "12頁", "km": "ទំព័រ 12",
    "ko": "12쪽", "la": "pag. 12", "lt": "p. 12", "lv": "12. lpp.", "lv, before": "lpp. 12",
    "mn": "хуудас 12", "ms": "hlm. 12", "nl": "blz. 12", "no": "s. 12", "pl": "s. 12",
    "pt": "pág. 12", "ro": "pag. 12", "ru": "\u0441. 12", "sk": "s. 12", "sl": "str. 12",
    "sr": "стр. 12", "sv": "s. 12", "sw": "uk. 12", "ta": "பக்கம் 12", "th": "น. 12",
    "tr": "ss. 12", "uk": "\u0421. 12", "vi": "tr. 12", "zh": "第12页", "zh, before": "页12",
}  # fmt: skip


@pytest.mark.parametrize("written", BY_LANGUAGE.values(), ids=BY_LANGUAGE)
def test_pages_are_read_in_each_language(written: str) -> None:
    assert str(labelled_pages(f"ch. 3, {written}")) == "12"


@pytest.mark.parametrize(
    ("suffix", "unread"),
    [("t. 5", "t. 5"), (", 3rd ed.", "3rd ed."), (", p. 3", ""), (", ch. 3, fig. 2", "")],
)
def test_a_number_that_is_no_known_place_is_not_read(suffix: str, unread: str) -> None:
    assert unread_locator(suffix) == unread


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("(@, p. 7).", "7"),
        ("@ (p. 7) says", "7"),
        ("@ (2019) says", "None"),
        ("@, p. 7, says", "7"),
        ("(@: 7)", "7"),
        ("[@, S. 3; eigene Übersetzung]", "3"),
        ("(see @, and others)", "None"),
        ("(@; others, p. 9)", "None"),
        ("(so) @, 7 people", "None"),
    ],
)
def test_pages_behind_a_citation_are_its_own(text: str, behind: str) -> None:
    assert str(page_locator(pages_behind(text, text.index("@") + 1))) == behind


@pytest.mark.parametrize(
    ("pages", "suffix", "physical"),
    [
        (PRINTED, "p. 103", {3}),
        (PRINTED, "p. 3", {3}),
        (PRINTED, "pp. 101-103", {1, 2, 3}),
        (PRINTED, "p. 101f.", {1, 2}),
        (PRINTED, "pp. 103ff.", {3, 4}),
        (PRINTED, "p. 99", set()),
        (BY_REFERENCE, "p. 102", {2}),
        (BY_REFERENCE, "pp. 102-4", {2, 3, 4}),
        (PLAIN, "p. 9", {9}),
        (PLAIN, "p. 10", set()),
        (BOOK, "p. iv", {2}),
        (BOOK, "p. 2", {4}),
        (LISTED, "p. iv", {1}),
        (LISTED, "p. 2", {2, 4}),
        (LISTED, "p. 3", set()),
    ],
)
def test_a_locator_means_printed_pages_before_physical_ones(
    pages: WorkPages, suffix: str, physical: set[int]
) -> None:
    locator = page_locator(suffix)
    assert locator is not None
    assert pages.physical(locator) == physical
