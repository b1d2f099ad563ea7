"""The tables of remote models: what they may say, and where a key of the environment may go."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.domain.project import RemoteModel
from citeloom.infrastructure.extensions import EMBEDDERS
from citeloom.infrastructure.settings import Settings, load_settings
from citeloom.infrastructure.settings.service_tables import FAMILIES
from citeloom.infrastructure.wiring.models import open_embedders

KEY = "sEcReTkEy"
PROJECT = '[project."lab/rye"]\nembedding_model = "{name}"\n'


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "COHERE_API_KEY", "LAB_KEY"):
        monkeypatch.delenv(variable, raising=False)


def written(folder: Path, name: str, *lines: str) -> Path:
    """A file with a project that uses a remote model, and the model's table."""
    file = folder / "citeloom.toml"
    text = [PROJECT.format(name=name), f'[models."{name}"]', *lines]
    file.write_text("\n".join(text), encoding="utf-8")
    return file


def settings_with(folder: Path, name: str, *lines: str) -> Settings:
    written(folder, name, *lines)
    return load_settings(cwd=folder)


def refused(folder: Path, name: str, *lines: str) -> str:
    """Why a table is refused."""
    written(folder, name, *lines)
    with pytest.raises(ConfigError) as caught:
        load_settings(cwd=folder)
    return caught.value.message


def test_every_family_has_a_factory() -> None:
    assert set(FAMILIES) < set(EMBEDDERS)


def test_the_project_says_where_its_texts_go(tmp_path: Path) -> None:
    url = 'base_url = "http://localhost:11434/v1"'
    settings = settings_with(tmp_path, "openai/nomic-embed-text", url, "dimension = 768")
    project = settings.project("lab/rye")
    assert project.remote == RemoteModel(
        endpoint="http://localhost:11434/v1", inputs="openai", dimension=768
    )
    embedders = open_embedders(settings, project)
    assert embedders.remote is embedders.dense
    assert embedders.dense.model_id == "openai/nomic-embed-text"
    assert not embedders.counter.exact
    assert embedders.counter.window == 512


@pytest.mark.parametrize(
    ("name", "line", "inputs"),
    [
        ("openai/e5", 'query_prefix = "query: "', "openai, passages '', questions 'query: '"),
        ("cohere/embed-v4.0", "", "cohere, search_document, search_query"),
    ],
)
def test_inputs_are_part_of_the_binding(tmp_path: Path, name: str, line: str, inputs: str) -> None:
    settings = settings_with(tmp_path, name, 'base_url = "http://localhost:1"', line)
    assert settings.project("lab/rye").dense_inputs == inputs


def test_without_a_table_nothing_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "citeloom.toml"
    file.write_text(PROJECT.format(name="cohere/embed-v4.0"), encoding="utf-8")
    with pytest.raises(ConfigError, match="base_url"):
        load_settings(cwd=tmp_path)


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("openai/x", (), "base_url: must be given"),
        ("openai/x", ('base_url = "ftp://x"',), "must begin with http"),
        ("openai/x", ('base_url = "https://"',), "must name a host"),
        ("openai/x", ('base_url = "https://u:geheim@x"',), "plain address"),
        ("openai/x", ('base_url = "https://x?key=geheim"',), "plain address"),
        ("openai/x", ('base_url = "https://x"', 'api_key = "geheim"'), "api_key_env"),
        ("openai/x", ('base_url = "https://x"', "shorten = true"), "needs a dimension"),
        ("openai/x", ('base_url = "https://x"', "batch = 2049"), "at most 2048"),
        ("cohere/x", ('base_url = "https://x"', "batch = 97"), "at most 96"),
        ("cohere/x", ('base_url = "https://x"', 'query_prefix = "q"'), "input types"),
        ("voyage/x", ('base_url = "https://x"',), "must begin with openai/ or cohere/"),
        ("openai/", ('base_url = "https://x"',), "must begin with openai/ or cohere/"),
    ],
)
def test_a_table_that_is_wrong_is_refused(
    tmp_path: Path, name: str, lines: tuple[str, ...], said: str
) -> None:
    message = refused(tmp_path, name, *lines)
    assert said in message
    assert "geheim" not in message


class TestKeys:
    def test_the_familys_own_goes_to_its_own_host(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings = settings_with(tmp_path, "openai/x", 'base_url = "https://api.openai.com/v1"')
        key = settings.remote_models["openai/x"].key
        assert key == KEY
        assert KEY not in repr(settings)

    def test_no_other_host_gets_it_unasked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        file = written(tmp_path, "openai/x", 'base_url = "https://lab.example/v1"')
        assert load_settings(config=file).remote_models["openai/x"].key == ""

    @pytest.mark.parametrize(
        ("name", "url", "variable"),
        [
            ("openai/x", "https://evil.example/v1", "OPENAI_API_KEY"),
            ("openai/x", "http://api.openai.com/v1", "OPENAI_API_KEY"),
            ("openai/x", "https://api.openai.com.evil.example/v1", "OPENAI_API_KEY"),
            ("openai/x", "https://api.openai.com:8443@evil.example/v1", "OPENAI_API_KEY"),
            ("openai/x", r"https://evil.example\\@api.openai.com/v1", "OPENAI_API_KEY"),
            ("openai/x", "https://api.openai.com/v1", "LAB_KEY"),
            ("openai/x", "https://api.cohere.com", "COHERE_API_KEY"),
            ("cohere/x", "https://evil.example", "COHERE_API_KEY"),
            ("cohere/x", "http://localhost@evil.example", "COHERE_API_KEY"),
        ],
    )
    def test_a_file_that_was_found_cannot_send_one_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str, variable: str
    ) -> None:
        monkeypatch.setenv(variable, KEY)
        lines = (f'base_url = "{url}"', f'api_key_env = "{variable}"')
        message = refused(tmp_path, name, *lines)
        assert "base_url" in message
        assert KEY not in message

    @pytest.mark.parametrize("url", ["http://localhost:8080/v1", "http://127.0.0.1:1/v1"])
    def test_this_machine_may_have_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
    ) -> None:
        monkeypatch.setenv("LAB_KEY", KEY)
        settings = settings_with(
            tmp_path, "openai/x", f'base_url = "{url}"', 'api_key_env = "LAB_KEY"'
        )
        assert settings.remote_models["openai/x"].key

    def test_a_file_that_is_named_may_send_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LAB_KEY", KEY)
        lines = ('base_url = "https://lab.example/v1"', 'api_key_env = "LAB_KEY"')
        file = written(tmp_path, "openai/x", *lines)
        assert load_settings(config=file).remote_models["openai/x"].key

    def test_one_that_lies_beside_the_file_goes_where_the_file_says(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text(f"LAB_KEY={KEY}\n", encoding="utf-8")
        lines = ('base_url = "https://lab.example/v1"', 'api_key_env = "LAB_KEY"')
        settings = settings_with(tmp_path, "openai/x", *lines)
        assert settings.remote_models["openai/x"].key

    def test_workers_get_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        settings = settings_with(tmp_path, "openai/x", 'base_url = "https://api.openai.com/v1"')
        assert KEY.encode() in pickle.dumps(settings)
        assert KEY.encode() not in pickle.dumps(settings.without_model_keys())
