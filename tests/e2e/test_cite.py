"""`cite`, `bib` and `links`: citations in styles and notations, the references of a draft, and the
pages that it cites.
"""

from __future__ import annotations

import re
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]

from tests.e2e.command import Desk


def test_a_passage_is_cited_with_its_page(ingested: Desk) -> None:
    query = ingested.must("query", "What is a timetable worth?", "-k", "1", "--json").json
    [passage] = query["items"]
    outcome = ingested.must("cite", passage["chunk_id"], "--format", "pandoc")
    assert outcome.out == f"{passage['citation']}\n"


def test_works_are_cited_in_a_style(ingested: Desk) -> None:
    outcome = ingested.must("cite", "[@okoro2019, p. 2]", "--style", "chicago-author-date")
    assert outcome.out.startswith("(Okoro 2019, 2)\n\nOkoro, Ada. 2019. Timetables of Small")
    latex = ingested.must("cite", "[@okoro2019, p. 2]", "--format", "latex")
    assert latex.out == "\\autocite[2]{okoro2019}\n"


def test_an_unknown_citekey_or_style_is_an_error(ingested: Desk) -> None:
    unknown = ingested.run("cite", "okoro2091")
    assert (unknown.code, "did you mean okoro2019?" in unknown.err) == (1, True)
    style = ingested.run("cite", "okoro2019", "--style", "appa")
    assert (style.code, "Did you mean apa" in style.err) == (1, True)


def test_the_references_of_a_draft(ingested: Desk, tmp_path: Path) -> None:
    draft = tmp_path / "thesis.md"
    draft.write_text("As @okoro2019 says [@ruiz2021, p. 1; @okoro2019].", encoding="utf-8")
    bib = ingested.must("bib", draft)
    assert [line for line in bib.out.splitlines() if line.startswith("@")] == [
        "@article{okoro2019,",
        "@article{ruiz2021,",
    ]
    csl = ingested.must("bib", draft, "--format", "csl-json").json
    assert [one["id"] for one in csl] == ["okoro2019", "ruiz2021"]
    draft.write_text("As @okoro2018 says.", encoding="utf-8")
    unknown = ingested.run("bib", draft)
    assert (unknown.code, "okoro2018: did you mean okoro2019?" in unknown.err) == (1, True)


def test_citations_are_linked_to_their_pages(ingested: Desk, tmp_path: Path) -> None:
    draft = tmp_path / "thesis.md"
    draft.write_text("So [@okoro2019, p. 2], [@okoro2019, p. 99] and [@nobody, p. 1].", "utf-8")
    script = tmp_path / "links.lua"
    script.write_text(ingested.must("links", draft).out, encoding="utf-8")
    options = ["--lua-filter", str(script)]
    html = pypandoc.convert_file(draft, "html", extra_args=options)
    [target] = re.findall('href="([^"]+)"', html)
    assert target.startswith("file://")
    assert target.endswith("okoro2019.pdf#page=2")
