"""The distributions of docs/extending.md, built as wheels, installed and used by the command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.e2e.command import MakeDesk

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?ms)^```(?:toml|python)\n# (\S+)\n(.*?)^```$")
NOTES = """\
#+TITLE: Notes on rye
* Sowing
Winter rye is sown on plot nine in September, before the first frost.
** Depth
Seeds lie three centimetres deep, and deeper in sand.
"""
REFERENCES = [
    {
        "id": "rye2020",
        "type": "report",
        "title": "Notes on rye",
        "author": [{"family": "Halm", "given": "Ada"}],
        "issued": {"date-parts": [[2020]]},
    }
]
BROKEN = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "citeloom-broken"
version = "0.1"

[project.entry-points."citeloom.chunkers"]
torn = "citeloom_broken:missing"

[project.entry-points."citeloom.converters"]
org = "citeloom_broken:failing"
tear = "citeloom_broken:failing"
""",
    "citeloom_broken.py": """\
def failing(path):
    raise RuntimeError("no luck")
""",
}


def distributions() -> Iterator[Mapping[str, str]]:
    """The two files of each distribution on the page."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    for (first, project), (second, module) in zip(blocks[::2], blocks[1::2]):
        yield {first: project, second: module}


def install(distributions: Iterable[Mapping[str, str]], folder: Path, target: Path) -> None:
    """Build wheels of the files, and unpack them into the target as `pip install` does."""
    folders: list[Path] = []
    for number, files in enumerate(distributions):
        folders.append(folder / str(number))
        folders[-1].mkdir(parents=True)
        for name, text in files.items():
            (folders[-1] / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    place = [
        "--no-index",
        "--disable-pip-version-check",
        "--target",
        str(target),
        *map(str, folders),
    ]
    done = subprocess.run([*pip, *place], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the distributions of the page are installed."""
    folder = tmp_path_factory.mktemp("extensions")
    install(distributions(), folder, folder / "site")
    return {"PYTHONPATH": os.pathsep.join([str(folder / "site"), str(ROOT / "src")])}


def test_the_page_has_a_store_a_chunker_and_a_converter_in_thirty_lines_each() -> None:
    groups = []
    for files in distributions():
        (module,) = (text for name, text in files.items() if name.endswith(".py"))
        assert len(module.splitlines()) <= 30
        groups += re.findall(r'entry-points\."(.+)"', files["pyproject.toml"])
    assert groups == ["citeloom.stores", "citeloom.chunkers", "citeloom.converters"]


def test_installed_extensions_store_divide_and_convert(
    make_desk: MakeDesk, added: dict[str, str]
) -> None:
    desk = make_desk("extended")
    index = desk.folder / "fast" / "index"
    desk.config.write_text(
        '[project."lab/rye"]\nsources = ["notes/"]\nreferences = "references.json"\n'
        f'[store]\nurl = "disk:{index}"\n'
        '[chunking]\nstrategy = "pages"\n',
        encoding="utf-8",
    )
    (desk.folder / "notes").mkdir()
    (desk.folder / "notes" / "rye.org").write_text(NOTES, encoding="utf-8")
    (desk.folder / "references.json").write_text(json.dumps(REFERENCES), encoding="utf-8")
    report = desk.spawn("ingest", "--json", env=added)
    assert report.code == 0, report.err
    assert "store:" not in report.err
    assert report.json["indexed"] == ["notes/rye.org"]
    found = desk.spawn("query", "how deep are seeds sown?", "--format", "json", env=added)
    (passage,) = found.json["items"]
    assert "Seeds lie three centimetres deep" in passage["text"]
    assert "Winter rye" in passage["text"]
    assert "*" not in passage["text"]
    assert any(index.iterdir())
    assert passage["citekey"] == "rye2020"
    inspected = desk.spawn("inspect", "--json", env=added).json
    assert inspected["project"]["chunking"]["strategy"] == "pages"
    assert "strategy pages: " in desk.spawn("ingest", "--force", env=added).out
    assert desk.spawn("ingest", "--json", env=added).json["unchanged"] == ["notes/rye.org"]


def test_an_extension_that_is_not_installed_is_not_known(make_desk: MakeDesk) -> None:
    desk = make_desk("bare")
    desk.config.write_text(
        '[project."lab/rye"]\n[store]\nurl = "disk:/x"\n[chunking]\nstrategy = "pages"\n',
        encoding="utf-8",
    )
    refused = desk.run("list")
    assert refused.code == 14
    assert "must begin with the name of a store: milvus:, milvus+https:" in refused.err
    assert "must be one of 'headings', 'sections', 'lessons', 'characters'" in refused.err


def test_extensions_that_fail_or_clash_are_named(
    make_desk: MakeDesk, added: dict[str, str], tmp_path: Path
) -> None:
    install([BROKEN], tmp_path / "broken", tmp_path / "site")
    alone = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT / "src")])}
    both = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), added["PYTHONPATH"]])}
    desk = make_desk("broken")
    desk.config.write_text('[project."lab/rye"]\nsources = ["notes/"]\n', encoding="utf-8")
    (desk.folder / "notes").mkdir()
    (desk.folder / "notes" / "rye.tear").write_text("rye", encoding="utf-8")
    torn = desk.spawn("list", env={**alone, "CITELOOM_CHUNKING__STRATEGY": "torn"})
    assert torn.code == 14
    assert "'torn' of citeloom-broken 0.1 cannot be loaded" in torn.err
    clash = desk.spawn("ingest", env=both)
    assert clash.code == 14
    assert "both add 'org' to citeloom.converters" in clash.err
    failed = desk.spawn("ingest", "--json", env=alone)
    assert failed.code == 3
    (failure,) = failed.json["failed"]
    assert failure["path"] == "notes/rye.tear"
    assert "citeloom-broken 0.1 failed with RuntimeError: no luck" in failure["message"]
