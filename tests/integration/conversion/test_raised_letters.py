"""Superscripts, subscripts and fractions are written as such and tear no sentence, and numbers of
notes are left as they were.
"""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import BlockKind, ConversionResult, Doubt
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from tests.integration.conversion.documents import typeset

DISPLAYED = """
#set page(width: 460pt, height: 300pt)
#set text(size: 10pt)
The mean of all that was measured in the lakes in these years of storms is the first of these.

$ V = sum_(i=1)^m sum_(j=1)^n x_j $

Of these sums the first was seen before in the lakes by those who went there in these years.

$ S = sum_(i=1)^n x_i frac(a^(t-1) + b^(t-1), 2) \\ T = integral_0^1 f(x) dif x $

All that is known of $x_1$ and of $r^2$ was seen before in the lakes by those who went there.

The others hold that $e^(x^2)$ is less than all of these, as was said in the years before.
"""

SOURCE = """
#set page(width: 460pt, height: 400pt)
#set text(size: 10pt)
The rate was $3 times 10^(-3)$ and the variance $r^2 = 0.5$ of all that we saw in these years.

For CO#sub(typographic: false)[2] it is 7 s#super(typographic: false)[\u22121] as was
shown#super(typographic: false)[1] for each of the lakes.

We write $x_1$ and $x_i$ and $A^T$ and $e^(i + k pi)$ for the sums in which $(a+b)^2$ is large.

$ E = m c^2 $

The share of all that grows is $frac(1, 4)$ here, and $frac(a + 1, b - x^2)$ in each of the lakes
where we have seen that $limits(max)_(1 <= i <= n) x_i$ is less than was said before of
$limits(sum)_(k=0)^m z^k$ in the years of which we know.
"""


def converted(path: Path) -> ConversionResult:
    return PdfConverter().convert(SourceFile(path=path, doc_id="lakes", content_hash=""))


@pytest.fixture(scope="module")
def displayed(tmp_path_factory: pytest.TempPathFactory) -> ConversionResult:
    path = typeset(DISPLAYED, tmp_path_factory.mktemp("displayed") / "sums.pdf")
    return converted(path)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = typeset(SOURCE, tmp_path_factory.mktemp("raised") / "lakes.pdf")
    result = converted(path)
    return " ".join(result.plain_text.split())


@pytest.mark.parametrize(
    "written",
    [
        "10⁻³ and",
        "\U0001d45f² = 0.5",
        "CO₂ it",
        "7 s⁻¹ as",
        "\U0001d465₁ and \U0001d465ᵢ and \U0001d434ᵀ",
        "\U0001d452^(\U0001d456+\U0001d458\U0001d70b)",
        "\U0001d44f)² is large",
        "\U0001d45a\U0001d450²",
    ],
)
def test_what_belongs_to_a_letter_or_number_is_written_so(text: str, written: str) -> None:
    assert written in text


@pytest.mark.parametrize(
    "written",
    [
        "grows is 1/4 here, and (\U0001d44e+1)/(\U0001d44f\u2212\U0001d465²) in each of the lakes",
        "seen that max_(1≤\U0001d456≤\U0001d45b) \U0001d465ᵢ is less than was said before of ∑",
        "\U0001d467ᵏ in the years of which we know.",
    ],
)
def test_a_formula_tears_no_sentence(text: str, written: str) -> None:
    assert written in text


def test_limits_and_fractions_of_displayed_formulas_are_written_in_line(
    displayed: ConversionResult,
) -> None:
    text = normalize("NFKD", displayed.plain_text)
    assert "V = ∑i=1m ∑j=1n xj" in text
    assert "S = ∑i=1n xi (at\u22121 + bt\u22121)/2" in text


def test_formulas_whose_letters_are_all_in_their_places_are_not_doubted(
    displayed: ConversionResult,
) -> None:
    doubted = [
        normalize("NFKD", displayed.plain_text[block.start : block.end])[:3]
        for block in displayed.blocks
        if block.doubts
    ]
    assert doubted == []


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("$F_(p^n)$", "\U0001d439_(\U0001d45dⁿ)"),  # a script of a script
        ("$2^(2^n)$", "2^(2ⁿ)"),
        ("$f_(s'')$", "\U0001d453_(\U0001d460\u2033)"),
        ("$root(3, x + y)$", "³√(\U0001d465 + \U0001d466)"),
        ("$binom(n, k)$", "(\U0001d45b; \U0001d458"),
        ("$frac(1, n) x y$", "1/\U0001d45b \U0001d465"),  # not of nxy
        ("$sqrt(frac(a, b))$", "√(\U0001d44e/\U0001d44f)"),
        ("$e^(2/3)$", "\U0001d452^(2/3)"),
        ("$sum_(i in S) x_i$", "∑_(\U0001d456∈\U0001d446) \U0001d465ᵢ"),
        ("$frac(x_1 + x_2, 2 n)$", "(\U0001d465₁+\U0001d465₂)/(2\U0001d45b)"),
        ("$cal(F)(u)$", "\u2131(\U0001d462)"),
        ("$lr(( display(frac(3, 4)) ))$", "3/4"),  # not two rows in brackets
        ("#super(typographic: false)[14]C", " ¹⁴C "),
    ],
)
def test_scripts_that_are_hard_to_tell_are_written(
    tmp_path: Path, formula: str, written: str
) -> None:
    text, doubts = _sentence_with(formula, tmp_path)
    assert written in text
    assert doubts == ()


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("$mat(a, b; c, d)$", "\U0001d44e"),  # set column by column
    ],
)
def test_a_formula_of_which_letters_have_no_place_is_doubted(
    tmp_path: Path, formula: str, written: str
) -> None:
    text, doubts = _sentence_with(formula, tmp_path)
    assert written in text
    assert doubts == (Doubt.FORMULA,)


def test_an_isotope_at_the_end_of_a_line_is_raised(tmp_path: Path) -> None:
    source = "The lakes were dated by #super(typographic: false)[14]C \\ before we went."
    path = typeset(source, tmp_path / "line.pdf")
    result = converted(path)
    assert "by ¹⁴C before" in result.plain_text


def test_the_raised_mark_of_a_note_is_no_formula(tmp_path: Path) -> None:
    mark = "#text(size: 6pt, baseline: -4pt)[$star$]"
    source = f"{mark}This work was paid for by those who went to the lakes before them."
    path = typeset(source, tmp_path / "note.pdf")
    result = converted(path)
    assert "⋆" in result.plain_text
    assert [block.doubts for block in result.blocks] == [()]


def _sentence_with(formula: str, folder: Path) -> tuple[str, tuple[Doubt, ...]]:
    """The only paragraph of a page with a formula in a sentence, and its doubts."""
    source = f"No one has seen {formula} in the lakes of those who went there before them."
    path = typeset(source, folder / "hard.pdf")
    result = converted(path)
    [block] = result.blocks
    return result.plain_text, block.doubts


def test_the_parts_of_displayed_formulas_are_as_they_are_printed(tmp_path: Path) -> None:
    parts = "The first of the lakes was seen before by those who went there in these years."
    formulas = (
        "a_n = sum_(i=1)^n b_i^2",
        "x = frac(a + b, 2 c) + y",
        "max_(x in X) g(x) = 4",
        "y = a x + b \\ z = c x + d",
    )
    source = "\n\n".join(f"{parts} $ {formula} $ {parts}" for formula in formulas)
    path = typeset(source, tmp_path / "rows.pdf")
    result = converted(path)
    shown = [block for block in result.blocks if block.kind is BlockKind.FORMULA]
    assert len(shown) == len(formulas)
    assert [block.doubts for block in shown] == [()] * len(formulas)


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("$sqrt(x + 1)$", "√(\U0001d465 + 1)"),
        ("$sqrt(2)$", "√2"),
        ("$u_1 sqrt(x)$", "\U0001d462₁√\U0001d465"),
        ("#text(size: 6pt)[$sqrt(3); x$]", "√3; "),  # what is set close behind the bar
        ("$overline(A B)$", "\U0001d434\u0305\U0001d435\u0305"),
    ],
)
def test_what_a_bar_is_drawn_over_is_as_it_is_printed(
    tmp_path: Path, formula: str, written: str
) -> None:
    source = f"No one has seen {formula} in the lakes of those who went there before them."
    path = typeset(source, tmp_path / "bar.pdf")
    result = converted(path)
    assert written in result.plain_text
    assert [block.doubts for block in result.blocks] == [()]


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("log($lambda_c$)", "log(\U0001d706_\U0001d450)"),  # begins in the font of the text
        ('$x_("max")$ and $e^(-x)$', "\U0001d465ₘₐₓ and \U0001d452⁻ˣ"),
        ("$n^(A Q)$ or $u^*$", "\U0001d45b^(\U0001d434\U0001d444) or \U0001d462^\u2217"),
        ("$3 frac(1, 2)$", "3 1/2"),
        ("Smith#super(typographic: false)[\u2217] or $x_1$", "Smith\u2217 or \U0001d465₁"),
    ],
)
def test_a_script_of_a_letter_is_as_it_is_printed(
    tmp_path: Path, formula: str, written: str
) -> None:
    source = f"No one has seen {formula} in the lakes of those who went there before them."
    path = typeset(source, tmp_path / "plain.pdf")
    result = converted(path)
    assert written in result.plain_text
    assert [block.doubts for block in result.blocks] == [()]


def test_the_star_of_a_letter_behind_another_with_a_script_is_raised(tmp_path: Path) -> None:
    formula = "upright(V)_i #h(-2.2pt) upright(V)_j^* / T_k"
    path = typeset(f"#set page(width: 300pt, height: 200pt)\n$ S = {formula} $", tmp_path / "s.pdf")
    result = converted(path)
    assert "VᵢV^\u2217ⱼ" in result.plain_text


def test_a_displayed_row_is_doubted_only_where_it_is_not_as_it_is_printed(tmp_path: Path) -> None:
    source = """
    #set page(width: 460pt, height: 400pt)
    The mean of all that was measured in the lakes in these years of storms is the first of these.
    $ y = r^2 + x_1 $
    Of these sums the first was seen before in the lakes by those who went there in these years.
    $ z = mat(a, b; c, d) $
    All that is known of these was seen before in the lakes by those who went there in the years.
    """
    path = typeset(source, tmp_path / "rows.pdf")
    result = converted(path)
    formulas = [block for block in result.blocks if block.kind is BlockKind.FORMULA]
    assert [block.doubts for block in formulas] == [(), (Doubt.FORMULA,)]


@pytest.mark.parametrize(("cell", "doubts"), [("$r^2$", ()), ("$mat(a, b; c, d)$", (Doubt.TABLE,))])
def test_a_table_is_doubted_with_a_formula_that_is_not_as_it_is_printed(
    tmp_path: Path, cell: str, doubts: tuple[Doubt, ...]
) -> None:
    source = f"""
    #table(columns: 3, [Rule], [Point], [Weighted],
      [first], [$p = 1$], [{cell} of all],
      [second], [$q_1 = 2$], [none of them])
    """
    path = typeset(source, tmp_path / "cells.pdf")
    result = converted(path)
    [table] = [block for block in result.blocks if block.kind is BlockKind.TABLE]
    assert table.doubts == doubts


def test_scripts_in_a_line_that_is_mostly_code_are_written_so(tmp_path: Path) -> None:
    source = "`number nfinv(number nf, number x, long k)` returns $x^(-1)$ or $x_1$."
    path = typeset(source, tmp_path / "code.pdf")
    result = converted(path)
    assert "returns \U0001d465⁻¹ or \U0001d465₁." in result.plain_text


def test_the_name_of_latex_has_no_raised_letter(tmp_path: Path) -> None:
    source = """
    #let latex = [L#h(-0.36em)#text(size: 0.7em, baseline: -0.2em)[A]#h(-0.15em)T#h(-0.17em)#text(
      baseline: 0.22em)[E]#h(-0.12em)X]
    No one has seen #latex of $x_1$ in the lakes of those who went there before them.
    """
    path = typeset(source, tmp_path / "name.pdf")
    result = converted(path)
    assert "LATEX of \U0001d465₁ in" in result.plain_text
    assert [block.doubts for block in result.blocks] == [()]


def test_a_root_in_a_fraction_of_several_lines_is_in_its_brackets(tmp_path: Path) -> None:
    source = "No one has seen.\n\n$ x = frac(-b plus.minus sqrt(b^2 - 4 a c), 2 a) $"
    path = typeset(source, tmp_path / "root.pdf")
    result = converted(path)
    assert "x = (\u2212b ± √(b² \u2212 4ac))/(2a)" in normalize("NFKC", result.plain_text).replace(
        "b2", "b²"
    )


def test_a_sentence_of_many_formulas_is_no_formula(tmp_path: Path) -> None:
    source = (
        "No one has seen that this is so in any of the lakes of those years.\n\n"
        "We have $x = y$, $A union B$, $a + b = c$, $x in A$, $f(x) = g(y)$ and $x y z = a b c$."
    )
    path = typeset(source, tmp_path / "sentence.pdf")
    result = converted(path)
    assert {block.kind for block in result.blocks} == {BlockKind.PARAGRAPH}


def test_scripts_are_read_on_a_turned_page(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "turned.pdf"), pagesize=(400, 460))
    canvas.setPageRotation(90)
    canvas.translate(400, 0)
    canvas.rotate(90)
    text = canvas.beginText(50, 300)
    text.setFont("Times-Roman", 11)
    text.textOut("The count was 10")
    text.setFont("Times-Roman", 7)
    text.setRise(4)
    text.textOut("3")
    text.setFont("Times-Roman", 11)
    text.setRise(0)
    text.textOut(" cells in each of the lakes that we saw")
    canvas.drawText(text)
    canvas.save()
    path = tmp_path / "turned.pdf"
    result = converted(path)
    assert "The count was 10³ cells in each" in result.plain_text


NOTES = """
#set page(width: 460pt, height: 300pt)
#set text(size: 10pt)
#let note(number) = super(typographic: false, number)
The rate was seen in theory#note[12] and by all others.#note[3] It was also “large.”#note[4,5] In
the years before #note[14]C was used for all that was seen in 1990 #note[6] by those who went there.
"""


def test_the_number_of_a_note_is_raised_behind_its_word(text: str, tmp_path: Path) -> None:
    assert "shown¹ for" in text
    path = typeset(NOTES, tmp_path / "notes.pdf")
    result = converted(path)
    noted = " ".join(result.plain_text.split())
    assert "in theory¹² and by all others.³ It was also “large.”⁴,⁵ In the" in noted
    assert "seen in 1990⁶ by those" in noted
    assert "before ¹⁴C was" in noted


def test_a_note_begins_with_its_raised_number_and_a_space(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "notes.pdf"))
    canvas.setFont("Times-Roman", 11)
    for n in range(6):
        canvas.drawString(
            72, 760 - 14 * n, "The lakes were seen by all who went there in the years"
        )
    canvas.setFont("Times-Roman", 6)
    for n, y in ((1, 604), (2, 592), (14, 580)):
        canvas.drawString(72 if n < 10 else 69, y, str(n))
    canvas.setFont("Times-Roman", 9)
    for text, y in (
        ("The first of the lakes.", 600),
        ("All of the others.", 588),
        ("C in them.", 576),
    ):
        canvas.drawString(75.2, y, text)
    canvas.save()
    path = tmp_path / "notes.pdf"
    result = converted(path)
    notes = [result.text_of(block) for block in result.blocks][1:]
    assert notes[:2] == ["¹ The first of the lakes.", "² All of the others."]
    assert notes[2] == "¹⁴ C in them."


def test_a_bullet_of_a_symbol_font_is_no_formula(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "list.pdf"), pagesize=(460, 300))
    for row, text in enumerate(("The first of the lakes", "The second one", "All of the others")):
        canvas.setFont("Symbol", 10)
        canvas.drawString(50, 250 - 14 * row, "\u2022")
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(64, 250 - 14 * row, f"{text} was seen in the years of storms.")
    canvas.save()
    assert not any(block.doubts for block in converted(tmp_path / "list.pdf").blocks)


def test_scripts_in_cells_of_a_table_are_written_so(tmp_path: Path) -> None:
    source = """
    #table(columns: 3, [Rule], [Point], [Weighted],
      [first], [$p_k = k$], [$p_k = C_k$],
      [second], [$q_1 = 2$], [$x^2$ of all],
      [third], [$r_n = n$], [none of them])
    """
    path = typeset(source, tmp_path / "cells.pdf")
    result = converted(path)
    [table] = [block for block in result.blocks if block.kind is BlockKind.TABLE]
    text = normalize("NFC", result.plain_text[table.start : table.end])
    for cell in (
        "\U0001d45dₖ = \U0001d458",
        "\U0001d436ₖ",
        "\U0001d45e₁ = 2",
        "\U0001d465² of all",
    ):
        assert cell in text


def test_figures_that_a_font_draws_small_are_raised_and_lowered(tmp_path: Path) -> None:
    source = (
        "An area of 12 m#super[2] and 10#super[\u22123] of H#sub[2]O and SO#sub[4]#super[2\u2212]"
        " were seen by those who went there in 1911.#super[12]"
    )
    path = typeset(source, tmp_path / "superiors.pdf")
    result = converted(path)
    text = " ".join(result.plain_text.split())
    assert "area of 12 m² and 10⁻³ of H₂O and SO₄²⁻ were" in text
    assert "went there in 1911.¹²" in text
