"""Whether a question needs what was said before it, and what of that it takes."""

from __future__ import annotations

import pytest

from citeloom.domain.answers.session import (
    carried_terms,
    content_words,
    is_follow_up,
    names,
    with_terms,
)
from citeloom.domain.retrieval.words import WordCoverage

FOLLOW_UPS = (
    # It stands for something: pronouns, and the work at hand.
    "How does it differ from Collector Pro?",
    "Does it take long?",
    "What were their results in the harbour at Vassby?",
    "Why did they do that?",
    "Can these gauges be left out over winter?",
    "What does the author think of steel?",
    "Is it better than a collar of zinc?",
    "Can I run it at home?",
    "Welche Zerlegung nutzt es?",
    "Wie lange hält sie in Salzwasser?",
    "Wie hoch war ihre Temperatur im Winter?",
    "Was steht dort über Zink?",
    "Was sagt die Studie dazu?",
    "Wie funktioniert das?",
    "Qual é a vida útil dele?",
    "O que o autor diz sobre o inverno?",
    "Quanto dura ele no mar?",
    # An ellipsis.
    "And in winter?",
    "What about steel?",
    "Why not steel?",
    "Und im Winter bei Frost?",
    "Was ist mit Zink?",
    "E no inverno?",
    "E quanto a isso?",
    "Mas por que?",
    # No subject of its own.
    "Why?",
    "Which fonts were used?",
    "How many students?",
    "Wie viele Studenten waren im Jahr 2021 dabei?",
    "Como são feitas as previsões?",
)
SELF_CONTAINED = (
    "What is nbgrader?",
    # German function words that mean something in English, or nothing.
    "Why did the die of Vassby crack?",
    "Was the war in Vassby long?",
    "What was shown in the Bild am Sonntag?",
    "When was the im2col kernel written?",
    "When was the r-cubed module used?",
    "What are barnacles?",
    "And what is fouling?",
    "Was ist Algenbewuchs?",
    "Was ist die Fruchtfolge?",
    "O que é bioincrustação?",
    "How long does a logger last with a copper collar?",
    "Which backup experiments for mobile devices were repeated after many years?",
    "Is it possible to keep the window of a logger clean with copper alone?",
    "Gibt es einen Zusammenhang zwischen Niederschlag und Ertrag auf Parzelle neun?",
    "How long does it take to grow winter rye on sandy soil?",
    "Does the author of the Vassby report recommend a copper collar in summer?",
    "Können Sie Kupferkragen gegen Algenbewuchs an Messgeräten empfehlen?",
    "When did Lindqvist measure the reading room?",
    "Quem mediu a sala de leitura de Vassby em 1974?",
)


@pytest.mark.parametrize("question", FOLLOW_UPS)
def test_a_follow_up_is_noticed(question: str) -> None:
    assert is_follow_up(question)


@pytest.mark.parametrize("question", SELF_CONTAINED)
def test_another_subject_is_no_follow_up(question: str) -> None:
    assert not is_follow_up(question)


def test_how_many_words_name_no_subject_is_a_policy() -> None:
    question = "Which fonts were printed?"
    assert is_follow_up(question, few_words=2)
    assert not is_follow_up(question, few_words=1)


def test_names_and_the_rarest_words_are_carried_in_their_order() -> None:
    before = "How long do Vassby's loggers with a copper collar last in brackish summer water?"
    weights = {"loggers": 4.0, "copper": 5.0, "collar": 6.0, "brackish": 3.0, "water": 1.0}
    carried = carried_terms("And in winter?", before, WordCoverage(weights=weights))
    assert carried == ("Vassby's", "loggers", "copper", "collar", "brackish", "water")
    two = carried_terms("And in winter?", before, WordCoverage(weights=weights), most_terms=2)
    assert two == ("Vassby's", "collar")


def test_what_the_question_has_itself_is_not_carried() -> None:
    weights = {"copper": 5.0, "collars": 6.0}
    carried = carried_terms(
        "Is a collar enough?", "Do copper collars help?", WordCoverage(weights=weights)
    )
    assert carried == ("copper", "help")


def test_terms_stand_behind_the_question() -> None:
    assert with_terms("Why?", ("copper", "collar")) == "Why? (copper, collar)"
    assert with_terms("Why?", ()) == "Why?"


def test_names_are_told_by_their_capitals_and_digits() -> None:
    assert names("Why did Okafor use h5py, nbGrader and R on I2C?") == [
        "Okafor",
        "h5py",
        "nbGrader",
        "R",
        "I2C",
    ]
    assert names("Wie gut ist der Kragen von SeaBird im Jahr 2021?") == ["SeaBird"]
    assert names("Can I do it in 2021, at 45.3 or 1,000 m?") == []
    assert names("what does causal.jl do?") == ["causal.jl"]
    assert names("why is k-means slower, and who sends e-mail?") == ["k-means"]


def test_words_without_content_are_left_out() -> None:
    assert content_words("How is it that the copper was used in 2021, and why?") == ["copper"]
    assert content_words("Wie wurde das Kupfer im Jahr 2021 benutzt?") == ["Kupfer", "Jahr"]
    assert content_words("Como foi usado o cobre?") == ["cobre"]


def test_german_words_in_an_english_question_leave_its_names_names() -> None:
    assert names("Was the war fought near Vassby?") == ["Vassby"]
    assert names("What did Die Zeit say im Bild?") == ["Die", "Zeit", "Bild"]
    assert names("Was ist die Fruchtfolge?") == []
    assert content_words("Did the cell die in the war?") == ["cell", "die", "war"]


def test_little_is_carried_beside_names_of_its_own() -> None:
    before = "How does nbGrader grade the Jupyter notebooks of Collector Pro in Vassby?"
    wording = WordCoverage(weights={})
    assert len(carried_terms("And how does it compare?", before, wording)) == 6
    assert len(carried_terms("And how does it compare to Moodle?", before, wording)) == 2
