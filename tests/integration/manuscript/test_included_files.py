"""The files that drafts include: found by their names, read with them, or said to be unread."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.manuscript.coverage import coverage
from citeloom.infrastructure.manuscript.draft_reader import draft_of_text, text_of
from citeloom.infrastructure.manuscript.included_files import (
    included_names,
    with_included_files,
)

LATEX = r"""\documentclass{book}
\input{macros}
\begin{document}
% \input{comment}
\input{one} \include{parts/two}
\input three
\subfile{four.tex} \import{five/}{six} \subimport*{seven}{eight}
\includegraphics{no} \includeonly{no} \newcommand{\x}[1]{\input{#1}}
\begin{verbatim}
\input{listing}
\end{verbatim}
\end{document}
\input{behind}
"""
QUARTO = """---
title: "{{< include head.qmd >}}"
---
{{< include _one.qmd >}}

<!-- {{< include comment.qmd >}} -->

```{r, child='two.Rmd'}
```

```{r}
#| child: "three.Rmd"
```

```
{{< include listing.qmd >}}
```
"""
TYPST = """#include "one.typ"
// #include "comment.typ"
#{ include "parts/two.typ" }
`#include "code.typ"`
"""
ORG = """#+INCLUDE: "one.org"
#+include: two.org :minlevel 1
#+INCLUDE: "code.py" src python
#+begin_example
#+INCLUDE: "example.org"
#+end_example
"""


@pytest.mark.parametrize(
    ("markup", "text", "names"),
    [
        ("latex", LATEX, "one parts/two three four.tex five/six seven/eight"),
        ("markdown", QUARTO, "_one.qmd two.Rmd three.Rmd"),
        ("typst", TYPST, "one.typ parts/two.typ"),
        ("org", ORG, "one.org two.org"),
    ],
)
def test_files_are_included_by_the_commands_of_the_format(
    markup: str, text: str, names: str
) -> None:
    found = [*included_names(text, markup)]
    assert [name for name, _, _ in found] == names.split()
    for name, start, end in found:
        assert Path(name).name in text[start:end]


def test_a_chapter_without_a_preamble_includes_files() -> None:
    assert [name for name, _, _ in included_names("\\input{inner}\n", "latex")] == ["inner"]


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(text, encoding="utf-8")


def _found(*paths: Path) -> dict[str, tuple[list[str], set[str]]]:
    files = with_included_files(paths, text_of)
    return {
        path.name: (
            [file.path.name for file in together],
            {name for file in together for name in file.read},
        )
        for path, together in files.items()
    }


def test_files_within_files_are_read_once_and_cycles_end(tmp_path: Path) -> None:
    _write(
        tmp_path,
        main_dot_tex="\\input{parts/one}\\input{two}\\input{missing}",
        parts__one_dot_tex="\\input{inner}\\input{two}\\input{main}",
        parts__inner_dot_tex="\\input{parts/one}",
        two_dot_tex="text",
    )
    assert _found(tmp_path / "main.tex") == {
        "main.tex": (
            ["main.tex", "one.tex", "inner.tex", "two.tex"],
            {"parts/one", "two", "inner", "main"},
        )
    }
    both = _found(tmp_path / "main.tex", tmp_path / "two.tex")
    assert {name: files for name, (files, _) in both.items()} == {
        "main.tex": ["main.tex", "one.tex", "inner.tex"],
        "two.tex": ["two.tex"],
    }


def test_a_file_above_is_read_up_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(
        tmp_path,
        secret_dot_tex="not ours",
        work__chapters__one_dot_tex="\\input{figures/two}\\input{../../secret}",
        work__figures__two_dot_tex="text",
    )
    (tmp_path / "work" / "figures" / "link.tex").symlink_to(tmp_path / "secret.tex")
    monkeypatch.chdir(tmp_path / "work")
    assert _found(Path("chapters/one.tex")) == {
        "one.tex": (["one.tex", "two.tex"], {"figures/two"})
    }
    _write(tmp_path, work__chapters__one_dot_tex="\\input{../figures/link}")
    assert _found(Path("chapters/one.tex")) == {"one.tex": (["one.tex"], set())}


def test_a_file_of_another_kind_matters_if_it_cites(tmp_path: Path) -> None:
    _write(
        tmp_path,
        main_dot_tex="\\input{plot.pgf}\\input{table.tab}",
        plot_dot_pgf="\\draw (0,0);",
        table_dot_tab="a & \\cite{doe}",
    )
    assert _found(tmp_path / "main.tex") == {"main.tex": (["main.tex"], {"plot.pgf"})}


def test_a_text_that_includes_files_is_not_all_that_was_read() -> None:
    draft = draft_of_text("Text.\n\n\\input{one}\n", "latex")
    [file] = draft.unread_files
    assert (file.name, file.place.line, file.place.column) == ("one", 3, 1)
    assert coverage(draft, (), ()).share == 0.5
    assert coverage(draft_of_text("Text.\n", "latex"), (), ()).share == 1.0


@pytest.mark.parametrize("named", [".", "", "..", "/", "part/.."])
def test_a_folder_in_place_of_a_draft_includes_nothing(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert [
        one.path for one in with_included_files([Path(named)], lambda _: None)[Path(named)]
    ] == [Path(named)]
