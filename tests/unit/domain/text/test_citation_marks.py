"""Marks of citations and footnotes, which a quotation may leave out."""

from __future__ import annotations

import pytest

from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.manuscript.verdicts import look_up
from citeloom.domain.manuscript.work_text import WorkText
from citeloom.domain.text.citation_marks import blanked, citation_marks
from tests.fakes.works import stored

WORK = WorkText.of(
    [
        stored(
            "The method of graders [ 8 ] works well in practice [3, 9-12]. It was "
            "shown\u00b9\u00b2 that rain falls (Doe et al., 2019; see Roe, 2001, p. 4) in the "
            "reading room. Others agree.14 The interval [0, 1] and the array a[3] of 10\u00b2 "
            "square metres are meant (Paris 1984) as in (Miller 2003). Results [Doe20] hold "
            "in the range [1, 2] here."
        ),
        stored(
            "Roe, A. (2001). Rain. Miller, B. (2003). Snow.",
            1,
            kind=ChunkKind.REFERENCE,
            pages=(2, 2),
        ),
    ]
)


def test_marks_are_numbers_in_brackets_raised_ones_and_authors_of_the_references() -> None:
    text, references = WORK.chunks[0].chunk.text, WORK.chunks[1].chunk.text
    assert [text[start:end] for start, end in citation_marks(text, references)] == [
        "[ 8 ]",
        "[3, 9-12]",
        "\u00b9\u00b2",
        "(Doe et al., 2019; see Roe, 2001, p. 4)",
        "14",
        "(Miller 2003)",
        "[Doe20]",
    ]


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("The method of graders works well in practice. It was shown", "exact"),
        ("The method of graders [8] works well in practice. It was shown", "exact"),
        ("It was shown that rain falls in the reading room. Others agree. The", "exact"),
        ("are meant (Paris 1984) as in. Results hold in the range", "exact"),
        ("The method of graders [9] works well", "near"),
        ("The method of graders works badly in practice", "near"),
        ("The interval and the array", "near"),
        ("the array a of 10\u00b2 square", "near"),
        ("of 10 square metres are meant", "near"),
        ("square metres are meant as in", "near"),
        ("Results hold in the range here", "near"),
    ],
)
def test_a_true_quotation_may_leave_them_out_and_no_number_else(quote: str, verdict: str) -> None:
    assert look_up(quote, WORK).verdict == verdict


def test_a_difference_is_named_without_the_marks_beside_it() -> None:
    lookup = look_up("The method of graders works badly in practice", WORK)
    assert [(change.quote, change.work) for change in lookup.changes] == [("badly", "well")]
    assert lookup.span is not None
    assert "[ 8 ]" in WORK.text[lookup.span.start : lookup.span.end]


def test_a_text_keeps_its_length_without_its_marks() -> None:
    assert blanked("as shown [8].", [(9, 12)]) == "as shown    ."
