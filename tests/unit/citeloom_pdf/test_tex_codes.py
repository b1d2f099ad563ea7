# ruff: noqa: RUF001 - signs that look like others are what is meant here
"""Letters under the codes of TeX's fonts, where these do not name them."""

from __future__ import annotations

import pytest

from citeloom_pdf.parsing.characters import of_pairs
from citeloom_pdf.parsing.tex_codes import codes_of

# the signs of Zapf Dingbats for the names of the codes; those of `P` and `q` to `t` have none
SIGNS = dict(
    zip(
        "abcdefghijklmnopuvwxyz .,TF",
        "❛❜❝❞❡❢❣❤✐❥❦❧♠♥♦♣✉✈✇①②③ ✳✱❚❋",
    )
)


def in_dingbats(text: str) -> str:
    return "".join(SIGNS.get(letter, letter) for letter in text)


@pytest.mark.parametrize(
    ("read", "printed"),
    [
        ("The \x1crst di\x1berence is su\x1ecient", "The ﬁrst diﬀerence is suﬃcient"),
        ("E\x1bects of an O\x1ece are di\x1berent", "Eﬀects of an Oﬃce are diﬀerent"),
        ("E\x0bects of an O\x0ece are di\x0berent", "Eﬀects of an Oﬃce are diﬀerent"),
        ("cut o\x1b the \x1door, sti\x1b", "cut oﬀ the ﬂoor, stiﬀ"),
        ("The \x10\x1crst\x11 \x15 of \x1cve", "The “ﬁrst” – of ﬁve"),
        ("from 1\x1530/60 to 1\x1512/60", "from 1–30/60 to 1–12/60"),
        ("as (\x10Many say\x11) of it", "as (“Many say”) of it"),
        ("\x88 A di\x1berent mill", "• A diﬀerent mill"),
        ("\x88 Open\r\n\x88 File \x19 Close \x18", "• Open\r\n• File → Close ←"),
        ("die Gröÿe der Straÿen ist groÿ", "die Größe der Straßen ist groß"),
        ("the \x0crst e\x0ecient o\x0bset", "the ﬁrst eﬃcient oﬀset"),
        ("e\x0ecient Xi\x0c + Zi\x0c, da \x0closofi", "eﬃcient Xi\x0c + Zi\x0c, da ﬁlosofi"),
        ("Mills\r\n\x17Open\r\n\x17 2nd wheel", "Mills\r\n•Open\r\n• 2nd wheel"),
        ("i \x0closo\x0c e\x0ecienti", "i ﬁlosoﬁ eﬃcienti"),
        ("slovo „řekaÿ a „starý mlýnÿ, „aÿ", "slovo „řeka“ a „starý mlýn“, „a“"),
        (
            "Wªa±ciciel maªego mªyna, »onaty, zmierzyª j¦czmie« wªa±nie tu» za wie»¡",
            "Właściciel małego młyna, żonaty, zmierzył jęczmień właśnie tuż za wieżą",
        ),
        ("de¯ne a di®erent, e±cient °ow, the ¯rst su±cient", None),
        ("£ita ku¢u i²to moºe re£i ve¢ kuºnu ta£no plaºu", None),
    ],
)
def test_a_page_has_the_letters_of_its_codes(read: str, printed: str | None) -> None:
    if printed is None:
        others = {
            "d": "deﬁne a diﬀerent, eﬃcient ﬂow, the ﬁrst suﬃcient",
            "£": "čita kuću išto može reči već kužnu tačno plažu",
        }
        printed = others[read[0]]
    assert codes_of(read)(read) == printed
    assert len(printed) == len(read)


@pytest.mark.parametrize(
    "read",
    [
        "The river carries barley past the old mill.",
        "L'Haÿ-les-Roses est là, «où» et §4; 20±1 °C; Q²is x®",
        "\x151 \x10 1\x15 s \x11 \x10x\x11",
        "File \x19 Close, a\x88b",
        "\x0b + \x0c = \x1b \x1c F\x0b",
        "one item\r\nand the next\r\n",
        "\x06x\r\n\x06y is \x06z",
        "✓ done ❖ item ✁ cut here ✂",
        "t\x98n dokim\x88n s\x80b m\x88t \x88a p\x90n k\x88n",
    ],
)
def test_other_text_stays_as_it_is(read: str) -> None:
    assert codes_of(read)(read) == read


def test_dingbats_that_are_names_of_codes_are_letters() -> None:
    text = "The river carries barley. For the mill, no one counts it."
    assert codes_of(in_dingbats(text))(in_dingbats(text)) == text


def test_names_of_two_signs_are_letters_where_as_many_are_printed() -> None:
    assert of_pairs("CCCWCT D6CXDACTD6", "The river") == "The river"
    assert of_pairs("CCCWCT D6CXDACTD6", "The\x05 river") == "The river"
    assert of_pairs("CCCWCT", "T\x05e") == "T\ufffde"
    assert of_pairs("AA BB", "AA BB") == "AA BB"
