"""Words of questions that ask or join, in their own language."""

from __future__ import annotations

import pytest

from citeloom.domain.documents.language import LANGUAGE_NAMES, TERM_LANGUAGES
from citeloom.domain.retrieval.words import (
    asked_measures,
    clear_question_language,
    content_words_of,
    function_words,
    languages_of_question,
)
from citeloom.domain.text.word_lists import word_list


def test_every_language_with_terms_of_its_own_has_function_words() -> None:
    assert set(LANGUAGE_NAMES) == TERM_LANGUAGES | {"en"}
    assert all(word_list("question", language) for language in LANGUAGE_NAMES)


@pytest.mark.parametrize(
    ("question", "languages"),
    [
        ("Why did the cell die in the war?", ("en",)),
        ("What was Die Zeit im Bild?", ("en",)),
        ("Wann wurde der Krieg beendet?", ("de",)),
        ("Combien de pages a ce livre ?", ("fr",)),
        ("¿Cuántas páginas tiene este libro?", ("es",)),
        ("Quantas páginas tem este livro?", ("pt",)),
        ("Сколько страниц в этой книге?", ("ru",)),
        ("Peridigm peridynamics", ()),
    ],
)
def test_the_language_of_a_question(question: str, languages: tuple[str, ...]) -> None:
    assert languages_of_question(question) == languages


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Why did the cell die in the war?", ["cell", "die", "war"]),
        ("How many yams were grown?", ["yams", "grown"]),
        ("How long does a logger last?", ["logger", "last"]),
        ("What is the long cable made of?", ["long", "cable"]),
        ("What is a bowline good for?", ["bowline"]),
        ("Is good rope needed for a bowline?", ["good", "rope", "needed", "bowline"]),
        ("Wie oft war die Uhr kaputt?", ["uhr", "kaputt"]),
        ("Quanto tempo dura o reboco?", ["dura", "reboco"]),
        ("Quem decide, e onde?", ["decide"]),
        ("Combien de temps dure la pluie ?", ["dure", "pluie"]),
        ("¿Cuánto tiempo dura la lluvia?", ["dura", "lluvia"]),
        ("What is this about?", ["what", "is", "this", "about"]),
    ],
)
def test_what_carries_content_is_what_its_own_language_says(
    question: str, content: list[str]
) -> None:
    words = [word.strip("?¿,").casefold() for word in question.split()]
    functional = function_words(question)

    assert [word for word in words if word and word not in functional] == content


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie funktioniert Rye.jl?", "de"),
        ("Wer schrieb nbgrader?", "de"),
        ("¿Cómo funciona Rye.jl?", "es"),
        ("Wie is de auteur van dit boek?", "nl"),
        ("Was the die cast?", "en"),
        ("Rye.jl", None),
        ("", None),
    ],
)
def test_a_word_that_asks_in_one_language_alone_tells_it(
    question: str, language: str | None
) -> None:
    assert clear_question_language(question) == language


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("样品怎样保存？", ["样品", "保存"]),
        ("塗装は何年ごとに塗り直されますか？", ["塗装", "何年"]),
        ("สีได้มาจากอะไร", ["สีไ", "ได้", "ด้ม", "มา", "าจ", "จา", "าก"]),
        ("갯벌의 넓이는 얼마인가?", ["갯벌", "벌의", "넓이", "이는"]),
        ("什么？", ["什么"]),
        ("ぶどう", ["ぶど", "どう"]),
        ("ใครทอผ้าไหมไทย", ["ทอ", "อผ้", "ผ้า", "าไ", "ไห", "หม", "มไ", "ไท", "ทย"]),
    ],
)
def test_what_asks_is_no_word_where_no_spaces_part_them(question: str, words: list[str]) -> None:
    assert content_words_of(question) == words


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        ("At what height should the drone fly?", {"height"}),
        ("Which temperature and what speed?", {"temperature", "speed"}),
        ("In welcher Höhe fliegt sie?", {"höhe"}),
        ("A que altura voa o drone? Qual é a velocidade?", {"altura", "velocidade"}),
        ("What opera has the height of Io?", set()),
    ],
)
def test_a_question_names_the_measure_that_it_asks_for(question: str, measures: set[str]) -> None:
    assert asked_measures(question) == measures
