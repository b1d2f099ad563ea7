"""Hard drafts of each kind: every citation is read, with its pages, and stands where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.manuscript.quotations import quotations
from citeloom.infrastructure.manuscript.draft_reader import draft_of

Case = tuple[str, str, list[str]]
"""A draft, its citations with their pages, and its quotations."""

TYPST: list[Case] = [
    (
        '#import "lib.typ": *\n'
        '#import "@preview/cetz:0.2.2": canvas\n'
        '#include "intro.typ"\n'
        "#show: template.with(\n"
        "  title: [On @doe2020],\n"
        '  authors: ("A", "B"),\n'
        ")\n"
        "\n"
        'It is "so" @roe2001[p. 4].\n',
        "doe2020, roe2001 4",
        ["so"],
    ),
    (
        "#set page(margin: (x: 2cm))\n"
        '#set text(lang: "de")\n'
        "#show heading: it => [\n"
        "  #set align(center)\n"
        "  #it.body\n"
        "]\n"
        "#show link: underline\n"
        "= Kopf @doe\n"
        'Wort #cite(<roe>, supplement: [S. 3], form: "prose") und @poe.\n'
        '#bibliography("refs.bib", style: "apa")\n',
        "doe, roe 3, poe",
        [],
    ),
    (
        "#quote(block: true, attribution: <doe>)[They had nothing]\n"
        "#quote(attribution: [Roe, @roe[p. 9]], block: true)[to *lose* at all]\n"
        "And #quote(attribution: <poe>)[in the line] here, #quote[alone] @doe[pp. 2-3].\n",
        "doe, roe 9, poe, doe 2-3",
        ["They had nothing", "to lose at all", "in the line", "alone"],
    ),
    (
        "#let todo(body) = text(red)[TODO: #body]\n"
        "#let aside = [An aside @one]\n"
        '#todo[check @two] #theorem("Name")[Let $x@y$ be @three[Thm. 2]] #grid(columns: '
        "2, [a @four], [b @five]) #box(width: 3cm, inset: (x: 2pt), [c @six])\n",
        "one, two, three, four, five, six",
        [],
    ),
    (
        'Text#footnote[It says "a note" @doe[p. 7]] goes on.#footnote[@roe]\n'
        "#figure(\n"
        "  table(columns: 2, [*a*], [@poe], table.header([h], [k @moe])),\n"
        "  caption: [After @noe, p. 3],\n"
        ") <fig-a>\n"
        "- an item @aoe\n"
        "  + nested @boe[12]\n"
        "/ Term: said @coe\n"
        "See @fig-a.\n",
        "doe 7, roe, poe, moe, noe 3, aoe, boe 12, coe",
        ["a note"],
    ),
    (
        "// @no\n"
        "/* @no\n"
        " */ `@no` ```typ\n"
        "@no\n"
        '``` me\\@here.org a@b.org https://x.org/@no #link("https://x.org/@no")[at @yes]\n'
        '#raw("@no") #"@no" \\#x @also.\n',
        "yes, also",
        [],
    ),
    (
        "= Head <head>\n"
        "#if draft [x @a] else [y @b] and @c\n"
        "#for k in range(3) [z @d]\n"
        "#{\n"
        "  let x = 3\n"
        "  [in code @e]\n"
        "}\n"
        "#let f = (a, b) => {\n"
        "  a + b\n"
        "}\n"
        'See @head and @f[§ 3] #cite(label("g/h"))#cite(<i>)@j\n'
        "#ref(<k>)\n",
        "a, b, c, d, e, f, g/h, i, j, k",
        [],
    ),
    (
        'He says "_one_ *two*" @a; „drei vier“ @b[S. 5]; « cinq six » says @c; "it\'s '
        "'in' it\" @d.\n"
        "\n"
        '#smallcaps[Doe] writes: "a #emph[whole] #text(fill: red)[sentence]" (@e[p.~8]).\n',
        "a, b 5, c, d, e 8",
        ["one two", "drei vier", "it's 'in' it", "a whole sentence"],
    ),
    (
        "A [bracket] and [another @a] (with @b[p. 2]) costs $3 and\n\n#box[open @c\n\nThe end @d\n",
        "a, b 2, c, d",
        [],
    ),
    (
        '#import "@preview/charged-ieee:0.1.0": ieee\n'
        "#show: ieee.with(\n"
        '  title: "No @citation",\n'
        "  abstract: [\n"
        "    Short @a.\n"
        "\n"
        '    "Two words" @b[p. 1]\n'
        "  ],\n"
        '  bibliography: bibliography("refs.bib"),\n'
        ")\n"
        '#footnote("a string") #quote("as a string", attribution: <c>) '
        '#state("x").update([u @d]) #mycite(<e>)\n'
        "#columns(2)[\n"
        "  == Part\n"
        "  one @f\n"
        "]\n",
        "a, b 1, c, d, e, f",
        ["Two words", "as a string"],
    ),
    (
        '#import "../lib.typ": *\n'
        "\n"
        "#chapter(title: [One])[\n"
        '  Words "in *it*" @a[*p.* 4, and _more_] follow #citep(<b>, <c>).\n'
        "\n"
        "  #colbreak()\n"
        "  #align(center, block[Set @d])\n"
        "]\n",
        "a 4, b, c, d",
        ["in it"],
    ),
    (
        'In $a_1 = "if" x$ and $ sum_(i=1)^n #box[y] $ we have 5 % of @a[eq. 2]; '
        "#h(1em)#v(-2pt) a_b and c*d @b.\n"
        '#align(right)[#datetime.today().display()] #counter(page).display("1 of 1", '
        "both: true) @c\n",
        "a, b, c",
        [],
    ),
]


@pytest.mark.parametrize(
    ("name", "text", "citations", "quoted"),
    [(name, *case) for name, cases in {"draft.typ": TYPST}.items() for case in cases],
)
def test_every_citation_is_read(name: str, text: str, citations: str, quoted: list[str]) -> None:
    draft = draft_of(text.encode(), Path(name))
    cited = [f"{one.citekey} {one.locator or ''}".strip() for one in draft.citations]
    assert ", ".join(cited) == citations
    assert [one.text for one in quotations(draft)] == quoted
    assert [one.citekey for one in draft.written if one.is_certain and not one.is_read] == []
    assert all(text.startswith(one.citekey, one.place.start) for one in draft.citations)
