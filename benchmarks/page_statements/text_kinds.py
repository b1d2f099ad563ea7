"""Kinds of pages of running text: columns, lists, notes, edges, formulas, scans, other scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.page_statements.setting import as_scan, as_scan_with_text, by_reportlab
from benchmarks.page_statements.sheets import Fill, Look, Sheet, cells_of, quoted, shown
from benchmarks.page_statements.table_kinds import numbers, set_table

# Running text.


def _one_column(sheet: Sheet) -> None:
    _columns(sheet, 1)


def _two_columns(sheet: Sheet) -> None:
    _columns(sheet, 2)


def _three_columns(sheet: Sheet) -> None:
    _columns(sheet, 3)


def _columns(sheet: Sheet, columns: int) -> None:
    sheet.look = Look.of(sheet.form, sheet.random, columns)
    sheet.told(sheet.text(0.75, headed=True), present=4, order=6)


def _drawn_anyhow(sheet: Sheet) -> None:
    """Columns under a title, drawn in another order."""
    columns = 2 + sheet.form // 4
    sheet.look = replace(sheet.look, size=9, tagged=False)
    title, flow = sheet.writer.title(), []
    blocks = [f"place(text(size: 18pt, {quoted(title)}))"]
    for column in range(columns):
        said = sheet.writer.sentences(14)
        text = "\n\n".join(" ".join(map(shown, said[at : at + 5])) for at in (0, 5, 10))
        wide = f"width: {100 / columns - 4}%"
        blocks.append(f"place(dx: {100 * column / columns}%, dy: 8%, block({wide})[{text}])")
        flow += said
    sheet.random.shuffle(blocks)
    sheet.add(*(f"#{block}" for block in blocks))
    sheet.order(title, flow[0])
    for at in range(13, len(flow) - 1, 14):
        sheet.order(flow[at], flow[at + 1])
    sheet.told(flow, present=4, order=4)


def _newspaper(sheet: Sheet) -> None:
    sheet.look = replace(sheet.look, size=9)
    for columns in (3, 2) if sheet.form % 4 < 2 else (2, 3):
        title = sheet.writer.title()
        sheet.add(f'#text(size: 17pt, weight: "bold", {quoted(title)})')
        flow = sheet.writer.sentences(16)
        said = " ".join(map(shown, flow[:9])), " ".join(map(shown, flow[9:]))
        high = 1.2 * 650 * sum(map(len, flow)) / sheet.look.letters
        sheet.add(f"#block(height: {high}pt, columns({columns})[{said[0]}\n\n{said[1]}])")
        sheet.add("#line(length: 100%)")
        sheet.order(title, flow[0])
        sheet.told(flow, order=4)


def _title_page(sheet: Sheet) -> None:
    title, authors = (
        sheet.writer.title(),
        [f"{sheet.writer.word()} {sheet.writer.word()}" for _ in "ab"],
    )
    abstract = sheet.writer.sentences(4)
    centred = [f'#text(size: 18pt, weight: "bold", {quoted(title)})', shown(", ".join(authors))]
    centred.append(f"#text(size: 8pt)[Department of Hydrography, {sheet.writer.word()} College]")
    body = (
        "#align(center)["
        + "\n\n".join(centred)
        + "]\n\n*Abstract.* "
        + " ".join(map(shown, abstract))
    )
    columns = 1 + sheet.form // 2 % 2
    sheet.look = Look.of(sheet.form, sheet.random, columns)
    place = '#place(top + center, float: true, scope: "parent")' if columns == 2 else "#block"
    sheet.add(f"{place}[{body}]")
    flow = [title, *abstract, sheet.heading(), *sheet.text(0.5)]
    sheet.present(title, *authors)
    sheet.told(flow)


def _lists(sheet: Sheet) -> None:
    flow = sheet.paragraph(2, 3)
    mark = ("-", "+")[sheet.form // 2 % 2]
    items = sheet.writer.sentences(6)
    lines = []
    for number, item in enumerate(items):
        inner = "  " if sheet.form % 3 == 0 and number % 3 == 2 else ""
        lines.append(f"{inner}{mark} {shown(item)}")
    sheet.add("\n".join(lines))
    sheet.told([*flow, *items, *sheet.paragraph(2, 3)], present=4, order=5)


def _terms(sheet: Sheet) -> None:
    names, texts = [sheet.writer.word() for _ in "abcdef"], sheet.writer.sentences(6)
    pairs = ", ".join(f"[*#{quoted(n)}*], {cells_of((t,))}" for n, t in zip(names, texts))
    wide = ("auto, 1fr", "3cm, 1fr")[sheet.form // 2 % 2]
    flow = sheet.paragraph(2, 3)
    sheet.add(f"#grid(columns: ({wide}), gutter: 0.9em, {pairs})")
    sheet.present(*sheet.random.sample(texts, 3))
    for name, text, later in zip(names, texts, names[1:]):
        sheet.order(name, text, later)
    sheet.order(flow[0], texts[0])


def _tiny(sheet: Sheet) -> None:
    sheet.look = replace(
        Look.of(sheet.form, sheet.random, 1 + sheet.form // 2 % 2), size=5.5, margin="1.5cm"
    )
    sheet.told(sheet.text(0.8), present=6, order=4)


def _alphabets(sheet: Sheet) -> None:
    language = ("de", "ru", "fr", "el", "pl", "de", "ru", "fr")[sheet.form]
    sheet.look = replace(Look.of(sheet.form, sheet.random, 1 + sheet.form % 2), language=language)
    sheet.writer.language = language
    sheet.told(sheet.text(0.6), present=4, order=4)


def _right_to_left(sheet: Sheet) -> None:
    language = ("he", "ar", "fa", "he", "ar", "he", "he", "ar")[sheet.form]
    fonts = {
        "he": ("Noto Serif Hebrew", "DejaVu Sans"),
        "ar": ("Noto Naskh Arabic", "Amiri"),
        "fa": ("Noto Naskh Arabic", "Noto Sans Arabic"),
    }
    font = fonts[language][sheet.form // 2 % 2]
    sheet.look = replace(sheet.look, language=language, font=font, columns=1 + sheet.form // 3 % 2)
    sheet.writer.language = language
    sheet.told(sheet.text(0.7), present=5, order=4)


# Edges, notes and boxes.


def _running_heads(sheet: Sheet) -> None:
    head, number = f"{sheet.writer.title()} · {sheet.writer.word()}", 611 + 13 * sheet.form
    _with_edges(sheet, head, str(number))
    sheet.told(sheet.text(0.6))
    sheet.absent(head, *_number_said(sheet, number))


def _with_edges(sheet: Sheet, head: str, number: str) -> None:
    said = f"#text(size: 8pt, {quoted(head)})"
    number = (number, f"-- {number} --", f"Page {number}", number)[sheet.form // 2]
    top = sheet.form % 4 < 2
    sheet.look = replace(
        sheet.look,
        head=f"{said} #h(1fr) {number if top else ''}",
        foot="" if top else f"#align(center)[{number}]",
    )


def _number_said(sheet: Sheet, number: int) -> list[str]:
    return [f"Page {number}"] if sheet.form // 2 == 2 else [str(number)]


def _long_document(sheet: Sheet) -> None:
    head = f"{sheet.writer.title()} · {sheet.writer.word()}"
    first = 611 + 13 * sheet.form
    _with_edges(sheet, head, f"#context (counter(page).get().first() + {first - 1})")
    for page in range(1, 5):
        sheet.page = page
        flow = sheet.text(0.6)
        if page > 1:
            sheet.told(flow, present=1, order=1)
            sheet.absent(head, *_number_said(sheet, first + page - 1))
        sheet.add("#pagebreak(weak: true)")


def _footnotes(sheet: Sheet) -> None:
    sheet.look = Look.of(sheet.form, sheet.random, 1 + sheet.form // 4)
    flow: list[str] = []
    notes = sheet.writer.sentences(4)
    for note in notes:
        first, second, *rest = sheet.writer.sentences(5)
        mark = f"#footnote({quoted(note)})"
        sheet.add(" ".join((shown(first) + mark, *map(shown, (second, *rest)))))
        flow += [first, second, *rest]
        sheet.order(second, note)
    sheet.present(*notes[:2])
    sheet.told(flow)


def _sidebar(sheet: Sheet) -> None:
    aside, flow = sheet.writer.sentences(3), []
    fill = ("luma(230)", "none")[sheet.form // 2 % 2]
    box = f"#block(fill: {fill}, stroke: 0.5pt, inset: 6pt, width: 100%)"
    beside = f"{box}[#set text(size: 0.85em)\n{' '.join(map(shown, aside))}]"
    text = []
    for _ in range(4):
        said = sheet.writer.sentences(4)
        flow += said
        text.append(" ".join(map(shown, said)))
    cells = [f"[{beside}]", "[" + "\n\n".join(text) + "]"]
    wide = ["4cm", "1fr"]
    if sheet.form % 4 < 2:
        cells, wide = cells[::-1], wide[::-1]
    sheet.add(f"#grid(columns: ({', '.join(wide)}), gutter: 6mm, {', '.join(cells)})")
    sheet.order(*aside)
    sheet.told(flow, order=4)
    sheet.present(*aside)


def _margin_notes(sheet: Sheet) -> None:
    left = sheet.form % 4 < 2
    margin = (
        "(left: 5.4cm, right: 2.2cm, y: 2.2cm)" if left else "(left: 2.2cm, right: 5.4cm, y: 2.2cm)"
    )
    sheet.look = replace(sheet.look, margin=margin, size=10)
    flow: list[str] = []
    for _ in range(4):
        note, said = sheet.writer.sentence(), sheet.writer.sentences(5)
        where = "left, dx: -3.6cm" if left else "right, dx: 3.6cm"
        ragged = "#set par(justify: false, first-line-indent: 0em)"
        box = f"box(width: 3cm)[{ragged}\n#text(size: 7pt, {quoted(note)})]"
        sheet.add(f"#place({where}, {box})\n" + " ".join(map(shown, said)))
        sheet.present(note)
        flow += said
    sheet.told(flow, order=4)


def _plot(sheet: Sheet) -> None:
    before, after = sheet.paragraph(4, 5), sheet.writer.sentences(5)
    caption = sheet.writer.sentence()
    marks = [
        f"#place(dx: {20 + 34 * n}pt, dy: 128pt, text(size: 6pt)[{n * 37 + sheet.form}])"
        for n in range(8)
    ]
    marks += [
        f"#place(dx: 2pt, dy: {8 + 24 * n}pt, text(size: 6pt)[{90 - n * 15}.5])" for n in range(5)
    ]
    for n in range(8):
        height = sheet.random.randint(15, 110)
        marks.append(
            f"#place(dx: {22 + 34 * n}pt, dy: {125 - height}pt,"
            f" rect(width: 16pt, height: {height}pt, fill: blue))"
        )
    stroke = ("none", "0.4pt")[sheet.form // 2 % 2]
    box = f"box(width: 300pt, height: 140pt, stroke: {stroke})[{' '.join(marks)}]"
    sheet.add(f"#figure(caption: {quoted(caption)}, {box})", " ".join(map(shown, after)))
    sheet.present(caption)
    sheet.told([*before, *after], order=4)
    sheet.order(before[0], caption, after[-1])


def _flow_chart(sheet: Sheet) -> None:
    before, caption = sheet.paragraph(3, 4), sheet.writer.sentence()
    steps = sheet.writer.sentences(4)
    fill = ("none", "luma(235)")[sheet.form // 2 % 2]
    look = f"stroke: 0.8pt, inset: 6pt, radius: {sheet.form % 3 * 3}pt, fill: {fill}"
    boxes = [f"box({look}, width: 6cm, text(size: 8pt, {quoted(step)}))" for step in steps]
    if sheet.form % 4 < 2:
        drawn = "stack(spacing: 5mm, " + ", line(angle: 90deg, length: 6mm), ".join(boxes) + ")"
    else:
        drawn = f"grid(columns: 2, gutter: 8mm, {', '.join(boxes)})"
    sheet.add(f"#figure(caption: {quoted(caption)}, kind: image, {drawn})")
    after = sheet.paragraph(4, 5)
    sheet.present(*steps, caption)
    if sheet.form % 4 < 2:
        sheet.order(*steps)
    sheet.told([*before, *after], present=2, order=2)


# Mathematics, listings, lists of references.


def _inline_maths(sheet: Sheet) -> None:
    flow: list[str] = []
    for number in range(6):
        first, second = sheet.writer.sentences(2)
        a, b = sheet.random.choice("abcdu"), sheet.random.choice("xyzpq")
        n, m = sheet.random.randint(2, 9), sheet.random.randint(11, 99)
        typed, plain = (
            (f"{a} = {m} + {b}", f"{a} = {m} + {b}"),
            (f"{b}^{n} < {m}", f"{b}^{n} < {m}"),
            (f"{a}_{n} >= {m}", f"{a}_{n} ≥ {m}"),
            (f"{a} dot 10^{n}", f"{a}·10^{n}"),
            (f"sigma^2 = {m}", f"\u03c3^2 = {m}"),
            (f"{m} < {b} <= {n + m}", f"{m} < {b} ≤ {n + m}"),
        )[number]
        start, end = first.removesuffix("."), f"{second[0].lower()}{second[1:]}"
        sheet.add(
            f"{shown(start)} where ${typed}$ and {shown(end)} "
            + shown(flow_text := sheet.writer.sentence())
        )
        sheet.present(f"where {plain} and {end[:12]}", exact=True)
        flow += [f"{start} where", end, flow_text]
    sheet.told(flow, order=4)


def _display_maths(sheet: Sheet) -> None:
    numbered = '#set math.equation(numbering: "(1)")'
    sheet.look = Look.of(sheet.form, sheet.random, 1 + sheet.form // 4)
    sheet.add(numbered if sheet.form % 4 < 2 else "")
    flow: list[str] = []
    for _ in range(4):
        first, second, third = sheet.writer.sentences(3)
        a, b = sheet.random.choice("abcdu"), sheet.random.choice("xyzpq")
        n = sheet.random.randint(2, 9)
        formula = sheet.random.choice(
            (
                f"{a}_{n} = sum_(i=1)^{n} {b}_i^2 + {n}/{b}",
                f"integral_0^{n} {b} dif {b} = {a}/{n}",
                f"sqrt({b} + {n}) = {a}^{n} - {b}",
            )
        )
        start, end = first.removesuffix("."), f"where {second[0].lower()}{second[1:]}"
        sheet.add(f"{shown(start)} $ {formula} $ {shown(end)} {shown(third)}")
        flow += [start, end, third]
    sheet.told(flow, present=4, order=6)


def _listing(sheet: Sheet) -> None:
    flow = sheet.paragraph(3, 4)
    names = [sheet.writer.word().lower() for _ in range(5)]
    lines = [f"def {names[0]}({names[1]}, {names[2]}):"]
    deep = sheet.random.randint(100, 600)
    lines += [f"    {name} = measure(depth={deep + n * 17})" for n, name in enumerate(names[1:])]
    lines.append(f"    return {names[3]} + {names[4]}")
    box = "#block(fill: luma(240), inset: 5pt)" if sheet.form // 2 % 2 else "#block"
    sheet.add(f"{box}[```\n" + "\n".join(lines) + "\n```]")
    after = sheet.paragraph(3, 4)
    sheet.present(*(line.strip() for line in lines[1:4]))
    sheet.order(flow[-1], *(line.strip() for line in lines[1:3]), after[0])


def _references(sheet: Sheet) -> None:
    sheet.look = Look.of(sheet.form, sheet.random, 1 + sheet.form // 4)
    before = sheet.paragraph(4, 5)
    sheet.add('#heading("References")')
    name, year = sheet.writer.word, sheet.random.randint(1950, 2000)
    entries = [
        f"{name()}, {'ABCDE'[n % 5]}. ({year + n}). {sheet.writer.title()}."
        f" Journal of {name()}, {n + 3}, {n * 31 + 11}-{n * 31 + 29}."
        for n in range(10)
    ]
    sheet.add("#set par(hanging-indent: 1.5em, first-line-indent: 0em)")
    for number, entry in enumerate(entries, 1):
        mark = f"#[\\[{number}\\] ]" if sheet.form // 2 % 2 else ""
        sheet.add(mark + shown(entry))
    sheet.told(entries, present=4, order=4)
    sheet.present(before[0])


# Scans, and scripts that Typst has no fonts for.


def _scan(sheet: Sheet) -> None:
    sheet.setter = as_scan
    _scanned(sheet)


def _scan_with_text(sheet: Sheet) -> None:
    sheet.setter = as_scan_with_text
    _scanned(sheet)


def _scanned(sheet: Sheet) -> None:
    sheet.leeway = 0.04
    columns = 1 + sheet.form // 2 % 2
    sheet.look = Look.of(sheet.form, sheet.random, columns)
    flow = [sheet.heading(), *sheet.text(0.45)]
    sheet.told(flow, present=4, order=4)
    if columns == 1:
        grid = numbers(sheet, 5, 4)
        set_table(sheet, grid, ("stroke: 0.5pt", "stroke: none, BOOK")[sheet.form // 4])
        sheet.cells(grid, 3)


def _east_asian(sheet: Sheet) -> None:
    language = ("zh", "ja", "ko", "zh", "ja", "ko", "zh", "ja")[sheet.form]
    sheet.setter, sheet.writer.language = by_reportlab, language
    head = f"{sheet.writer.word()} {sheet.writer.word()} 611"
    columns = 1 + sheet.form % 2
    sheet.look = replace(sheet.look, language=language, head=head, columns=columns)
    flow: list[str] = []
    for _ in range(4):
        said = sheet.writer.sentences(4)
        sheet.add((" " if language == "ko" else "").join(said))
        flow += said
    sheet.told(flow, present=5, order=4)
    sheet.absent(head)


TEXT_KINDS: Mapping[str, Fill] = {
    "one column": _one_column,
    "two columns": _two_columns,
    "three columns": _three_columns,
    "drawn anyhow": _drawn_anyhow,
    "newspaper": _newspaper,
    "title page": _title_page,
    "lists": _lists,
    "terms": _terms,
    "tiny text": _tiny,
    "alphabets": _alphabets,
    "right to left": _right_to_left,
    "running head": _running_heads,
    "four pages": _long_document,
    "footnotes": _footnotes,
    "sidebar": _sidebar,
    "margin notes": _margin_notes,
    "plot": _plot,
    "flow chart": _flow_chart,
    "formulas inline": _inline_maths,
    "formulas displayed": _display_maths,
    "listing": _listing,
    "references": _references,
    "scan": _scan,
    "scan with text": _scan_with_text,
    "east asian": _east_asian,
}
