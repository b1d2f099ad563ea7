# ruff: noqa: RUF001 - dashes are among what is tested here
"""From the order a line is seen in to the order it is read in."""

from __future__ import annotations

import pytest

from citeloom_pdf.elements.direction import (
    are_numbers_from_right,
    facing,
    is_read_from_right,
    read_measure,
    reading_order,
    weight,
    words_in_order,
)


def read(seen: str, *, from_right: bool = True, arabic: bool = False, page: bool = True) -> str:
    order = reading_order(seen, from_right=from_right, arabic=arabic, page=page)
    return "".join(seen[piece.place] for piece in order)


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (".OECD יפל 1998-2004 ןיב 12.5%-ב הלע", "עלה ב-12.5% בין 1998-2004 לפי OECD."),
        ("SPSS 25 הנכותב", "בתוכנה SPSS 25"),
        ("-1998-05 תנש", "שנת 1998-05-"),
        (".2019 תנשב Nature Climate Change", "Nature Climate Change בשנת 2019."),
        ("23°C-ל 5°C-מ", "מ-5°C ל-23°C"),
        ("IBM ,2010 תנשב", "בשנת 2010, IBM"),
        ("רגאמב j.cell.2020.01.021/10.1016", "10.1016/j.cell.2020.01.021 במאגר"),
        ("https://www.example.org/he.html תבותכ", "כתובת https://www.example.org/he.html"),
        ("25 החולש ,03-6408111 ןופלט", "טלפון 03-6408111, שלוחה 25"),
        (".(n = 120) 0.57 ןקתה", "התקן 0.57 )n = 120(."),
        ("f(x) היצקנופה", "הפונקציה f(x)"),
        ("הרדסה (V) (3", "3( (V) הסדרה"),
        ("‖x‖2 המרונה", "הנורמה ‖x‖2"),
        ("|x| לע", "על |x|"),
        ("kg 55 לקשמ", "משקל 55 kg"),
        ("km/h 90 תוריהמ", "מהירות 90 km/h"),
        ("C++ תפש", "שפת C++"),
        ("הנכות ++C תפש", "שפת C++ תוכנה"),
        ("https://example.org/ ןאכ", "כאן https://example.org/"),
        ("https://example. ןאכ", "כאן https://example."),
        ("p <( קהבומ", "מובהק (p <"),
        ("p < רשאכ", "כאשר p <"),
        ("p ( קהבומ", "מובהק (p "),
        ("שלח ,)< 0.05", "< 0.05), חלש"),
        ("Holgate et al., ואר", "ראו Holgate et al.,"),
        ("Holgate et al. ואר", "ראו Holgate et al."),
        ("Holgate et al.,( ואר", "ראו (Holgate et al.,"),
        ("Holgate & Mori,( ואר", "ראו (Holgate & Mori,"),
        ("Holgate &( ואר", "ראו (Holgate &"),
        ("https:// ןאכ", "כאן https://"),
        ("com- םע ףותיש", "שיתוף עם com-"),
        ("com-ב", "ב-com"),
        ("NET. תפש", "שפת .NET"),
        (".Holgate ואר", "ראו Holgate."),
        (",Holgate ואר", "ראו Holgate,"),
        (".\\newpage תא \\part ואר", "ראו \\part את \\newpage."),
        ("part\\ ואר", "ראו \\part"),
        ("וא \\TeX\\ לש", "של \\TeX\\ או"),
        ("@name ואר", "ראו @name"),
        ("\\part* ואר", "ראו \\part*"),
        ("\\text[4-57] ואר", "ראו \\text[4-57]"),
    ],
)
def test_a_line_from_the_right_keeps_numbers_and_words_from_the_left(seen: str, text: str) -> None:
    assert read(seen) == text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (":33 ةداملا", "المادة 33:"),
        ("%4.5 ومنلا ةبسن", "نسبة النمو 4.5%"),
        ("6408111-02 مقر", "رقم 02-6408111"),
        ("٣٣ ةداملا", "المادة ٣٣"),
        ("1,250,000 غلبمب", "بمبلغ 1,250,000"),
        ("SPSS ٢٥ مدختسا", "استخدم ٢٥ SPSS"),
        ("ماع يف 4.5%", "4.5% في عام"),
        ("ومنلا 4.5% ةبسن", "نسبة 4.5% النمو"),
        ("ومنلا ٤٥٪ ةبسن", "نسبة ٤٥٪ النمو"),
        ("۶٫۱", "۶٫۱"),
        ("۱۲٬۳۴۵", "۱۲٬۳۴۵"),
        ("رتم ۶٫۱ یژرد", "درژی ۶٫۱ متر"),
        ("٣٫٥", "٣٫٥"),
    ],
)
def test_numbers_behind_arabic_letters_are_parted_at_signs(seen: str, text: str) -> None:
    assert read(seen, arabic=True) == text


def test_a_letter_alone_is_read_from_the_right_in_a_line_that_is() -> None:
    assert read("וא/ו TeX לש םילמה", page=False) == "המלים של TeX ו/או"


@pytest.mark.parametrize("arabic", [False, True])
@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("-4.3", "-4.3"),
        ("\u22127", "\u22127"),
        ("ינוי +12.5 םוח", "חום +12.5 יוני"),
        (".-7.2 דדמנ", "נמדד -7.2."),
        ("תולעמ 4.3- היה", "היה -4.3 מעלות"),
        ("הרוש -1", "1- שורה"),
        ("-1998 תנש", "שנת 1998-"),
        ("-5-", "-5-"),
        ("15–20 םידומע", "עמודים 15–20"),
        ("20–15 םידומע", "עמודים 15–20"),
        ("0142–555 ןופלט", "טלפון 555–0142"),
        ("5-ב", "ב-5"),
    ],
)
def test_signs_and_ranges_of_numbers_are_read_whichever_way_they_are_set(
    seen: str, text: str, arabic: bool
) -> None:
    assert read(seen, arabic=arabic) == text


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("he wrote םלוע םולש to all.", "he wrote שלום עולם to all."),
        ("in ינש 12 ןושאר it", "in ראשון 12 שני it"),
        ("see )קרפ( and", "see )פרק( and"),
    ],
)
def test_a_quotation_from_the_right_is_turned_alone(seen: str, text: str) -> None:
    assert read(seen, from_right=False, page=False) == text


def test_a_ligature_alone_is_a_word_from_the_right() -> None:
    pieces = [*"see ", "لا", *" ةدام", *" and"]
    order = reading_order(pieces, from_right=False, arabic=True, page=False)
    assert "".join(pieces[piece.place] for piece in order) == "see مادة لا and"


def test_a_letter_alone_turns_nothing() -> None:
    seen = "La situaࢠon des travailleurs"
    assert weight(seen) < 0
    assert not is_read_from_right(seen, page=False)
    assert read(seen, from_right=False, page=False) == seen


@pytest.mark.parametrize(
    ("seen", "page", "from_right"),
    [
        ("Nature תעה בתכב", True, True),
        ("The word םולש means peace and is a greeting", True, False),
        ("12 - 18", True, True),
        ("12 - 18", False, False),
        ("he wrote םלוע םולש", False, False),
        ("םלוע םולש לארשי", False, True),
    ],
)
def test_the_page_and_the_letters_decide_on_the_direction(
    seen: str, page: bool, from_right: bool
) -> None:
    assert is_read_from_right(seen, page=page) == from_right


def test_words_of_a_cell_are_read_from_the_right() -> None:
    assert words_in_order(["Nature", "Change", "مجلة"]) == ["مجلة", "Nature", "Change"]
    assert words_in_order(["1988).", "(Cohen,", "برنامج"]) == ["برنامج", "(Cohen,", "1988)."]
    assert words_in_order(["all", "Latin"]) == ["all", "Latin"]


def test_brackets_face_each_other_or_away() -> None:
    assert facing("(a) [b]") == 2
    assert facing(")a( b") == -1


def test_addresses_at_both_ends_of_a_line_do_not_turn_it() -> None:
    seen = ".info@example.net רא https://www.example.org/water"
    assert is_read_from_right(seen, page=True)
    assert not is_read_from_right(f"Journal of rivers, {seen} and other works", page=True)


def test_a_stop_between_a_number_and_that_of_a_note_belongs_to_the_number() -> None:
    assert read("1537. זמר") == "רמז 1537."
    assert read("הנשב .1537 ,זמר") == "רמז, 1537. בשנה"


@pytest.mark.parametrize(
    ("seen", "text"), [("km 571", "571 km"), ("571 km", "571 km"), ("Kafka 571", "Kafka 571")]
)
def test_a_number_alone_is_read_before_its_unit(seen: str, text: str) -> None:
    assert read_measure(seen) == text


def test_a_stop_that_is_set_from_the_left_with_an_address_ends_it() -> None:
    assert read("יתמ info@example.net. ראודב") == "בדואר info@example.net. מתי"


def test_numbers_of_entries_part_words_from_the_left() -> None:
    seen = "ABCx .۳ Def Gh .۲ Ij .۱ :تسا طخ"
    assert read(seen, arabic=True) == "خط است: ۱. Ij ۲. Def Gh ۳. ABCx"
    assert read("v .5 Def طخ", arabic=True) == "خط v .5 Def"


@pytest.mark.parametrize(
    ("lines", "from_right"),
    [
        (["لصف ۳-۴", "۲-۳-۴ شخب"], True),
        (["۳-۴ لصف", "۳-۴ شخب"], False),
        (["4-1 קרפ", "4-2 קרפ"], False),
        (["1985-2020 תנש", "1990-2020 תנש"], False),
    ],
)
def test_numbers_with_the_chapter_at_their_right_are_set_from_the_right(
    lines: list[str], from_right: bool
) -> None:
    assert are_numbers_from_right(lines) is from_right
