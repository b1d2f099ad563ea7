"""What a reader of Markdown makes of a passage: words of the document, and marks of ours."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import marko
import pytest
from hypothesis import example, given
from marko.element import Element
from marko.ext.gfm import gfm

from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.answers.markdown import (
    code,
    escaped_markdown,
    escaped_pandoc,
    markdown,
    pandoc,
)
from citeloom.infrastructure.answers.text import printable
from citeloom.testing.chunks import rich
from tests.fakes.hostile_texts import MARKUP, hostile

PLAIN = {"Document", "Paragraph", "RawText", "LineBreak", "Literal", "BlankLine"}
READERS = [marko.Markdown(), gfm]
_TAG = re.compile(r"<[^>]*>")
_UNESCAPED_AT = re.compile(r"(?<!\\)(?:\\\\)*@")


def elements(element: object) -> Iterator[Element]:
    assert isinstance(element, Element)
    yield element
    children = getattr(element, "children", ())
    if not isinstance(children, str):
        for child in children:
            yield from elements(child)


def kinds(reader: marko.Markdown, text: str) -> set[str]:
    return {type(element).__name__ for element in elements(reader.parse(text))}


def words(reader: marko.Markdown, text: str) -> str:
    """The words a reader sees, without what is between them."""
    return "".join(html.unescape(_TAG.sub(" ", reader.convert(text))).split())


@pytest.mark.parametrize("reader", READERS, ids=["CommonMark", "GitHub"])
@given(text=hostile)
@example(text="_x_www.example.org")
@example(text="_mailto:a@example.org")
def test_the_words_of_a_document_are_words(reader: marko.Markdown, text: str) -> None:
    escaped = escaped_markdown(text)
    assert kinds(reader, escaped) <= PLAIN
    assert words(reader, escaped) == "".join(printable(text).split())


@pytest.mark.parametrize("reader", READERS, ids=["CommonMark", "GitHub"])
@pytest.mark.parametrize("text", MARKUP)
def test_every_mark_alone_stays_a_word(reader: marko.Markdown, text: str) -> None:
    escaped = escaped_markdown(f"{text}x\n{text}\nx {text} y")
    assert kinds(reader, escaped) <= PLAIN


@given(text=hostile)
def test_no_citation_of_a_document_is_live(text: str) -> None:
    stored = replace(rich("a").stored, citation=None, source_path=f"papers/{text}.docx")
    for form in (
        escaped_pandoc(text),
        pandoc([Passage(stored=stored, score=1.0, text=text)]),
    ):
        assert not _UNESCAPED_AT.search(form)


def test_what_pandoc_alone_understands_is_escaped() -> None:
    escaped = escaped_pandoc("a--b... (@x) $m$ x^2^ H~2~O [^1] ^[n]\n(1) one\ni. two\n: three")
    assert escaped == (
        "a\\--b\\... (\\@x) \\$m\\$ x\\^2\\^ H\\~2\\~O \\[\\^1\\] \\^\\[n\\]\n"
        "\\(1) one\ni\\. two\n\\: three"
    )


@pytest.mark.parametrize("reader", READERS, ids=["CommonMark", "GitHub"])
@given(text=hostile, title=hostile)
def test_of_a_passage_only_the_links_and_the_citation_are_ours(
    reader: marko.Markdown, text: str, title: str
) -> None:
    stored = rich("a").stored
    assert stored.citation is not None
    stored = replace(
        stored,
        citation=replace(stored.citation, title=title, citekey="a`b"),
        source_path="papers/a.pdf",
    )
    printed = markdown([Passage(stored=stored, score=1.0, text=text)], Path("/home/me"))
    found = [*elements(reader.parse(printed))]
    names = [type(element).__name__ for element in found]
    assert set(names) <= {*PLAIN, "Quote", "Link", "CodeSpan"}
    assert (names.count("Quote"), names.count("Link"), names.count("CodeSpan")) == (1, 2, 1)
    targets = [getattr(element, "dest", "") for element in found]
    assert all(target.startswith(("file:", "zotero:", "")) for target in targets)


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a\nb", "`a b`"), ("", "` `")],
)
def test_code_has_as_many_backticks_as_it_takes(text: str, span: str) -> None:
    assert code(text) == span
