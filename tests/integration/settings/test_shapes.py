from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import load_settings


def write(folder: Path, shape: str) -> None:
    text = f'[project."lab/course"]\n[project."lab/course".shapes.report]\n{shape}\n'
    (folder / "citeloom.toml").write_text(text, encoding="utf-8")


def test_a_project_has_the_shapes_of_its_tables(tmp_path: Path) -> None:
    write(tmp_path, 'total = "found"\nskipped = { each = "failed", file = "path" }')
    assert load_settings(cwd=tmp_path).shapes == {
        "lab/course": {"report": {"total": "found", "skipped": {"each": "failed", "file": "path"}}}
    }


@pytest.mark.parametrize("shape", ['skipped = { file = "path" }', 'skipped = { each = "failed" }'])
def test_a_list_needs_its_name_and_a_field(tmp_path: Path, shape: str) -> None:
    write(tmp_path, shape)
    with pytest.raises(ConfigError, match="must name the list in `each`, and a field"):
        load_settings(cwd=tmp_path)
