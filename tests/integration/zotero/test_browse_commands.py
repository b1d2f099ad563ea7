"""What a user sees who looks through Zotero."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.domain.errors import NotFound
from citeloom.domain.zotero.items import ZoteroCollection, ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.answers.zotero import CollectionEntry, ItemEntry, TagEntry
from tests.described import assert_described
from tests.fakes.zotero_contents import many_items
from tests.integration.zotero.commands import make_database, run

GROUP = ZoteroLibraryRef(group_id=71, name="Coast group")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty-one articles of which one has its file, and a group with a nested collection."""
    content = many_items(41)
    group = ZoteroContent(
        library=GROUP,
        collections=(
            ZoteroCollection(library=GROUP, key="COLLPAPE", path=("Papers",)),
            ZoteroCollection(
                library=GROUP, key="COLLTIDE", path=("Papers", "Tides"), parent="COLLPAPE"
            ),
        ),
        items=(replace(content.items[0], library=GROUP, collections=("COLLTIDE",)),),
    )
    folder = make_database(tmp_path_factory.mktemp("browse") / "Zotero", content, group)
    stored = folder / "storage" / content.attachments[0].key / "article 0.pdf"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(b"%PDF-1.4")
    return folder


@pytest.fixture(autouse=True)
def without_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that no citeloom.toml is in or above."""
    monkeypatch.chdir(tmp_path)


def test_collections_form_a_tree_under_their_libraries(data_dir: Path) -> None:
    shown = run("collections", "--library", "all", data_dir=data_dir)
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["key", "items", "with", "subcollections", "collection"]
    assert lines[1].strip() == "My Library (library)"
    assert lines[-3].strip() == "Coast group (groups/71)"
    assert lines[-2].split() == ["COLLPAPE", "0", "1", "Papers"]
    assert lines[-1].index("Tides") == lines[-2].index("Papers") + 2
    assert f"reading Zotero: local database {data_dir}" in shown.stderr


def test_collections_as_json(data_dir: Path) -> None:
    listed = json.loads(run("collections", "--library", "all", "--json", data_dir=data_dir).stdout)
    assert_described(listed, list[CollectionEntry])
    assert listed[-1] == {
        "library": "groups/71",
        "key": "COLLTIDE",
        "parent": "COLLPAPE",
        "path": ["Papers", "Tides"],
        "items": 1,
        "items_below": 1,
    }


def test_items_say_which_files_are_missing(data_dir: Path) -> None:
    lines = run("items", "--limit", "2", data_dir=data_dir).stdout.splitlines()
    assert lines[0].split() == ["key", "citekey", "year", "creators", "files", "title"]
    assert lines[1].split()[:6] == ["ART22222", "fenn1980n0", "1980", "Fenn", "and", "Quint0"]
    assert "PDF          On tides" in lines[1]
    assert "PDF missing  On" in lines[2]


def test_items_of_several_libraries_say_whose_they_are(data_dir: Path) -> None:
    lines = run(
        "items", "--library", "all", "--search", "n0", data_dir=data_dir
    ).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["library", "library", "groups/71"]


def test_items_as_json(data_dir: Path) -> None:
    shown = run("items", "--collection", "Shelf 00", "--tag", "tides", "--json", data_dir=data_dir)
    (item,) = json.loads(shown.stdout)
    assert_described(item, ItemEntry)
    path = data_dir / "storage" / "PDF22222" / "article 0.pdf"
    assert item == {
        "library": "library",
        "key": "ART22222",
        "item_type": "journalArticle",
        "citekey": "fenn1980n0",
        "citekey_source": "field",
        "title": "On tides, part 0",
        "year": 1980,
        "creators": [
            {"role": "author", "name": "Fenn, Cleo 0"},
            {"role": "author", "name": "Quint0, Ben"},
        ],
        "doi": "10.5555/coast.0",
        "tags": [{"name": "batch 0", "automatic": True}, {"name": "tides", "automatic": False}],
        "collections": ["Shelf 00"],
        "added": "2020-01-01T00:00:00+00:00",
        "modified": "2024-01-01T00:00:00+00:00",
        "attachments": [
            {
                "key": "PDF22222",
                "link_mode": "imported_file",
                "content_type": "application/pdf",
                "title": "Full text",
                "path": path.as_posix(),
                "exists": True,
                "url": None,
            }
        ],
    }


def test_recent_items_come_with_the_day(data_dir: Path) -> None:
    lines = run("recent", "--by", "modified", "--limit", "1", data_dir=data_dir).stdout.splitlines()
    assert lines[0].startswith("modified    key")
    assert lines[1].startswith("2024-01-02  ART222")
    assert len(lines) == 2


def test_tags_say_which_came_with_the_import(data_dir: Path) -> None:
    shown = run("tags", "--search", "batch 1", "--limit", "1", data_dir=data_dir)
    assert shown.stdout.splitlines()[1].split() == ["1", "yes", "library", "batch", "1"]
    listed = json.loads(run("tags", "--limit", "1", "--json", data_dir=data_dir).stdout)
    assert_described(listed, list[TagEntry])
    assert listed == [{"library": "library", "name": "salt marshes", "items": 6, "automatic": 0}]


def test_nothing_found_is_said_and_no_error(data_dir: Path) -> None:
    none = run("items", "--search", "kelp", data_dir=data_dir)
    assert (none.exit_code, none.stdout) == (0, "")
    assert none.stderr.endswith("no items\n")
    assert json.loads(run("items", "--search", "kelp", "--json", data_dir=data_dir).stdout) == []


def test_a_library_or_collection_there_is_not_is_an_error(data_dir: Path) -> None:
    library = run("items", "--library", "Kelp", data_dir=data_dir)
    assert isinstance(library.exception, NotFound)
    assert "Coast group" in library.exception.hint
    collection = run("tags", "--collection", "Kelp", data_dir=data_dir)
    assert isinstance(collection.exception, NotFound)
    assert "zotero collections" in collection.exception.hint


def test_markup_and_escapes_of_a_title_do_not_reach_the_terminal(tmp_path: Path) -> None:
    content = many_items(1)
    fields = {**content.items[0].fields, "title": "On <i>Fucus</i>\x1b[31m\nand kelp"}
    item = replace(content.items[0], fields=fields)
    folder = make_database(tmp_path / "Zotero", replace(content, items=(item,)))
    assert "On Fucus[31m and kelp" in run("items", data_dir=folder).stdout


PAPERS = ("--library", "Coast group", "--collection", "Papers")


@pytest.mark.parametrize("command", ["items", "recent", "export"])
def test_a_collection_with_items_only_below_it_says_how_to_see_these(
    data_dir: Path, command: str
) -> None:
    shown = run(command, *PAPERS, data_dir=data_dir)
    assert shown.exit_code == 0
    assert "the items of the collection 'Papers' are all in its subcollections" in shown.stderr
    assert "--subcollections" in shown.stderr
    assert "no items" not in run(command, *PAPERS, "--subcollections", data_dir=data_dir).stderr


@pytest.mark.parametrize(
    ("name", "near"),
    [("Papres", "Papers"), ("Papers/Tide", "Papers/Tides"), ("Tides", "Papers/Tides")],
)
def test_a_misspelt_collection_is_told_from_the_nearest(
    data_dir: Path, name: str, near: str
) -> None:
    shown = run("items", "--library", "all", "--collection", name, data_dir=data_dir)
    assert isinstance(shown.exception, NotFound)
    assert near in shown.exception.hint.removeprefix("Did you mean ").removesuffix("?").split(
        " or "
    )
