"""Every view in a browser: for everybody, in light and dark, at a desk and on a phone."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.browser.conftest import PHONE, Visitor
from tests.integration.web.addresses import VIEWS, Address

TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("address", VIEWS.values(), ids=VIEWS)
def test_a_view_has_no_barrier_and_fits(
    visitor: Visitor, service: ServedLibrary, address: Address
) -> None:
    page = visitor.open(address(service))
    assert visitor.barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert visitor.barriers(page, "color-contrast") == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert page.evaluate(TOO_WIDE) <= 0
