"""The tables of answers: what they may say, and where a key of the environment may go."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citeloom.domain.answers.messages import AnswerLanguage, AnswerWording
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import Settings, load_settings
from citeloom.infrastructure.wiring.models import open_answer_model

KEY = "sEcReTkEy"
LOCAL = 'base_url = "http://localhost:11434/v1"'


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "LAB_KEY"):
        monkeypatch.delenv(variable, raising=False)


def written(folder: Path, *lines: str) -> Path:
    file = folder / "citeloom.toml"
    text = ['[project."lab/rye"]', '[project."lab/oats"]', "[answers]", *lines]
    file.write_text("\n".join(text), encoding="utf-8")
    return file


def settings_with(folder: Path, *lines: str) -> Settings:
    written(folder, *lines)
    return load_settings(cwd=folder)


def test_without_a_model_nothing_is_opened(tmp_path: Path) -> None:
    assert open_answer_model(settings_with(tmp_path)) is None
    assert open_answer_model(settings_with(tmp_path, LOCAL)) is None


def test_a_model_has_a_name_and_a_destination(tmp_path: Path) -> None:
    model = open_answer_model(settings_with(tmp_path, 'model = "openai/qwen3:8b"', LOCAL))
    assert model is not None
    assert (model.model_id, model.destination) == ("openai/qwen3:8b", "localhost:11434")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (('model = "openai/x"',), "needs a base_url"),
        (('model = "gpt"', LOCAL), "must begin with openai/"),
        (('model = "openai/"', LOCAL), "must begin with openai/"),
        (('model = "openai/x"', 'base_url = "ftp://x"'), "must begin with http"),
        (('model = "openai/x"', 'base_url = "https://u:geheim@x"'), "plain address"),
        (('model = "openai/x"', LOCAL, 'api_key = "geheim"'), "api_key_env"),
        (("max_tokens = 0",), "at least 1"),
        (("timeout = 0",), "more than 0"),
        (('language = "tlh"',), "language"),
        (('[project."lab/barley".answers]', 'model = "openai/x"'), "no key model"),
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


def test_a_project_has_its_own_wording_over_the_shared_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ('[project."lab/barley".answers]', 'language = "pt"', 'refusal = "Não sei."')
    lines = ('language = "de"', 'prefix = "ANTWORT: "', *own)
    settings = settings_with(tmp_path, *lines)
    portuguese, german = AnswerLanguage.PORTUGUESE, AnswerLanguage.GERMAN
    expected = AnswerWording(language=portuguese, refusal="Não sei.", prefix="ANTWORT: ")
    assert settings.wording("lab/barley") == expected
    assert settings.wording("lab/rye") == AnswerWording(language=german, prefix="ANTWORT: ")
    monkeypatch.setenv("CITELOOM_ANSWERS__LANGUAGE", "en")
    assert settings_with(tmp_path, *lines).wording("lab/barley").language is AnswerLanguage.ENGLISH


def test_without_a_file_the_wording_is_the_default(tmp_path: Path) -> None:
    assert load_settings(cwd=tmp_path).wording("lab/rye") == AnswerWording()


class TestKeys:
    def test_the_own_key_goes_to_the_own_host_alone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = 'model = "openai/x"'
        own = settings_with(tmp_path, model, 'base_url = "https://api.openai.com/v1"')
        assert own.answer_model is not None
        assert own.answer_model.key == KEY
        assert KEY not in repr(own)
        assert KEY.encode() not in pickle.dumps(own.without_model_keys())
        other = settings_with(tmp_path, model, 'base_url = "https://lab.example/v1"')
        assert other.answer_model is not None
        assert other.answer_model.key == ""

    @pytest.mark.parametrize(
        ("url", "variable"),
        [
            ("https://evil.example/v1", "OPENAI_API_KEY"),
            ("http://api.openai.com/v1", "OPENAI_API_KEY"),
            ("https://api.openai.com.evil.example/v1", "OPENAI_API_KEY"),
            ("https://api.openai.com/v1", "LAB_KEY"),
        ],
    )
    def test_a_found_file_sends_no_key_elsewhere(
        self, url: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(variable, KEY)
        lines = ('model = "openai/x"', f'base_url = "{url}"', f'api_key_env = "{variable}"')
        file = written(tmp_path, *lines)
        with pytest.raises(ConfigError, match="found here, not named") as caught:
            load_settings(cwd=tmp_path)
        assert KEY not in caught.value.message
        assert load_settings(config=file).answer_model is not None

    def test_a_found_file_chooses_no_key_for_a_named_address(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LAB_KEY", KEY)
        monkeypatch.setenv("CITELOOM_ANSWERS__BASE_URL", "https://lab.example/v1")
        monkeypatch.setenv("CITELOOM_ANSWERS__MODEL", "openai/x")
        written(tmp_path, 'api_key_env = "LAB_KEY"')
        with pytest.raises(ConfigError, match="found here, not named"):
            load_settings(cwd=tmp_path)
        written(tmp_path)
        monkeypatch.setenv("CITELOOM_ANSWERS__API_KEY_ENV", "LAB_KEY")
        assert load_settings(cwd=tmp_path).answer_model is not None
