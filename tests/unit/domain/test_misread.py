"""Text that a program read badly in the image of a page is told from text that it read well."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from citeloom.domain.documents.conversion import Doubt, doubts_in_words
from citeloom.domain.documents.misread import (
    Vocabulary,
    doubtful_words,
    has_misread,
    has_misread_word,
    has_unsure,
    is_in_no_language,
    is_misread,
    known_language,
    misread_share,
    prefers_second,
    vocabulary_of,
)
from citeloom.domain.documents.quality import torn_parts

PRINTED = {
    "en": "The farmers of the valley were told that their harvest had been counted before the "
    "rain, and they said that no one of them had seen the men who counted it. The mill was closed.",
    "de": "Die Bauern des Tales hörten, dass ihre Ernte vor dem Regen gezählt worden war, und sie "
    "sagten, dass keiner von ihnen die Leute gesehen hat, die das taten. Die Mühle war zu.",
    "fr": "Les paysans de la vallée ont appris que leur récolte avait été comptée avant la pluie, "
    "et ils ont dit que personne n'avait vu les hommes qui ont fait cela. Le moulin est clos.",
    "it": "I contadini della valle hanno saputo che il loro raccolto era stato contato prima della "
    "pioggia, e dissero che nessuno aveva visto gli uomini che lo fecero. Il mulino era chiuso.",
    "ja": "農夫たちは雨の前に収穫が数えられたと聞いた。誰も数えた人を見ていなかった。",
    "ru": "Крестьяне в долине узнали, что их урожай был сосчитан до дождя, и никто их не видел.",
}
OF_ANOTHER_PAGE = (
    "Every ship that left our harbour after midnight carried lanterns, for no captain would trust "
    "his crew to find another way between these rocks when clouds hide both stars and moon."
)
UNKNOWN = Vocabulary({}, {})
MISREAD = (
    "Thc farmers of tbe valley wcre told that thcir harvest had becn counted be^ore the rain, ' "
    "ancl they said tliat no onc of thern had seen tlie men whc counted it. ~ Thc mill wos closed."
)


def share(text: str) -> float:
    return misread_share(text, vocabulary_of(text))


@pytest.mark.parametrize("language", PRINTED)
def test_print_has_no_sign_of_it(language: str) -> None:
    assert share(PRINTED[language]) == 0.0


def test_words_like_usual_ones_are_signs() -> None:
    assert share(MISREAD) > 0.3


def test_a_word_far_more_frequent_than_one_like_it_was_meant() -> None:
    often = "Sediment of the river. " * 10
    assert share(f"Sedirnent of the plain. {often}") > 0.0
    assert share(f"Sedirnent of the plain. {often[:-24]}") == 0.0
    assert share(f"Sediment of the plain. {often}") == 0.0


def test_a_word_parted_at_a_lines_end_is_one() -> None:
    assert share("They saw that the farm-\ners told the others") == 0.0


@pytest.mark.parametrize(
    ("language", "sentence", "read"),
    [
        ("en", "The {} works for those profiles", {"algonthm": "algorithm", "fitung": "fitting"}),
        ("de", "Die {} werden alle gewartet", {"Brückenpreilcr": "Brückenpfeiler"}),
        ("fr", "Les {} sont dans la ville", {"bâtirnents": "bâtiments", "l'écolc": "l'école"}),
        ("it", "Questo {} della strada", {"ponfe": "ponte", "dell'acqna": "dell'acqua"}),
    ],
)
def test_words_that_a_language_lacks_were_misread(
    language: str, sentence: str, read: Mapping[str, str]
) -> None:
    vocabulary = vocabulary_of(f"{PRINTED[language]} {sentence.format(' '.join(read))}")
    for word, printed in read.items():
        assert not vocabulary.knows(word)
        assert vocabulary.knows(printed)


def test_a_word_that_its_text_has_twice_or_may_be_a_name_is_not_lacking() -> None:
    vocabulary = vocabulary_of(f"{PRINTED['en']} The wexmoor and the wexmoor, and the drugome.")
    assert [word for word in ("wexmoor", "Drugome", "drugome") if vocabulary.lacks(word)] == [
        "drugome"
    ]
    assert not vocabulary_of("drugome").lacks("drugome")  # in no language that is clear


@pytest.mark.parametrize("word", ["publicaton", "framewark", "extrapolauion", "ransmission"])
def test_a_long_word_with_one_letter_wrong_was_misread(word: str) -> None:
    assert is_misread(word, vocabulary_of(f"{PRINTED['en']} {word}"))


@pytest.mark.parametrize("word", ["asmall", "whichis", "eachof"])
def test_two_usual_words_without_a_space_were_misread(word: str) -> None:
    assert is_misread(word, vocabulary_of(f"{PRINTED['en']} {word}"))


@pytest.mark.parametrize("word", ["workflows", "toolkits", "datasets", "runtime", "codebase"])
def test_a_word_with_an_ending_of_its_own_was_not(word: str) -> None:
    assert not is_misread(word, vocabulary_of(f"{PRINTED['en']} {word}"))


@pytest.mark.parametrize("formula", ["V = 2x", "(t=0", "Qe+1(@e,e41", "q=().6", "it Polym .Ed"])
def test_a_formula_and_a_mark_that_stands_alone_are_misread(formula: str) -> None:
    assert has_misread(f"The barley where {formula} grows", UNKNOWN)


def test_the_ending_of_a_files_name_is_printed() -> None:
    assert not has_misread("The sums stand in the .barley and the .oats files", UNKNOWN)


def test_nothing_is_not_misread() -> None:
    assert misread_share("1 2 3", UNKNOWN) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "prefers"),
    [
        (MISREAD, PRINTED["en"], True),
        (PRINTED["en"], MISREAD, False),
        (PRINTED["en"], PRINTED["en"], False),
        (MISREAD, PRINTED["en"][:60], False),
        (PRINTED["en"][:60], MISREAD, True),
        (f"{PRINTED['en']} The rniller slept on in the barn.", PRINTED["en"], False),
        (OF_ANOTHER_PAGE, f"{PRINTED['en']} Tbe barley.", True),
        (OF_ANOTHER_PAGE, MISREAD, False),
        (5 * OF_ANOTHER_PAGE, PRINTED["en"], False),
    ],
    ids=["better", "worse", "same", "less", "more", "a line less", "others", "misread", "few"],
)
def test_of_two_readings_the_better_is_preferred(first: str, second: str, prefers: bool) -> None:
    assert prefers_second(first, second) is prefers


@pytest.mark.parametrize(
    "sign",
    [
        "4ist of it",
        "corn1ield",
        "tbe",
        "Tbe",
        "wbich",
        "edge?of",
        "GröBe",
        "£nd",
        "march j us",
        "Eiver",
        "grrrow",
        "GUIllaume",
        "0r",
        ":copie",
        "\u00b7the",
        "\u00a2",
        "frorn",
        "nlore",
        "3Whose",
        "lPaquets",
        "and_",
        "~The",
        "РеБав",
        "c\u043b\u043e\u0432o",
        "\u0447\u04330\u0442\u043e",
    ],
)
def test_one_sign_that_print_has_not_tells_of_a_passage(sign: str) -> None:
    text = f"The barley of {sign} grows in the field"
    assert has_misread(text, vocabulary_of(text))


@pytest.mark.parametrize(
    "name",
    [
        "19th century",
        "H2O",
        "PostScript",
        "VIII",
        "DNase",
        "\u00a9 2020",
        "well-known",
        "word(s)",
        "a b c",
        "barley",
        "don't",
        "Bis",
    ],
)
def test_what_print_has_tells_nothing_of_a_passage(name: str) -> None:
    text = f"The barley of {name} grows in the field"
    assert not has_misread(text, vocabulary_of(text))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Les paquets sont trés bien mis à jour par les auteurs", "trés"),
        ("Die Pakete konnen auf dem System mit einem Befehl und ohne sie", "konnen"),
        ("Die Leser wissen viel tiber das System und die Pakete", "tiber"),
        ("Крестьяне узнали, чго их урожай был сосчитан до дождя", "чго"),
    ],
)
def test_a_usual_word_without_its_accent_or_letter_was_misread(text: str, word: str) -> None:
    assert has_misread(text, vocabulary_of(text))
    assert not has_misread(text.replace(word, ""), vocabulary_of(text.replace(word, "")))


@pytest.mark.parametrize("word", ["STÕRES", "mìll"])
def test_an_accent_that_a_language_has_not_was_misread(word: str) -> None:
    text = f"{PRINTED['en']} They went to the {word} again"
    assert has_misread_word(text, vocabulary_of(text))
    assert word in doubtful_words([Doubt.OCR], text)


@pytest.mark.parametrize("word", ["STORES", "naïve", "RÉSUMÉ", "Stõres", "JÕGEVA"])
def test_an_accent_of_a_loan_word_or_a_name_was_not(word: str) -> None:
    text = f"{PRINTED['en']} They went to the {word} again"
    assert not has_misread_word(text, vocabulary_of(text))


@pytest.mark.parametrize(
    "read",
    [
        "「雨 j の前に数えた",
        "雨の前1」に数えた",
        "麦が育つ\uff08表 D\uff0e",
        "収穫のっながりを数えた",
    ],
)
def test_a_bracket_without_the_other_or_a_kana_that_is_never_doubled_was_misread(read: str) -> None:
    text = f"{PRINTED['ja']}{read}"
    assert has_misread(text, vocabulary_of(text))


@pytest.mark.parametrize(
    "read", ["「雨」の前に\uff08表 1)", "1\uff09麦 2\uff09雨", "待って、あっ、と言った"]
)
def test_brackets_of_both_sides_and_a_list_tell_nothing(read: str) -> None:
    text = f"{PRINTED['ja']}{read}"
    assert not has_misread(text, vocabulary_of(text))


def test_a_lone_consonant_at_the_end_of_a_passage_was_misread() -> None:
    text = "The farmers of the valley were told that they should march j"
    assert has_misread(text, vocabulary_of(text))
    assert not has_misread(f"{text} {text}", vocabulary_of(f"{text} {text}"))


def test_a_table_with_two_decimal_signs_was_misread() -> None:
    table = "Oats | 4.1 | 22.5\nBarley | 3,7 | 18.2\nWheat | 5.5 | 19.1"
    assert has_misread(table, vocabulary_of(table))
    for read in (table.replace(",", "."), table.replace(".", ","), table.replace(" |", ";")):
        assert not has_misread(read, vocabulary_of(read))


def test_a_full_stop_within_a_sentence_was_misread() -> None:
    text = "They are longer. about twelve feet"
    assert has_misread(text, vocabulary_of(text))
    text = "They are longer. About twelve feet"
    assert not has_misread(text, vocabulary_of(text))


@pytest.mark.parametrize("read", ["7A", "ST1", "50:64"])
def test_a_letter_among_the_numbers_of_a_table_was_misread(read: str) -> None:
    table = "Oats | 41 | 22.5\nBarley | 37 | {}\nWheat | 55 | 19.1\nRye | 12 | 8"
    assert has_misread(table.format(read), UNKNOWN)
    assert not has_misread(table.format("18.2"), UNKNOWN)
    assert not has_misread("A1 | 7A\nB2 | 9C\nC3 | 10", UNKNOWN)


@pytest.mark.parametrize("mark", [".!", ".?", ".*", ".\u00b0", ",\u201c", ".!\u00b0", ".\u00ae"])
def test_a_sign_behind_a_full_stop_is_a_mark_of_a_note_misread(mark: str) -> None:
    assert has_misread(f"They were counted twice{mark} The barley grows", UNKNOWN)
    assert not has_misread("They were counted twice! The barley grows (so it is said.)", UNKNOWN)


def test_a_capital_within_a_sentence_that_none_begins_was_misread() -> None:
    assert has_misread("Lors de L'installation initiale", UNKNOWN)
    assert has_misread("Le paquet \u00c0 est en conflit", UNKNOWN)
    assert not has_misread("Lors de l'installation, \u00c0 Paris comme L'Haÿ", UNKNOWN)


@pytest.mark.parametrize(
    ("language", "word", "like"),
    [
        ("fr", "Mformaticiens", "Informaticiens"),
        ("de", "bas\u0131erend", "Softwareänderungen"),
        ("es", "instalñi", "comúnmente"),
        ("ru", "зоцксе", "отсюда"),
        ("pl", "szczqśliwy", "szczęśliwy"),
        ("en", "Machinéhe", "Machinery"),
    ],
)
def test_letters_that_no_word_of_the_language_has_were_misread(
    language: str, word: str, like: str
) -> None:
    assert is_misread(word, Vocabulary({}, {}, language))
    assert not is_misread(like, Vocabulary({}, {}, language))
    assert not is_misread(word, Vocabulary({word.lower(): 2}, {}, language))  # a name
    assert not is_misread(word, UNKNOWN)


def test_the_language_is_clear_from_usual_words_or_from_letters_alone() -> None:
    assert known_language(PRINTED["de"]) == "de"
    polish = "Rolnicy wiedzieli już dawno, że jęczmień rośnie szybciej niż pszenica na tych polach"
    assert known_language(polish) == "pl"
    assert known_language("Xq wvz kkrtp 12") == ""


def test_a_doubt_names_the_words_that_seem_misread() -> None:
    text = "The farmers of tbe valley said that no one of thern had counted the harvest same day"
    doubts = (Doubt.TABLE, Doubt.SCAN)
    named = doubtful_words(doubts, text)
    assert named == ("tbe", "thern")
    shown = doubts_in_words(doubts, named)
    assert shown == 'table doubtful, text of an old scan: compare "tbe", "thern"'
    compared = doubts_in_words((Doubt.FORMULA, Doubt.OCR), named[:1], advise=False)
    assert compared == 'formula, read by OCR, unsure "tbe"'
    assert doubts_in_words((Doubt.SCAN,)) == "text of an old scan: compare"
    assert doubtful_words((Doubt.TABLE,), text) == ()


def test_a_word_that_its_document_has_again_was_not_misread() -> None:
    twice = vocabulary_of("The lie of the land. A lie that he told, and he told it.")
    assert not has_misread("The lie of the land", twice)


def test_a_german_text_without_its_letters_was_misread() -> None:
    text = f"{PRINTED['de']} Für die Brücken können sie nichts über das Tal. "
    assert share(text * 8) == 0.0
    assert share(text.translate(str.maketrans("öäü", "oau")) * 8) > 0.02


def test_letters_that_are_no_words_are_in_no_language() -> None:
    nonsense = "wienandt fant weihers ov denlith gwalt vnd befeld blive audy lifo fodte ghel"
    assert is_in_no_language(f"{nonsense} {nonsense[::-1]} " * 3)
    assert not is_in_no_language(nonsense)  # too short to tell
    assert not any(is_in_no_language(f"{text} " * 3) for text in PRINTED.values())


SOUND = "\u0645\u0648\u0636\u0648\u0639 \u067e\u0631 \u0627\u06c1\u0645 \u06c1\u06d2"
TORN = "\u0645 \u0648\u0636 \u0639 \u067e\u0631 \u0627 \u06c1\u0645 \u06c1 \u0645\u06cc\u06ba"


@pytest.mark.parametrize(
    ("parts", "torn"),
    [
        ([SOUND, TORN, "in English"], {0, 1}),  # most words of the page
        ([f"{SOUND} " * 20, TORN], {1}),
        ([f"{SOUND} " * 99, TORN], set()),  # fewer than a hundredth of its words
        ([SOUND, "\u0645\u0648\u0636 \u0639 \u0645\u06cc\u06ba"], set()),  # a letter that is named
        ([f"{SOUND} \u0648 {SOUND} " * 3], set()),  # "and"
        (["\u0635 45, \u0635 52 (\u0645) \u0645. \u0645 12" * 3], set()),  # abbreviations
        (["\u05d0 \u05d1 \u05d2 \u05d3 \u05d4 \u05d5"], set()),
        ([], set()),
    ],
)
def test_texts_with_letters_torn_off_the_words_beside_them(
    parts: list[str], torn: set[int]
) -> None:
    assert torn_parts(parts) == torn


BLACK_LETTER = (
    "wienandt fant weihers oder ov denlith gwalt vnd befeld blive audy lifo fodte ghel " * 5
)
READ = (
    "niemandt kan weihen oder machen dann der ordenlich auf gwalt und befelch so kain priester " * 5
)


def test_of_two_readings_of_black_letter_that_with_words_of_a_language_is_preferred() -> None:
    assert prefers_second(BLACK_LETTER, READ)
    assert not prefers_second(BLACK_LETTER, BLACK_LETTER[:-20])
    assert not prefers_second(READ, BLACK_LETTER)


LATIN = (
    "Gallia est omnis divisa in partes tres quarum unam incolunt Belgae aliam Aquitani tertiam qui "
    "ipsorum lingua Celtae nostra Galli appellantur. Hi omnes lingua institutis legibus inter se "
    "differunt. Gallos ab Aquitanis Garumna flumen a Belgis Matrona et Sequana dividit."
)


def test_words_of_another_language_are_not_compared_with_usual_english_ones() -> None:
    assert not vocabulary_of(LATIN).times("the")
    assert vocabulary_of(PRINTED["en"] * 3).times("which")


def test_a_word_that_is_listed_in_its_language_was_not_misread() -> None:
    text = f"{PRINTED['de']} Sie lag darin."
    assert not has_misread(text, vocabulary_of(text))


@pytest.mark.parametrize("word", ["würde", "hätte", "schön"])
def test_a_word_with_an_accent_is_not_a_usual_one_that_has_none(word: str) -> None:
    text = f"{PRINTED['de']} Sie {word} es."
    assert not has_misread(text, vocabulary_of(text))
    assert not doubtful_words((Doubt.SCAN,), text)


def test_a_usual_word_that_lost_its_accent_was_misread() -> None:
    text = f"{PRINTED['de']} Sie bleibt fur immer."
    assert has_misread(text, vocabulary_of(text))


def test_a_word_that_an_engine_is_unsure_of_tells_where_it_is_not_known() -> None:
    familiar = vocabulary_of(f"{PRINTED['en']} The vallcy and the Wexmoor, and Wexmoor.")
    assert has_unsure(["vallcy,"], familiar)
    for words in (["Wexmoor"], ["counted"], ["of"], ["n\u2019utilisez"], ["src/main"], ["--"], []):
        assert not has_unsure(words, familiar)
