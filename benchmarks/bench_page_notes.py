"""Whether notes stand apart from the sentences that call them, in pages of several programs.

    python -m benchmarks.bench_page_notes [--only WORD] [--faults] [--keep FOLDER]

Documents of some pages are set with notes of many habits: without a rule, as large as the text,
over several pages, under columns, with other marks. Their sentences and notes are known, and looked
for in the blocks of the conversion. A sentence is *whole* if one block has it, with its call or
without, *torn* if none has but all its words arrived, else *lost*. A note is *apart* if a block
has it whole and no sentence with it, *within* if it stands in a block with one, *parted* if no
block has all of it, *lost* if its first sentence is nowhere. Of two
documents of a habit one is to decide on (`--faults` prints what failed in it); the other has
another size, program or seed, and is only measured.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from random import Random

import typst
from benchmarks.page_statements.phrases import Writer

from citeloom.application.ports.conversion import SourceFile
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

_PARAGRAPHS = 26
_COLUMNS = ("whole", "torn", "lost", "apart", "within", "parted", "lost note")
_FONTS = {"ko": "Noto Serif CJK KR"}
_SYMBOLS = "*†‡§"


@dataclass(frozen=True)
class Sentence:
    """A sentence, and the note that is called within it or at its end."""

    before: str
    after: str = ""
    note: str = ""
    opening: str = ""  # of the note


@dataclass(frozen=True, kw_only=True)
class Habit:
    """How notes are set; `mark` has a 1, an a or a star where its number stands."""

    mark: str = "1"
    raised: bool = True  # the call, and the number before the note
    raised_note: bool = True
    rule: bool = True
    same_size: bool = False
    long: bool = False
    columns: int = 1
    extra: str = ""  # of the program
    language: str = "en"
    alone: bool = False  # one note a page, for marks that are always the same


Program = Callable[[Sequence[Sequence[Sentence]], Habit, int, Path], None]


def story(habit: Habit, form: int, seed: str) -> list[list[Sentence]]:
    """Paragraphs, most with a call, some within a sentence."""
    random = Random(f"{seed} {form}")
    writer = Writer(random, habit.language)
    paragraphs = []
    for at in range(_PARAGRAPHS):
        said = [Sentence(writer.sentence()) for _ in range(random.randint(3, 7))]
        if at % (8 if habit.alone else 3):
            place = random.randrange(len(said))
            length = random.randint(9, 16) if habit.long else random.choice((1, 1, 2, 3))
            notes = writer.sentences(length)
            called = _called(said[place].before, random)
            said[place] = Sentence(*called, " ".join(notes), notes[0])
        paragraphs.append(said)
    return paragraphs


def _called(sentence: str, random: Random) -> tuple[str, str]:
    """The parts of a sentence before and behind a call."""
    words = sentence.split()
    if random.random() < 0.4:
        return sentence, ""
    at = random.randint(2, len(words) - 2)
    return " ".join(words[:at]), " " + " ".join(words[at:])


def _marked(habit: Habit, number: int) -> str:
    """The mark of the note with this number."""
    sign = {"1": str(number), "a": "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26]}
    kind = next((each for each in "1a" if each in habit.mark), "*")
    star = _SYMBOLS[(number - 1) % 4] if not habit.alone else "*"
    return habit.mark.replace(kind, sign.get(kind, star))


# The programs


def by_tex(
    engine: str, paragraphs: Sequence[Sequence[Sentence]], habit: Habit, form: int, path: Path
) -> None:
    """Set the paragraphs with an engine of TeX."""
    unicode = engine != "pdflatex"
    font = _FONTS.get(habit.language, ("DejaVu Serif", "Noto Serif", "DejaVu Sans")[form % 3])
    breaks = habit.language if habit.language == "ko" else ""
    kind = next((each for each in "1a" if each in habit.mark), "*")
    number = {"1": "arabic", "a": "alph", "*": "fnsymbol"}[kind]
    shown = re.sub("[1a*]", lambda _: rf"\{number}{{footnote}}", habit.mark, count=1)
    if habit.alone:
        shown = habit.mark
    raised = r"\@textsuperscript{\normalfont\@thefnmark}"
    plain = r"{\normalfont\@thefnmark}"
    lines = [
        rf"\documentclass[{(11, 10, 12)[form % 3]}pt,a4paper{',twocolumn' * (habit.columns > 1)}]"
        r"{article}\usepackage[margin=2.6cm]{geometry}",
        rf"\usepackage{{fontspec}}\setmainfont{{{font}}}"
        if unicode
        else r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}",
        rf'\XeTeXlinebreaklocale "{breaks}" \XeTeXlinebreakskip=0pt plus 1pt' if breaks else "",
        r"\makeatletter",
        rf"\renewcommand\thefootnote{{{shown}}}",
        rf"\def\@makefnmark{{\hbox{{{raised if habit.raised else plain}}}}}",
        r"\renewcommand\@makefntext[1]{\parindent 1em\noindent\hb@xt@1.8em{\hss"
        rf"{raised if habit.raised_note else plain + ' '}}}#1}}",
        "" if habit.rule else r"\renewcommand\footnoterule{}",
        r"\renewcommand\footnotesize{\normalsize}" if habit.same_size else "",
        r"\makeatother",
        habit.extra,
        r"\begin{document}\sloppy",
    ]
    for paragraph in paragraphs:
        lines.append(
            " ".join(
                s.before + (rf"\footnote{{{s.note}}}" if s.note else "") + s.after
                for s in paragraph
            ).replace("  ", " ")
        )
        lines.append("")
    if "endnotes" in habit.extra:
        lines.append(r"\theendnotes")
    source = "\n".join((*lines, r"\end{document}"))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.tex").write_text(source, encoding="utf-8")
        for _ in range(2):
            _run([engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex"], folder)
        path.write_bytes((Path(folder) / "page.pdf").read_bytes())


def by_typst(paragraphs: Sequence[Sequence[Sentence]], habit: Habit, form: int, path: Path) -> None:
    """Set the paragraphs with Typst."""
    font = _FONTS.get(habit.language, ("New Computer Modern", "Libertinus Serif")[form % 2])
    head = [
        f'#set page(paper: "a4", margin: 2.4cm, columns: {habit.columns})',
        f'#set text(font: "{font}", size: {(10, 11)[form % 2]}pt, lang: "{habit.language}")',
        f"#set par(justify: true, first-line-indent: {(1.2, 0)[form % 2]}em)",
        f'#set footnote(numbering: "{habit.mark}")',
        "" if habit.rule else "#set footnote.entry(separator: none)",
        "#show footnote.entry: set text(size: 1em / 0.85)" if habit.same_size else "",
        habit.extra,
    ]
    body = (
        " ".join(
            f"#{_string(s.before)}"
            + (f"#footnote(text({_string(s.note)}))" if s.note else "")
            + (f"#{_string(s.after)}" if s.after else "")
            for s in paragraph
        )
        for paragraph in paragraphs
    )
    path.write_bytes(typst.compile("\n\n".join(("\n".join(head), *body)).encode()))


def _string(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for name, urn in {
        "office": "office",
        "text": "text",
        "style": "style",
        "fo": "xsl-fo-compatible",
    }.items()
)


def by_libreoffice(
    paragraphs: Sequence[Sequence[Sentence]], habit: Habit, form: int, path: Path
) -> None:
    """Print the paragraphs as a file of LibreOffice."""
    font = _FONTS.get(habit.language, ("Liberation Serif", "DejaVu Sans")[form % 2])
    size = (12, 11)[form % 2]
    small = size if habit.same_size else size - 2
    number = 0
    body = []
    for paragraph in paragraphs:
        text = []
        for s in paragraph:
            number += bool(s.note)
            note = (
                f'<text:note text:id="n{number}" text:note-class="footnote"><text:note-citation'
                f' text:label="{_marked(habit, number)}">{_marked(habit, number)}'
                f'</text:note-citation><text:note-body><text:p text:style-name="N">'
                f"{escape(s.note)}</text:p></text:note-body></text:note>"
            )
            text.append(escape(s.before) + (note if s.note else "") + escape(s.after))
        body.append(f'<text:p text:style-name="P">{" ".join(text)}</text:p>')
    family = f'fo:font-family="{font}" style:font-family-asian="{font}"'
    asian = f'fo:font-size="{{0}}pt" style:font-size-asian="{{0}}pt" {family}'
    raised = 'style:text-position="super 58%"'
    columns = '<style:columns fo:column-count="2" fo:column-gap="6mm"/>' * (habit.columns > 1)
    separator = "0.02cm" if habit.rule else "0cm"
    source = f"""<?xml version="1.0"?><office:document {_ODF} office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:styles>
<style:style style:name="A" style:family="text"><style:text-properties {raised * habit.raised}/>
</style:style><style:style style:name="B" style:family="text"><style:text-properties
 {raised * habit.raised_note}/></style:style>
<text:notes-configuration text:note-class="footnote" text:citation-style-name="B"
 text:citation-body-style-name="A"/></office:styles><office:automatic-styles>
<style:page-layout style:name="L"><style:page-layout-properties fo:page-width="21cm"
 fo:page-height="29.7cm" fo:margin="2.3cm">{columns}<style:footnote-sep style:width="{separator}"
 style:rel-width="25%" style:color="#000000" style:distance-before-sep="0.1cm"
 style:distance-after-sep="0.1cm"/></style:page-layout-properties></style:page-layout>
<style:style style:name="P" style:family="paragraph"><style:paragraph-properties
 fo:text-align="justify" fo:margin-bottom="{(0, 2)[form % 2]}mm" fo:text-indent="5mm"/>
<style:text-properties {asian.format(size)}/></style:style><style:style style:name="N"
 style:family="paragraph"><style:text-properties {asian.format(small)}/></style:style>
</office:automatic-styles><office:master-styles><style:master-page style:name="Standard"
 style:page-layout-name="L"/></office:master-styles><office:body><office:text>{"".join(body)}
</office:text></office:body></office:document>"""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "page.fodt"
        place.write_text(source, encoding="utf-8")
        profile = f"-env:UserInstallation=file://{tempfile.gettempdir()}/soffice-of-notes"
        _run(
            ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder, place],
            folder,
        )
        path.write_bytes(place.with_suffix(".pdf").read_bytes())


def _run(command: Sequence[str | Path], folder: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=180, cwd=folder)


def documents() -> Mapping[str, tuple[Habit, tuple[Program, Program]]]:
    """The habits with their programs, the first to decide on and the second to report."""
    pdftex, xetex, luatex = (partial(by_tex, f"{name}latex") for name in ("pdf", "xe", "lua"))
    typ, office = by_typst, by_libreoffice
    misc = r"\usepackage[%s]{footmisc}"
    return {
        "plain": (Habit(), (pdftex, luatex)),
        "no rule": (Habit(rule=False), (xetex, pdftex)),
        "same size": (Habit(same_size=True), (pdftex, typ)),
        "same size, no rule": (Habit(same_size=True, rule=False), (pdftex, office)),
        "same size, baseline": (
            Habit(same_size=True, raised=False, raised_note=False, mark="1)"),
            (office, pdftex),
        ),
        "long": (Habit(long=True), (pdftex, office)),
        "long, no rule": (Habit(long=True, rule=False), (typ, xetex)),
        "long, columns": (Habit(long=True, columns=2), (pdftex, typ)),
        "columns": (Habit(columns=2), (pdftex, xetex)),
        "columns, no rule": (Habit(columns=2, rule=False), (office, typ)),
        "columns, same size": (Habit(columns=2, same_size=True), (pdftex, office)),
        "columns, at right": (Habit(columns=2, extra=r"\usepackage{ftnright}"), (pdftex, xetex)),
        "symbols": (Habit(mark="*", extra=misc % "perpage,symbol*"), (pdftex, xetex)),
        "symbols of office": (Habit(mark="*"), (typ, office)),
        "letters": (Habit(mark="a", extra=misc % "perpage"), (pdftex, xetex)),
        "letters of office": (Habit(mark="a", rule=False), (office, typ)),
        "1) raised": (Habit(mark="1)"), (pdftex, typ)),
        "1) raised, ko": (Habit(mark="1)", language="ko"), (office, office)),
        "1) raised, ru": (Habit(mark="1)", language="ru"), (xetex, office)),
        "1) raised, no rule, ko": (
            Habit(mark="1)", language="ko", rule=False, same_size=True),
            (office, office),
        ),
        "1) on the line": (Habit(mark="1)", raised=False, raised_note=False), (xetex, typ)),
        "1) before the note": (Habit(mark="1)", raised_note=False), (pdftex, office)),
        "1. before the note": (Habit(mark="1", raised_note=False), (typ, xetex)),
        "(1) raised": (Habit(mark="(1)"), (xetex, office)),
        "(1) on the line": (Habit(mark="(1)", raised=False, raised_note=False), (office, typ)),
        "[1] on the line": (Habit(mark="[1]", raised=False, raised_note=False), (pdftex, office)),
        "[1] raised": (Habit(mark="[1]"), (typ, xetex)),
        "*) raised": (Habit(mark="*)", alone=True), (pdftex, xetex)),
        "*) on the line": (
            Habit(mark="*)", alone=True, raised=False, raised_note=False),
            (xetex, typ),
        ),
        "by the page": (Habit(extra=misc % "perpage"), (pdftex, xetex)),
        "hanging": (Habit(extra=misc % "hang,flushmargin"), (xetex, pdftex)),
        "in one paragraph": (Habit(extra=misc % "para"), (pdftex, xetex)),
        "in the margin": (
            Habit(extra=misc % "side" + r"\geometry{right=6.5cm,marginparwidth=4.2cm}"),
            (pdftex, xetex),
        ),
        "at the end": (
            Habit(extra=r"\usepackage{endnotes}\let\footnote=\endnote"),
            (pdftex, xetex),
        ),
        "ragged": (Habit(extra=r"\raggedbottom\widowpenalty10000"), (pdftex, xetex)),
        "columns of prose": (
            Habit(
                extra=r"\usepackage{multicol}\AtBeginDocument{\begin{multicols}{2}}"
                r"\AtEndDocument{\end{multicols}}"
            ),
            (pdftex, luatex),
        ),
        "de": (Habit(language="de", rule=False), (pdftex, office)),
        "fr": (Habit(language="fr", same_size=True), (office, pdftex)),
        "pl": (Habit(language="pl", mark="*)", alone=True), (pdftex, office)),
        "el": (Habit(language="el", columns=2), (typ, xetex)),
    }


# The measure


def letters(text: str) -> str:
    """The letters and digits of a text alone."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in plain if sign.isalnum()).casefold()


def measure(
    paragraphs: Sequence[Sequence[Sentence]], blocks: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """What became of each sentence and note: the column, its text and the block that has it."""
    bare = [letters(block) for block in blocks]
    whole = "\0".join(bare)
    calls = r"(?:\d{1,2}|[a-z])?"
    sentences = [s for paragraph in paragraphs for s in paragraph]
    said = [letters(s.before + s.after) for s in sentences]
    has_text = {at for at, block in enumerate(bare) if any(each in block for each in said)}
    for s in sentences:
        first, second = letters(s.before), letters(s.after)
        pattern = re.compile(re.escape(first) + calls + re.escape(second))
        found = next((at for at, block in enumerate(bare) if pattern.search(block)), None)
        if found is not None:
            has_text.add(found)
            yield "whole", s.before + s.after, blocks[found]
        else:
            start = next((at for at, b in enumerate(bare) if first in b), None)
            words = (s.before + s.after).split() or [""]
            parts = (
                (letters(" ".join(words[:n])), letters(" ".join(words[n:])))
                for n in range(1, len(words))
            )
            there = any(one in whole and other in whole for one, other in parts)
            yield (
                "torn" if there else "lost",
                s.before + "¤" + s.after,
                (blocks[start] if start is not None else ""),
            )
    for s in sentences:
        if s.note:
            note = letters(s.note)
            found = next((at for at, block in enumerate(bare) if note in block), None)
            start = next((at for at, block in enumerate(bare) if letters(s.opening) in block), None)
            if start is None:
                yield "lost note", s.note, ""
            elif start in has_text:
                yield "within", s.note, blocks[start]
            else:
                yield "apart" if found is not None else "parted", s.note, blocks[start]


def _blocks(path: Path) -> list[str]:
    result = PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    return [result.text_of(block) for block in result.blocks]


def main() -> None:
    """Make and read the documents one by one, then print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="documents with this in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    parser.add_argument("--keep", type=Path, help="keep the PDFs here")
    options = parser.parse_args()
    total: dict[str, Counter[str]] = {"decide": Counter(), "report": Counter()}
    print(f"{'':32}" + "".join(f"{name:>10}" for name in _COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, (habit, programs) in documents().items():
            for form, (half, program) in enumerate(zip(total, programs)):
                if options.only not in f"{half} {name}":
                    continue
                path = place / f"{half} {name}.pdf"
                paragraphs = story(habit, form, name)
                try:
                    if not path.exists():
                        program(paragraphs, habit, form, path)
                except (subprocess.SubprocessError, OSError) as error:
                    print(f"{path.stem} could not be set: {error}")
                    continue
                found = [*measure(paragraphs, _blocks(path))]
                counts = Counter(column for column, *_ in found)
                total[half] += counts
                _row(path.stem, counts)
                for column, text, block in found if options.faults and form == 0 else ():
                    if column not in ("whole", "apart"):
                        print(f"   {column}: {text[:150]}\n      {block[-300:]!r}")
    for half, counts in total.items():
        _row(half, counts)


def _row(name: str, counts: Counter[str]) -> None:
    print(f"{name:32}" + "".join(f"{counts[column]:>10}" for column in _COLUMNS), flush=True)


if __name__ == "__main__":
    main()
