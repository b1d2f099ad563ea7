"""Drafts in every format, read through Pandoc, with the place of each citation and quotation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError, NotFound, UnreadableDocument, UnsupportedFormat
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.quotations import quotations
from citeloom.infrastructure.manuscript import pandoc
from citeloom.infrastructure.manuscript.draft_reader import draft_of, read_draft

MARKDOWN = """---
bibliography: refs.bib
---

# Agreement

Graders "agree *more* 'often'
than not" [see @doe2020, p. 45; @roe2001, pp. 1-3].

As @roe2001 [p. 4] says, „so ist es“. In a note.[^1]

> They had *nothing* to lose.
> [@poe, p. 9]

| who | what |
|-----|------|
| Roe | "a cell" [@roe2001, 2] |

[^1]: It says "a note" there [@doe2020, 7].

```
"code" [@nobody]
```
"""
LATEX = r"""\documentclass{article}
\begin{document}
Graders ``agree more'' \citep[p.~45]{doe2020}, and \enquote{so it is}\footcite[3]{roe2001}.
\textcquote[12]{poe}{with words \textelp{} left out} and \textquote[{\cite[3]{roe2001}}]{again}.
\begin{displaycquote}[9]{poe}They had nothing to lose.\end{displaycquote}
\end{document}
"""
TYPST = """Graders "agree more" @doe2020[p. 45] and "so it is" #cite(<roe2001>, supplement: [p. 3]).

#quote(block: true, attribution: <poe>)[They had nothing to lose]
"""
ORG = """Graders "agree more" [cite:@doe2020 p. 45; @roe2001 p. 3].

#+begin_quote
They had nothing to lose. [cite:@poe p. 9]
#+end_quote
"""


def read(text: str, name: str) -> Draft:
    return draft_of(text.encode(), Path(name))


def quoted(draft: Draft) -> list[tuple[str, list[str]]]:
    return [
        (one.text, [f"{c.citekey} {c.locator}" for c in one.citations]) for one in quotations(draft)
    ]


def words_at_places(draft: Draft) -> list[str]:
    return [draft.text[one.place.start : one.place.end] for one in quotations(draft)]


@pytest.mark.parametrize("name", ["thesis.md", "thesis.qmd", "thesis.Rmd"])
def test_markdown(name: str) -> None:
    draft = read(MARKDOWN, name)
    assert draft.bibliographies == ("refs.bib",)
    assert quoted(draft) == [
        ("agree more \u2018often\u2019 than not", ["doe2020 45", "roe2001 1-3"]),
        ("so ist es", ["roe2001 4"]),
        ("They had nothing to lose.", ["poe 9"]),
        ("a cell", ["roe2001 2"]),
        ("a note", ["doe2020 7"]),
    ]
    assert words_at_places(draft) == [
        "agree *more* 'often'\nthan not",
        "so ist es",
        "They had *nothing* to lose",
        "a cell",
        "a note",
    ]
    places = {(one.citekey, one.place.line, one.place.column) for one in draft.citations}
    assert {("doe2020", 8, 17), ("poe", 13, 5), ("doe2020", 19, 32)} <= places
    assert "nobody" not in draft.citekeys


def test_many_citations_of_a_paragraph_have_each_its_place() -> None:
    text = "".join(f'It says "word {n} here" [@doe2020, p. {n}] and more. ' for n in range(300))
    draft = read(text, "thesis.md")
    assert [text[c.place.start - 1 : c.place.end] for c in draft.citations] == ["@doe2020"] * 300
    assert len({c.place for c in draft.citations}) == 300
    assert [str(c.locator) for c in draft.citations] == [str(n) for n in range(300)]
    assert words_at_places(draft) == [f"word {n} here" for n in range(300)]


def test_latex() -> None:
    draft = read(LATEX, "thesis.tex")
    assert quoted(draft) == [
        ("agree more", ["doe2020 45"]),
        ("so it is", ["roe2001 3"]),
        ("with words […] left out", ["poe 12"]),
        ("again", ["roe2001 3"]),
        ("They had nothing to lose.", ["poe 9"]),
    ]
    assert [quotation.place.line for quotation in quotations(draft)] == [3, 3, 4, 4, 5]
    assert [(c.citekey, c.place.line) for c in draft.citations][:2] == [
        ("doe2020", 3),
        ("roe2001", 3),
    ]


def test_typst() -> None:
    draft = read(TYPST, "thesis.typ")
    assert quoted(draft) == [
        ("agree more", ["doe2020 45"]),
        ("so it is", ["roe2001 3"]),
        ("They had nothing to lose", ["poe None"]),
    ]


def test_org() -> None:
    draft = read(ORG, "thesis.org")
    assert quoted(draft) == [
        ("agree more", ["doe2020 45", "roe2001 3"]),
        ("They had nothing to lose.", ["poe 9"]),
    ]


def test_quarto_cross_references_are_no_works() -> None:
    assert read("See @fig-rain and [@doe2020].", "thesis.qmd").citekeys == ("doe2020",)


def test_a_word_that_comes_often_is_placed_where_it_is() -> None:
    text = "the a the a\n\n" * 50 + 'Here "the a the" [@doe2020].\n\n' + "the a the a\n\n" * 50
    [quotation] = quotations(read(text, "thesis.md"))
    assert quotation.place.line == 101


@pytest.mark.parametrize("suffix", ["docx", "odt"])
def test_word_and_opendocument_files_have_paragraphs_for_lines(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"thesis.{suffix}"
    text = b"# Head\n\nGraders \xe2\x80\x9cagree more\xe2\x80\x9d so.\n"
    subprocess.run(
        [pandoc.pandoc_program(), "-f", "markdown", "-o", str(path)], input=text, check=True
    )
    draft = read_draft(path)
    assert draft.text == "Head\nGraders \u201cagree more\u201d so."


def test_windows_line_ends_and_other_encodings() -> None:
    draft = draft_of("Caf\u00e9.\r\n\r\n\u201cOne two\u201d [@doe].".encode("cp1252"), Path("a.md"))
    assert [one.place.line for one in quotations(draft)] == [3]
    assert draft.warnings == ("a.md is not UTF-8; it was read as Western European text",)
    assert quoted(draft_of("\u201cOne\u201d [@doe]".encode("utf-16"), Path("a.md")))


def test_what_is_no_draft_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_draft(tmp_path / "missing.md")
    with pytest.raises(UnreadableDocument, match="is a folder"):
        read_draft(tmp_path)
    with pytest.raises(UnsupportedFormat, match="is no draft"):
        draft_of(b"x", Path("thesis.pdf"))
    with pytest.raises(UnreadableDocument, match="no text"):
        draft_of(b"\0\1", Path("thesis.md"))
    with pytest.raises(UnreadableDocument, match="no Word file"):
        draft_of(b"no archive", Path("thesis.docx"))
    with pytest.raises(UnreadableDocument, match="more than the 12 MB"):
        draft_of(b"x" * 13_000_000, Path("thesis.md"))


def test_without_pandoc_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_: str) -> None:
        raise ImportError

    monkeypatch.setattr(pandoc, "import_module", missing)
    monkeypatch.setenv("PATH", "")
    pandoc.pandoc_program.cache_clear()
    with pytest.raises(ConfigError) as raised:
        read("x", "thesis.md")
    assert "pip install '.[manuscript]'" in raised.value.hint
    pandoc.pandoc_program.cache_clear()


@pytest.mark.parametrize(
    "written",
    [
        "(@k, p. 7)",
        "[@k] (p. 7)",
        "@k (p. 7)",
        "[@k: 7]",
        "[@k, fig. 2, p. 7]",
        "[@k, vol. 1, p. 7]",
        "[@k, esp. p. 7]",
        "[@k, ch. 1, p. 7]",
        "[@k, here p. 7]",
        "[@k, S. 7; eigene Übersetzung]",
        "[see p. 7 of @k]",
        "(@k; @j)",
    ],
)
def test_the_pages_of_a_citation_are_read_wherever_they_stand(written: str) -> None:
    first = read(f"It says “so it is” {written}.", "draft.md").citations[0]
    assert str(first.locator) == ("None" if "@j" in written else "7")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Il dit « des mots » [@k].", "draft.md"),
        ("Il dit «\u00a0des mots\u00a0» [@k].", "draft.md"),
        ("Il dit «\u202fdes mots\u202f» [@k].", "draft.md"),
        (r"Il dit \og des mots\fg{} \cite{k}.", "draft.tex"),
        (r"Il dit \og{}des mots \fg\ \cite{k}.", "draft.tex"),
        (r"Il dit \og des mots\fg~\cite{k}.", "draft.tex"),
        ("Il dit « des mots » @k.", "draft.typ"),
        ("Il dit « des mots » [cite:@k].", "draft.org"),
    ],
)
def test_french_quotations_are_seen(text: str, name: str) -> None:
    [quotation] = quotations(read(text, name))
    assert (quotation.text, quotation.citations[0].citekey) == ("des mots", "k")
    assert text[quotation.place.start : quotation.place.end] == "des mots"


def test_east_asian_quotations_are_seen() -> None:
    [first, second] = quotations(
        read("彼は「甲乙『丙丁』戊己」と言った [@k]。他说“甲乙”[@j]。", "d.md")
    )
    assert (first.text, first.citations[0].citekey) == ("甲乙『丙丁』戊己", "k")
    assert (second.text, second.citations[0].citekey) == ("甲乙", "j")


@pytest.mark.parametrize(
    ("text", "name", "ignored"),
    [
        ("So “one” [@k]. <!-- citeloom: not a quotation -->\nSo “two” [@k].", "a.md", ["one"]),
        ("So “one” [@k].\n<!-- citeloom: not a quotation -->\nSo “two” [@k].", "a.md", ["two"]),
        (
            "So ``one'' \\cite{k}. % citeloom: not a quotation\nSo ``two'' \\cite{k}.",
            "a.tex",
            ["one"],
        ),
        (
            "% citeloom: not a quotation\nSo ``one'' \\cite{k}.\nSo ``two'' \\cite{k}.",
            "a.tex",
            ["one"],
        ),
        ('So "one" @k. // citeloom: not a quotation\nSo "two" @k.', "a.typ", ["one"]),
        ('# citeloom: not a quotation\nSo "one" [cite:@k].\nSo "two" [cite:@k].', "a.org", ["one"]),
        ("So “one” [@k], which citeloom: not a quotation, calls “two” [@k].", "a.md", []),
    ],
)
def test_a_comment_says_that_something_is_no_quotation(
    text: str, name: str, ignored: list[str]
) -> None:
    draft = read(text, name)
    quoted = quotations(draft)
    assert [one.text for one in quoted] == ["one", "two"]
    assert [one.text for one in quoted if draft.calls_no_quotation(one.place)] == ignored


@pytest.mark.parametrize(
    ("written", "text", "has_formula"),
    [
        (r"of $\pm$ 5 points", "of ± 5 points", False),
        (r"of $10 \times 12$ points", "of 10 \u00d712 points", False),
        (r"of $\alpha^2$ points", "of \u03b1^2 points", True),
        (r"of $\frac{\theta}{2}$ points", "of \u03b8/2 points", True),
        (r"of $\frac{a + 1}{x_i}$ points", "of (a + 1)/x_i points", True),
        (
            r"of $\left(\Sigma_{\max}\right)$",
            "of (\u03a3_{max })",
            True,
        ),
    ],
)
def test_a_formula_of_numbers_and_signs_is_text(written: str, text: str, has_formula: bool) -> None:
    for draft in (
        read(f"It is “{written}” [@k].", "d.md"),
        read(f"It is ``{written}'' \\cite{{k}}.", "d.tex"),
    ):
        [quotation] = quotations(draft)
        assert (quotation.text, quotation.has_formula) == (text, has_formula)


Q = "They had nothing to lose"


def lines_of_quotations(text: str, name: str) -> list[tuple[int, str]]:
    found = [
        (one.place.line, str(one.citations[0].locator if one.citations else ""))
        for one in quotations(read(text, name))
    ]
    return sorted(found)


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        (
            "at_the_end.md",
            f'"{Q}" [@k, p. 41].[^n]\n\n"{Q}" [@k, p. 42].\n\n[^n]: See there.\n',
            [(1, "41"), (3, "42")],
        ),
        (
            "notes_that_cite_it.md",
            f'"{Q}" [@k, p. 41].[^b][^a]\n\n"{Q}" [@k, p. 42].\n\n'
            f'[^a]: And "{Q}" [@k, p. 43].\n\n[^b]: "{Q}" [@k, p. 44].\n\n    "{Q}" [@k, p. 45].\n',
            [(1, "41"), (3, "42"), (5, "43"), (7, "44"), (9, "45")],
        ),
        (
            "between.md",
            f'"{Q}" [@k, p. 41].[^n]\n\n[^n]: "{Q}" [@k, p. 43].\n\n"{Q}" [@k, p. 42].\n',
            [(1, "41"), (3, "43"), (5, "42")],
        ),
        (
            "without_words.md",
            f'"{Q}" [@k, p. 41].[^a]\n\n'
            f'[^a]: "{Q}" [@k, p. 43].\n\n    …\n\n    "{Q}" [@k, p. 45].\n',
            [(1, "41"), (3, "43"), (7, "45")],
        ),
        (
            "inline.md",
            f'"{Q}" [@k, p. 41].^["{Q}"\n[@k, p. 43].] More of\nit: '
            f'"{Q}" [@k, p. 44].\n\n"{Q}" [@k, p. 42].\n',
            [(1, "41"), (1, "43"), (3, "44"), (5, "42")],
        ),
        (
            "comment.md",
            f'<!-- "{Q}" [@k, p. 40]. -->\n\n"{Q}" [@k, p. 41].\n\n'
            f'```\n"{Q}" [@k]\n```\n\n"{Q}" [@k, p. 42].\n',
            [(3, "41"), (9, "42")],
        ),
        (
            "iffalse.tex",
            f"\\iffalse\n``{Q}'' \\cite[40]{{k}}.\n\\fi\n% ``{Q}'' \\cite[40]{{k}}.\n\n"
            f"``{Q}'' \\cite[41]{{k}}.\\footnote{{So\n"
            f"``{Q}'' \\cite[43]{{k}}.}}\n\n``{Q}'' \\cite[42]{{k}}.\n",
            [(6, "41"), (7, "43"), (9, "42")],
        ),
        (
            "notes.org",
            f'# "{Q}" [cite:@k p. 40].\n\n"{Q}" [cite:@k p. 41].[fn:n]\n\n'
            f'"{Q}" [cite:@k p. 42].[fn:: '
            f'See\n"{Q}" [cite:@k p. 44].]\n\n* Notes\n\n[fn:n] "{Q}" [cite:@k p. 43].\n',
            [(3, "41"), (5, "42"), (6, "44"), (10, "43")],
        ),
        (
            "comment.typ",
            f'// "{Q}" @k[p. 40]\n/* "{Q}" @k[p. 40] */\n\n'
            f'"{Q}" @k[p. 41]. #footnote[See\n"{Q}" @k[p. 43].]\n\n"{Q}" @k[p. 42].\n',
            [(4, "41"), (5, "43"), (7, "42")],
        ),
    ],
)
def test_a_quotation_that_comes_again_is_placed_where_each_stands(
    name: str, text: str, places: list[tuple[int, str]]
) -> None:
    assert lines_of_quotations(text, name) == places
