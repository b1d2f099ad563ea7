"""The keyboard, the history, two tabs, and a browser without JavaScript."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.browser.conftest import Visitor
from tests.integration.web.addresses import VIEWS

NESTS = "/search?text=nests+under+bridges"
SEARCH = "[type=search]"


def focus_of(page: Page) -> str:
    return str(page.evaluate("document.activeElement.matches('[type=search]') ? 'search' : ''"))


def test_keys_lead_to_the_search_and_write_in_fields(visitor: Visitor) -> None:
    page = visitor.open(NESTS)
    page.locator("main").focus()
    page.keyboard.press("/")
    assert focus_of(page) == "search"
    page.keyboard.press("End")
    page.keyboard.type(" j/?k")
    assert page.input_value(SEARCH) == "nests under bridges j/?k"
    expect(page.locator("#keys")).to_be_hidden()
    page.locator("main").focus()
    page.keyboard.press("Control+k")
    assert focus_of(page) == "search"


def test_a_key_lists_the_keys(visitor: Visitor) -> None:
    page = visitor.open(NESTS)
    page.locator("main").focus()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert visitor.barriers(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    expect(page.locator("#keys")).to_be_visible()


def test_the_first_tab_leads_to_the_content(visitor: Visitor, service: ServedLibrary) -> None:
    page = visitor.open(VIEWS["passage"](service))
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_back_and_reload_show_what_was_there(visitor: Visitor) -> None:
    page = visitor.open(NESTS)
    hits = page.locator(".hits a[href*='/passages/']")
    first = hits.first.inner_text()
    hits.first.click()
    expect(page).to_have_url(re.compile("/passages/"))
    page.reload()
    expect(page.locator("figure.page img").first).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/search\?"))
    expect(hits.first).to_have_text(first)
    assert page.input_value(SEARCH) == "nests under bridges"


def test_two_tabs_ask_two_questions(visitor: Visitor) -> None:
    one, two = visitor.open(NESTS), visitor.open("/search?text=clay+tiles")
    assert one.input_value(SEARCH) != two.input_value(SEARCH)
    one.reload()
    expect(one.locator(".hits")).to_contain_text("swallows")
    expect(two.locator(".hits")).to_contain_text("clay")


def test_search_and_reading_need_no_script(plain: Visitor) -> None:
    page = plain.open("/")
    page.fill(SEARCH, "nests under bridges")
    page.press(SEARCH, "Enter")
    expect(page.locator(".hits")).to_contain_text("swallows")
    page.locator(".hits a[href*='/passages/']").first.click()
    expect(page.locator("figure.page img").first).to_be_visible()
    expect(page.locator("[data-copy], [data-opens]").first).to_be_hidden()
