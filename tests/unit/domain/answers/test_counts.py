"""Whether passages say how many there are of what a question asks to count, and its figures."""

from __future__ import annotations

import pytest

from citeloom.domain.answers.counts import asked_to_count, say_how_many, unsaid_figures


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("How many students took the course?", ("students",)),
        ("After how many rounds did the weights settle?", ("rounds",)),
        (
            "How many interactive students from how many countries took part?",
            ("interactive", "students"),
        ),
        ("How many does it have?", ()),
        ("How much did it cost?", ()),
        ("Wie viele Schafe waren es?", ()),
    ],
)
def test_what_a_question_asks_to_count(question: str, counted: tuple[str, ...]) -> None:
    assert asked_to_count(question) == counted


@pytest.mark.parametrize(
    ("text", "counted", "said"),
    [
        ("It has about 400 students per iteration.", ("students",), True),
        ("For four consecutive academic years it was taught.", ("years", "running"), True),
        ("A dozen sheep, and hundreds of goats.", ("sheep",), True),
        ("A dozen sheep, and hundreds of goats.", ("goats",), True),
        ("Each talk takes 5 min and no more.", ("minutes",), True),
        ("Of these 30% came back.", ("percent",), True),
        ("The students of both courses came in 2019.", ("students",), False),
        ("Each of the 30 teachers was asked by students.", ("students",), False),
        ("Nothing is said of it.", ("students",), False),
        ("Es waren zwei Kurse, und die Studierenden kamen gern.", ("students",), True),
    ],
)
def test_a_number_stands_before_what_it_counts(
    text: str, counted: tuple[str, ...], said: bool
) -> None:
    assert say_how_many(["Of something else.", text], counted) is said


def test_without_passages_nothing_is_said() -> None:
    assert not say_how_many([], ("students",))


@pytest.mark.parametrize(
    ("lacking", "unsaid"),
    [
        (("2016", "sheep"), ("2016",)),
        (("12", "0.5"), ("0.5", "12")),
        (("4", "1000", "2.5"), ()),
        (("2019", "3.1"), ()),
        (("GPT-4", "2nd", "COVID-19"), ()),
    ],
)
def test_a_figure_is_unsaid_unless_it_is_written_otherwise_or_stands_beside(
    lacking: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    texts = ["Four herds of 12 goats.", "Over 1,000 sheep of 2,5 years."]
    assert unsaid_figures(lacking, texts, ["3.1 Herds", "A survey of sheep 2019"]) == unsaid
