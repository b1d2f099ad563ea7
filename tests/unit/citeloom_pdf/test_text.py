from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom_pdf.elements.text import (
    Vocabulary,
    join,
    joined,
    listing,
    normalised,
)

NOTHING = Vocabulary([])


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the sedi-", "ment moves"], "the sediment moves"),
        (["a self-", "contained room"], "a self-contained room"),
        (["a state-of-the-", "art method"], "a state-of-the-art method"),
        (["in non-", "Euclidean space"], "in non-Euclidean space"),
        (["from 1990-", "1999 on"], "from 1990-1999 on"),
        (["on pages 54\u2013", "61 of it"], "on pages 54\u201361 of it"),
        (["in 1990 \u2013", "1999 was"], "in 1990 \u2013 1999 was"),
        (["בטלפון -03", "6401234 בלבד"], "בטלפון 03-6401234 בלבד"),
        (["this is -", "a dash"], "this is - a dash"),
        (["Quell-", "und Zieltext"], "Quell- und Zieltext"),
        (["a pen-", "and-ink drawing"], "a pen-and-ink drawing"),
        (
            ["of the river_\u2190\u21a9", "bed and its \u21a9", "gravel"],
            "of the river_bed and its gravel",
        ),
        (["re\u00ad", "sult"], "result"),
        (["two lines", "of text"], "two lines of text"),
        (["ก. แม่น้ำ", "ข. ภูเขา"], "ก. แม่น้ำ ข. ภูเขา"),
        (["แม่น้ำกับ", "ภูเขา"], "แม่น้ำกับภูเขา"),
        (["the ex-", "ternal memory"], "the external memory"),
        (["河流搬运", "砾石。"], "河流搬运砾石。"),
        (["川は流れる．", "JUMAN は動く"], "川は流れる．JUMAN は動く"),
        (["แม่น้ำไหลผ่าน", "โรงสีเก่า"], "แม่น้ำไหลผ่านโรงสีเก่า"),
        (["ջրաղացի տարբերու֊", "թյունն այն է"], "ջրաղացի տարբերությունն այն է"),
        (["DISCLAIMS ALL WARRAN-", "TIES OF ANY KIND"], "DISCLAIMS ALL WARRANTIES OF ANY KIND"),
        (["IN AN AC-", "TION"], "IN AN ACTION"),
        (["the layers of TCP-", "IP and of UDP"], "the layers of TCP-IP and of UDP"),
        (["TCP-", "IP"], "TCP-IP"),
        (["see https://a.org/-", "SourceOnly as"], "see https://a.org/SourceOnly as"),
        (["and/-", "or"], "and/or"),
        (["the river (", "in spring)"], "the river (in spring)"),
        (["כ\u05bc\u034f\u05b9"], "כ\u05b9\u05bc"),
        (["the type BUFFER_", "VERTEX of"], "the type BUFFER_VERTEX of"),
    ],
)
def test_lines_are_joined_as_they_would_be_read(lines: list[str], text: str) -> None:
    assert normalised(joined(lines, NOTHING)) == text


def test_the_rest_of_the_document_tells_a_compound_from_a_parted_word() -> None:
    known = Vocabulary(["here a time-dependent flow and there", "now the codebase has grown"])
    assert join("the time-", "dependent flow", known) == ("the time-", "")
    assert join("the code-", "base", known) == ("the code", "")
    prose = Vocabulary(3 * ["of the second kind, and the first order of it"])
    assert join("a second-", "order flow", prose) == ("a second-", "")
    assert join("a second-", "ary flow", prose) == ("a second", "")
    assert join("ein Schla-", "und", Vocabulary(["der Schlaund ist"])) == ("ein Schla", "")


def test_a_name_that_ends_in_an_underscore_elsewhere_ends_a_line() -> None:
    known = Vocabulary(["the name class_ is free,", "unlike class, and BUFFER_SIZE"])
    assert join("with class_", "can be used", known) == ("with class_", " ")
    assert join("of BUFFER_", "SIZE and more", known) == ("of BUFFER_", "")


def test_a_short_word_that_begins_compounds_elsewhere_keeps_its_hyphen_before_another() -> None:
    known = Vocabulary(["al-dubb and wa-al-bahr,", "wa-al-kalb"])
    assert join("al-dubb wa-", "al-batti", known) == ("al-dubb wa-", "")
    assert join("al-dubb sa-", "al-batti", known) == ("al-dubb sa", "")


def test_a_compound_at_the_end_of_a_line_tells_unless_a_hyphen_parts_it() -> None:
    known = Vocabulary(["it moves by", "bed-load transport", "and as a wash-load"])
    assert join("of bed-", "load", known) == ("of bed-", "")
    assert join("of wash-", "load", known) == ("of wash-", "")
    parted = Vocabulary(["the river-", "bed-load transport", "and as a wash-load-", "like flow"])
    assert join("of bed-", "load", parted) == ("of bed", "")
    assert join("of wash-", "load", parted) == ("of wash", "")


def test_a_head_of_compounds_keeps_its_hyphen_before_a_word_of_the_document() -> None:
    known = Vocabulary(["of a non-linear root", "and of an in-between", "that is dependent on it"])
    assert join("by a non-", "root user", known) == ("by a non", "")
    known = Vocabulary(
        ["of a non-linear flow", "that the root user has", "an in-between dependent on"]
    )
    assert join("by a non-", "root user", known) == ("by a non-", "")
    assert join("it is in-", "dependent", known) == ("it is in", "")


def test_two_words_of_english_keep_their_hyphen_unless_they_are_listed_as_one() -> None:
    text = 3 * ["of the gravel, and the flow of it"]
    known = Vocabulary(text, {"third", "party", "mill", "stone", "millstone"}.__contains__)
    assert join("a third-", "party mill", known) == ("a third-", "")
    assert join("a mill-", "stone moves", known) == ("a mill", "")
    assert join("a Third-", "party mill", known) == ("a Third", "")
    assert join("a third-", "rate mill", known) == ("a third", "")
    other = Vocabulary(["von der Mühle"], {"third", "party"}.__contains__)
    assert join("a third-", "party mill", other) == ("a third", "")


def test_a_word_of_the_list_is_one_though_its_parts_are_words_too() -> None:
    text = [*(3 * ["of the gravel, and the flow of it"]), "and it went further and more moves"]
    known = Vocabulary(text, {"furthermore", "exit"}.__contains__)
    assert join("moves. Further-", "more it rests", known) == ("moves. Further", "")
    assert join("before the ex-", "it-break of", known) == ("before the ex", "")
    assert join("before the in-", "it-break of", known) == ("before the in-", "")


def test_options_and_names_with_figures_keep_their_hyphen() -> None:
    assert join("with --skip-", "patches", NOTHING) == ("with --skip-", "")
    assert join("at river-l10n-", "xx@a.org", NOTHING) == ("at river-l10n-", "")
    assert join("the river--grav-", "el", NOTHING) == ("the river--grav", "")
    assert join("in /usr/lib/river-", "gnu/bed", NOTHING) == ("in /usr/lib/river-", "")
    assert join("sand/grav-", "el", NOTHING) == ("sand/grav", "")


def test_an_abbreviation_keeps_its_hyphen_before_a_word() -> None:
    assert join("all the IDL-", "defined types", NOTHING) == ("all the IDL-", "")
    assert join("the UNITs-", "wide bed", NOTHING) == ("the UNITs", "")


def test_a_name_within_a_compound_keeps_its_hyphen_whatever_is_written_small() -> None:
    known = Vocabulary(["auf dem Fluss-Archivserver liegt"])
    assert join("dem Fluss-Archiv-", "Server", known) == ("dem Fluss-Archiv-", "")


def test_a_doubled_word_and_a_pronoun_behind_a_french_verb_keep_their_hyphen() -> None:
    assert join("sungai yang baru-", "baru ini", NOTHING) == ("sungai yang baru-", "")
    assert join("das Bar-", "bar", NOTHING) == ("das Bar", "")
    lines = [*(3 * ["que les graviers"]), "là où il y en a et que vous voyez"]
    french = Vocabulary(lines)
    assert join("le lit contient-", "il des graviers", french) == ("le lit contient-", "")
    assert join("vous le voyez, veuillez-", "vous y tenir", french)[0].endswith("-")
    assert join("le lit contient-", "il des graviers", NOTHING) == ("le lit contient", "")


def test_two_parts_in_capitals_are_one_word_unless_both_are_words() -> None:
    assert join("sent as END VER-", "IFICATION REQUEST", NOTHING) == ("sent as END VER", "")
    known = Vocabulary(["the RIVER and the GRAVEL of it"])
    assert join("the RIVER-", "GRAVEL of", known) == ("the RIVER-", "")
    assert join("of GRAVELABIL-", "ITY or FITNESS", known) == ("of GRAVELABIL", "")
    assert join("the RIVER-", "BED of", known) == ("the RIVER-", "")


def test_english_words_in_a_text_of_another_language_tell_nothing_of_it() -> None:
    dutch = [*(3 * ["of the river, and"]), *(4 * ["naar de rivier en"]), "en waar de onder de"]
    assert join("waar-", "onder", Vocabulary(dutch)) == ("waar", "")


KOREAN = (
    8
    * "자갈은 강의 바닥에서 움직인다 강의 물이 자갈을 나른다 물이 바닥에서 자갈을 움직인다".split()
)


def test_korean_words_go_on_in_the_next_line_where_the_document_parts_them() -> None:
    whole = " ".join(KOREAN)
    lines = [whole[at : at + 17] for at in range(0, len(whole), 17)]
    known = Vocabulary(lines)
    assert join("강의 바닥", "에서 움직인다", known) == ("강의 바닥", "")
    assert join("강의 바닥에서", "움직인다", known) == ("강의 바닥에서", " ")


def test_a_korean_word_that_stands_alone_elsewhere_ends_with_its_line() -> None:
    whole = " ".join(KOREAN)
    lines = [whole[at : at + 17] for at in range(0, len(whole), 17)]
    assert join("물이 아직", "인색하다", Vocabulary(lines)) == ("물이 아직", "")
    known = Vocabulary([*lines, "강은 아직 흐른다"])
    assert join("물이 아직", "인색하다", known) == ("물이 아직", " ")


def test_korean_words_are_whole_where_the_document_parts_lines_between_them() -> None:
    lines = [" ".join(KOREAN[at : at + 5]) for at in range(0, len(KOREAN), 5)]
    known = Vocabulary(lines)
    assert joined(lines, known).split() == KOREAN
    assert join("강의 바닷", "가에서 움직인다", known) == ("강의 바닷", " ")


def test_a_korean_word_of_the_document_is_whole_wherever_its_line_ends() -> None:
    lines = [" ".join(KOREAN[at : at + 5]) for at in range(0, len(KOREAN), 5)]
    known = Vocabulary(lines)
    assert join("강의 바닥", "에서 움직인다", known) == ("강의 바닥", "")
    assert join("강의", "물이 움직인다", known) == ("강의", " ")


@pytest.mark.parametrize(("times", "separator"), [(1, " "), (9, "")])
def test_a_korean_word_of_two_that_stand_alone_too_is_whole_if_it_is_usual(
    times: int, separator: str
) -> None:
    known = Vocabulary([*(times * ["그 강물이 흐른다"]), "그 강 물이 흐른다", "그 강 물이 맑다"])
    assert join("그 강", "물이 흐른다", known) == ("그 강", separator)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("e\ufb03cient \ufb02ow", "efficient flow"),
        ("Poincar´e and M¨uller", "Poincaré and Müller"),
        ("fen\u02c6etre, Espa\u02dcna", "fenêtre, España"),
        ("Van\u02c7ek, C\u02d8at\u02d8alin, Espa\u02dc na", "Vaněk, Cătălin, España"),
        ("th`eme, but `a` and foo`bar", "thème, but `a` and foo`bar"),
        ("Tcl\u00b4s river, I\u00b4m, we\u00b4ll", "Tcl\u00b4s river, I\u00b4m, we\u00b4ll"),
        ("\u00b4sroda, ko\u00b4sci", "środa, kości"),
        ("expresi\u00b4 varias", "expresi\u00b4 varias"),
        ("the value \u02c6 is", "the value \u02c6 is"),
        ("\u02c6string in \u02dc/inputrc", "\u02c6string in \u02dc/inputrc"),
        ("in \uf731\uf739\uf738\uf734, S\uf76d\uf761\uf76c\uf76c", "in 1984, Small"),
        ("raport \uf6de M\uf7fc\uf76c\uf76c\uf765\uf772\uf8ea", "raport — Müller™"),
        ("1\uf6f2\uf6f3 and 2\uf6eb", "1ˢᵗ and 2ᵈ"),
        ("soft\u00adly  spoken\u200b", "softly spoken"),
        ("x\u00b2 stays", "x\u00b2 stays"),
        ("(c\u00a9 2001), abc\u00a9", "(\u00a9 2001), abc\u00a9"),
        ("a\u00a0b\tc", "a b c"),
        ("se ƫngs of MicrosoŌ plaƞorms", "settings of Microsoft platforms"),
        ("AƩenƟon: Ɵtles and OpƟons", "Attention: titles and Options"),
        ("sin Ɵ, Ɵ = 2, Ʃx, Ōsaka", "sin Ɵ, Ɵ = 2, Ʃx, Ōsaka"),
    ],
)
def test_characters_are_normalised(raw: str, text: str) -> None:
    assert normalised(raw) == text


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalised(text)
    assert " ".join(once.split()) == once
    assert not any(character in once for character in "\x00\u00ad\ufb01")


def test_a_listing_keeps_its_lines_and_indentation() -> None:
    assert listing(["def f():", "    return 1  "]) == "def f():\n    return 1"


def test_bullets_of_symbol_fonts_are_written_as_they_look() -> None:
    assert normalised("\uf0b7 one") == "• one"
    assert normalised("\uf0d8 two") == "➢ two"


def test_serbian_forms_of_cyrillic_letters_are_these_letters() -> None:
    assert normalised("упо\uf6c8ре\uf6c5а") == "употреба"


@pytest.mark.parametrize(
    ("first", "second", "seen", "whole"),
    [
        ("with Open-", "Office.org", "use OpenOffice here", "with OpenOffice.org"),
        ("by Swiss-", "Prot of", "a swissprot file", "by Swiss-Prot of"),
        ("a SE-", "QUENCE of", "each sequence is", "a SEQUENCE of"),
        ("an industry-stan-", "dard log", "by the standard of", "an industry-standard log"),
        ("a two-stage-", "mixed one", "by the standard of", "a two-stage-mixed one"),
        ("in Mid-kauf-", "haus", "the mid-kaufhaus was", "in Mid-kaufhaus"),
        ("the state-", "of-the-art", "a state of mind", "the state-of-the-art"),
        ("a vari-", "able-length row", "a state of mind", "a variable-length row"),
        ("doi:10.5/x.cond-", "mat/0407066", "a state of mind", "doi:10.5/x.cond-mat/0407066"),
        ("see http://a.org/pol-", "icy.html", "by the policy of", "see http://a.org/policy.html"),
    ],
)
def test_a_hyphen_at_a_line_end_stays_where_the_document_writes_one(
    first: str, second: str, seen: str, whole: str
) -> None:
    assert joined([first, second], Vocabulary([seen])) == whole


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("https://doi.org/10.1109/", "MSP.2011.139", "https://doi.org/10.1109/MSP.2011.139"),
        ("doi:10.1038/nn.", "3635", "doi:10.1038/nn.3635"),
        ("doi:10.1038/nn.", "2019. Second", "doi:10.1038/nn. 2019. Second"),
        ("at https://gravel.", "org/sand, and", "at https://gravel.org/sand, and"),
        ("at https://www.", "R-sand.org/", "at https://www.R-sand.org/"),
        ("at http://gravel.org.", "The sand", "at http://gravel.org. The sand"),
        ("at http://gravel.org/", "the sand", "at http://gravel.org/ the sand"),
        ("at http://gravel.org/", "beds", "at http://gravel.org/beds"),
        ("1 http://gravel.org/", "2 http://sand.org", "1 http://gravel.org/ 2 http://sand.org"),
        ("at http://gravel.org/a?b=", "the&c=d", "at http://gravel.org/a?b=the&c=d"),
        ("at http://gravel.org/sand", "/index.html", "at http://gravel.org/sand/index.html"),
        ("at http://localhost", "or there", "at http://localhost or there"),
        ("doi:10.5/gravel.1.", "https://sand.org/1", "doi:10.5/gravel.1. https://sand.org/1"),
        ("at http://gravel.org/", "https://sand.org", "at http://gravel.org/ https://sand.org"),
        ("at https://", "www.sand.org", "at https://www.sand.org"),
    ],
)
def test_an_address_goes_on_in_the_next_line(first: str, second: str, whole: str) -> None:
    assert joined([first, second], Vocabulary(["by the sand of"])) == whole


def test_a_control_in_a_word_stands_for_a_letter_and_any_other_for_nothing() -> None:
    assert normalised("di\x01erent \x07 mill") == "di\ufffderent mill"
    assert normalised("sedi\x02ment") == "sedi-ment"


def test_ligatures_and_digits_for_private_use_are_read() -> None:
    assert normalised("\uf0deltered \uf644\uf643") == "filtered 10"


def test_words_that_a_maqaf_joins_are_one_over_the_end_of_a_line() -> None:
    assert join("ביקר ב\u05be", "7/8/2023", Vocabulary([])) == ("ביקר ב\u05be", "")
