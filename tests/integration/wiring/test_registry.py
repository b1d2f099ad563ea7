"""Extensions of other distributions are found by name beside those that come with citeloom."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, distribution
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from citeloom.domain.errors import ConfigError
from citeloom.domain.fields import Count
from citeloom.infrastructure import extensions
from citeloom.infrastructure.extensions import (
    EMBEDDERS,
    EXTENSION_POINTS,
    LOADED_VARIABLE,
    MANIFESTS,
    STORES,
    TABLES,
    TRACE_VARIABLE,
    Registry,
    forget_extensions,
    own_extensions,
)
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.settings.values import AddedTable
from tests.architecture.repository import ROOT

GROUP = "citeloom.rulers"
RULERS: Registry[Callable[[float], float]] = Registry("ruler", GROUP)


class Installed:
    """What is installed, and how often that was looked up."""

    def __init__(self) -> None:
        self.own: tuple[EntryPoint, ...] = (
            EntryPoint(name="metre", value="math:ceil", group=GROUP),
            EntryPoint(name="inch", value="no_such_module:inch [imperial]", group=GROUP),
            EntryPoint(name="any", value="math:pi", group=STORES.group),
        )
        self.others: tuple[EntryPoint, ...] = (
            EntryPoint(name="yard", value="math:floor", group=GROUP),
            EntryPoint(name="metre", value="math:sqrt", group=GROUP),
            EntryPoint(name="rod", value="no_such_module:rod", group=GROUP),
        )
        self.lookups = 0

    def entry_points(self, *, group: str) -> list[EntryPoint]:
        self.lookups += 1
        return [point for point in self.others if point.group == group]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """Rulers of citeloom's own and others, one of these under a name that citeloom has."""
    forget_extensions()
    there = Installed()
    monkeypatch.setattr(
        extensions, "distribution", lambda _: SimpleNamespace(entry_points=there.own)
    )
    monkeypatch.setattr(extensions, "entry_points", there.entry_points)
    yield there
    monkeypatch.undo()
    forget_extensions()


def test_what_is_installed_is_found_and_replaces_nothing() -> None:
    assert RULERS["yard"](2.5) == 2
    assert RULERS["metre"](2.5) == 3
    assert "yard" in RULERS
    assert "ell" not in RULERS
    assert list(RULERS) == ["metre", "inch", "yard", "rod"]


def test_others_are_not_looked_for_where_citeloom_has_the_name(installed: Installed) -> None:
    assert "metre" in RULERS
    assert RULERS["metre"](1.5) == 2
    assert installed.lookups == 0
    assert "yard" in RULERS
    assert "ell" not in RULERS
    assert installed.lookups == 1


def test_a_wrong_name_is_refused_with_the_nearest_one_installed() -> None:
    with pytest.raises(ConfigError) as raised:
        RULERS["yerd"]
    assert raised.value.hint == "Did you mean yard?"


def test_what_cannot_be_imported_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'rod' of .* cannot be loaded: No module named"):
        RULERS["rod"]


def test_what_needs_an_extra_says_which() -> None:
    with pytest.raises(ConfigError, match="'inch' needs a package that cannot be loaded") as raised:
        RULERS["inch"]
    assert raised.value.hint.endswith("pip install '.[imperial]'")


def test_a_recipe_is_named_by_what_it_would_add() -> None:
    with pytest.raises(
        ConfigError, match="needs citeloom-milvus-documents, which is not installed"
    ):
        MANIFESTS["milvus-documents"]
    assert MANIFESTS.is_known("milvus-documents")


def test_others_are_left_alone_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOADED_VARIABLE, "none")
    assert list(RULERS) == ["metre", "inch"]
    assert "yard" not in RULERS
    forget_extensions()
    monkeypatch.setenv(LOADED_VARIABLE, "some")
    with pytest.raises(ConfigError, match="CITELOOM_EXTENSIONS is 'some'"):
        list(RULERS)


def test_what_is_found_and_loaded_is_traced_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "yard" in RULERS
    assert capsys.readouterr().err == ""
    forget_extensions()
    monkeypatch.setenv(TRACE_VARIABLE, "1")
    assert RULERS["yard"](1.5) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        f"extension found: {GROUP} metre = math:ceil",
        f"extension found: {GROUP} inch = no_such_module:inch",
        f"extension found: {GROUP} yard = math:floor",
        f"extension found: {GROUP} rod = no_such_module:rod",
        f"extension loaded: {GROUP} yard = math:floor",
    ]


class RulerTable(AddedTable):
    """A table of another distribution."""

    inches: Count = 12
    url: str | None = None
    api_key: SecretStr | None = None

    @property
    def store_url(self) -> str | None:
        return self.url


def test_a_table_of_another_distribution_is_read_checked_and_guarded(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"{RulerTable.__module__}:RulerTable"
    installed.others = (EntryPoint(name="ruler", value=place, group=TABLES.group),)
    file = tmp_path / "citeloom.toml"
    file.write_text('[ruler]\ninches = 6\nurl = "http://localhost:1"\n', encoding="utf-8")
    monkeypatch.setenv("CITELOOM_RULER_API_KEY", "sesame")
    settings = load_settings(cwd=tmp_path)
    table = settings.table(RulerTable)
    assert (table.inches, settings.store_url) == (6, "http://localhost:1")
    assert table.api_key is not None
    assert table.api_key.get_secret_value() == "sesame"
    file.write_text('[ruler]\nurl = "https://evil.example"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="would send the key of the environment to evil"):
        load_settings(cwd=tmp_path)
    file.write_text('[ruler]\ninchs = 0\napi_key = "x"\n', encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_settings(cwd=tmp_path)
    assert "[ruler] has no key inchs; did you mean inches?" in raised.value.message
    assert "ruler.api_key must not be set here" in raised.value.message


def test_metadata_older_than_the_code_is_an_error_that_says_so(installed: Installed) -> None:
    installed.own = ()
    with pytest.raises(ConfigError, match="installed from older code") as raised:
        own_extensions(EMBEDDERS.group)
    assert "pip install" in raised.value.hint


def test_the_installation_knows_the_extensions_of_the_checkout() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    declared = {(group, name, value) for group in groups for name, value in groups[group].items()}
    known = {
        (point.group, point.name, point.value) for point in distribution("citeloom").entry_points
    }
    assert declared == {each for each in known if each[0] != "console_scripts"}
    assert set(groups) <= {point.group for point in EXTENSION_POINTS}
