"""The login in a browser: a wrong token, the right one, with and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.browser.conftest import PHONE, served_with, visitor_of

TOKEN = "a-token-of-the-tests-that-is-long"
NESTS = "/search?text=nests+under+bridges"


@pytest.fixture
def locked(
    service: ServedLibrary,
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """The address of a server with a token."""
    monkeypatch.delenv("CITELOOM_TOKEN", raising=False)
    file = tmp_path / "token"
    file.write_text(TOKEN, encoding="utf-8")
    file.chmod(0o600)
    with served_with(service, ServerOptions(port=0, token_file=file)) as url:
        yield url


@pytest.mark.parametrize("with_script", [True, False], ids=["script", "no script"])
def test_the_token_opens_the_page_that_was_asked_for(
    locked: str, browser: Browser, with_script: bool
) -> None:
    visitor = visitor_of(browser, locked, java_script_enabled=with_script)
    page = visitor.open(NESTS)
    expect(page).to_have_url(re.compile("/login"))
    field = page.get_by_label("The token of this server")
    field.fill("a-token-that-somebody-guessed")
    field.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the token")
    field.fill(TOKEN)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile(r"/search\?text=nests"))
    expect(page.locator(".hits")).to_contain_text("swallows")
    assert visitor.open("/library").title().startswith("Library")
    [cookie] = visitor.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    # what the browser says itself of the refused token is the one remark there may be
    assert [fault for fault in visitor.faults if "401" not in fault] == []
    visitor.context.close()


def test_the_login_has_no_barrier_and_fits(locked: str, browser: Browser) -> None:
    visitor = visitor_of(browser, locked, size=PHONE)
    page = visitor.open("/login")
    expect(page.get_by_label("The token of this server")).to_be_focused()
    assert visitor.barriers(page) == []
    page.keyboard.type(TOKEN)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("/login"))
    assert visitor.faults == []
    visitor.context.close()
