"""Settings as they are listed: each with its value, and where that comes from."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citeloom.application.library_info import ListedSetting
from citeloom.infrastructure.library.library import open_library
from citeloom.infrastructure.settings import load_settings

FILE = """
[project."lab/one"]
sources = ["papers"]

[project."lab/two"]
sources = ["others"]

[retrieval]
top_k = 9

[server]
uploads = "papers"

[models."openai/text-embedding-3-small"]
base_url = "https://models.example.org/v1"
dimension = 8
"""
SECRET = "a-key-that-nobody-sees"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """The settings of the first project that are set, with value and source."""
    (tmp_path / "citeloom.toml").write_text(FILE, encoding="utf-8")
    (tmp_path / ".env").write_text(
        f"CITELOOM_ANSWERS__LANGUAGE=de\nCITELOOM_QDRANT_API_KEY={SECRET}\n", encoding="utf-8"
    )
    monkeypatch.setenv("CITELOOM_RETRIEVAL__TOP_K", "7")
    monkeypatch.setenv("ZOTERO_API_KEY", SECRET)
    with open_library(tmp_path, overrides={"server": {"port": 80, "host": None}}) as library:
        listed = library.settings("lab/one")
    assert SECRET not in repr(listed)
    assert len(listed) > 100
    return {(each.table, each.key): f"{each.value} < {each.source}" for each in listed}


def test_each_value_has_its_source(settings: dict[tuple[str, str], str], tmp_path: Path) -> None:
    file = tmp_path / "citeloom.toml"
    for table, key, expected in (
        ('project."lab/one"', "sources", f'["papers"] < {file}'),
        ("retrieval", "top_k", "7 < CITELOOM_RETRIEVAL__TOP_K"),
        ("answers", "language", "de < CITELOOM_ANSWERS__LANGUAGE"),
        ("server", "uploads", f'"papers" < {file}'),
        ("server", "port", "80 < the command line"),
        ("server", "host", '"127.0.0.1" < '),
        ("server", "calls", "8 < "),
        ("server", "token_file", " < "),
        ("models", "threads", " < "),
        ("zotero", "api_key", "(set, and not shown) < ZOTERO_API_KEY"),
        ("zotero", "webdav_password", " < "),
        ("qdrant", "api_key", "(set, and not shown) < CITELOOM_QDRANT_API_KEY"),
        ("chunking", "strategy", '"headings" < '),
    ):
        assert settings[table, key] == expected


def test_tables_below_a_table_are_listed_in_one_line(
    settings: dict[tuple[str, str], str], tmp_path: Path
) -> None:
    shown = settings["models", "openai/text-embedding-3-small"]
    assert '"base_url" = "https://models.example.org/v1"' in shown
    assert shown.endswith(str(tmp_path / "citeloom.toml"))


def test_other_projects_are_not_listed(settings: dict[tuple[str, str], str]) -> None:
    assert not [table for table, _ in settings if "lab/two" in table]


def test_no_login_is_shown_in_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_ZOTERO__WEBDAV_URL", f"https://ada:{SECRET}@dav.example.org/")
    with open_library(tmp_path) as library:
        [shown] = [each for each in library.settings("lab/any") if each.key == "webdav_url"]
    assert shown == ListedSetting(
        table="zotero",
        key="webdav_url",
        value="https://…@dav.example.org/",
        source="CITELOOM_ZOTERO__WEBDAV_URL",
    )


def test_workers_are_not_given_where_values_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_RETRIEVAL__TOP_K", "7")
    settings = load_settings(cwd=tmp_path)
    assert settings.layers
    assert "layers" not in repr(settings)
    sent = settings.without_model_keys()
    assert pickle.loads(pickle.dumps(sent)).layers == ()
