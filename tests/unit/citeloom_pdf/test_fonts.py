from __future__ import annotations

import pytest

from citeloom_pdf.elements.fonts import font_kind


@pytest.mark.parametrize(
    "name",
    [
        "IQYOKY+t1xtt",
        "IQYOKY+t1xbtt",
        "t1xtt-Slant_167",
        "CMTT10",
        "CMITT10",
        "ectt1000",
        "NimbusMonL-Regu",
        "ABCDEF+SourceCodePro-Regular",
        "zi4-r",
        "Courier-Bold",
    ],
)
def test_a_typewriter_font_is_known_by_its_name(name: str) -> None:
    assert font_kind(name).mono


@pytest.mark.parametrize(
    "name", ["CMR10", "CMTI10", "TeXGyreTermes-Regular", "Scotty-Bold", "Cabinet-Roman", "CMMI7"]
)
def test_a_proportional_font_is_not_taken_for_one(name: str) -> None:
    assert not font_kind(name).mono
