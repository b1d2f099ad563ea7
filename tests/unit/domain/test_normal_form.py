"""The normal form of texts: what counts, where its characters stand, and what cannot be in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.text.normal_form import NormalText

TEXTS = st.text(alphabet="aB \n\t-\u00ad\u00a0ﾊﾞ゛図ﬁ²\u00b4\u201c\u200b'x")


def test_what_two_spellings_of_a_text_have_in_common() -> None:
    assert (
        NormalText.of(" A  ﬁne\u00ad re-\nsearch \u201cﾊﾞ\u201d 10² ").text
        == 'a fine research "バ" 10²'
    )


@given(TEXTS)
def test_each_character_comes_from_its_place(text: str) -> None:
    normal = NormalText.of(text)
    assert len(normal.text) == len(normal.offsets)
    assert list(normal.offsets) == sorted(normal.offsets)
    assert "  " not in normal.text
    assert normal.text == normal.text.strip()
    for start in range(len(normal.text)):
        first, last = normal.span(start, start + 1)
        if normal.text[start].isalnum():
            assert normal.text[start] in NormalText.of(text[first : last + 1]).text


@given(TEXTS, st.integers(0, 8), st.integers(1, 4))
def test_what_stands_in_a_text_is_never_ruled_out(text: str, start: int, length: int) -> None:
    part = NormalText.of(text).text[start : start + length]
    assert NormalText.of(part).may_stand_in(text)


def test_what_cannot_stand_in_a_text_is_ruled_out() -> None:
    assert not NormalText.of("研究").may_stand_in("図書館の研")
    assert NormalText.of("research").may_stand_in("re-\nsearch")
