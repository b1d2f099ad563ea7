"""What every view is made of: its HTML beside the one in tests/golden/web.

CITELOOM_UPDATE_GOLDEN=1 writes them anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import compile_path
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.interfaces.web.room import ROUTERS
from tests.integration.web.addresses import VIEWS, Address

GOLDEN = Path(__file__).parents[2] / "golden" / "web"
_ID = re.compile(r"(?<![.\w])(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,64})")
_FILES = (".png", "/export", "/markdown")
"""How the addresses end of what is no page."""
_MAIN = re.compile(r"<title>.*?</title>|<main.*?</main>", re.DOTALL)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[\w.:+-]*")
_SECONDS = re.compile(r"\b\d+(\.\d+)? (ms|s)\b")


def normalised(page: str, folder: Path) -> str:
    """A page without what differs from run to run: ids by number, times, the folder."""
    ids: dict[str, str] = {}
    for pattern, name in ((_TIME, "TIME"), (_SECONDS, "SECONDS")):
        page = pattern.sub(name, page)
    page = page.replace(str(folder), "FOLDER").replace(f"citeloom {version('citeloom')}", "VERSION")
    page = _ID.sub(lambda match: ids.setdefault(match[0], f"ID-{len(ids) + 1}"), page)
    return "\n".join(line.strip() for line in page.splitlines() if line.strip()) + "\n"


class _Balance(HTMLParser):
    """Finds elements that are not closed where they should be."""

    _VOID = frozenset("area base br col hr img input link meta source wbr".split())

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._VOID:
            self.open.append(tag)
        self.faults += [name for name, _ in attrs if name == "style" or name.startswith("on")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")


def test_every_view_has_an_address(service: ServedLibrary) -> None:
    paths = [address(service).partition("?")[0] for address in VIEWS.values()]
    missing = [
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
        if not route.path.endswith(_FILES)
        if not any(compile_path(route.path)[0].match(path) for path in paths)
    ]
    assert missing == []


@pytest.fixture
def service(service: ServedLibrary) -> Iterator[ServedLibrary]:
    """The library, without the drafts that the views need."""
    before = {*service.library.info.base_dir.iterdir()}
    yield service
    for path in {*service.library.info.base_dir.iterdir()} - before:
        path.unlink()


@pytest.mark.parametrize(("name", "address"), VIEWS.items(), ids=VIEWS)
def test_a_view_is_as_it_was(
    room: TestClient, service: ServedLibrary, name: str, address: Address
) -> None:
    answer = room.get(address(service), follow_redirects=True)
    assert answer.status_code == 200
    balance = _Balance()
    balance.feed(answer.text)
    assert (balance.faults, balance.open) == ([], [])
    shown = answer.text if name == "home" else "\n".join(_MAIN.findall(answer.text))
    if name == "settings":  # the first table: the others are those of the reference
        shown = shown.partition("</details>")[0]
    page = normalised(shown, service.library.info.base_dir)
    golden = GOLDEN / f"{name}.html"
    if os.environ.get("CITELOOM_UPDATE_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(page, encoding="utf-8")
    assert page == golden.read_text(encoding="utf-8")
