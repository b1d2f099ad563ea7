"""The programs that set the pages, each with fonts of mathematics of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path

import typst
from benchmarks.page_formulas.formulas import eqn, mathml, typst_math
from benchmarks.page_formulas.pages import Part

_SHIFTS = {"sup": (r"\v'-.35m'", r"\v'.35m'"), "sub": (r"\v'.2m'", r"\v'-.2m'")}
Program = Callable[[Sequence[Part], Path], None]
# what eqn has no sign or alphabet for
_NOT_OF_EQN = re.compile(r"\\math(bb|cal|frak)|\\[|]|\\(lesssim|epsilon|mapsto)\b")
_DEJAVU = "DejaVu Math TeX Gyre"
_PIECE = re.compile(r"\^([^^]+)\^|~([^~]+)~|([^^~]+)")


def programs(half: str) -> Mapping[str, Program]:
    """Those of one half that are installed."""
    unicode_math = r"\usepackage{unicode-math}\setmathfont{%s}"
    latex = r"\usepackage{amssymb}\usepackage[T1]{fontenc}\usepackage{%s}"
    # bitmaps, where there are no outlines
    type3 = r"\usepackage{amssymb}\pdfmapfile{}\pdfmapline{+eufm10 <eufm10.pfb}"
    halves: Mapping[str, Mapping[str, tuple[Program, str]]] = {
        "decide": {
            "pdftex cm": (partial(by_tex, "pdflatex", r"\usepackage{amssymb}"), "pdflatex"),
            "pdftex times": (partial(by_tex, "pdflatex", latex % "mathptmx"), "pdflatex"),
            "luatex lm": (
                partial(by_tex, "lualatex", unicode_math % "latinmodern-math.otf"),
                "lualatex",
            ),
            "typst": (partial(by_typst, "New Computer Modern Math"), "python3"),
            "chromium": (partial(by_chromium, "Latin Modern Math"), "chromium"),
            "pdftex coarse": (
                partial(by_tex, "pdflatex", type3 + r"\pdfpkresolution300 "),
                "pdflatex",
            ),
            "typst stix": (partial(by_typst, "STIX Math"), "python3"),
            "chromium stix": (partial(by_chromium, "STIX Math"), "chromium"),
            "groff helvetica": (partial(by_groff, "H"), "gropdf"),
        },
        "report": {
            "pdftex palatino": (partial(by_tex, "pdflatex", latex % "mathpazo"), "pdflatex"),
            "pdftex lm": (partial(by_tex, "pdflatex", latex % "lmodern"), "pdflatex"),
            "dvips": (partial(by_tex, "latex", r"\usepackage{amssymb}"), "ps2pdf"),
            "xetex dejavu": (partial(by_tex, "xelatex", unicode_math % _DEJAVU), "xelatex"),
            "typst dejavu": (partial(by_typst, _DEJAVU), "python3"),
            "chromium dejavu": (partial(by_chromium, _DEJAVU), "chromium"),
        },
        "fresh": {
            "pdftex type3": (partial(by_tex, "pdflatex", type3), "pdflatex"),
            "xetex stix": (partial(by_tex, "xelatex", unicode_math % "STIX Math"), "xelatex"),
            "luatex termes": (
                partial(by_tex, "lualatex", unicode_math % "TeX Gyre Termes Math"),
                "lualatex",
            ),
            "typst asana": (partial(by_typst, "Asana Math"), "python3"),
            "typst pagella": (partial(by_typst, "TeX Gyre Pagella Math"), "python3"),
            "chromium schola": (partial(by_chromium, "TeX Gyre Schola Math"), "chromium"),
            "groff": (partial(by_groff, "T"), "gropdf"),
        },
    }  # fmt: skip
    needed = halves[half]
    return {name: make for name, (make, program) in needed.items() if shutil.which(program)}


def can_set(program: str, part: Part) -> bool:
    """Whether a program has the signs of a part."""
    return "groff" not in program or _NOT_OF_EQN.search(part.source) is None


def _run(command: Sequence[str | Path], folder: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=180, cwd=folder)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The raised, lowered and other pieces of a text."""
    for piece in _PIECE.finditer(text):
        kind = "sup" if piece[1] else "sub" if piece[2] else ""
        yield kind, piece[1] or piece[2] or piece[3]


def by_tex(engine: str, preamble: str, parts: Sequence[Part], path: Path) -> None:
    """Set the parts with an engine of TeX."""
    body = "\n\n".join(map(_tex, parts))
    source = (
        r"\documentclass[11pt,a4paper]{article}\usepackage{amsmath}"
        rf"{preamble}\usepackage[margin=3cm]{{geometry}}\begin{{document}}{body}\end{{document}}"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.tex").write_text(source, encoding="utf-8")
        _run([engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"], folder)
        if engine == "latex":
            _run(["dvips", "-q", "page.dvi", "-o", "page.ps"], folder)
            _run(["ps2pdf", "page.ps", "page.pdf"], folder)
        shutil.copyfile(Path(folder) / "page.pdf", path)


def _tex(part: Part) -> str:
    if part.kind == "plain":
        said = "".join(
            rf"\text{kind}erscript{{{_tex_text(text)}}}"
            if kind == "sup"
            else rf"$_{{\text{{{_tex_text(text)}}}}}$"
            if kind
            else text
            for kind, text in _pieces(part.source)
        )
        return f"{part.before} by {said} and {part.after} {part.more}"
    if part.kind == "inline":
        return f"{part.before} where ${part.source}$ and {part.after} {part.more}"
    tag = rf"\tag{{{part.number[1:-1]}}}" if part.number else r"\notag"
    begin, end = r"\begin{equation}", rf"{tag}\end{{equation}}"
    return f"{part.before} where\n{begin}{part.source}{end}\nand {part.after} {part.more}"


def _tex_text(text: str) -> str:
    return text.replace("−", r"\ensuremath{-}")


def by_typst(font: str, parts: Sequence[Part], path: Path) -> None:
    """Set the parts with Typst."""
    head = (
        '#set page(paper: "a4", margin: 3cm)\n#set par(justify: true)\n'
        f'#show math.equation: set text(font: "{font}")\n'
    )
    path.write_bytes(typst.compile((head + "\n\n".join(map(_typst, parts))).encode()))


def _typst(part: Part) -> str:
    if part.kind == "plain":
        said = "".join(
            f"#{kind}er[{text}]" if kind == "sup" else f"#{kind}[{text}]" if kind else text
            for kind, text in _pieces(part.source)
        )
        return f"{part.before} by {said} and {part.after} {part.more}"
    math = typst_math(part.formula).strip()
    if part.kind == "inline":
        return f"{part.before} where ${math}$ and {part.after} {part.more}"
    numbering = f'n => "{part.number}"' if part.number else "none"
    shown = f"#math.equation(block: true, numbering: {numbering}, $ {math} $)"
    return f"{part.before} where\n{shown}\nand {part.after} {part.more}"


def by_chromium(font: str, parts: Sequence[Part], path: Path) -> None:
    """Print the parts as HTML with MathML."""
    body = "\n".join(map(_html, parts))
    source = f"""<!doctype html><html lang="en"><meta charset="utf-8"><style>
@page {{ size: A4; margin: 30mm }} body {{ font: 11pt/1.5 "Liberation Serif"; text-align: justify }}
math {{ font-family: "{font}" }} .d {{ display: flex; align-items: center }}
.d math {{ flex: 1 }}</style>{body}"""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(source, encoding="utf-8")
        headless = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        profile = f"--user-data-dir={folder}/profile"
        _run(["chromium", *headless, profile, f"--print-to-pdf={path}", page.as_uri()], folder)


def _html(part: Part) -> str:
    if part.kind == "plain":
        said = "".join(
            f"<{kind}>{escape(text)}</{kind}>" if kind else escape(text)
            for kind, text in _pieces(part.source)
        )
        return f"<p>{part.before} by {said} and {part.after} {part.more}</p>"
    math = mathml(part.formula)
    if part.kind == "inline":
        return f"<p>{part.before} where <math>{math}</math> and {part.after} {part.more}</p>"
    shown = f'<div class=d><math display="block">{math}</math>{part.number}</div>'
    return f"<p>{part.before} where</p>{shown}<p>and {part.after} {part.more}</p>"


def by_groff(family: str, parts: Sequence[Part], path: Path) -> None:
    """Set the parts with eqn and groff."""
    body = "\n".join(map(_groff, parts))
    source = f".EQ\ndelim $$\n.EN\n{body}\n"
    command = ["groff", "-k", "-e", "-ms", f"-f{family}", "-Tpdf"]
    with path.open("wb") as file:
        subprocess.run(command, input=source.encode(), stdout=file, check=True, timeout=180)


def _groff(part: Part) -> str:
    if part.kind == "plain":
        said = "".join(
            rf"{_SHIFTS[kind][0]}\s-3{text}\s+3{_SHIFTS[kind][1]}" if kind else text
            for kind, text in _pieces(part.source)
        )
        return f".LP\n{part.before} by {said} and {part.after} {part.more}"
    math = eqn(part.formula)
    if part.kind == "inline":
        return f".LP\n{part.before} where ${math}$ and {part.after} {part.more}"
    shown = f".EQ {part.number}\n{math}\n.EN"
    return f".LP\n{part.before} where\n{shown}\n.LP\nand {part.after} {part.more}"
