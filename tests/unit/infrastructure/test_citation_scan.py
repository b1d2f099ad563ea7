"""The citations that a scan of a draft's text finds, apart from its reader."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.manuscript.citation_scan import SCANS
from tests.fakes.hostile_text import repeated, seconds_of

FOUND = {
    "markdown": [
        ("see [@doe2020, p. 4; -@roe2001] and @{odd key}.", "doe2020 roe2001 odd key"),
        ("mail me@here.org, https://x.org/@who and <!-- @no --> `@no`", ""),
        ("```{r}\n\nx@slot\n```\n@yes\n\n~~~\n@no\n~~~\n", "yes"),
        ("---\ntwitter: '@no'\n---\n@yes", "yes"),
        ("@fig-one and [@a, @b, p. 6] and \\citep[3]{c}", "a b c"),
        ("``` never closed\n@yes <!-- never closed", "yes"),
        ("````\n```\n@no\n````\n@yes", "yes"),
    ],
    "latex": [
        (r"\cite{a,b} \citep[see][4]{c} \Citet*{d} \parencites(x)[1]{e}[2]{f}", "a b c d e f"),
        (r"\textcquote[see][2]{g}[.]{Words} \volcite{2}[3]{h} \citeonline{i}", "g h i"),
        ("50\\% \\cite{a} % \\cite{no}\n\\nocite{no} \\newcommand{\\citex}[1]{\\cite{#1}}", "a"),
        ("\\begin{verbatim}\\cite{no}\\end{verbatim} \\verb|\\cite{no}| \\cite[\\page 2]{a}", "a"),
        ("\\iffalse \\cite{no} \\fi \\guil{words \\cite{a}} \\end{document} \\cite{no}", "a"),
        ("\\begin{displaycquote}[9]{a} \\foreigntextcquote{french}[4]{b}{c}", "a b"),
    ],
    "typst": [
        ('#import "@preview/cetz:0.2.2": *\n@a[p. 4] #cite(<b>, supplement: [p. 3])', "a b"),
        ("= Head <head>\nSee @head, @fig:x and @c. // @no\n/* @no */ `@no`", "c"),
        ('#quote(attribution: <d>)[x] #cite(label("e/f"))', "d e/f"),
    ],
    "org": [
        (
            "[cite/t:see @a p. 45; @b] [[cite:&c]] [[citep:see &d p. 3;&e]] cite:f,g",
            "a b c d e f g",
        ),
        ("# cite:no\n#+begin_src\ncite:no\n#+end_src\n=cite:no= [[cite:h][page 3]]", "h"),
    ],
}


@pytest.mark.parametrize(
    ("markup", "text", "keys"),
    [(markup, text, keys) for markup, cases in FOUND.items() for text, keys in cases],
)
def test_what_looks_like_a_citation_is_found(markup: str, text: str, keys: str) -> None:
    found = sorted((one for one in SCANS[markup](text) if one.is_certain), key=lambda k: k.start)
    assert " ".join(one.citekey for one in found) == keys
    assert all(text.startswith(one.citekey, one.start) for one in found)


def test_a_key_in_an_unknown_macro_may_be_one() -> None:
    text = r"\mycit{doe2020} \label{no} \emph{word} \from[see]{12}{roe2001} \begin{box}{ash}"
    found = list(SCANS["latex"](text))
    assert [one.citekey for one in found] == ["doe2020", "word", "roe2001", "ash"]
    assert not any(one.is_certain for one in found)


def test_a_key_in_quotation_marks_may_be_one_in_a_function_of_typst() -> None:
    found = list(SCANS["typst"]('#from("doe2020", [12]) and #from(12, "roe2001") "ash"'))
    assert [(one.citekey, one.is_certain) for one in found] == [
        ("doe2020", False),
        ("roe2001", False),
    ]


def test_a_key_in_a_macro_of_the_drafts_own_is_not_that_of_a_command_of_the_name() -> None:
    defined = r"\newcommand{\mycite}[2]{\autocite[#1]{#2}} \newcommand*\acite[1]{\cite{#1}}"
    found = list(SCANS["latex"](rf"{defined} \mycite{{12}}{{roe2001}} \acite{{doe2020}}"))
    assert [(one.citekey, one.is_certain) for one in found] == [
        ("doe2020", True),
        ("roe2001", False),
    ]


@pytest.mark.parametrize("markup", SCANS)
@pytest.mark.parametrize(
    "text",
    [
        "```\n", "````\n~~~\n", "`", "<!--", "](", "@{", "@a.", "\\cite[", "\\cite{", "%",
        "\\begin{verbatim}", "\\verb|", "\\iffalse ", "/*", "//", "#import ", "<a", "#cite(",
        "[cite:", "\\cite(", "[[cite:", "cite:a,", "#+begin_src\n", "=a ", "~", "\\a[", "---\n",
        "> ", " ", "\n",
    ],
)  # fmt: skip
def test_repeated_marks_take_little_time(markup: str, text: str) -> None:
    assert seconds_of(lambda: list(SCANS[markup](repeated(text)))) < 1.0
