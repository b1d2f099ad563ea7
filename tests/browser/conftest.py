"""The reading room of the HTTP API's papers, served to Debian's Chromium.

Without Chromium these tests skip with the reason; with `CITELOOM_REQUIRE_CHROMIUM` they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.interfaces.http.http_server import HttpServer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import PATIENCE, library, served, service, writing

__all__ = ["library", "served", "service", "writing"]
expect.set_options(timeout=1000 * PATIENCE)
REQUIRED = "CITELOOM_REQUIRE_CHROMIUM"
DESKTOP, PHONE = (1280, 900), (390, 844)
_AXE = Path(__file__).parent / "vendor" / "axe.min.js"
_SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Closed with this folder's last test: while it is open, no other test can run asyncio."""
    program = shutil.which("chromium")
    if program is None and not os.environ.get(REQUIRED):
        pytest.skip("needs chromium (apt-get install chromium)")
    assert program, f"{REQUIRED} is set, and there is no chromium"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def url(service: ServedLibrary, browser: Browser) -> Iterator[str]:
    with served_with(service, ServerOptions(port=0)) as url:
        yield url


@contextmanager
def served_with(service: ServedLibrary, options: ServerOptions) -> Iterator[str]:
    """The address of a server."""
    server = HttpServer(service, options)
    server.start()
    yield server.url
    server._server.should_exit = True
    server._thread.join(PATIENCE)


@dataclass
class Visitor:
    """A browser of one reader, who remembers whatever went wrong on the pages."""

    context: BrowserContext
    url: str
    faults: list[str] = field(default_factory=list)

    def open(self, address: str) -> Page:
        """A view in a tab of its own."""
        page = self.context.new_page()
        self.watch(page)
        page.goto(address)
        return page

    def watch(self, page: Page) -> None:
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", lambda request: self._judge(request.url))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text}")

    def _judge(self, address: str) -> None:
        if not address.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"foreign request: {address}")

    def barriers(self, page: Page, *rules: str) -> list[str]:
        """What axe finds, by these rules or by all, that keeps people from using a page."""
        page.evaluate(_AXE.read_text(encoding="utf-8"))
        options = {"runOnly": rules} if rules else {}
        run = "options => axe.run(options).then(found => found.violations)"
        found: list[dict[str, Any]] = page.evaluate(run, options)
        return [
            f"{one['id']}: {one['nodes'][0]['html']}: {one['nodes'][0]['failureSummary']}"
            for one in found
            if one["impact"] in _SERIOUS
        ]


def visitor_of(browser: Browser, url: str, **options: Any) -> Visitor:
    width, height = options.pop("size", DESKTOP)
    context = browser.new_context(
        base_url=url, viewport={"width": width, "height": height}, **options
    )
    context.set_default_timeout(1000 * PATIENCE)
    return Visitor(context, url)


@pytest.fixture
def visitor(browser: Browser, url: str) -> Iterator[Visitor]:
    """A visitor whose pages must cause no error, no warning and no request to another host."""
    visitor = visitor_of(browser, url)
    yield visitor
    visitor.context.close()
    assert visitor.faults == []


@pytest.fixture
def plain(browser: Browser, url: str) -> Iterator[Visitor]:
    """A visitor without JavaScript."""
    visitor = visitor_of(browser, url, java_script_enabled=False)
    yield visitor
    visitor.context.close()
    assert visitor.faults == []
