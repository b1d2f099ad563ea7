"""Sentences, lines, and how much of a text says something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.quality import signal_to_noise
from citeloom.domain.text.tokens import line_spans, sentence_spans

prose = st.text('aB.!?3 \n("p', max_size=80)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wheat grows. It is cut.", ["Wheat grows.", "It is cut."]),
        ("Does it? Yes! Well… Maybe.", ["Does it?", "Yes!", "Well…", "Maybe."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("It grew. (Not much.) Then died.", ["It grew.", "(Not much.)", "Then died."]),
        ("川は流れる．水車は 3．5 回まわる．", ["川は流れる．", "水車は 3．5 回まわる．"]),
        ("Řeka teče. Část je suchá.", ["Řeka teče.", "Část je suchá."]),
        ("Το ποτάμι κυλά. Ύστερα στεγνώνει.", ["Το ποτάμι κυλά.", "Ύστερα στεγνώνει."]),
        ("Гребля стоїть. Її будували.", ["Гребля стоїть.", "Її будували."]),
        ("Գետը հոսում է։ Ջրաղացը կանգ է առել։", ["Գետը հոսում է։", "Ջրաղացը կանգ է առել։"]),
        ("See Fig. 3 and Eq. 4 there.", ["See Fig. 3 and Eq. 4 there."]),
        ("Smith et al. 2019 and J. K. Doe agree.", ["Smith et al. 2019 and J. K. Doe agree."]),
        ("Das gilt z.B. Für alle, vgl. Kap. 3.", ["Das gilt z.B. Für alle, vgl. Kap. 3."]),
        ("Befreit nach § 5 Abs. 1 Nr. 9.", ["Befreit nach § 5 Abs. 1 Nr. 9."]),
        ("Véase la pág. 7 y el art. 3.", ["Véase la pág. 7 y el art. 3."]),
        ("Смотри рис. 4 и табл. 2.", ["Смотри рис. 4 и табл. 2."]),
        ("Βλ. σελ. 12 και κεφ. 3.", ["Βλ. σελ. 12 και κεφ. 3."]),
        ("3. Results follow. 12. And more.", ["3. Results follow.", "12. And more."]),
        ("The year was 2019. Then it rained.", ["The year was 2019.", "Then it rained."]),
        ("It rose by 3. Then it fell.", ["It rose by 3.", "Then it fell."]),
        ("no capital. so no end", ["no capital. so no end"]),
        ("One line\nanother line\n\nthird", ["One line", "another line", "third"]),
        ("米很早。遗址在北岸！它大吗？很大。", ["米很早。", "遗址在北岸！", "它大吗？", "很大。"]),
        ("「土は生きている。」と語った。次の文。", ["「土は生きている。」と語った。", "次の文。"]),
        ("他说：“好。”后来走了。", ["他说：“好。”", "后来走了。"]),
        ("벼는 4월에 심는다. 그것은 좋다.", ["벼는 4월에 심는다.", "그것은 좋다."]),
        ("ชาวนาปลูกข้าวปีละสองครั้ง ดินเป็นดินเหนียวมาก", ["ชาวนาปลูกข้าวปีละสองครั้ง", "ดินเป็นดินเหนียวมาก"]),
        ("ชาวนาใช้ Python ในปี 2563 นี้", ["ชาวนาใช้ Python ในปี 2563 นี้"]),
        ("هذه جملة. وهذه أخرى؟ نعم.", ["هذه جملة.", "وهذه أخرى؟", "نعم."]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ("See e.g. 漢字 there.", ["See e.g. 漢字 there."]),
        ("  padded.  ", ["padded."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_prose_is_cut_into_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(prose)
def test_sentences_hold_every_visible_character_once_and_in_order(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    spans = list(sentence_spans(text))
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:]))
    assert all(text[s:e] == text[s:e].strip() != "" for s, e in spans)


@given(prose)
def test_lines_are_the_lines_that_are_not_blank(text: str) -> None:
    cut = [text[start:end] for start, end in line_spans(text)]
    assert cut == [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("text", ["", " \n\t", "....", "\ufffd\ufffd", "a b c", "(cid:12)(cid:7)"])
def test_what_says_nothing_has_no_signal(text: str) -> None:
    assert signal_to_noise(text) == 0.0


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Wheat grows best where the rain falls early in the season, as we have shown.", 0.9, 1.0),
        ("小麦は早い雨で育つ", 1.0, 1.0),
        ("12.5 | 13.1 | 14.9\n11.0 | 12.7 | 13.8\n10.2 | 11.9 | 15.3", 0.3, 0.5),
        (
            "1 Introduction . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . "
            ". . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . 7",
            0.0,
            0.2,
        ),
        ("x + y = z", 0.0, 0.0),
        ("(cid:3)(cid:14) wheat", 0.2, 0.3),
    ],
)
def test_prose_is_signal_tables_are_half_and_leader_dots_are_noise(
    text: str, least: float, most: float
) -> None:
    assert least <= signal_to_noise(text) <= most


def test_a_repeated_header_is_noise_and_a_repeated_sentence_is_not() -> None:
    header = "Soils of the north, page and volume"
    note = "Standard errors stand in brackets below the estimates of each model."
    assert signal_to_noise("\n".join([header] * 5)) < 0.3
    assert signal_to_noise("\n".join([note] * 5)) > 0.9


def test_a_number_counts_half_a_word() -> None:
    assert signal_to_noise("2019") == 0.0
    assert signal_to_noise("l l ll lll 0.5 1.0 1.5") == 0.0
    assert signal_to_noise("wheat") == 1.0
    assert signal_to_noise("1234 abcd") == 0.75


def test_a_line_that_stutters_counts_once() -> None:
    once, twice = signal_to_noise("Journal of Wheat"), signal_to_noise("Journal of Wheat\n" * 2)
    assert twice == once / 2


@given(st.text(max_size=60))
def test_signal_is_a_share(text: str) -> None:
    assert 0.0 <= signal_to_noise(text) <= 1.0


@given(st.text("ab3.-", max_size=30))
def test_spacing_around_lines_does_not_count(text: str) -> None:
    assert signal_to_noise(f"\n  {text}\n\n") == signal_to_noise(text)
