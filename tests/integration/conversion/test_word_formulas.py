"""Formulas of Word and of MathML in a sentence are read in one line, as those of pages are."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx import Document
from docx.oxml import parse_xml

from citeloom.application.ports.conversion import SourceFile
from citeloom.infrastructure.conversion.formats.html_page import HtmlConverter
from citeloom.infrastructure.conversion.formats.office import WordConverter

MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def _run(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def _power(base: str, raised: str) -> str:
    return f"<m:sSup><m:e>{base}</m:e><m:sup>{raised}</m:sup></m:sSup>"


def _fraction(above: str, below: str) -> str:
    return f"<m:f><m:num>{above}</m:num><m:den>{below}</m:den></m:f>"


def _row(*cells: str) -> str:
    return f"<m:mr>{''.join(f'<m:e>{_run(cell)}</m:e>' for cell in cells)}</m:mr>"


SUM = (
    "<m:nary><m:naryPr><m:chr m:val='\u2211'/></m:naryPr>"
    f"<m:sub>{_run('i=1')}</m:sub><m:sup>{_run('n')}</m:sup><m:e>{_run('i')}</m:e></m:nary>"
)
WORD = {
    "x²": _power(_run("x"), _run("2")),
    "e^(−x²)": _power(_run("e"), _run("−") + _power(_run("x"), _run("2"))),  # noqa: RUF001
    "(a+b)/2": _fraction(_run("a+b"), _run("2")),
    "√(x+1)": (
        f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{_run('x+1')}</m:e></m:rad>"
    ),
    "³√x": f"<m:rad><m:deg>{_run('3')}</m:deg><m:e>{_run('x')}</m:e></m:rad>",
    "∑ᵢ₌₁ⁿi": SUM,
    "x\u0302": f"<m:acc><m:e>{_run('x')}</m:e></m:acc>",
    "A\u0305B\u0305": (
        f"<m:bar><m:barPr><m:pos m:val='top'/></m:barPr><m:e>{_run('AB')}</m:e></m:bar>"
    ),
    "sin x": f"<m:func><m:fName>{_run('sin')}</m:fName><m:e>{_run('x')}</m:e></m:func>",
    "(a, b; c, d)": f"<m:d><m:e><m:m>{_row('a', 'b')}{_row('c', 'd')}</m:m></m:e></m:d>",
}
HTML = {
    "e^(−x²)": (  # noqa: RUF001
        "<msup><mi>e</mi><mrow><mo>−</mo><msup><mi>x</mi><mn>2</mn></msup></mrow></msup>"  # noqa: RUF001
    ),
    "f\u2032(x)": "<msup><mi>f</mi><mo>\u2032</mo></msup><mo>(</mo><mi>x</mi><mo>)</mo>",
    "A\u0305B\u0305": "<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>\u00af</mo></mover>",
}


@pytest.mark.parametrize("written", WORD)
def test_a_formula_in_a_sentence_of_word_is_in_one_line(tmp_path: Path, written: str) -> None:
    document = Document()
    paragraph = document.add_paragraph("In all lakes ")
    paragraph._p.append(parse_xml(f'<m:oMath xmlns:m="{MATH}">{WORD[written]}</m:oMath>'))
    paragraph.add_run(" is known.")
    path = tmp_path / "lakes.docx"
    document.save(str(path))
    result = WordConverter().convert(SourceFile(path=path, doc_id="lakes", content_hash=""))
    assert f"In all lakes {written} is known." in result.plain_text


@pytest.mark.parametrize("written", HTML)
def test_scripts_of_scripts_primes_and_bars_of_mathml(tmp_path: Path, written: str) -> None:
    path = tmp_path / "lakes.html"
    path.write_text(
        f"<h1>Lakes</h1><p>In all lakes <math>{HTML[written]}</math> is known.</p>",
        encoding="utf-8",
    )
    result = HtmlConverter().convert(SourceFile(path=path, doc_id="lakes", content_hash=""))
    assert f"In all lakes {written} is known." in result.plain_text
