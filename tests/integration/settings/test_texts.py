"""The file `init` writes and the reference page say what the tables say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import ErrorDetails
from scripts.settings_reference import keys_of, settings_reference

from citeloom.domain.errors import InvalidProject
from citeloom.domain.project import Project
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.settings.layers import variable_for
from citeloom.infrastructure.settings.tables import (
    SECTIONS,
    ProjectTable,
    all_tables,
)
from citeloom.infrastructure.settings.toml_file import default_toml, toml_value
from citeloom.infrastructure.settings.values import read_table
from citeloom_qdrant.settings import QdrantTable

CONTRADICTIONS = {("qdrant", "write_consistency"), ("store", "url")}
"""Examples that do not go with those of other keys."""
COMMENTED_OUT = re.compile(r"^#(?=[\w\[\"])", re.MULTILINE)


def test_the_written_file_loads_as_the_defaults(tmp_path: Path) -> None:
    bare = load_settings(cwd=tmp_path)
    (tmp_path / "citeloom.toml").write_text(default_toml("lab/rye", "r.json", ["library/"]))
    written = load_settings(cwd=tmp_path)
    assert written.projects() == [Project(id="lab/rye", references="r.json", sources=("library/",))]
    for name in ("chunking", "retrieval", "conversion", "validation", "models"):
        assert getattr(written, name) == getattr(bare, name)
    assert written.data_dir == bare.data_dir
    assert written.logging == bare.logging


def test_the_written_file_is_right_even_where_it_is_commented_out(tmp_path: Path) -> None:
    text = COMMENTED_OUT.sub("", default_toml("lab/rye", None, []))
    (tmp_path / "citeloom.toml").write_text(text)
    project = load_settings(cwd=tmp_path).project("lab/rye")
    assert (project.references, project.sources) == ("references.json", ("papers/",))


def test_the_written_file_freezes_no_default() -> None:
    text = default_toml("lab/rye", None, [], {"zotero": {"data_dir": "/home/rye/Zotero"}})
    assert tomli.loads(text) == {
        "project": {"lab/rye": {}},
        "zotero": {"data_dir": "/home/rye/Zotero"},
    }
    assert len(text.splitlines()) < 12


def test_the_examples_of_the_reference_are_values_that_load(tmp_path: Path) -> None:
    parts = []
    tables: dict[str, type] = {**all_tables(), 'project."lab/rye"': ProjectTable}
    for name, table in tables.items():
        parts.append(f"[{name}]")
        parts += [
            f"{key.name} = {toml_value(key.example)}"
            for key in keys_of(table)
            if key.example is not None and (name, key.name) not in CONTRADICTIONS
        ]
    (tmp_path / "citeloom.toml").write_text("\n".join(parts))
    settings = load_settings(cwd=tmp_path)
    assert settings.mapping("lab/rye") == {"paper.pdf": "citekey"}
    assert settings.chunking.max_tokens == 450
    assert settings.table(QdrantTable).url == ("http://localhost:6333",)


def test_a_malformed_project_is_not_written() -> None:
    with pytest.raises(InvalidProject):
        default_toml("lab rye", None, [])


@pytest.mark.parametrize("name", SECTIONS)
def test_a_table_without_keys_has_the_defaults(name: str) -> None:
    faults: list[ErrorDetails] = []
    assert read_table(SECTIONS[name], {}, (name,), faults) == SECTIONS[name]()
    assert faults == []


def test_the_reference_has_every_key_with_its_description() -> None:
    page = settings_reference()
    for section, table in all_tables().items():
        for key in keys_of(table):
            row = next(
                line for line in page.splitlines() if f"`{variable_for(section, key.name)}`" in line
            )
            assert f"`{key.name}`" in row
            assert key.description
            assert key.description in row
    assert "`CITELOOM_QDRANT_API_KEY`" in page
    for key in keys_of(ProjectTable):
        assert f"| `{key.name}` |" in page


values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(value=values)
def test_any_value_is_written_as_toml_reads_it(value: object) -> None:
    assert tomli.loads(f"key = {toml_value(value)}")["key"] == value
