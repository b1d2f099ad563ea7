"""Hard drafts of each kind: every citation is read, with its pages, and stands where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.quotations import quotations
from citeloom.infrastructure.manuscript.draft_reader import draft_of, read_draft, shared_names
from citeloom.infrastructure.manuscript.for_pandoc import MOST_OPTIONS

Case = tuple[str, str, list[str]]
"""A draft, its citations with their pages, and its quotations."""

TYPST: list[Case] = [
    (
        '#cite(<doe>, supplement: [S. 13]) says "they had nothing".\n'
        '#cite(<roe>, form: "prose", supplement: [p. 5]) and #cite(<poe>) do not.\n',
        "doe 13, roe 5, poe",
        ["they had nothing"],
    ),
    (
        "#quote(block: true, attribution: [Doe, @doe, p. 2])[They had nothing]\n",
        "doe 2",
        ["They had nothing"],
    ),
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
        'He says "_one_ *two*" @a; „drei vier“ @b[S. 5]; says @c; "it\'s '
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
MARKDOWN: list[Case] = [
    (
        'As \\citet[p. 3]{doe} says, "they had nothing"; \\cite{roe, poe}, \\citep[see][4]{moe}.\n'
        "\n"
        "\\begin{figure}\n"
        "\\includegraphics{a.png}\n"
        "\\caption{\\citet{kim} found ``a large effect'' here.}\n"
        "\\end{figure}\n"
        "\n"
        "| a | b |\n"
        "|---|---|\n"
        "| \\cite{lee} | 1\\footnote{As \\textcquote[9]{fox}{they say}.} |\n"
        "\n"
        "\\newpage It is $\\alpha$ [@zed].\n",
        "doe 3, roe, poe, moe 4, kim, lee, fox 9, zed",
        ["they had nothing", "a large effect", "they say"],
    ),
    ("One [@a, p. 2] and \\cite{b} } with \\begin{wrong} \\cite{c}.\n", "a 2, b, c", []),
    (
        "He says <q lang='en'>they *had* nothing</q> [@a, p. 2] and <Q>so</Q>.\n\n"
        "<blockquote cite='x'>\n<p>They had</p>\n<p>it all.</p>\n</blockquote>\n\n"
        "Then @no.\n\n"
        "<blockquote>In <blockquote>a block</blockquote> it stood [@b, p. 3].</blockquote>\n\n"
        "- <blockquote>\n\n  To lose [@c].\n\n  </blockquote>\n\n"
        "</blockquote>\n\nNo <blockquote>\n\nend [@d].\n",
        "a 2, no, b 3, c, d",
        ["they had nothing", "so", "They had it all.", "In a block it stood", "To lose"],
    ),
    (
        "One @a.\n\n"
        "```{r}\n#| label: fig-x\n#| layout: [[1, 2], [3]]\n"
        '#| fig-cap: "After @b, who says \\"so it is\\" [@c, p. 3]."\n'
        "plot(x@slot)\n```\n"
        '```{r p, fig.cap=paste0("With [@i], ", n, " and [@j, p. 5]")}\n1\n```\n\n'
        "```{r map, fig.cap='Adapted from \u201call of it\u201d [@d, p. 4]', echo=FALSE}\n"
        "knitr::kable(x, caption = \"Table of [@e]\")\n\nmail <- 'a@b.org'\n```\n"
        "> ```{python}\n> #| fig-subcap:\n> #|   - One @f\n> #|   - Two @g\n> 1\n> ```\n\n"
        "Two @h.\n",
        "a, b, c 3, i, j 5, d 4, e, f, g, h",
        ["so it is", "all of it"],
    ),
    (
        "| Work | Words |\n|------|-------|\n"
        "| [@a, p. 2] | \u201cThey had nothing\u201d |\n"
        "| \u201cof no work\u201d | x |\n"
        "| [@b] or [@c] | \u201cof either\u201d |\n",
        "a 2, b, c",
        ["They had nothing"],
    ),
    (
        "> [!quote] A title\n> They had nothing. [@a, p. 2]\n\n"
        "> They had more.\n>\n> \u2014 @b, p. 3\n\n"
        "> They had it all. (@c, S. 4)\n\n"
        "He says \u201cso it is\u201d.[^1]\n\n[^1]: @d, p. 5; see there.\n",
        "a 2, b 3, c 4, d 5",
        ["They had nothing.", "They had more.", "They had it all.", "so it is"],
    ),
    (
        "One @a.\n"
        "\n"
        "```{r setup, echo=FALSE}\n"
        "x <- 1\n"
        "\n"
        "y@slot\n"
        "```\n"
        "\n"
        'Text between "two chunks here" [@b, p. 4].\n'
        "\n"
        "```{python}\n"
        "#| label: fig\n"
        "\n"
        "z\n"
        "```\n"
        "\n"
        "After [@c].\n",
        "a, b 4, c",
        ["two chunks here"],
    ),
    (
        "[@a, @b, p. 6] and [see @c; @d, @e pp. 7-8]\n",
        "a, b 6, c, d, e 7-8",
        [],
    ),
    (
        "---\n"
        "title: T\n"
        "abstract: |\n"
        "  Short [@a].\n"
        "---\n"
        "\n"
        "Inline `r nrow(x@y)` and @b {{< meta x >}} ^[note [@c, 3]]\n"
        "\n"
        "::: {.callout-note}\n"
        "In @d\n"
        ":::\n",
        "a, b, c 3, d",
        [],
    ),
    (
        "- item\n"
        "\n"
        "    ```{r}\n"
        "    a@b\n"
        "\n"
        "    c\n"
        "    ```\n"
        "\n"
        '    "in the list" @a [p. 3]\n'
        "\n"
        "> ```{r}\n"
        "> q@x\n"
        ">\n"
        "> y\n"
        "> ```\n"
        "\n"
        "@b\n",
        "a 3, b",
        ["in the list"],
    ),
    (
        "````{verbatim}\n```{r}\nno@no\n\n```\n````\n\n@a\n\n~~~{r}\nb\n\nc\n~~~\n[@fig-x; @b]\n",
        "a, b",
        [],
    ),
    (
        "```\nplain\n\ncode @no\n```\n\n@a `@no` <!-- @no -->\n\n|x|\n|-|\n|@b|\n\n: Cap @c\n",
        "a, b, c",
        [],
    ),
    (
        "```{r}\n# unclosed chunk\n\n@a\n",
        "a",
        [],
    ),
    (
        "# Head @a\n\nTerm\n:   def @b\n\n1. x @c\n\n![cap @d](p.png)\n\n| line @e\n",
        "a, b, c, d, e",
        [],
    ),
    (
        "*@a* **[@b]** ~~@c~~ [link @d](http://x.org/@no) me@x.org \\@no\n",
        "a, b, c, d",
        [],
    ),
    (
        "-@a [-@b, p. 2] [@{odd/key}, p. 3] [@c{p. 4}] [@d-e_f:g, 5]\n",
        "a, b 2, odd/key 3, c 4, d-e_f:g 5",
        [],
    ),
]
LATEX: list[Case] = [
    (
        "As \\citeonline[p.~2]{a} says, \\apud[p.~5]{b}[p.~3]{c}.\n\n"
        "\\begin{tikzpicture}[scale=2]\\draw (0,0) -- (1,1);\n"
        "\\node[draw] (n) at (0,1) {``They had nothing'' \\cite[4]{d}};\n"
        "\\draw (n) -- node[above] {see \\cite{e}} (1,1);\\end{tikzpicture}\n",
        "a 2, b 5, c 3, d 4, e",
        ["They had nothing"],
    ),
    (
        "\\begin{document}\n"
        "\\only<2>{\\begin{quote}the words \\cite{a}\\end{quote}}\n\n"
        "\\uncover<1->{``they had nothing'' \\cite[2]{b}}\n\n"
        "\\onslide<2| handout:0>{\\cite{c}}\n\n"
        "\\visible<+->{``so \\only<2>{it} is'' \\cite{d}}\n\n"
        "\\begin{onlyenv}<1-> ``in an environment'' \\cite{e}\\end{onlyenv}\n\n"
        "\\begin{frame}<1-2>[<+->][label=x]{T} ``on a frame'' \\cite{f}\\end{frame}\n\n"
        "\\only{\\cite{g}}<2> \\cite<see>[3]{h} $\\alpha<3, \\beta>2$\n"
        "\\end{document}\n",
        "a, b 2, c, d, e, f, g, h 3",
        ["the words", "they had nothing", "so it is", "in an environment", "on a frame"],
    ),
    (
        "\\def\\said{\\mbox{``they had nothing''}\\xspace}\\said{} \\cite{a} "
        "\\fbox{``in a box'' \\cite{b}} \\makebox[2cm][l]{``in three''} \\cite{c} "
        "\\framebox{``in four''} \\cite{d} "
        "\\fcolorbox{red}{white}{``in colour''} \\cite{e} $x \\mbox{ if $y$}$\n",
        "a, b, c, d, e",
        ["they had nothing", "in a box", "in three", "in four", "in colour"],
    ),
    (
        "\\cite{a,\n  b% the second\n} \\lstinline{\\cite{x}} ``so it'' "
        "\\cite[pp.\\ 2\\textendash 3]{c}.\n"
        "\\newcommand{\\said}[2]{``#1'' \\cite[#2]{d}}\n"
        "\\said{they had}{4}\n",
        "a, b, c 2\u20133, d 4",
        ["so it", "they had"],
    ),
    (
        "\\epigraph{They had nothing.}{\\cite[2]{a}}\n\n"
        "\\begin{citacao}[english]\nThey had more. \\cite[3]{b}\n\\end{citacao}\n\n"
        'Er war Le"-ser \\cite{c}.\n',
        "a 2, b 3, c",
        ["They had nothing.", "They had more."],
    ),
    (
        "\\guil{quoted words \\cite[p.~3]{one}} and \\mine{more @ \\citep{two}} "
        "\\foo[opt]{first}{second \\cite{three}}.",
        "one 3, two, three",
        [],
    ),
    (
        "\\citeonline[p.~2]{a1} \\citew{a2} \\Citet[3]{a3} \\fullcite{a4} "
        "\\citetitle[see][4]{a5} \\volcite{2}[7]{a6} \\citeyear[2]{a7} \\citeauthor{a8} "
        "\\citefield{a9}{title} \\footfullcite[8]{b1}",
        "a1 2, a2, a3 3, a4, a5 4, a6 7, a7 2, a8, a9, b1 8",
        [],
    ),
    (
        "\\autocite[\\page 2]{a} \\autocite[\\pnfmt{2}]{b} \\autocite[\\pno~4\\psq]{c} "
        "\\cite[see][\\emph{5}--6]{d} \\parencite[\\ppno 3--4]{e}",
        "a 2, b 2, c 4f., d 5\u20136, e 3\u20134",
        [],
    ),
    (
        "\\epigraph{``Words of old'' \\cite{a}}{Doe} \\marginpar{In \\cite[2]{b}} "
        "\\todo[inline]{x \\cite{c}}\n"
        "\n"
        "\\begin{unknownenv}[opt]{arg} Inside ``the words'' \\cite[9]{d}. \\myown{kept "
        "\\cite{e}} \\end{unknownenv}",
        "a, b 2, c, d 9, e",
        ["Words of old", "the words"],
    ),
    (
        "\\textcquote[see][2]{a}[.]{Quoted here} \\blockcquote[4]{b}{A block of words} "
        "\\foreigntextcquote{french}[5]{c}{des mots} \\enquote{plain words} \\autocite{d}",
        "a 2, b 4, c 5, d",
        ["Quoted here", "A block of words", "des mots", "plain words"],
    ),
    (
        "\\newcommand{\\mine}[1]{\\parencite[3]{#1}}\\newcommand\\noted[2][]{\\footnote{\\citeon"
        "line[#1]{#2}}}\n"
        "Uses \\mine{a} and\\noted[5]{b} and \\cite{c}.",
        "a 3, b 5, c",
        [],
    ),
    (
        "\\newcommand{\\pcite}[2]{\\autocite[#1]{#2}}\\newcommand*\\kcite[2]{\\cite[#2]{#1}}\n"
        "Uses \\pcite{3}{a} and \\kcite{b}{5}.",
        "a 3, b 5",
        [],
    ),
    (
        "\\autocites[1]{a}[see][2]{b} \\parencites(see)()[3]{c}[4]{d} \\textcites{e}{f} "
        "\\footcites[5]{g}{h} \\cite{i, j,\n"
        "  k}",
        "a 1, b 2, c 3, d 4, e, f, g 5, h, i, j, k",
        [],
    ),
    (
        '<<mots cites>> \\cite{a} et \\og trois mots \\fg{} \\cite{b} und "`Worte hier"\' '
        "\\cite{c} \\flqq drei Worte\\frqq{} \\cite{d} \\glqq vier Worte\\grqq{} \\cite{e}",
        "a, b, c, d, e",
        ["mots cites", "trois mots", "Worte hier", "drei Worte", "vier Worte"],
    ),
    (
        "\\begin{figure}\\includegraphics[width=2cm]{x.png}\\caption[short]{Cap "
        "\\cite{a}}\\end{figure}\\begin{tabularx}{\\textwidth}{lX} a & \\cite{b} \\\\ "
        "\\end{tabularx}\\begin{longtable}{ll} a & \\cite{c} \\\\ "
        "\\end{longtable}\\begin{itemize}\\item \\cite{d}\\item[x] "
        "\\cite{e}\\end{itemize}\\begin{minipage}{3cm}\\cite{f}\\end{minipage}",
        "a, b, c, d, e, f",
        [],
    ),
    (
        "50\\% of % \\cite{no}\n"
        "\\verb|\\cite{no}| \\iffalse \\cite{no} \\fi \\nocite{no}\\vspace{2cm} ``one "
        "\\important{two} three'' \\cite{a} \\cref{fig:x} \\SI{3}{m} "
        "\\gls{abc}\\begin{comment}\\cite{no}\\end{comment}",
        "a",
        ["one two three"],
    ),
    (
        "\\documentclass{book}\n"
        "\\usepackage{mine}\n"
        "\\begin{document}\n"
        "\\chapter{Head \\cite{a}}\\label{c:a}\\input{x}\n"
        "A\\footnotetext{N ``a b c'' \\cite[3]{b}} \\textcolor{red}{\\cite{c}} {\\itshape "
        "\\cite{d}} \\resizebox{2cm}{!}{\\cite{e}}\n"
        "\\begin{abstract}ab \\cite{f}\\end{abstract}\\end{document}\\cite{no}",
        "a, b 3, c, d, e, f",
        ["a b c"],
    ),
    (
        "\\citep*[e.g.,][chap.~2]{a} \\citealp{b} \\citealt[3]{c} \\citet{d} \\cite<see>[p. "
        "4]{e} \\shortcite{f} \\supercite{g} \\Textcite[5]{h} \\smartcite{i} \\citeA{j} "
        "\\citetext{\\citealp{k}, p.~2}",
        "a, b, c 3, d, e 4, f, g, h 5, i, j, k",
        [],
    ),
]
ORG: list[Case] = [
    (
        '* A *b* _c_\nText "/so/ *it* is =+x= +5" [[cite:&DBLP:conf/a p. 3]].\n'
        "|a *b*|c|\n|---+---|\n",
        "DBLP:conf/a 3",
        ["so it is +x +5"],
    ),
    (
        "A [[cite:&key]] and [[citep:see &a p. 4;&b]] [[citet:c,d][p. 3]] cite:e,f citep:&g.\n",
        "key, a 4, b, c, d 3, e, f, g",
        [],
    ),
    (
        '\\paragraph{Head} Text "so it is" [cite:@a p. 2].\n'
        "\n"
        "\\paragraph{}\n"
        "More @no [cite/t:@b].\n",
        "a 2, b",
        ["so it is"],
    ),
    (
        "* Head [cite:@a]\n"
        "#+begin_quote\n"
        "Words there [cite:@b p. 9]\n"
        "#+end_quote\n"
        "\\cite[3]{c} \\citep{d}\n",
        "a, b 9, c 3, d",
        ["Words there"],
    ),
    (
        "# cite:no\n"
        "#+begin_src R\n"
        "cite:no\n"
        "#+end_src\n"
        "=cite:no= ~cite:no~ [[https://x.org][cite]] [cite:@a]\n",
        "a",
        [],
    ),
    (
        "| [cite:@a] | cite:b |\n"
        "#+caption: Cap [cite:@c]\n"
        "[[file:x.png]]\n"
        "- item [cite:@d]\n"
        "\n"
        "Text[fn:1] [cite/a:@e]\n"
        "\n"
        '[fn:1] Note "a b c" [cite:@f 7]\n',
        "a, b, c, d, e, f 7",
        ["a b c"],
    ),
    (
        "[cite:see;@a p. 1;@b p. 2] [cite:@c, @d p. 3]\n",
        "a 1, b 2, c, d 3",
        [],
    ),
]
OF_EACH = {"a.qmd": MARKDOWN, "a.tex": LATEX, "draft.typ": TYPST, "a.org": ORG}


@pytest.mark.parametrize(
    ("name", "text", "citations", "quoted"),
    [(name, *case) for name, cases in OF_EACH.items() for case in cases],
)
def test_every_citation_is_read(name: str, text: str, citations: str, quoted: list[str]) -> None:
    draft = draft_of(text.encode(), Path(name))
    cited = [f"{one.citekey} {one.locator or ''}".strip() for one in draft.citations]
    assert ", ".join(cited) == citations
    assert [one.text for one in quotations(draft)] == quoted
    assert [one.citekey for one in draft.written if one.is_certain and not one.is_read] == []
    assert all(text.startswith(one.citekey, one.place.start) for one in draft.citations)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ('[@a, p. 2] says "they had it". @b [p. 3] does not, nor does [@c].', "a"),
        ('Rest [@a, p. 2]. He says "they had it" [@b, p. 3].', "b"),
        ('He has it. [@a, p. 2] He says "they had it", and so on [@b, p. 3].', "b"),
        ('"They had it", @b [p. 3] says. @c does not.', "b"),
    ],
)
def test_a_citation_that_begins_a_sentence_is_that_of_its_quotation(text: str, cited: str) -> None:
    [quotation] = quotations(draft_of(text.encode(), Path("a.md")))
    assert [one.citekey for one in quotation.citations] == [cited]


@pytest.mark.parametrize(
    "text",
    [
        "They said “they had nothing” #from(<doe>, [12]).",
        "They said “they had nothing” #from(<doe>)[p. 12].",
        "They said #said(<doe>)[“they had nothing”].",
    ],
)
def test_an_own_function_of_typst_with_words_and_a_label_cites_in_its_sentence(text: str) -> None:
    draft = draft_of(text.encode(), Path("a.typ"))
    [quotation] = quotations(draft)
    assert (quotation.text, [one.citekey for one in quotation.citations]) == (
        "they had nothing",
        ["doe"],
    )
    assert len(draft.paragraphs) == 1


@pytest.mark.parametrize(
    ("call", "page"),
    [
        ("#from(<doe>, [1124])", "1124"),
        ("#from(<doe>)[pp. 12--14]", "12\u201314"),
        ('#from(<doe>, "iv")', ""),
        ('#from(<doe>, place: "p. iv")', "iv"),
        ("#mycite(<doe>, [1124])", "1124"),
        ("#from(<doe>)[We saw it on p. 12]", ""),
        ("#from(<doe>)[12 barges came]", ""),
        ("#from(<doe>)[1124, 1130]", "1124, 1130"),
    ],
)
def test_pages_beside_the_label_in_an_own_function_of_typst_are_cited(call: str, page: str) -> None:
    draft = draft_of(f"They say so {call}.".encode(), Path("a.typ"))
    [citation] = [one for each in draft.paragraphs for mark in each.marks for one in mark.citations]
    assert str(citation.locator or "") == page


def test_options_of_chunks_are_read_up_to_a_bound() -> None:
    chunk = '```{r}\n#| fig-cap: "One [@a]"\n%s\n```\n\n'
    long = "x\n" * (MOST_OPTIONS // 2)
    text = f"{chunk % 1}{chunk % long}"
    draft = draft_of(text.encode(), Path("a.qmd"))
    assert [one.is_read for one in draft.written] == [True, False]


def test_a_caption_in_a_chunk_that_is_no_yaml_is_counted() -> None:
    chunk = '```{r}\n#| fig-cap: ["open @lost\n1\n```\n'
    draft = draft_of(f"One @a.\n\n{chunk}".encode(), Path("a.qmd"))
    assert [(one.citekey, one.is_read) for one in draft.written] == [("a", True), ("lost", False)]


def test_of_a_draft_that_pandoc_refuses_what_can_be_read_is_read() -> None:
    wrong = "\\begin{tabular}{l} a \\end{wrong} \\cite{lost}"
    text = f"One \\cite{{a}}.\n\n{wrong}\n\nTwo ``words here'' \\cite[3]{{b}}.\n"
    draft = draft_of(text.encode(), Path("a.tex"))
    assert draft.citekeys == ("a", "b")
    assert [one.line for one in draft.unreadable] == [3]
    unread = [one.citekey for one in draft.written if one.is_certain and not one.is_read]
    assert unread == ["lost"]
    with pytest.raises(UnreadableDocument):
        draft_of(wrong.encode(), Path("a.tex"))


def test_files_that_are_named_together_share_macros_and_labels(tmp_path: Path) -> None:
    files = {
        "main.tex": "\\newcommand{\\said}[2][1]{``#2'' \\autocite[#1]{doe}}\n\\input{one}\n",
        "one.tex": "\\said[4]{They had nothing}\n",
        "one.typ": "= One <ch-one>\nText @ch-two.\n",
        "two.typ": "= Two <ch-two>\nText @ch-one and @doe.\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shared = shared_names(tmp_path / name for name in [*files, "missing.tex", "no.md"])
    drafts = {name: read_draft(tmp_path / name, shared=shared) for name in files}
    assert [f"{one.citekey} {one.locator}" for one in drafts["one.tex"].citations] == ["doe 4"]
    assert [one.text for one in quotations(drafts["one.tex"])] == ["They had nothing"]
    assert {name: draft.citekeys for name, draft in drafts.items() if name != "one.tex"} == {
        "main.tex": (),
        "one.typ": (),
        "two.typ": ("doe",),
    }
    assert not any(not one.is_read for draft in drafts.values() for one in draft.written)
    assert read_draft(tmp_path / "one.tex").citations == []
