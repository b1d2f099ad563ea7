from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from citeloom.infrastructure.answers.passages import Links
from citeloom.infrastructure.answers.text import safe_target
from citeloom.testing.chunks import rich
from tests.described import as_json
from tests.fakes.hostile_texts import hostile


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("file:///a%20b.pdf#page=2", "file:///a%20b.pdf#page=2"),
        ("zotero://select/library/items/A(1)", "zotero://select/library/items/A%281%29"),
        ("https://e.org/\x1b\\\x07<>", "https://e.org/%1B%5C%07%3C%3E"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("", None),
        (None, None),
    ],
)
def test_only_known_schemes_are_followed_and_encoded(
    address: str | None, target: str | None
) -> None:
    assert safe_target(address) == target


@given(name=hostile, key=hostile)
def test_every_link_is_plain_ascii(name: str, key: str) -> None:
    stored = replace(
        rich("a").stored, source_path=f"a/{name}.pdf", attachment_key=key, zotero_library=key
    )
    links: Mapping[str, object] = as_json(Links.of(stored), Path("/home/me"))
    for link in links.values():
        assert link is None or (
            isinstance(link, str)
            and link.isascii()
            and link.isprintable()
            and not set(link) & set('<>()" ')
        )
