"""Places of files are kept out of answers, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.infrastructure.interfaces.private_paths import PrivatePaths

BASE = Path("/home/ada/my library")
PATHS = PrivatePaths(BASE, BASE / ".citeloom", Path("/"))


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("papers/a.pdf", "papers/a.pdf"),
        ("/home/ada/my library/papers/a.pdf", "papers/a.pdf"),
        ("/home/ada/my library", "."),
        ("/home/ada/my library2/a.pdf", "a.pdf"),
        ("/home/ada/Zotero/storage/ABCD/a b.pdf", "a b.pdf"),
        (r"C:\Users\Ada\a.pdf", "a.pdf"),
        ("", ""),
    ],
)
def test_a_path_keeps_what_tells_nothing_of_the_machine(path: str, public: str) -> None:
    assert PATHS.path(path) == public


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("/home/ada/my library/citeloom.toml has no project", "citeloom.toml has no project"),
        ("the folder /home/ada/my library is full", "the folder . is full"),
        ("cannot read '/var/lib/x/y.pdf': gone", "cannot read 'y.pdf': gone"),
        (r"cannot read C:\Users\Ada\a.pdf now", "cannot read a.pdf now"),
        ("see http://localhost:6333/collections/x", "see http://localhost:6333/collections/x"),
        ("10.5555/abc/def, and/or 1/2", "10.5555/abc/def, and/or 1/2"),
        ("none in /h/Zotero, /h/x/Zotero, /srv/y/Zotero.", "none in Zotero."),
        ("none in /h/Zotero or /h/x/Zotero", "none in Zotero"),
        ("none in /h/Zotero, /h/x/Zotero, /srv/Data", "none in Zotero, Data"),
        ("citeloom/clean-arch", "citeloom/clean-arch"),
        ("See /api/v1/projects or /docs.", "See /api/v1/projects or /docs."),
    ],
)
def test_a_message_loses_only_the_places(text: str, public: str) -> None:
    assert PATHS.text(text) == public


def test_a_configured_path_elsewhere_is_known_whole() -> None:
    known = ["/srv/my papers", "/srv/refs/of ada.json", "papers", "/"]
    paths = PrivatePaths(BASE, known=known)
    assert paths.text("cannot read /srv/refs/of ada.json: gone") == "cannot read of ada.json: gone"
    assert (
        paths.text("nothing in /srv/my papers/old one/a.pdf")
        == "nothing in my papers/old one/a.pdf"
    )
    assert paths.text("/srv/my papers2 is papers") == "my papers2 is papers"
    assert paths.path("/srv/my papers/a b.pdf") == "a b.pdf"


def test_every_string_of_a_value_is_treated() -> None:
    value = {
        "/var/tmp/a.pdf": ["/home/ada/my library/b.pdf", {"n": 1, "none": None, "yes": True}],
        "text": "in /srv/data/c.pdf",
    }
    assert PATHS.value(value) == {
        "a.pdf": ["b.pdf", {"n": 1, "none": None, "yes": True}],
        "text": "in c.pdf",
    }
