from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from citeloom.infrastructure.answers.json import json_lines, json_rows, json_text
from tests.fakes.hostile_texts import forbidden, hostile

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('aé漢"\\\t/', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
)


class Colour(Enum):
    RED = "red"


@given(hostile)
def test_json_says_what_was_said_and_shows_nothing_unseen(text: str) -> None:
    written = json_text({text: [text]})
    assert forbidden(written) == []
    assert not set(written) & {"\u200c", "\u200d", "\ufe0f"}
    assert json.loads(written) == json.loads(json.dumps({text: [text]}))
    assert json.loads(json_rows([text, text])) == json.loads(json.dumps([text, text]))
    assert [json.loads(line) for line in json_lines([text]).split("\n")] == json.loads(
        json.dumps([text])
    )


def test_unseen_characters_stand_as_escapes_on_any_line() -> None:
    written = json_text(["a\x7f", "b", "é\u200d"])
    assert written == '[\n  "a\\u007f",\n  "b",\n  "é\\u200d"\n]'


@given(json_values)
def test_json_over_lines_is_as_python_writes_it(value: object) -> None:
    assert json_text(value) == json.dumps(value, indent=2, ensure_ascii=False)


def test_half_a_character_stands_as_its_escape_on_any_line() -> None:
    assert json_text({"a": ["\ud800é"]}) == '{\n  "a": [\n    "\\ud800é"\n  ]\n}'


def test_visible_characters_stand_as_they_are() -> None:
    assert json_text("Émile 漢 ש", indent=None) == '"Émile 漢 ש"'
    assert json_text("\U000e0041\u202e", indent=None) == r'"\udb40\udc41\u202e"'


def test_values_that_json_does_not_know_are_plain() -> None:
    value = {"a": Path("b/c"), "d": frozenset({"e", "f"}), "g": Colour.RED, "h": 1j}
    assert json.loads(json_text(value)) == {"a": "b/c", "d": ["e", "f"], "g": "red", "h": "1j"}
