"""Quotations as LaTeX and Typst, read back by Pandoc."""

from __future__ import annotations

import pytest

from citeloom.domain.manuscript.cited_place import CitedPlace
from citeloom.infrastructure.manuscript.formatting import CitedQuotation, quoted
from citeloom.infrastructure.manuscript.pandoc import run_pandoc

HOSTILE = (
    r"50% & more_words $3 {or so} #1 ~ ^ \emph{x} \input{/etc/passwd} % end",
    "@someone <tag> [b] *c* _d_ e = not a heading #import // no comment",
    "- no list\n+ nor this\n\n= Title\n\n/ term: none",
    "dashes -- and --- stay, ''these'', \u201cquoted\u201d \u2013 \u00e9\u00df\u4e2d",
)


@pytest.mark.parametrize("form", ["latex", "typst"])
@pytest.mark.parametrize("text", HOSTILE)
def test_words_stay_words(text: str, form: str) -> None:
    place = CitedPlace(citekey="key", pages="4-5")
    written = quoted([CitedQuotation(text=text, place=place)], form)
    citation = getattr(place, form)()
    assert written.count(citation) == 1
    alone = written.replace(citation, "")
    read = run_pandoc(["-f", form, "-t", "plain", "--wrap=none"], alone.encode(), "it")
    assert read.decode().split() == text.split()


def test_nothing_quoted_is_nothing() -> None:
    assert not quoted([], "latex")
