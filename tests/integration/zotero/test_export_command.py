"""References and annotations of Zotero for other programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.domain.errors import NotFound
from citeloom.domain.zotero.items import (
    AnnotationType,
    CitekeySource,
    Creator,
    ZoteroAnnotation,
    ZoteroTag,
)
from citeloom.infrastructure.answers.zotero import AnnotationEntry
from citeloom.infrastructure.references.file_library import read_references
from tests.described import assert_described
from tests.fakes.zotero_contents import OWN, many_items
from tests.integration.zotero.commands import make_database, run

AUTHORS = (
    Creator(role="author", family="van der Berg", given="Émile"),
    Creator(role="author", family="Tide Office", single=True),
    Creator(role="editor", family="Quint", given="Ben"),
)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three items: an article with an alias, a chapter without a citekey, and a retitled one."""
    content = many_items(3)
    first, second, third = content.items
    first = replace(
        first,
        creators=AUTHORS,
        fields={
            **first.fields,
            "date": "31 May 2018",
            "volume": "12",
            "pages": "3-9",
            "extra": "tex.ids: fenn80, old{key}",
        },
    )
    second = replace(
        second,
        item_type="bookSection",
        citekey="",
        citekey_source=CitekeySource.MADE,
        fields={"title": "On dunes", "date": "1999-04", "bookTitle": "Coasts", "place": "Wien"},
    )
    marks = tuple(
        ZoteroAnnotation(
            library=OWN,
            key=f"MARKAAA{n}",
            attachment=content.attachments[0].key,
            type=AnnotationType.HIGHLIGHT,
            text=text,
            comment=comment,
            color=color,
            page_index=page,
            page_label=str(page + 71),
            rects=((1.0, 2.0, 3.0, 4.0),),
            sort_index=f"{page:05d}|000000|00000",
            tags=(ZoteroTag(name="to cite"),) if comment else (),
        )
        for n, (text, comment, color, page) in enumerate(
            (
                ("# Later *words*", "A <b>doubt</b>", "#ffd400", 4),
                ("Earlier words", "", "#ff6666", 1),
            ),
            start=2,
        )
    )
    return make_database(
        tmp_path_factory.mktemp("export") / "Zotero",
        replace(content, items=(first, second, third), annotations=marks),
    )


@pytest.fixture(autouse=True)
def without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that no citeloom.toml is in or above."""
    monkeypatch.chdir(tmp_path)


def test_every_format_has_the_citekeys_that_passages_show(data_dir: Path) -> None:
    made = json.loads(run("export", "--format", "csl-json", data_dir=data_dir).stdout)
    citekeys = {item["id"] for item in made}
    assert len(citekeys) == 3
    [generated] = [item["id"] for item in made if item.get("keyword") == "citekey-generated"]
    for form, name in (("bibtex", "a.bib"), ("biblatex", "a.bib"), ("ris", "a.ris")):
        shown = run("export", "--format", form, data_dir=data_dir)
        assert shown.exit_code == 0
        references = read_references(shown.stdout.encode(), Path(name)).entries
        assert {entry.citation.citekey for entry in references} == citekeys
        known = {entry.citation.citekey: entry.citation.doi or "" for entry in references}
        assert known == {item["id"]: item.get("DOI", "") for item in made}
        _, _, marked = shown.stdout.partition("% citekey-generated\n")
        tagged = [e.citation.citekey for e in references if "citekey-generated" in e.citation.tags]
        assert (form == "ris" and tagged == [generated]) or f"{{{generated},\n" in marked[:60]
        assert f"generated: {generated}" in shown.stderr


def test_an_export_of_no_items_says_so(data_dir: Path) -> None:
    for form, printed in (("biblatex", ""), ("ris", ""), ("csl-json", "[]\n")):
        shown = run("export", "--format", form, "--tag", "nowhere", data_dir=data_dir)
        assert (shown.exit_code, shown.stdout) == (0, printed)
        assert shown.stderr.endswith("no items\n")


def test_an_item_has_all_that_csl_has_a_variable_for(data_dir: Path) -> None:
    made = json.loads(run("export", "--format", "csl-json", data_dir=data_dir).stdout)
    [article] = [item for item in made if item.get("volume")]
    assert article["type"] == "article-journal"
    assert article["author"] == [
        {"family": "van der Berg", "given": "Émile"},
        {"literal": "Tide Office"},
    ]
    assert article["editor"] == [{"family": "Quint", "given": "Ben"}]
    assert article["issued"] == {"date-parts": [[2018, 5, 31]]}
    assert (article["page"], article["container-title"]) == ("3-9", "Coastal letters")
    [chapter] = [item for item in made if item["type"] == "chapter"]
    assert chapter["issued"] == {"date-parts": [[1999, 4]]}
    assert (chapter["container-title"], chapter["publisher-place"]) == ("Coasts", "Wien")


def test_the_works_that_a_text_cites_are_exported(data_dir: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.md"
    answer.write_text("They last `[@fenn1982n2, p. 3; @fenn80]`.", encoding="utf-8")
    shown = run("export", "--format", "csl-json", "--cited-in", str(answer), data_dir=data_dir)
    assert [item["id"] for item in json.loads(shown.stdout)] == ["fenn1982n2", "fenn80"]
    answer.write_text("They last.", encoding="utf-8")
    assert run("export", "--cited-in", str(answer), data_dir=data_dir).exit_code != 0
    assert run("export", "--cited-in", "nowhere.md", data_dir=data_dir).exit_code != 0


def test_an_unknown_citekey_names_the_nearest(data_dir: Path) -> None:
    shown = run("export", "--citekey", "fenn1982m2", data_dir=data_dir)
    assert shown.exit_code != 0
    assert isinstance(shown.exception, NotFound)
    assert "fenn1982n2" in (shown.exception.hint or "")


def test_citekeys_complete_what_is_begun(data_dir: Path) -> None:
    assert run("citekeys", "FENN1982", data_dir=data_dir).stdout == "fenn1982n2\n"
    assert len(run("citekeys", data_dir=data_dir).stdout.splitlines()) == 3
    assert run("citekeys", "nobody", data_dir=data_dir).stdout == ""


def test_annotations_are_markdown_in_the_order_of_their_pages(data_dir: Path) -> None:
    shown = run("annotations", data_dir=data_dir).stdout
    assert shown.splitlines()[0].startswith("# On tides")
    assert "[@fenn1980n0] · [in Zotero](zotero://select/library/items/" in shown
    assert shown.index("Earlier words") < shown.index("Later")
    assert r"> \# Later \*words\*" in shown
    assert r"A \<b\>doubt" in shown
    assert "?page=5&annotation=MARKAAA2) · yellow · #to-cite" in shown


def test_annotations_are_chosen_by_colour_and_described(data_dir: Path) -> None:
    shown = run("annotations", "--color", "red", "--json", data_dir=data_dir).stdout
    [entry] = json.loads(shown)
    assert (entry["highlight"], entry["color_name"], entry["page"]) == (
        "Earlier words",
        "red",
        "72",
    )
    assert_described(entry, AnnotationEntry)
    assert "no annotations" in run("annotations", "--color", "blue", data_dir=data_dir).stderr
