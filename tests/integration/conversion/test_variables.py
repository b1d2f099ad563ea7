"""Mathematics in the italics of a text, as in Times, is read as that of other fonts."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.integration.conversion.documents import typeset

HEAD = """
#set page(width: 460pt, height: 300pt)
#set text(size: 11pt)
#let raised(body) = text(size: 8pt, baseline: -4pt, body)
#let lowered(body) = text(size: 8pt, baseline: 1.6pt, body)
#let fraction(bar) = box(baseline: 35%, align(center, stack(spacing: 1.5pt,
  text(size: 8pt)[_a_+_b_], bar, text(size: 8pt)[_c_])))
#let over(bar) = box[#place(top, dy: -2pt, bar)_z_]
"""
BARS = ("line(length: {width}, stroke: 0.4pt)", "rect(width: {width}, height: 0.4pt, fill: black)")


def _read(path: Path, body: str) -> ConversionResult:
    file = typeset(HEAD + body, path / "lakes.pdf")
    return PdfConverter().convert(SourceFile(path=file, doc_id="lakes", content_hash=""))


def test_scripts_of_italic_letters_are_written_as_such(tmp_path: Path) -> None:
    text = _read(
        tmp_path,
        "The depth _x_#lowered[_i_] of a lake and the form _x_#raised[_T_]_y_ are known for all"
        " that were seen with 2#raised[_n_] others, and with log#lowered[2] of them.",
    ).plain_text
    assert "The depth xᵢ of a lake and the form xᵀy are known for all" in text
    assert "seen with 2ⁿ others, and with log₂ of them" in text


def test_the_mark_of_a_note_is_no_script_of_a_variable(tmp_path: Path) -> None:
    result = _read(
        tmp_path,
        "What was seen by Smith#raised[a] was said _in vivo_#raised[b] of a lake#raised[2] in the"
        " years of storms by _A_ and all of them.",
    )
    assert "Smitha was said in vivob of a lake² in the years" in result.plain_text
    assert not any(block.doubts for block in result.blocks)


@pytest.mark.parametrize("bar", BARS)
def test_a_fraction_of_variables_has_a_bar_of_any_kind(tmp_path: Path, bar: str) -> None:
    result = _read(
        tmp_path,
        f"The half of the sum is #fraction({bar.format(width='15pt')}) in all of the lakes seen.",
    )
    assert "The half of the sum is (a+b)/c in all of the lakes" in result.plain_text
    assert not any(block.doubts for block in result.blocks)


@pytest.mark.parametrize("bar", BARS)
def test_a_bar_over_an_italic_letter_is_written_with_it(tmp_path: Path, bar: str) -> None:
    text = _read(
        tmp_path,
        "In each of these lakes it is the mean of all that was seen by those who went there in the"
        f" years before, and #over({bar.format(width='4.6pt')}) is said for it in the years.",
    ).plain_text
    assert "z\u0304 is said for it" in text
