# ruff: noqa: RUF001 - letters of other scripts are what is looked for here
from __future__ import annotations

import pytest

from citeloom.domain.documents.letter_codes import (
    code_page_of,
    is_unreadable,
    may_be_unreadable,
    unreadable_parts,
)

RIVER = "The river carries barley past the old mill in spring, and nobody counts it."
RUSSIAN = "Река несёт ячмень мимо старой мельницы, и что от него осталось, считают не все на ней."
GREEK = (
    "Το ποτάμι και οι αγρότες της κοιλάδας μετρούν τι έχει απομείνει από τους λόφους με την πέτρα."
)


def in_latin(text: str, code_page: str) -> str:
    return text.encode(code_page).decode("latin-1")


def shifted(text: str, by: int) -> str:
    return "".join(letter if letter == " " else chr(ord(letter) + by) for letter in text)


@pytest.mark.parametrize(
    "text",
    [
        RIVER,
        RUSSIAN,
        GREEK,
        "Řeka nese ječmen kolem starého mlýna a sedláci v údolí počítají, co z něj zbylo.",
        "Dòng sông chở lúa mạch qua cối xay cũ vào mùa xuân, và nông dân đếm những gì còn lại.",
        "नदी वसंत में पुरानी चक्की के पास से जौ ले जाती है। और PDF में।",
        "Рѝс и мељава (Müller) у μm, Ångström",
        "강은 봄에 낡은 방앗간을 지나 보리를 나른다.",
        "Á á Ä ä Č č Ď ď É é",
        "Ƙasar Hausa, ƙauye da ƴan Ɓauci; Əlvida",
        "https://www.example.org/xq/btr?zk=qw",
        "✓ done",
        "\uf0b7 item of a list",
        "� item of a list",
        "20±1 °C, §4, Q²is, «où», l'élève",
        "XML, HTTP, PNG",
        "קובץ בPDF של MIT והזווית ה-α",
        "ملف الـPDF وPDFها ✓ وأيضًا «كتاب»",
        "x" * 400,
        "",
    ],
)
def test_text_of_languages_is_readable(text: str) -> None:
    assert not is_unreadable(text)


@pytest.mark.parametrize(
    "text",
    [
        in_latin(RUSSIAN, "cp1251"),
        in_latin(RUSSIAN, "koi8-r"),
        in_latin(GREEK, "iso8859-7"),
        shifted(RIVER, -3),
        shifted(RIVER, 1),
        "CCCWCT D6CXDACTD6 CRCPD6D6CXCTD7 CQCPD6D0CTDD",
        "The ri\ue076er carries barley",
        "(cid:12)(cid:7) the mill",
        "✁ ✂ ✟✎ ✟✡☞ a0 ✔✕ ✑",
        "पुЦ खासगीҺवतरण",
        "वह दूर से आपना चĮमा ठीक किया",
        "prosje£nom korisniku",
        "un pro\u01b2lo della valle",
        "of a gauge � and a mill",
        "VEna peÐrama",
        "Τῃ πάντα διδůσῃ καὶ ἀπολαμβανούσῃ φύσει",
        "핵심 매크로와 쥰쥬쥡쥩쥮 쥔쥅쥘을 위한 스타일로 이루어져 있다줮",
        "مͬتوان متن را نوشت",
        "یΈ فایل شامل",
        "طلبه✢ بودند",
        "نyهAالاتج",
        "Of his own will GD B@QQ@EQ@ the stones",
    ],
)
def test_codes_that_are_not_the_letters_are_found(text: str) -> None:
    assert is_unreadable(text)


def test_what_has_no_usual_word_is_unreadable_where_most_of_its_page_is() -> None:
    body = shifted(f"{RIVER} {RIVER}", 1)
    assert unreadable_parts([body, "Csjehft", RIVER]) == {0, 1}
    assert unreadable_parts([body, "Csjehft", RIVER, RIVER, RIVER]) == {0}
    assert unreadable_parts([RIVER, "Bridges"]) == frozenset()
    assert unreadable_parts([body, "Bridges", RIVER]) == {0}


@pytest.mark.parametrize(
    ("text", "code_page"), [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (GREEK, "iso8859-7")]
)
def test_a_code_page_is_known_by_the_words_it_makes(text: str, code_page: str) -> None:
    read = in_latin(text, code_page)
    table = code_page_of([read])
    assert table is not None
    assert read.translate(table) == text


def test_letters_exchanged_for_others_may_be_unreadable_before_they_surely_are() -> None:
    exchanged = RIVER.lower().translate(
        str.maketrans("abcdefghilmnoprstuvwy", "cdmrgfuorzhleptyixwvn")
    )
    assert not is_unreadable(exchanged)
    assert may_be_unreadable(exchanged)
    assert not any(map(may_be_unreadable, (RIVER, RUSSIAN, GREEK, "x = 1, f(x) = 2", "")))


def test_a_code_page_is_known_by_its_commonest_letters_where_there_are_no_usual_words() -> None:
    titles = ("Практика: изменение пакета", "Продвинутые сборки пакетов", "Сопровождение пакетов")
    read = [in_latin(title, "cp1251") for title in titles]
    table = code_page_of(read)
    assert table is not None
    assert tuple(title.translate(table) for title in read) == titles


def test_what_windows_has_in_russian_stays_where_tex_has_letters_of_ukrainian() -> None:
    table = code_page_of([in_latin(RUSSIAN, "cp1251")])
    assert table is not None
    assert in_latin("Ёлка № 5", "cp1251").translate(table) == "Ёлка ¹ 5"


def test_letters_that_make_no_words_have_no_code_page() -> None:
    exchanged = RUSSIAN.translate(str.maketrans("оеаинтсрвл", "фхцчшщъыэю"))
    assert code_page_of([in_latin(exchanged, "cp1251")]) is None
    assert code_page_of(["été élève à côté où"]) is None
    assert code_page_of(["[aàâeèéêiîoôuh]*", "Généralités"] * 12) is None
