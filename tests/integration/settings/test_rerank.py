"""The table of rerankers: what it may say, where a key may go, and what is opened from it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.infrastructure.settings import Settings, load_settings
from citeloom.infrastructure.wiring.models import list_rerankers, open_reranking

KEY = "sEcReTkEy"
ADDRESS = 'base_url = "http://localhost:8080"'


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("COHERE_API_KEY", "JINA_API_KEY", "LAB_KEY"):
        monkeypatch.delenv(variable, raising=False)


def written(folder: Path, *lines: str) -> Path:
    file = folder / "citeloom.toml"
    text = ['[project."lab/rye"]', "[rerank]", *lines]
    file.write_text("\n".join(text), encoding="utf-8")
    return file


def settings_with(folder: Path, *lines: str) -> Settings:
    written(folder, *lines)
    return load_settings(cwd=folder)


def test_without_a_model_nothing_is_configured(tmp_path: Path) -> None:
    settings = settings_with(tmp_path)
    assert (settings.rerank.model, settings.rerank_service) == (None, None)


@pytest.mark.parametrize(
    ("model", "line", "destination"),
    [
        ("late-interaction", "", None),
        ("Xenova/ms-marco-MiniLM-L-6-v2", "", None),
        ("cohere/rerank-v3.5", ADDRESS, "localhost:8080"),
        ("jina/jina-reranker-v2-base-multilingual", ADDRESS, "localhost:8080"),
        ("tei/bge-reranker", ADDRESS, "localhost:8080"),
    ],
)
def test_each_family_is_opened_by_its_name(
    tmp_path: Path, model: str, line: str, destination: str | None
) -> None:
    lines = (f'model = "{model}"', line, "candidates = 7", "timeout = 2.5")
    settings = settings_with(tmp_path, *lines)
    reranking = open_reranking(settings, settings.project("lab/rye"))
    assert (reranking.reranker.model_id, reranking.reranker.destination) == (model, destination)
    assert (reranking.candidates, reranking.seconds) == (7, 2.5)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (('model = "cohere/x"',), "needs a base_url"),
        (('model = "tei/"', ADDRESS), "must name a model"),
        (('model = "late-interaction"', ADDRESS), "for the model of a service"),
        ((ADDRESS,), "for the model of a service"),
        (('model = "jina/x"', 'base_url = "https://u:geheim@x"'), "plain address"),
        (('model = "jina/x"', ADDRESS, 'api_key = "geheim"'), "api_key_env"),
        (("candidates = 0",), "at least 1"),
        (("candidates = 201",), "at most 200"),
        (("timeout = 0",), "more than 0"),
    ],
)
def test_a_table_that_is_wrong_is_refused(
    tmp_path: Path, lines: tuple[str, ...], said: str
) -> None:
    written(tmp_path, *lines)
    with pytest.raises(ConfigError) as caught:
        load_settings(cwd=tmp_path)
    assert said in caught.value.message
    assert "geheim" not in caught.value.message


def test_a_reranker_that_cannot_be_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    written(tmp_path, 'model = "late-interaction"')
    file = tmp_path / "citeloom.toml"
    small = '[project."lab/oats"]\nembedding_model = "BAAI/bge-small-en-v1.5"\n'
    file.write_text(small + file.read_text(encoding="utf-8"), encoding="utf-8")
    settings = load_settings(cwd=tmp_path)
    with pytest.raises(ConfigError, match=r"lab/oats.*bge-small"):
        open_reranking(settings, settings.project("lab/oats"))
    with pytest.raises(ConfigError, match="none is configured for it"):
        open_reranking(settings, settings.project("lab/rye"), "cohere/rerank-v3.5")
    unknown = open_reranking(settings, settings.project("lab/rye"), "Xenova/ms-marco")
    with pytest.raises(ConfigError, match="no reranker model named"):
        unknown.score("Who?", ["One.", "Two."])
    with pytest.raises(InvalidProject):
        settings.project("lab/barley")


def test_a_service_is_listed_with_its_address(tmp_path: Path) -> None:
    lines = ('model = "cohere/x"', 'base_url = "https://api.cohere.com"')
    settings = settings_with(tmp_path, *lines, "[models]", f'cache_dir = "{tmp_path}"')
    first, second, *others = list_rerankers(settings)
    assert (first.sends_text_to, first.needs) == (
        "https://api.cohere.com",
        "a key in COHERE_API_KEY",
    )
    assert (second.name, second.sends_text_to) == ("late-interaction", None)
    assert {one.usable for one in others} == {False}
    assert {"BAAI/bge-reranker-base", "Xenova/ms-marco-MiniLM-L-6-v2"} <= {o.name for o in others}


class TestKeys:
    @pytest.mark.parametrize(
        ("model", "host", "variable"),
        [
            ("cohere/x", "api.cohere.com", "COHERE_API_KEY"),
            ("jina/x", "api.jina.ai", "JINA_API_KEY"),
        ],
    )
    def test_the_own_key_goes_to_the_own_host_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, host: str, variable: str
    ) -> None:
        monkeypatch.setenv(variable, KEY)
        own = settings_with(tmp_path, f'model = "{model}"', f'base_url = "https://{host}"')
        assert own.rerank_service is not None
        assert own.rerank_service.key == KEY
        assert KEY not in repr(own)
        assert KEY.encode() not in pickle.dumps(own.without_model_keys())
        other = settings_with(tmp_path, f'model = "{model}"', 'base_url = "https://lab.example"')
        assert other.rerank_service is not None
        assert other.rerank_service.key == ""

    @pytest.mark.parametrize(
        ("model", "url", "variable"),
        [
            ("cohere/x", "https://evil.example", "COHERE_API_KEY"),
            ("jina/x", "https://api.cohere.com", "COHERE_API_KEY"),
            ("jina/x", "http://api.jina.ai", "JINA_API_KEY"),
            ("tei/x", "https://evil.example", "LAB_KEY"),
        ],
    )
    def test_a_found_file_sends_no_key_elsewhere(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        model: str,
        url: str,
        variable: str,
    ) -> None:
        monkeypatch.setenv(variable, KEY)
        lines = (f'model = "{model}"', f'base_url = "{url}"', f'api_key_env = "{variable}"')
        file = written(tmp_path, *lines)
        with pytest.raises(ConfigError, match="found here, not named") as caught:
            load_settings(cwd=tmp_path)
        assert "rerank.base_url" in caught.value.message
        assert KEY not in caught.value.message
        assert load_settings(config=file).rerank_service is not None
