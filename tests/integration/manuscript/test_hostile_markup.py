"""What is done to drafts besides Pandoc takes time in proportion to the text."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from citeloom.application.limits import DraftLimits
from citeloom.domain.manuscript.draft import ParagraphKind
from citeloom.infrastructure.manuscript.csquotes import (
    with_plain_quotes,
)
from citeloom.infrastructure.manuscript.draft_reader import draft_of
from citeloom.infrastructure.manuscript.flattening import FlatDraft, FlatParagraph
from citeloom.infrastructure.manuscript.for_pandoc import (
    prepared_latex,
    prepared_org,
    without_macros,
)
from citeloom.infrastructure.manuscript.pandoc import Pandoc
from citeloom.infrastructure.manuscript.typst_reader import typst_tree
from citeloom.infrastructure.manuscript.written_citations import with_citations_of_the_text
from tests.fakes.hostile_text import CHARACTERS, repeated, seconds_of

MOST_SECONDS = 2.0
OF_LATEX = (
    "\\textquote{", "\\textquote[", "\\textquote[{}", "\\textquote[}", "\\textcquote{",
    "\\textcquote[", "\\foreignblockcquote{a}[", "\\begin{displayquote}[",
    "\\begin{displaycquote}{", "\\textelp{", "\\textins{", "\\foreignquote{", "\\begin{", "{", "[",
    "$", "%", "\\", "\\cite[", "\\cites{a}", "<<a", "\"`a", "\\a{", "\\a[", "\\og ", " >>",
    "\\epigraph{", "\\epigraph{a}{", "\\lstinline{", "\\newcommand{", "\\def\\a",
)  # fmt: skip
OF_TYPST = (
    "/* ", "/*", "//", "```", "``` ", "`", "$", '"', "'", "@", "[@", "@a[", "@a[x]",
    "#a(", "#a[", "#{", "#let a = ", "#if a", "\n= ", "@a > ", "#",
    "#cite(<a>", "#cite(", "<", "<a", "[", "{", "<!--",
)  # fmt: skip
OF_OFFICE_TEXT = (
    "Aa, ",
    "van ",
    "Aa-",
    "Aa and ",
    "Aa et al. ",
    "A",
    "Aa (2000",
    "(2000",
    "[@a",
    "@a ",
)


@pytest.mark.parametrize("text", OF_LATEX)
def test_repeated_latex_takes_little_time(text: str) -> None:
    assert seconds_of(lambda: with_plain_quotes(repeated(text))) < MOST_SECONDS
    assert seconds_of(lambda: prepared_latex(repeated(text))) < MOST_SECONDS
    assert seconds_of(lambda: without_macros(repeated(text), {"a"}, ())) < MOST_SECONDS


@pytest.mark.parametrize("text", ["[[cite:", "cite:a,", "\\cite[", "[cite:@a, @", "\\paragraph{"])
def test_repeated_org_takes_little_time(text: str) -> None:
    assert seconds_of(lambda: prepared_org(repeated(text))) < MOST_SECONDS


@pytest.mark.parametrize("text", OF_TYPST)
def test_repeated_typst_takes_little_time(text: str) -> None:
    draft = repeated(text)

    def read() -> None:
        with suppress(RecursionError):
            typst_tree(draft, lambda _: False)

    assert seconds_of(read) < MOST_SECONDS


@pytest.mark.parametrize("text", OF_OFFICE_TEXT)
def test_repeated_names_in_an_office_text_take_little_time(text: str) -> None:
    paragraph = FlatParagraph(ParagraphKind.TEXT, parts=[repeated(text)], length=CHARACTERS)
    draft = FlatDraft(paragraphs=[paragraph])
    assert seconds_of(lambda: with_citations_of_the_text(draft, {})) < 2 * MOST_SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{displayquote}[" + "x" * 10_000 + "]" + "\\end{displayquote}" * 1_000,
        "\\begin{displayquote}[" * 1_000 + "]" * 1_000 + "\\end{displayquote}" * 1_000,
        "\\textcquote{" * 2_000 + "}" * 2_000,
    ],
)
def test_a_source_is_written_once(text: str) -> None:
    assert len(with_plain_quotes(text)) <= 2 * len(text)


def test_nested_displays_have_their_own_sources() -> None:
    nested = (
        "\\begin{displaycquote}{outer}a\\begin{displaycquote}[4]{inner}b\\end{displaycquote}c"
        "\\end{displaycquote}"
    )
    assert with_plain_quotes(nested) == (
        "\\begin{quote}a\\begin{quote}b \\autocite[4]{inner}\\end{quote}c "
        "\\autocite{outer}\\end{quote}"
    )


@pytest.mark.parametrize("text", ["*a /b _c ", "+a =b ~c /d ", "+1 *2 =3 ", "**a //b __c "])
def test_emphasis_that_never_closes_is_no_work_for_pandoc(text: str) -> None:
    draft = f"{text * 100}\n\nSo it is [cite:@a]."
    assert draft_of(draft.encode(), Path("a.org"), Pandoc(limits=SHORT)).citekeys == ("a",)


SHORT = DraftLimits(timeout_seconds=3)
