"""Each place that docs/recipes.md names is there, and the recipes say nothing else."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli
from scripts.make_reference import errors
from scripts.run_recipe import change_database, next_steps, prepare
from scripts.settings_reference import keys_of

from citeloom.application.documents import ListedDocument
from citeloom.application.reports import RECORDED, ChunkCounts, DocumentFailure
from citeloom.application.retrieval.result import QueryResult
from citeloom.domain.chunks.chunk import Enrichment, LessonType
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.documents.metadata import COUNTED_FIELDS, STANDARD_FIELDS
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.answers.ask import AskAnswer
from citeloom.infrastructure.answers.library import ManifestAnswer
from citeloom.infrastructure.answers.passages import FoundPassage, QueryAnswer
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.settings.service_tables import RemoteModelTable
from citeloom.infrastructure.settings.tables import ProjectTable, all_tables
from citeloom.infrastructure.stores.records.payload import to_payload
from citeloom.testing.chunks import rich
from tests.architecture.repository import PACKAGE, ROOT, SOURCE
from tests.described import as_json

PAGE = ROOT / "docs" / "recipes.md"
RECIPES = sorted(path for path in (ROOT / "recipes").iterdir() if path.is_dir())
ROW = re.compile(
    r"^\| (?P<of>[^|]+) \| (?P<name>[^|]+) \| (?P<where>`[^|]+) \| ?(?P<remark>[^|]*)\|$"
)
PLACE = re.compile(r"`([a-z-]+)(?::([^`]+))?`")
ELSEWHERE = {"otherwise", "not-yet"}
STORES = PACKAGE / "infrastructure" / "stores"
MIRROR = ROOT / "recipes" / "markdown-notes" / "extension"
LANGCHAIN = ROOT / "recipes" / "pdf-in-portuguese" / "extension"


@dataclass(frozen=True)
class Row:
    """What a system names, and where it lives here."""

    recipe: str
    of: str
    name: str
    places: tuple[tuple[str, str], ...]
    remark: str


def rows(text: str) -> Iterator[Row]:
    recipe = ""
    for line in text.splitlines():
        recipe = line.removeprefix("## ") if line.startswith("## ") else recipe
        found = ROW.match(line)
        if recipe and found:
            places = tuple(PLACE.findall(found["where"]))
            yield Row(recipe, found["of"], found["name"], places, found["remark"].strip())


def names_of(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}


def strings(path: Path) -> Iterator[str]:
    """The words in the strings of a module, those in its documentation left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def report_keys() -> set[str]:
    return {
        *RECORDED,
        *(f"chunks.{name}" for name in names_of(ChunkCounts)),
        *(
            f"{which}.{name}"
            for which in ("failed", "not_indexed")
            for name in names_of(DocumentFailure)
        ),
    }


def query_keys() -> tuple[set[str], set[str]]:
    """The keys of an answer, and those of a passage."""
    stored = rich("a").stored
    passage = Passage(stored=stored, score=1.0, text=stored.chunk.text)
    result = QueryResult(
        project="a/b",
        query="q",
        mode=Mode.DENSE,
        models={},
        fusion=None,
        feedback=(),
        passages=(),
        duration_ms=1.0,
        correlation_id="c",
    )
    return set(as_json(QueryAnswer.of(result), ROOT)), set(as_json(FoundPassage.of(passage), ROOT))


def answer_keys() -> set[str]:
    return {*AskAnswer.FIELDS}


def manifest_keys() -> set[str]:
    listed = ListedDocument(
        path="a", doc_id="d", title="", citekey=None, pages=0, chunks=1, state=DocumentState.INDEXED
    )
    manifest = as_json(ManifestAnswer.of([listed]))
    files = manifest["files"]
    assert isinstance(files, dict)
    return {*manifest, *files["a"]}


def shapes() -> Iterator[str]:
    for recipe in RECIPES:
        for name, shape in project_of(recipe).get("shapes", {}).items():
            yield from (f"{recipe.name}/{name}.{field}" for field in shape)


def project_of(recipe: Path) -> dict[str, Any]:
    text = (recipe / "citeloom.toml").read_text(encoding="utf-8")
    (table,) = tomli.loads(text)["project"].values()
    assert isinstance(table, dict)
    return table


def declared(recipe: str) -> set[str]:
    return set(project_of(ROOT / "recipes" / recipe)["front_matter"])


def payload_keys() -> set[str]:
    """The keys of a chunk's payload; every kind of chunk has some of them."""
    written = {*to_payload(rich("a").stored)}
    return written | set(strings(STORES / "records" / "metadata_payload.py"))


@cache
def known() -> Mapping[str, Iterable[str]]:
    """The names there are, by kind."""
    answer, passage = query_keys()
    tables = {name: [key.name for key in keys_of(table)] for name, table in all_tables().items()}
    langchain = " ".join(strings(LANGCHAIN / "citeloom_langchain_tables" / "tables.py"))
    return {
        "passage": passage,
        "query": answer,
        "answer": answer_keys(),
        "list": names_of(ListedDocument),
        "report": report_keys(),
        "manifest": manifest_keys(),
        "payload": payload_keys(),
        "front": {field.name for field in (*STANDARD_FIELDS, *COUNTED_FIELDS)},
        "lesson": declared("course-lessons"),
        "book": declared("book-chatbot"),
        **{name: tables[name] for name in ("chunking", "retrieval", "store", "milvus", "qdrant")},
        "project": [key.name for key in keys_of(ProjectTable)],
        "models": [key.name for key in keys_of(RemoteModelTable)],
        "vectors": set(strings(SOURCE / "citeloom_milvus" / "fields.py")),
        "documents": set(strings(MIRROR / "citeloom_milvus_documents.py")),
        "langchain": set(re.findall(r"\w+", langchain)),
        "shape": set(shapes()),
        "state": {state.value for state in DocumentState},
        "type": {one.value for one in LessonType},
        "done": {one.value for one in Enrichment},
        "error": {error.code for error in errors()},
        "command": set(
            re.findall(
                r"--[a-z-]+|(?<=citeloom )\w+",
                (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8"),
            )
        ),
    }


def absent(row: Row) -> list[str]:
    return [
        f"{row.recipe}, {row.of}, {row.name}: {kind}:{name}"
        for kind, name in row.places
        if kind not in ELSEWHERE and name not in known()[kind]
    ]


def test_every_place_is_there() -> None:
    table = list(rows(PAGE.read_text(encoding="utf-8")))
    assert [one for row in table for one in absent(row)] == []


def test_the_table_is_whole() -> None:
    table = list(rows(PAGE.read_text(encoding="utf-8")))
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "`" in line]
    cells = [line for line in listed if line.startswith("| ") and line.count(" | ") >= 3]
    assert len(table) == len(cells) == 334
    assert {row.recipe for row in table} == {recipe.name for recipe in RECIPES}
    assert all(row.places for row in table)
    assert [row.name for row in table if is_elsewhere(row) and not row.remark] == []
    keys = [(row.recipe, row.of, row.name) for row in table]
    assert len(set(keys)) == len(keys)


def is_elsewhere(row: Row) -> bool:
    return any(kind in ELSEWHERE for kind, _ in row.places)


def paths(shape: Mapping[str, Any]) -> Iterator[str]:
    """The first keys that a shape takes its values from."""
    for wanted in shape.values():
        yield (wanted if isinstance(wanted, str) else wanted["each"]).partition(".")[0]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_shape_takes_its_values_from_the_documented_json(recipe: Path) -> None:
    of = {"document": "list", "ingestion_report": "report", "response": "answer", "query": "answer"}
    for name, shape in project_of(recipe)["shapes"].items():
        assert set(paths(shape)) - set(known()[of.get(name, "passage")]) == set()


def test_a_field_of_another_name_is_found() -> None:
    (row,) = rows("## notes\n| Document | size | `list:bytes` `list:size` `otherwise` | no |\n")
    assert absent(row) == ["notes, Document, size: list:bytes"]
    assert is_elsewhere(row)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_has_a_configuration_that_holds_and_a_readme(recipe: Path) -> None:
    settings = load_settings(cwd=recipe)
    assert len(settings.projects()) == 1
    assert settings.config_file == recipe / "citeloom.toml"
    readme = (recipe / "README.md").read_text(encoding="utf-8")
    assert f"make recipe NAME={recipe.name}" in readme
    assert len(readme.splitlines()) < 60
    assert (recipe / "commands.txt").read_text(encoding="utf-8").startswith("citeloom ingest")
    kept = {path.suffix for path in recipe.rglob("*") if path.is_file()} - {".pyc"}
    assert kept <= {".toml", ".md", ".mdx", ".txt", ".typ", ".py"}


FENCED = re.compile(r"(?ms)^```(\w*)\n(.*?)^```$")
EXTRAS = re.compile(r"pip install '([^'\[]*)\[(\w+)\]'")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def readme_of(recipe: Path) -> str:
    return (recipe / "README.md").read_text(encoding="utf-8")


def console_lines(readme: str) -> list[str]:
    """The lines of a README's console blocks without their prompt."""
    blocks = FENCED.findall(readme)
    assert {language for language, _ in blocks} == {"console"}
    lines = [line for _, block in blocks for line in block.splitlines()]
    assert [line for line in lines if not line.startswith("$ ")] == []
    return [line.removeprefix("$ ") for line in lines]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_readme_has_the_lines_that_are_run(recipe: Path) -> None:
    make, activate, change, *lines = console_lines(readme_of(recipe))
    commands = (recipe / "commands.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("curl ")] == commands
    assert make == f"make recipe NAME={recipe.name}"
    assert change == f"cd build/recipes/{recipe.name}"
    assert "run_recipe.py $(NAME) build/recipes/$(NAME) $(DATABASE)" in MAKEFILE
    source, script = activate.split()
    environment = re.findall(r"(?m)^DEV := (\S+)$", MAKEFILE)
    assert source == "."
    assert [fnmatchcase(f"{name}/bin/activate", script) for name in environment] == [True]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_readme_names_the_extra_that_its_store_needs(recipe: Path) -> None:
    url = load_settings(cwd=recipe).store.url or ""
    needed = [extra for extra in ("milvus", "postgres") if url.startswith(extra)]
    assert EXTRAS.findall(readme_of(recipe)) == [(".", extra) for extra in needed]
    own = f"./recipes/{recipe.name}/extension"
    assert (own in readme_of(recipe)) is (recipe / "extension").is_dir()


def test_the_pages_install_the_checkout_with_extras_that_there_are() -> None:
    project = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "recipes").rglob("*.md")]
    named = [pair for page in pages for pair in EXTRAS.findall(page.read_text(encoding="utf-8"))]
    assert {extra for _, extra in named} == set(project["optional-dependencies"])
    assert {place for place, _ in named} == {"."}


def test_a_recipe_that_was_run_says_how_to_ask_it_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITELOOM_STORE__URL", raising=False)
    for name in ("book-chatbot", "pdf-in-portuguese"):
        folder = tmp_path / name
        prepare(name, folder)
        steps = next_steps(name, folder)
        _, activate, change, query, *rest = steps.strip().splitlines()
        activated = Path(activate.removeprefix("$ . ")).absolute().resolve()
        assert activated == Path(sys.prefix).resolve() / "bin" / "activate"
        assert change == f"$ cd {folder}"
        assert query.startswith("$ citeloom query ")
        database = "\n".join(rest)
        assert ("DATABASE=stop" in database) is (name == "pdf-in-portuguese")
        assert (str(folder / "postgres") in database) is (name == "pdf-in-portuguese")
    monkeypatch.setenv("CITELOOM_STORE__URL", "postgresql://elsewhere/library")
    assert "DATABASE" not in next_steps("pdf-in-portuguese", tmp_path / "pdf-in-portuguese")


def test_a_recipe_without_a_database_has_none_to_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert change_database("book-chatbot", tmp_path, "start") == 2
    assert "make recipe NAME=book-chatbot" in capsys.readouterr().err
