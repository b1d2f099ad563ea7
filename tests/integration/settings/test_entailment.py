"""The table of entailment: what it may say, where a key may go, and what is opened from it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import Settings, load_settings
from citeloom.infrastructure.wiring.models import entailment_destination, open_entailment

KEY = "sEcReTkEy"
ADDRESS = 'base_url = "http://localhost:8080"'
ANSWERS = ("[answers]", 'model = "openai/qwen3:8b"', 'base_url = "http://localhost:11434/v1"')


def settings_with(folder: Path, *lines: str) -> Settings:
    file = folder / "citeloom.toml"
    file.write_text("\n".join(["[entailment]", *lines]), encoding="utf-8")
    return load_settings(cwd=folder)


def test_without_a_model_nothing_is_configured(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, "keep_unclear = true", *ANSWERS)
    assert open_entailment(settings) is None
    assert entailment_destination(settings) is None


@pytest.mark.parametrize(
    ("lines", "name", "destination"),
    [
        (('model = "answers"', *ANSWERS), "openai/qwen3:8b", "localhost:11434"),
        (('model = "tei/nli"', ADDRESS), "tei/nli", "localhost:8080"),
        (('model = "models/nli"',), "models/nli", None),
    ],
)
def test_each_family_is_opened_by_its_name(
    tmp_path: Path, lines: tuple[str, ...], name: str, destination: str | None
) -> None:
    settings = settings_with(tmp_path, "keep_unclear = true", *lines)
    check = open_entailment(settings)
    assert check is not None
    assert check.keep_unclear
    assert (check.model.model_id, check.model.destination) == (name, destination)
    assert entailment_destination(settings) == destination


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (('model = "answers"',), "entailment.model is the model of [answers], and none is named"),
        (('model = "tei/nli"',), "needs a base_url"),
        (('model = "tei/"', ADDRESS), "must name a model"),
        (('model = "models/nli"', ADDRESS), "for the model of a service"),
        (('model = "tei/x"', ADDRESS, 'api_key = "geheim"'), "api_key_env"),
        (("timeout = 0",), "more than 0"),
    ],
)
def test_a_table_that_is_wrong_is_refused(
    tmp_path: Path, lines: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        settings_with(tmp_path, *lines)
    assert said in caught.value.message
    assert "geheim" not in caught.value.message


def test_a_key_goes_to_no_host_that_a_found_file_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    lines = ('model = "tei/nli"', 'api_key_env = "LAB_KEY"')
    here = settings_with(tmp_path, *lines, ADDRESS)
    assert here.entailment_service is not None
    assert here.entailment_service.key == KEY
    assert KEY.encode() not in pickle.dumps(here.without_model_keys())
    with pytest.raises(ConfigError, match="found here, not named") as caught:
        settings_with(tmp_path, *lines, 'base_url = "https://evil.example"')
    assert "entailment.base_url" in caught.value.message
    named = load_settings(config=tmp_path / "citeloom.toml")
    assert named.entailment_service is not None
