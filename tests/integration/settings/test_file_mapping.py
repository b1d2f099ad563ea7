"""A file's citekey is written into citeloom.toml, and everything else in it stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tomli

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.settings.toml_file import with_file_mapping, write_file_mapping

PLAIN = """\
# my thesis
[project."lab/x"]   # the project
references = "refs.json"  # exported weekly

# how many
[retrieval]
top_k = 4
"""
WITH_TABLE = """\
[project."lab/x"]
references = "refs.json"

[project."lab/x".files]  # by hand
"b.pdf" = "b2001"  # scan

# the other project
[project."lab/y"]
references = "refs.json"
"""


def test_a_new_table_stands_behind_the_project() -> None:
    assert with_file_mapping(PLAIN, "lab/x", "a/b c.pdf", "k1") == PLAIN.replace(
        "weekly\n", 'weekly\n\n[project."lab/x".files]\n"a/b c.pdf" = "k1"\n'
    )


def test_a_line_is_added_to_the_table_there_is() -> None:
    assert with_file_mapping(WITH_TABLE, "lab/x", "a.pdf", "k1") == WITH_TABLE.replace(
        "# scan\n", '# scan\n"a.pdf" = "k1"\n'
    )


def test_another_citekey_is_replaced_where_it_stands() -> None:
    text = WITH_TABLE.replace("refs.json", "b2001", 1)
    assert with_file_mapping(text, "lab/x", "b.pdf", "k1") == text.replace(
        '"b.pdf" = "b2001"', '"b.pdf" = "k1"'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '[project."lab/x"]\nfiles = { "b.pdf" = "b" }  # }\ntop = 1\n',
            '[project."lab/x"]\nfiles = { "b.pdf" = "b", "a.pdf" = "k1" }  # }\ntop = 1\n',
        ),
        (
            '[project."lab/x"]\nfiles = {}\n',
            '[project."lab/x"]\nfiles = { "a.pdf" = "k1" }\n',
        ),
        (
            '[project."lab/x"]\nfiles."b.pdf" = "b"\n[retrieval]\n',
            '[project."lab/x"]\nfiles."b.pdf" = "b"\nfiles."a.pdf" = "k1"\n[retrieval]\n',
        ),
        (
            '[project]\n"lab/x" = { references = "r.json" }\n',
            '[project]\n"lab/x" = { references = "r.json", files = { "a.pdf" = "k1" } }\n',
        ),
        (
            '[project."lab/x"]\r\nreferences = "r.json"\r\n',
            '[project."lab/x"]\r\nreferences = "r.json"\r\n'
            '\r\n[project."lab/x".files]\r\n"a.pdf" = "k1"\r\n',
        ),
        (
            '[project."lab/x"]\nreferences = "r.json"',
            '[project."lab/x"]\nreferences = "r.json"\n\n[project."lab/x".files]\n"a.pdf" = "k1"',
        ),
        (
            '[project."lab/x"]\nanswers = { prompt = """\n[project."lab/x".files]\n""" }\n',
            '[project."lab/x"]\nanswers = { prompt = """\n[project."lab/x".files]\n""" }\n'
            '\n[project."lab/x".files]\n"a.pdf" = "k1"\n',
        ),
        (
            '[project."lab/x".answers]\nlanguage = "de"\n\n# end\n',
            '[project."lab/x".answers]\nlanguage = "de"\n'
            '\n[project."lab/x".files]\n"a.pdf" = "k1"\n\n# end\n',
        ),
    ],
)
def test_every_way_to_write_the_table_is_followed(before: str, after: str) -> None:
    assert with_file_mapping(before, "lab/x", "a.pdf", "k1") == after


@pytest.mark.parametrize("path", ['"quoted".pdf', "back\\slash.pdf", "büro\x7f\t.pdf", "a}.pdf"])
def test_any_path_is_read_as_it_was_written(path: str) -> None:
    text = with_file_mapping(WITH_TABLE, "lab/x", path, "k1")
    assert text is not None
    assert tomli.loads(text)["project"]["lab/x"]["files"] == {"b.pdf": "b2001", path: "k1"}


def test_the_file_keeps_its_mark_its_mode_and_its_link(tmp_path: Path) -> None:
    real, config = tmp_path / "real.toml", tmp_path / "citeloom.toml"
    real.write_bytes(b"\xef\xbb\xbf" + PLAIN.encode())
    real.chmod(0o640)
    config.symlink_to(real)
    write_file_mapping(config, "lab/x", "a.pdf", "k1")
    assert config.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert real.read_bytes().startswith(b"\xef\xbb\xbf# my thesis\n")
    assert load_settings(cwd=tmp_path).mapping("lab/x") == {"a.pdf": "k1"}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["citeloom.toml", "real.toml"]


def test_a_file_that_cannot_be_changed_says_what_to_add(tmp_path: Path) -> None:
    config = tmp_path / "citeloom.toml"
    config.write_text("not [toml", encoding="utf-8")
    with pytest.raises(ConfigError, match="it was not changed") as raised:
        write_file_mapping(config, "lab/x", "a.pdf", "k1")
    assert raised.value.hint == 'Add under [project."lab/x".files] by hand: "a.pdf" = "k1"'
    assert config.read_text(encoding="utf-8") == "not [toml"
    config.write_text(PLAIN, encoding="utf-8")
    with pytest.raises(ConfigError, match="UTF-8"):
        write_file_mapping(config, "lab/x", os.fsdecode(b"\xff.pdf"), "k1")
    assert config.read_text(encoding="utf-8") == PLAIN
