"""Where keys of the environment may be sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import Settings, load_settings

KEY = "sEcReTkEy"
VARIABLES = {
    "zotero": "ZOTERO_API_KEY",
    "qdrant": "CITELOOM_QDRANT_API_KEY",
    "store": "PGPASSWORD",
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)


def written(folder: Path, section: str, name: str, address: str) -> Path:
    file = folder / "citeloom.toml"
    file.write_text(f"[{section}]\n{name} = '{address}'\n", encoding="utf-8")
    return file


def value_of(settings: Settings, section: str, name: str) -> str:
    """The address, or the addresses with commas between."""
    table = settings.added.get(section) or getattr(settings, section)
    value = getattr(table, name)
    return ",".join(value) if isinstance(value, tuple) else str(value)


REDIRECTS = [
    ("zotero", "web_url", "https://evil.example"),
    ("zotero", "web_url", "http://api.zotero.org"),
    ("zotero", "web_url", "https://api.zotero.org@evil.example"),
    ("zotero", "web_url", "https://api.zotero.org.evil.example"),
    ("zotero", "web_url", r"https://evil.example\@api.zotero.org"),
    ("zotero", "local_url", "http://10.0.0.7:23119/api"),
    ("qdrant", "url", "https://evil.example:6333"),
    ("qdrant", "url", "http://localhost:6333,https://evil.example"),
    ("store", "url", "postgresql://evil.example/papers"),
    ("store", "url", "postgresql+langchain://evil.example/papers"),
    ("store", "url", "postgresql://localhost@evil.example/papers"),
    ("store", "url", "postgresql://localhost,evil.example/papers"),
    ("store", "url", "postgresql://localhost/papers?host=evil.example"),
    ("store", "url", "postgresql:///papers?host=%2Ftmp%2Cevil.example"),
    ("store", "url", "postgresql://localhost/papers?hostaddr=10.0.0.7"),
]


@pytest.mark.parametrize(("section", "name", "address"), REDIRECTS)
def test_a_file_that_was_found_cannot_send_a_key_elsewhere(
    tmp_path: Path, section: str, name: str, address: str
) -> None:
    file = written(tmp_path, section, name, address)
    below = tmp_path / "below"
    below.mkdir()
    with pytest.raises(ConfigError) as caught:
        load_settings(cwd=below)
    said = caught.value.message + caught.value.hint
    assert str(file) in said
    assert f"{section}.{name}" in said
    assert "--config" in said
    assert KEY not in said


def test_the_host_is_named(tmp_path: Path) -> None:
    written(tmp_path, "zotero", "web_url", "https://api.zotero.org@evil.example/x")
    with pytest.raises(ConfigError, match=r"to evil\.example,"):
        load_settings(cwd=tmp_path)


@pytest.mark.parametrize(("section", "name", "address"), REDIRECTS)
def test_a_file_that_is_named_may(tmp_path: Path, section: str, name: str, address: str) -> None:
    file = written(tmp_path, section, name, address)
    assert value_of(load_settings(config=file), section, name) == address


@pytest.mark.parametrize(("section", "name", "address"), REDIRECTS)
def test_without_a_key_there_is_nothing_to_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str, name: str, address: str
) -> None:
    monkeypatch.delenv(VARIABLES[section])
    written(tmp_path, section, name, address)
    assert value_of(load_settings(cwd=tmp_path), section, name) == address


@pytest.mark.parametrize(
    ("section", "name", "address"),
    [
        ("zotero", "web_url", "https://api.zotero.org/"),
        ("zotero", "local_url", "http://127.0.0.1:23119/api"),
        ("qdrant", "url", "http://localhost:6333"),
        ("qdrant", "url", "http://[::1]:6333"),
        ("store", "url", "postgresql://me@localhost:5432/papers"),
        ("store", "url", "postgresql+langchain://me@localhost:5432/papers"),
        ("store", "url", "postgresql:///papers?host=/var/run/postgresql"),
        ("store", "url", "postgresql:///papers?host=%2Fvar%2Frun%2Fpostgresql"),
    ],
)
def test_this_machine_and_zotero_itself_may_have_it(
    tmp_path: Path, section: str, name: str, address: str
) -> None:
    written(tmp_path, section, name, address)
    assert value_of(load_settings(cwd=tmp_path), section, name) == address


def test_the_environment_beside_the_key_goes_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "zotero", "web_url", "https://evil.example")
    monkeypatch.setenv("CITELOOM_ZOTERO__WEB_URL", "https://zotero.lab.example")
    assert load_settings(cwd=tmp_path).zotero.web_url == "https://zotero.lab.example"


def test_an_env_file_beside_it_is_found_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("CITELOOM_ZOTERO__WEB_URL=https://evil.example\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"zotero\.web_url"):
        load_settings(cwd=tmp_path)
    monkeypatch.delenv("ZOTERO_API_KEY")
    dotenv.write_text(
        "CITELOOM_ZOTERO__WEB_URL=https://own.example\nZOTERO_API_KEY=own\n", encoding="utf-8"
    )
    assert load_settings(cwd=tmp_path).zotero.web_url == "https://own.example"


def test_a_file_that_was_found_cannot_send_the_password_of_webdav_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOTERO_WEBDAV_PASSWORD", KEY)
    file = written(tmp_path, "zotero", "webdav_url", "https://dav.example/ada")
    with pytest.raises(ConfigError, match="webdav_url would send the key"):
        load_settings(cwd=tmp_path)
    assert load_settings(config=file).zotero.webdav_url == "https://dav.example/ada"
