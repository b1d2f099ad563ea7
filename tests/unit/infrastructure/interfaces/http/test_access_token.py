from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.interfaces.http.gate import VARIABLE, AccessToken, read_token

SECRET = "a-token-that-is-long-enough"


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "token"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_only_the_same_token_matches() -> None:
    token = AccessToken(SECRET)
    assert token.matches(SECRET)
    for other in ("", SECRET[:-1], SECRET + "x", "ä", "\udc80"):
        assert not token.matches(other)


def test_a_token_is_never_shown() -> None:
    assert SECRET not in repr(AccessToken(SECRET))


def test_it_is_read_from_the_environment_or_a_private_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_token() is None
    assert read_token(written(tmp_path, f"{SECRET}\n")) == AccessToken(SECRET)
    monkeypatch.setenv(VARIABLE, SECRET)
    assert read_token() == AccessToken(SECRET)


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ConfigError, match="others may read"):
        read_token(written(tmp_path, SECRET, mode))


@pytest.mark.parametrize("text", ["", "  \n", "short"])
def test_an_empty_or_short_token_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        read_token(written(tmp_path, text))


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none cannot be read"):
        read_token(tmp_path / "none")
