"""`query` and `show` as quotations for LaTeX and Typst, and as references of the works shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import Desk

QUESTION = "What is a timetable worth?"


@pytest.mark.parametrize(("form", "suffix"), [("latex", ".tex"), ("typst", ".typ")])
def test_quoted_passages_pass_the_check_of_a_draft(
    ingested: Desk, tmp_path: Path, form: str, suffix: str
) -> None:
    passages = ingested.must("query", QUESTION, "-k", "2", "--json").json["items"]
    draft = tmp_path / f"draft{suffix}"
    draft.write_text(ingested.must("query", QUESTION, "-k", "2", "--format", form).out, "utf-8")
    report = ingested.must("check", draft, "--json", "--all").json
    assert report["counts"]["exact"] == len(report["checks"]) == len(passages)
    assert [one["citekey"] for one in report["checks"]] == [one["citekey"] for one in passages]


def test_a_passage_is_shown_as_a_quotation(ingested: Desk) -> None:
    [passage] = ingested.must("query", QUESTION, "-k", "1", "--json").json["items"]
    shown = ("show", passage["chunk_id"], "--context", "0")
    latex = ingested.must(*shown, "--format", "latex").out
    assert latex.startswith("\\begin{quote}\n")
    assert latex.endswith(" \\autocite[2]{okoro2019}\n\\end{quote}\n")
    typst = ingested.must(*shown, "--format", "typst").out
    assert "#cite(<okoro2019>, supplement: [p. 2])" in typst
    assert "> [@okoro2019, p. 2]\n" in ingested.must(*shown, "--format", "pandoc").out


def test_the_references_of_passages(ingested: Desk) -> None:
    query = ("query", QUESTION, "-k", "2", "--citekey", "okoro2019", "--format")
    bibtex = ingested.must(*query, "bibtex").out
    assert [line for line in bibtex.splitlines() if line.startswith("@")] == ["@article{okoro2019,"]
    assert [one["id"] for one in ingested.must(*query, "csl-json").json] == ["okoro2019"]
    ris = ingested.must("show", "okoro2019", "--format", "ris").out
    assert ris.count("ID  - okoro2019\n") == 1
    html = ingested.must(*query, "html").out
    assert "<p>(Okoro, 2019, p. 2)</p>" in html
    german = ingested.must(*query, "html", "--locale", "de-DE").out
    assert "<p>(Okoro, 2019, S. 2)</p>" in german


def test_references_in_a_style(ingested: Desk) -> None:
    shown = ingested.must("show", "okoro2019", "--style", "chicago-author-date").out
    assert shown.startswith("(Okoro 2019, 1)\n\n(Okoro 2019, 2)\n\nOkoro, Ada. 2019. Timetables")


def test_a_passage_without_a_reference_is_named_and_left_out(small: Desk) -> None:
    note = "A lantern on the quay is lit at dusk by whoever comes last, and is never counted."
    (small.library / "loose.md").write_text(f"# Lanterns\n\n{note}\n", encoding="utf-8")
    small.must("ingest")
    for form, printed in (("latex", ""), ("csl-json", "[]")):
        outcome = small.must("show", "library/loose.md", "--format", form)
        assert outcome.out.strip() == printed
        assert "1 passage left out, without a reference: library/loose.md" in outcome.err


@pytest.mark.parametrize(
    "options",
    [
        ("--style", "apa", "--json"),
        ("--style", "apa", "--format", "latex"),
        ("--locale", "de-DE"),
        ("--json", "--format", "ris"),
    ],
)
def test_options_that_contradict_each_other(ingested: Desk, options: tuple[str, ...]) -> None:
    assert ingested.run("query", QUESTION, *options).code == 2
    assert ingested.run("show", "okoro2019", *options).code == 2


def test_an_unknown_style_is_an_error(ingested: Desk) -> None:
    outcome = ingested.run("show", "okoro2019", "--style", "appa")
    assert (outcome.code, "Did you mean apa" in outcome.err) == (1, True)
