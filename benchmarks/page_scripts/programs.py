"""The programs that set the pages: a browser, another printer of HTML, a word processor from files
of two kinds, Typst, and two engines of TeX.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import typst
from benchmarks.made_documents.office_documents import NAMESPACES
from benchmarks.page_scripts.pages import Page, Part

Program = Callable[[Page, Path], None]
_RAGGED = ("lines", "letter")
_RIGHT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200c\u200f]")


def programs() -> Mapping[str, Program]:
    """Those that are installed; of the others it is said that they are not."""
    needs = {
        "chromium": (by_chromium, "chromium"),
        "weasyprint": (by_weasyprint, "weasyprint"),
        "libreoffice": (by_libreoffice, "soffice"),
        "opendocument": (by_opendocument, "soffice"),
        "typst": (by_typst, "python3"),
        "xetex": (by_xetex, "xelatex"),
        "luatex": (by_luatex, "lualatex"),
    }
    found = {name: make for name, (make, program) in needs.items() if shutil.which(program)}
    for name in needs.keys() - found.keys():
        print(f"{name} is not installed")
    return found


def _run(command: Sequence[str | Path], folder: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=180, cwd=folder)


# Chromium and WeasyPrint


def by_chromium(page: Page, path: Path) -> None:
    """Print the page as HTML."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(html(page), encoding="utf-8")
        headless = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        profile = f"--user-data-dir={folder}/profile"
        _run(
            ["chromium", *headless, profile, f"--print-to-pdf={path}", source.as_uri()],
            folder,
        )


def by_weasyprint(page: Page, path: Path) -> None:
    """Print the page as HTML with WeasyPrint."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(html(page), encoding="utf-8")
        _run(["weasyprint", source, path], folder)


def html(page: Page) -> str:
    """The page's source."""
    direction = "rtl" if page.language.from_right else "ltr"
    body = "\n".join(_html_parts(page))
    notes = "".join(
        f"<p class=n><sup>{n}</sup> {escape(note)}</p>" for n, note in enumerate(_notes(page), 1)
    )
    return f"""<!doctype html><html lang="{page.language.code}" dir="{direction}">
<meta charset="utf-8"><style>@page {{ size: A4; margin: 20mm }}
body {{ font: 11pt/1.5 "{page.font}", "DejaVu Sans"; columns: {page.columns}; column-gap: 8mm }}
p {{ margin: 0 0 2.5mm; text-align: {"start" if page.kind in _RAGGED else "justify"} }}
td {{ padding: 1mm 3mm; border: 0.5px solid }} .n {{ font-size: 9pt }}
pre {{ direction: ltr; text-align: left; font: 9pt "DejaVu Sans Mono" }}</style>{body}{notes}"""


def _notes(page: Page) -> list[str]:
    return [part.note for part in page.parts if part.note]


def _html_parts(page: Page) -> Iterator[str]:
    number = 0
    for kind, group in groupby(page.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "code":
            lines = "\n".join(escape(part.texts[0]) for part in parts)
            yield f"<pre>{lines}</pre>"
        elif kind == "row":
            rows = (
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in part.texts) + "</tr>"
                for part in parts
            )
            yield f"<table style='border-collapse: collapse'>{''.join(rows)}</table>"
        elif kind in ("numbered", "bullet"):
            items = "".join(f"<li>{escape(part.texts[0])}</li>" for part in parts)
            name = "ol" if kind == "numbered" else "ul"
            yield f"<{name}>{items}</{name}>"
        else:
            name = "h2" if kind == "heading" else "p"
            for part in parts:
                number += bool(part.note)
                mark = f"<sup>{number}</sup>" if part.note else ""
                yield f"<{name}>{escape(' '.join(part.texts))}{mark}</{name}>"


# LibreOffice, from a file as a word processor writes it

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = """<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType=
 "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/word/footnotes.xml" ContentType=
 "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/></Types>"""
_SIZE = '<w:sz w:val="22"/><w:szCs w:val="22"/>'
_RELATIONS = """<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="{target}" Type=
 "http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"/></Relationships>"""


def by_libreoffice(page: Page, path: Path) -> None:
    """Print the page as a file of a word processor."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.docx"
        with zipfile.ZipFile(source, "w") as packed:
            packed.writestr("[Content_Types].xml", _TYPES)
            for name, target, kind in (
                ("_rels/.rels", "word/document.xml", "officeDocument"),
                ("word/_rels/document.xml.rels", "footnotes.xml", "footnotes"),
            ):
                packed.writestr(name, _RELATIONS.format(target=target, kind=kind))
            packed.writestr("word/document.xml", _document(page))
            packed.writestr("word/footnotes.xml", _footnotes(page))
        _print_by_soffice(source, path)


def _print_by_soffice(source: Path, path: Path) -> None:
    profile = f"-env:UserInstallation=file://{tempfile.gettempdir()}/soffice-of-scripts"
    folder = str(source.parent)
    _run(
        ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder, source],
        folder,
    )
    shutil.move(source.with_suffix(".pdf"), path)


def _document(page: Page) -> str:
    columns = '<w:cols w:num="2" w:space="500"/>' if page.columns > 1 else ""
    bidi = "<w:bidi/>" if page.language.from_right else ""
    body = "".join(_word_parts(page))
    return (
        f'<?xml version="1.0"?><w:document {_W}><w:body>{body}<w:sectPr>'
        '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1100" w:bottom="1100" w:left="1100"'
        f' w:right="1100" w:header="0" w:footer="0" w:gutter="0"/>{columns}{bidi}</w:sectPr>'
        "</w:body></w:document>"
    )


def _footnotes(page: Page) -> str:
    notes = "".join(
        f'<w:footnote w:id="{n}">{_word_paragraph(page, note, mark="<w:footnoteRef/>")}'
        "</w:footnote>"
        for n, note in enumerate(_notes(page), 1)
    )
    return f'<?xml version="1.0"?><w:footnotes {_W}>{notes}</w:footnotes>'


def _word_parts(page: Page) -> Iterator[str]:
    number, item = 0, 0
    for kind, group in groupby(page.parts, key=lambda part: part.kind):
        if kind == "row":
            rows = "".join(f"<w:tr>{_word_cells(page, part)}</w:tr>" for part in group)
            visual = "<w:bidiVisual/>" if page.language.from_right else ""
            sides = "".join(
                f'<w:{side} w:val="single" w:sz="4"/>'
                for side in ("top", "left", "bottom", "right", "insideH", "insideV")
            )
            grid = '<w:gridCol w:w="2300"/>' * 4
            yield (
                f"<w:tbl><w:tblPr>{visual}<w:tblW w:w='9200' w:type='dxa'/>"
                f"<w:tblBorders>{sides}</w:tblBorders></w:tblPr><w:tblGrid>{grid}</w:tblGrid>"
                f"{rows}</w:tbl>"
            )
            continue
        for part in group:
            text = " ".join(part.texts)
            if kind == "numbered":
                item += 1
                text = f"{item}.\t{text}"
            elif kind == "bullet":
                text = f"•\t{text}"
            end = ""
            if part.note:
                number += 1
                end = f'<w:footnoteReference w:id="{number}"/>'
            yield _word_paragraph(page, text, end=end, code=kind == "code", bold=kind == "heading")


def _word_cells(page: Page, part: Part) -> str:
    width = '<w:tcPr><w:tcW w:w="2300" w:type="dxa"/></w:tcPr>'
    return "".join(
        f"<w:tc>{width}{_word_paragraph(page, cell, align='start')}</w:tc>" for cell in part.texts
    )


def _word_paragraph(
    page: Page,
    text: str,
    *,
    mark: str = "",
    end: str = "",
    code: bool = False,
    bold: bool = False,
    align: str = "",
) -> str:
    align = align or ("start" if page.kind in _RAGGED or code else "both")
    right = page.language.from_right and not code
    bidi = "<w:bidi/>" if right else '<w:bidi w:val="0"/>'
    font = "DejaVu Sans Mono" if code else page.font
    raised = '<w:vertAlign w:val="superscript"/>'
    runs = "".join(_word_run(part, font, rtl, bold) for part, rtl in _runs(text, right))
    before, behind = (
        f"<w:r><w:rPr>{raised}</w:rPr>{sign}</w:r>" if sign else "" for sign in (mark, end)
    )
    return (
        f'<w:p><w:pPr>{bidi}<w:spacing w:after="120"/><w:jc w:val="{align}"/></w:pPr>'
        f"{before}{runs}{behind}</w:p>"
    )


def _runs(text: str, right: bool) -> list[tuple[str, bool]]:
    """The text by words, those with letters from the right apart."""
    words = re.findall(r"\S+\s*|\s+", text)
    grouped = groupby(words, key=lambda word: right and _RIGHT.search(word) is not None)
    return [("".join(group), rtl) for rtl, group in grouped]


def _word_run(text: str, font: str, rtl: bool, bold: bool) -> str:
    fonts = " ".join(f'w:{kind}="{font}"' for kind in ("ascii", "hAnsi", "cs", "eastAsia"))
    mark = "<w:rtl/>" if rtl else ""
    size = '<w:b/><w:bCs/><w:sz w:val="28"/><w:szCs w:val="28"/>' if bold else _SIZE
    shown = escape(text).replace("\t", '</w:t><w:tab/><w:t xml:space="preserve">')
    return (
        f"<w:r><w:rPr><w:rFonts {fonts}/>{mark}{size}</w:rPr>"
        f'<w:t xml:space="preserve">{shown}</w:t></w:r>'
    )


# LibreOffice, from a file of its own

_BORDER = 'fo:border="0.5pt solid #000000" fo:padding="1mm"'


def by_opendocument(page: Page, path: Path) -> None:
    """Print the page as a file of LibreOffice itself, with lists and notes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.fodt"
        source.write_text(open_document(page), encoding="utf-8")
        _print_by_soffice(source, path)


def open_document(page: Page) -> str:
    """The page's source."""
    mode = "rl-tb" if page.language.from_right else "lr-tb"
    align = "start" if page.kind in _RAGGED else "justify"
    body = "\n".join(_open_parts(page))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls>{_face(page.font)}{_face("DejaVu Sans Mono")}</office:font-face-decls>
<office:styles>
{_open_style("Standard", page.font, f'style:writing-mode="{mode}" fo:text-align="{align}"')}
{_open_style("Cell", page.font, f'style:writing-mode="{mode}" fo:text-align="start"')}
{_open_style("Head", page.font, f'style:writing-mode="{mode}" fo:text-align="start"', 14)}
{_open_style("Code", "DejaVu Sans Mono", 'style:writing-mode="lr-tb" fo:text-align="left"', 9)}
<text:list-style style:name="numbered"><text:list-level-style-number text:level="1"
 style:num-format="1" style:num-suffix="."><style:list-level-properties
 text:min-label-width="8mm"/></text:list-level-style-number></text:list-style>
<text:list-style style:name="bullet"><text:list-level-style-bullet text:level="1"
 text:bullet-char="•"><style:list-level-properties
 text:min-label-width="8mm"/></text:list-level-style-bullet></text:list-style>
</office:styles><office:automatic-styles>
<style:style style:name="Grid" style:family="table"><style:table-properties
 style:writing-mode="{mode}" table:align="margins"/></style:style>
<style:style style:name="Box" style:family="table-cell"><style:table-cell-properties
 {_BORDER}/></style:style>
<style:page-layout style:name="Sheet"><style:page-layout-properties fo:page-width="210mm"
 fo:page-height="297mm" fo:margin="20mm" style:writing-mode="{mode}"><style:columns
 fo:column-count="{page.columns}" fo:column-gap="8mm"/></style:page-layout-properties>
</style:page-layout></office:automatic-styles><office:master-styles>
<style:master-page style:name="Standard" style:page-layout-name="Sheet"/></office:master-styles>
<office:body><office:text>{body}</office:text></office:body></office:document>"""


def _face(font: str) -> str:
    return f"<style:font-face style:name='{font}' svg:font-family=\"'{font}'\"/>"


def _open_style(name: str, font: str, properties: str, size: int = 11) -> str:
    bold = ' fo:font-weight="bold" style:font-weight-complex="bold"' if name == "Head" else ""
    return (
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties'
        f' {properties} fo:margin-bottom="2mm"/><style:text-properties style:font-name="{font}"'
        f' style:font-name-complex="{font}" fo:font-size="{size}pt"'
        f' style:font-size-complex="{size}pt"{bold}/></style:style>'
    )


def _open_parts(page: Page) -> Iterator[str]:
    number = 0
    for kind, group in groupby(page.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "row":
            rows = "".join(
                f"<table:table-row>{''.join(map(_open_cell, part.texts))}</table:table-row>"
                for part in parts
            )
            columns = f'<table:table-column table:number-columns-repeated="{len(parts[0].texts)}"/>'
            yield f'<table:table table:style-name="Grid">{columns}{rows}</table:table>'
        elif kind in ("numbered", "bullet"):
            items = "".join(
                f"<text:list-item><text:p>{escape(part.texts[0])}</text:p></text:list-item>"
                for part in parts
            )
            yield f'<text:list text:style-name="{kind}">{items}</text:list>'
        else:
            style = {"code": "Code", "heading": "Head"}.get(kind, "Standard")
            for part in parts:
                number += bool(part.note)
                note = _open_note(part.note, number) if part.note else ""
                text = escape(" ".join(part.texts))
                yield f'<text:p text:style-name="{style}">{text}{note}</text:p>'


def _open_cell(text: str) -> str:
    return (
        '<table:table-cell table:style-name="Box"><text:p text:style-name="Cell">'
        f"{escape(text)}</text:p></table:table-cell>"
    )


def _open_note(note: str, number: int) -> str:
    return (
        f'<text:note text:note-class="footnote"><text:note-citation>{number}</text:note-citation>'
        f'<text:note-body><text:p text:style-name="Cell">{escape(note)}</text:p></text:note-body>'
        "</text:note>"
    )


# Typst


def by_typst(page: Page, path: Path) -> None:
    """Typeset the page with Typst."""
    direction = "rtl" if page.language.from_right else "ltr"
    head = (
        f'#set page(paper: "a4", margin: 2cm, columns: {page.columns})\n'
        f'#set text(font: ("{page.font}", "DejaVu Sans"), size: 11pt,'
        f' lang: "{page.language.code}", dir: {direction})\n'
        f"#set par(justify: {str(page.kind not in _RAGGED).lower()}, leading: 0.9em)\n"
    )
    path.write_bytes(typst.compile((head + "\n\n".join(_typst_parts(page))).encode()))


def _typst_parts(page: Page) -> Iterator[str]:
    for kind, group in groupby(page.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "code":
            lines = "\n".join(part.texts[0] for part in parts)
            yield f"#text(dir: ltr)[```\n{lines}\n```]"
        elif kind == "row":
            cells = ", ".join(f"[#{_string(cell)}]" for part in parts for cell in part.texts)
            yield f"#table(columns: {len(parts[0].texts)}, {cells})"
        elif kind in ("numbered", "bullet"):
            sign = "+" if kind == "numbered" else "-"
            yield "\n".join(f"{sign} #{_string(part.texts[0])}" for part in parts)
        elif kind == "heading":
            yield from (f"= #{_string(part.texts[0])}" for part in parts)
        else:
            for part in parts:
                note = f"#footnote[#{_string(part.note)}]" if part.note else ""
                yield f"#{_string(' '.join(part.texts))}{note}"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# TeX


def by_xetex(page: Page, path: Path) -> None:
    """Typeset the page with XeTeX, which is told where runs from the left are."""
    head = r"\usepackage{bidi}" if page.language.from_right else ""
    start = r"\setRTL" if page.language.from_right else ""
    latin = _runs_from_left if page.language.from_right else _tex
    _tex_pdf("xelatex", page, path, head, start, latin)


def by_luatex(page: Page, path: Path) -> None:
    """Typeset the page with LuaTeX, which finds the directions itself."""
    layout = "layout=lists.columns.footnotes.tabular"
    bidi = f", bidi=basic, {layout}" if page.language.from_right else ""
    name = page.language.english
    head = f"\\usepackage[english, {name}, provide=*{bidi}]{{babel}}"
    _tex_pdf("lualatex", page, path, head, "", _tex)


def _tex_pdf(
    engine: str, page: Page, path: Path, head: str, start: str, told: Callable[[str], str]
) -> None:
    if not _has_latin(page.font):  # TeX takes no letter from another font
        raise OSError(f"{page.font} has no Latin letters")
    columns = r"\twocolumn\sloppy" if page.columns > 1 else r"\sloppy"
    script = {"he": "Hebrew", "hi": "Devanagari", "th": "Thai", "ru": "Cyrillic"}
    kind = script.get(page.language.code, "Arabic")
    render = "[Renderer=HarfBuzz]" if engine == "lualatex" else ""
    body = "\n\n".join(_tex_parts(page, told))
    options = f"Script={kind}, Ligatures=TeXReset{', Renderer=HarfBuzz' if render else ''}"
    font = f"\\setmainfont{{{page.font}}}[{options}]"
    source = (
        "\\documentclass[11pt,a4paper]{article}\\usepackage[margin=2cm]{geometry}"
        f"\\usepackage{{fontspec}}{head}\n{font}\n\\setmonofont{{DejaVu Sans Mono}}"
        "\\newfontfamily\\other{DejaVu Sans}\n\\pagestyle{empty}\\tracinglostchars=3"
        "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{6pt}\n"
        f"\\begin{{document}}{start}{columns}\n{body}\n\\end{{document}}"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.tex").write_text(source, encoding="utf-8")
        _run([engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"], folder)
        shutil.move(Path(folder) / "page.pdf", path)


def _has_latin(font: str) -> bool:
    listed = ["fc-list", f":family={font}:charset=25 28 31 41 61 201c 2212"]
    return bool(subprocess.run(listed, check=True, capture_output=True).stdout)


def _tex_parts(page: Page, told: Callable[[str], str]) -> Iterator[str]:
    for kind, group in groupby(page.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "code":
            lines = "\n".join(part.texts[0] for part in parts)
            block = f"\\begin{{verbatim}}\n{lines}\n\\end{{verbatim}}"
            if page.language.from_right:
                start, end = _FROM_LEFT_BLOCK[told is _tex]
                block = f"{start}{block}\n{end}"
            yield block
        elif kind == "row":
            rows = " \\\\\\hline\n".join(" & ".join(map(told, part.texts)) for part in parts)
            columns = "|l" * len(parts[0].texts)
            yield f"\\begin{{tabular}}{{{columns}|}}\\hline {rows}\\\\\\hline\\end{{tabular}}"
        elif kind in ("numbered", "bullet"):
            name = "enumerate" if kind == "numbered" else "itemize"
            items = "\n".join(f"\\item {told(part.texts[0])}" for part in parts)
            yield f"\\begin{{{name}}}{items}\\end{{{name}}}"
        elif kind == "heading":
            yield from (f"\\section*{{{told(part.texts[0])}}}" for part in parts)
        else:
            for part in parts:
                note = f"\\footnote{{{told(part.note)}}}" if part.note else ""
                yield f"{told(' '.join(part.texts))}{note}"


# in XeTeX and in LuaTeX
_FROM_LEFT_BLOCK = (
    ("\\begin{LTR}", "\\end{LTR}"),
    ("\\begin{otherlanguage}{english}", "\\end{otherlanguage}"),
)


def _tex(text: str) -> str:
    return re.sub(r"([%&#_$])", r"\\\1", text)


_FROM_LEFT = re.compile(
    r"https?://\S+|\S+@\S+|(?:[A-Za-z+]+(?: [A-Za-z]+)*)(?:,? \d+)?|[\d.,:/%\u066b\u066c-]*\d[%]?"
)


def _runs_from_left(text: str) -> str:
    found, at = "", 0
    for run in _FROM_LEFT.finditer(text):
        found += _tex(text[at : run.start()]) + f"\\LR{{{_tex(run[0])}}}"
        at = run.end()
    return found + _tex(text[at:])
