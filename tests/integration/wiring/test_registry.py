"""Adapters of other distributions are found by name beside those that come with citeloom."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure import extensions
from citeloom.infrastructure.extensions import Registry

GROUP = "citeloom.rulers"
RULERS: Registry[float] = Registry("ruler", {"metre": "math:ceil"}, group=GROUP)


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two rulers are installed, one of them under a name that citeloom has."""
    points = [
        EntryPoint(name="yard", value="math:floor", group=GROUP),
        EntryPoint(name="metre", value="math:sqrt", group=GROUP),
        EntryPoint(name="rod", value="no_such_module:rod", group=GROUP),
    ]
    monkeypatch.setattr(
        extensions, "entry_points", lambda *, group: [one for one in points if one.group == group]
    )
    extensions.extensions.cache_clear()
    yield
    extensions.extensions.cache_clear()


def test_what_is_installed_is_found_and_replaces_nothing() -> None:
    assert RULERS["yard"](2.5) == 2
    assert RULERS["metre"](2.5) == 3
    assert "yard" in RULERS
    assert "ell" not in RULERS
    assert list(RULERS) == ["metre"]


def test_a_wrong_name_is_refused_with_the_nearest_one_installed() -> None:
    with pytest.raises(ConfigError) as raised:
        RULERS["yerd"]
    assert raised.value.hint == "Did you mean yard?"


def test_what_cannot_be_imported_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'rod' of .* cannot be loaded: No module named"):
        RULERS["rod"]


def test_a_registry_without_a_group_has_its_own_alone() -> None:
    alone: Registry[float] = Registry("ruler", {"metre": "math:ceil"})
    assert "yard" not in alone
