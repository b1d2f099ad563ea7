"""Passages, pages and answers, as a reader moves between them."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.browser.conftest import Visitor
from tests.fakes.chat_server import ServedChat
from tests.integration.web.addresses import VIEWS

NESTS = "/search?text=nests+under+bridges"
IS_DRAWN = "image => image.complete && image.naturalWidth > 0"


def mark_page(page: Page) -> None:
    """Leave a sign that a reload would remove."""
    page.evaluate("document.here = true")


def is_same_page(page: Page) -> bool:
    return bool(page.evaluate("document.here === true"))


def test_a_passage_is_marked_over_its_words(visitor: Visitor, service: ServedLibrary) -> None:
    page = visitor.open(VIEWS["passage"](service))
    picture = page.locator("figure.page img").first
    expect(picture).to_be_visible()
    page.wait_for_function(IS_DRAWN, arg=picture.element_handle())
    mark = page.locator("figure.page rect.mark").first.bounding_box()
    sheet = picture.bounding_box()
    assert mark
    assert sheet
    assert sheet["x"] < mark["x"] < mark["x"] + mark["width"] < sheet["x"] + sheet["width"]
    assert sheet["y"] < mark["y"] < mark["y"] + mark["height"] < sheet["y"] + sheet["height"]


def test_pages_are_turned_without_a_reload(visitor: Visitor, service: ServedLibrary) -> None:
    page = visitor.open(VIEWS["passage"](service))
    mark_page(page)
    page.get_by_role("link", name=re.compile("Next page")).click()
    expect(page).to_have_url(re.compile(r"page=2"))
    expect(page.locator(".passages")).to_contain_text("What painters can do")
    assert is_same_page(page)
    page.go_back()
    expect(page.locator(".passages")).to_contain_text("Where nests were found")


def test_keys_move_among_passages_and_copy_a_citation(visitor: Visitor) -> None:
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visitor.open(NESTS)
    expect(page.locator("[data-item]").nth(1)).to_be_visible()
    page.locator("main").focus()
    for key in "jjk":
        page.keyboard.press(key)
    current = page.locator("[data-item].current")
    expect(current).to_have_count(1)
    expect(page.locator("[data-item]").first).to_have_class(re.compile("current"))
    page.keyboard.press("c")
    expect(page.locator("#said")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == current.locator("[data-copy]").first.get_attribute("data-copy")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/passages/"))


def test_a_citation_shows_its_source_and_opens_its_page_beside(
    visitor: Visitor, service: ServedLibrary
) -> None:
    page = visitor.open(VIEWS["answer"](service))
    cite = page.locator("a.cite").first
    tip = page.locator(".tip").first
    expect(tip).to_be_hidden()
    cite.hover()
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("moreau2015")
    cite.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#beside figure.page img").first).to_be_visible()
    expect(page).to_have_url(re.compile("/ask"))
    assert visitor.barriers(page) == []


def test_a_draft_opens_its_evidence_without_a_reload(
    visitor: Visitor, service: ServedLibrary
) -> None:
    page = visitor.open(VIEWS["draft"](service))
    mark_page(page)
    page.locator(".signs a.compare").first.click()
    expect(page.locator(".evidence blockquote ins")).to_contain_text("June")
    assert is_same_page(page)
    page.reload()
    expect(page.locator(".evidence blockquote ins")).to_contain_text("June")


SHIFTS = """() => new Promise(done => {
  const watcher = new PerformanceObserver(list => done(
    list.getEntries().filter(one => !one.hadRecentInput).reduce((sum, one) => sum + one.value, 0)));
  watcher.observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(0), 500);
})"""
"""How much of the window has moved since the page was opened, as a share."""


def test_sentences_of_a_model_come_without_a_jump(
    visitor: Visitor, service: ServedLibrary, writing: ServedChat
) -> None:
    page = visitor.open(VIEWS["answer"](service))
    expect(page.locator(".sentence")).to_have_count(2)
    expect(page.locator("main")).to_contain_text("1 sentence was left out")
    assert page.evaluate(SHIFTS) < 0.02
    assert visitor.barriers(page) == []


def test_a_passage_is_printed_with_its_citation(visitor: Visitor, service: ServedLibrary) -> None:
    page = visitor.open(VIEWS["passage"](service))
    page.emulate_media(media="print")
    expect(page.locator("body > header")).to_be_hidden()
    expect(page.locator(".passages > [aria-current]")).to_contain_text("[@moreau2015, p. 1]")
    expect(page.locator("figure.page img").first).to_be_visible()
    expect(page.get_by_role("button").first).to_be_hidden()


def test_an_ingest_is_followed_to_its_end(visitor: Visitor) -> None:
    page = visitor.open("/library")
    page.get_by_role("button", name="Ingest the sources").click()
    expect(page).to_have_url(re.compile("/jobs/"))
    expect(page.locator("main")).to_contain_text("2 unchanged", timeout=60_000)


def test_words_from_right_to_left_stand_on_the_right(visitor: Visitor) -> None:
    page = visitor.open("/search?text=מחברת+דיגיטלית")
    expect(page.locator("[type=search]")).to_have_css("direction", "rtl")
