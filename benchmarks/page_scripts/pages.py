"""Pages of one language: lines, paragraphs, lists, tables, columns and notes, and what is to be
read of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle

from benchmarks.page_scripts.phrases import LANGUAGES, Language, Writer
from benchmarks.page_scripts.prose import PROSE

KINDS = ("lines", "paragraphs", "list", "table", "columns", "notes", "listing")
OF_PROSE = ("article", "survey", "letter")
_LINES = 32
_CODE = (
    "def area(width, height):",
    "    return width * height",
    'print("total:", area(3, 4))',
    "for item in range(10):",
    "    if item > 5: break",
    "sudo apt install texlive",
)


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, a heading, an item, a row of cells or a line of code; a note stands below the
    page.
    """

    kind: str
    texts: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """What is set, and what must be read of it, in this order."""

    language: Language
    kind: str
    font: str
    decides: bool
    parts: list[Part] = field(default_factory=list)

    @property
    def name(self) -> str:
        half = "decide" if self.decides else "report"
        return f"{self.language.code} {self.kind} {self.font} {half}".replace(" ", "-")

    @property
    def columns(self) -> int:
        """In how many columns it is set."""
        return 2 if self.kind in ("columns", "article") else 1

    @property
    def statements(self) -> list[str]:
        """Each text as it is to be read; rows of tables as `a | b`, items without their marks."""
        found: list[str] = []
        for part in self.parts:
            found += [" | ".join(part.texts)] if part.kind == "row" else part.texts
            found += [part.note] if part.note else []
        return found


def pages() -> Iterator[Page]:
    """Every kind of page in every language, in fonts of both halves; lines in each of them."""
    for language in LANGUAGES:
        for decides in (True, False):
            fonts = language.fonts[not decides]
            for kind, font in (*zip(KINDS[1:], cycle(fonts)), *(("lines", f) for f in fonts)):
                page = Page(language, kind, font, decides)
                page.parts.extend(_parts(page))
                yield page
            prose = PROSE.get(language.code)
            for font in prose.fonts[not decides] if prose else ():
                for kind in OF_PROSE:
                    page = Page(language, kind, font, decides)
                    page.parts.extend(_parts_of_prose(page))
                    yield page


def _parts(page: Page) -> Sequence[Part]:  # noqa: PLR0911 - one return a kind
    writer = Writer(page.language, page.name, decides=page.decides)
    match page.kind:
        case "lines":
            return [Part("line", (writer.line(kind),)) for kind in range(_LINES)]
        case "paragraphs":
            return [_paragraph(writer, 3) for _ in range(8)]
        case "list":
            first = [Part("numbered", (writer.sentence(),)) for _ in range(8)]
            return [
                _paragraph(writer, 2),
                *first,
                _paragraph(writer, 2),
                *(Part("bullet", (writer.sentence(),)) for _ in range(6)),
            ]
        case "table":
            rows = [_row(writer) for _ in range(9)]
            head = Part("row", tuple(writer.words(1, 2) for _ in range(4)))
            return [_paragraph(writer, 2), head, *rows, _paragraph(writer, 2)]
        case "columns":
            return [_paragraph(writer, 4) for _ in range(11)]
        case "notes":
            return [
                _paragraph(writer, 2, note=writer.sentence() if at % 2 else "") for at in range(7)
            ]
        case _:
            code = [Part("code", (line.strip(),)) for line in _CODE]
            return [_paragraph(writer, 3), *code, _paragraph(writer, 3)]


def _parts_of_prose(page: Page) -> Iterator[Part]:
    writer = Writer(page.language, page.name, decides=page.decides)
    heads = iter(
        PROSE[page.language.code].half(PROSE[page.language.code].headings, decides=page.decides)
    )
    said = writer.prose()

    def paragraph(count: int, note: bool = False) -> Part:
        texts = tuple(next(said) for _ in range(count))
        return Part("paragraph", texts, next(said) if note else "")

    match page.kind:
        case "article":
            for _ in range(3):
                yield Part("heading", (next(heads),))
                yield from (paragraph(3, note=at == 1) for at in range(3))
        case "survey":
            yield Part("heading", (next(heads),))
            yield paragraph(2)
            yield from (Part("numbered", (next(said),)) for _ in range(5))
            yield Part("row", (next(heads), next(heads), writer.latin()))
            for _ in range(5):
                yield Part("row", (next(said), writer.filled("{k}"), writer.filled("{f}")))
            yield paragraph(2)
            yield from (Part("bullet", (next(said),)) for _ in range(4))
        case _:
            yield Part("line", (writer.date(),))
            yield Part("line", (f"{next(heads)}: {writer.filled('{e}')}",))
            for _ in range(8):
                yield Part("line", (next(said),))
            yield paragraph(4)
            yield Part("line", (f"{writer.latin(2)}, {next(heads)}",))


def _paragraph(writer: Writer, count: int, note: str = "") -> Part:
    return Part("paragraph", tuple(writer.sentence() for _ in range(count)), note)


def _row(writer: Writer) -> Part:
    return Part(
        "row",
        (
            writer.words(1, 2),
            f"{writer.number()}.{writer.number(99)}",
            writer.latin() if writer.random.random() < 0.3 else writer.words(1, 3),
            f"{writer.native(writer.number(99))}%",
        ),
    )
