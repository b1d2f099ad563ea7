"""Stories in a font of type 3, whose letters are drawings, written as a PDF by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.made_documents.canvas_documents import CanvasStyle, SetPage, set_pages
from benchmarks.made_documents.stories import Story
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth

_NAMES = dict(
    zip(
        " (),-.:[]=/+“”©0123456789",
        """space parenleft parenright comma hyphen period colon bracketleft bracketright equal
        slash plus quotedblleft quotedblright copyright zero
        one two three four five six seven eight nine""".split(),
    )
)


def drawn_pdf(story: Story, style: CanvasStyle, path: Path) -> list[str]:
    """The story in one font of type 3; `style.unmapped` leaves only the letters' names."""
    pages = set_pages(story, style)
    letters = sorted({c for page in pages for c in page.text if c != "\n"})
    objects = list(_objects(pages, letters, mapped=not style.unmapped))
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    content += b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
    ) + b"startxref\n%d\n%%%%EOF\n" % len(content)
    path.write_bytes(content)
    return [page.text for page in pages]


def _objects(pages: Sequence[SetPage], letters: Sequence[str], *, mapped: bool) -> Iterator[bytes]:
    """Catalogue, page tree, font, ToUnicode, the letters, then each page and its content."""
    first = 5 + len(letters)
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    yield b"<< /Type /Catalog /Pages 2 0 R >>"
    yield f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode()
    yield _font(letters, mapped=mapped)
    yield _stream(_to_unicode(letters))
    for letter in letters:
        width = _width(letter)
        ink = "" if letter == " " else f" 60 0 {max(width - 120, 40)} 450 re f"
        yield _stream(f"{width} 0 0 0 {width} 700 d1{ink}")
    for number, page in enumerate(pages):
        content = first + 2 * number + 1
        yield (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {A4[0]:.2f} {A4[1]:.2f}] "
            f"/Resources << /Font << /F 3 0 R >> >> /Contents {content} 0 R >>"
        ).encode()
        yield _stream("\n".join(_shown(page, letters)))


def _font(letters: Sequence[str], *, mapped: bool) -> bytes:
    names = [_NAMES.get(letter, letter) for letter in letters]
    procedures = " ".join(f"/{name} {5 + n} 0 R" for n, name in enumerate(names))
    widths = " ".join(str(_width(letter)) for letter in letters)
    unicode = " /ToUnicode 4 0 R" if mapped else ""
    return (
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 1000 800] /FontMatrix [.001 0 0 .001 0 0]"
        f" /CharProcs << {procedures} >> /FirstChar 33 /LastChar {32 + len(letters)}"
        f" /Widths [{widths}] /Resources << >>{unicode}"
        f" /Encoding << /Type /Encoding /Differences [33 {' '.join('/' + n for n in names)}] >> >>"
    ).encode()


def _to_unicode(letters: Sequence[str]) -> str:
    lines = "\n".join(f"<{33 + n:02x}> <{ord(letter):04x}>" for n, letter in enumerate(letters))
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def\n"
        "/CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{lines}\nendbfchar endcmap end end"
    )


def _shown(page: SetPage, letters: Sequence[str]) -> Iterator[str]:
    codes = {letter: 33 + n for n, letter in enumerate(letters)}
    for part in (part for column in (*page.columns, page.notes, page.edges) for part in column):
        shown = part.text.split(" ")
        x = part.x
        for word in shown:
            text = "".join(f"{codes[c]:02x}" for c in word)
            yield f"BT /F {part.size} Tf {x:.2f} {part.y:.2f} Td <{text}> Tj ET"
            width = float(stringWidth(f"{word} ", part.font, part.size))
            x += width + part.stretch
    for rule in page.rules:
        yield "{:.1f} {:.1f} m {:.1f} {:.1f} l S".format(*rule)


def _stream(text: str) -> bytes:
    content = text.encode()
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _width(letter: str) -> int:
    return round(float(stringWidth(letter, "Times-Roman", 1000)))
