"""Quotations as LaTeX and Typst, read back by Pandoc."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.manuscript.formatting import quoted
from citeloom.infrastructure.manuscript.pandoc import PANDOC
from citeloom.testing.chunks import embedded

HOSTILE = (
    r"50% & more_words $3 {or so} #1 ~ ^ \emph{x} \input{/etc/passwd} % end",
    "@someone <tag> [b] *c* _d_ e = not a heading #import // no comment",
    "- no list\n+ nor this\n\n= Title\n\n/ term: none",
    "dashes -- and --- stay, ''these'', \u201cquoted\u201d \u2013 \u00e9\u00df\u4e2d",
)


CITED = {"latex": "\\autocite[1]{key}", "typst": "#cite(<key>, supplement: [p. 1])"}


def passage(text: str, citation: CitationMeta | None, doubts: tuple[Doubt, ...] = ()) -> Passage:
    stored = embedded("c1", text=text).stored
    chunk = replace(stored.chunk, doubts=doubts)
    return Passage(stored=replace(stored, chunk=chunk, citation=citation), score=1.0, text=text)


KEY = CitationMeta(citekey="key", title="A work")


@pytest.mark.parametrize("form", ["latex", "typst"])
@pytest.mark.parametrize("text", HOSTILE)
def test_words_stay_words(text: str, form: str) -> None:
    written = quoted([passage(text, KEY)], form)
    assert written.count(CITED[form]) == 1
    alone = written.replace(CITED[form], "")
    read = PANDOC.run(["-f", form, "-t", "plain", "--wrap=none"], alone.encode(), "it")
    assert read.decode().split() == text.split()


@pytest.mark.parametrize(("form", "comment"), [("latex", "%"), ("typst", "//")])
def test_what_speaks_against_the_words_is_a_comment_above_them(form: str, comment: str) -> None:
    doubted = passage("Of rye.", KEY, (Doubt.ORDER, Doubt.FORMULA))
    first, *rest = quoted([doubted, passage("Of oats.", KEY)], form).splitlines()
    assert first == f"{comment} order doubtful, formula: compare with the page"
    assert not any("doubtful" in line for line in rest)


def test_passages_without_a_reference_are_left_out() -> None:
    assert not quoted([passage("Of rye.", None)], "latex")


def test_nothing_quoted_is_nothing() -> None:
    assert not quoted([], "latex")
