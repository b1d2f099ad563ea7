"""Sound PDFs spoilt in every way chance and malice know: each has an outcome, in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import DEFAULT_OPTIONS
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.conversions import Conversions
from tests.fakes.sources import source_of
from tests.integration.conversion.documents import WORDS, typeset

CODES = {"EMPTY_DOCUMENT", "ENCRYPTED_DOCUMENT", "TIMEOUT", "UNREADABLE_DOCUMENT"}
Mutation = Callable[[bytes, Random], bytes]


def flip(pdf: bytes, random: Random) -> bytes:
    spoilt = bytearray(pdf)
    for _ in range(random.randint(1, 60)):
        spoilt[random.randrange(len(spoilt))] ^= 1 << random.randrange(8)
    return bytes(spoilt)


def cut_out(pdf: bytes, random: Random) -> bytes:
    start = random.randrange(len(pdf))
    return pdf[:start] + pdf[start + random.randint(1, 2000) :]


def truncated(pdf: bytes, random: Random) -> bytes:
    return pdf[: random.randrange(len(pdf))]


def ended_early(pdf: bytes, random: Random) -> bytes:
    return truncated(pdf, random) + b"\nstartxref\n9\n%%EOF\n"


def noise(pdf: bytes, random: Random) -> bytes:
    start = random.randrange(len(pdf))
    return pdf[:start] + random.randbytes(random.randint(1, 500)) + pdf[start:]


def repeated(pdf: bytes, random: Random) -> bytes:
    """An object, or more, stands there many times."""
    objects = [match.span() for match in re.finditer(rb"\d+ 0 obj.*?endobj", pdf, re.DOTALL)]
    start, end = random.choice(objects)
    return pdf[:end] + pdf[start:end] * random.randint(1, 200) + pdf[end:]


def exchanged(pdf: bytes, random: Random) -> bytes:
    """References lead to other objects, themselves among them."""
    count = pdf.count(b" obj")
    share = random.random()
    return re.sub(
        rb"\d+ 0 R",
        lambda found: (
            b"%d 0 R" % random.randint(0, count) if random.random() < share else found.group()
        ),
        pdf,
    )


def numbers(pdf: bytes, random: Random) -> bytes:
    """Counts, sizes, lengths and offsets are huge, negative or no numbers."""
    wrong = (b"0", b"-1", b"2147483648", b"99999999999999999999", b"1e9", b"null", b"(x)")
    key = random.choice((b"/Count", b"/Length", b"/Size", b"/First", b"/N", b"startxref"))
    return re.sub(key + rb"\s+\d+", lambda _: key + b" " + random.choice(wrong), pdf)


def sizes(pdf: bytes, random: Random) -> bytes:
    box = random.choice((b"0 0 0 0", b"0 0 9e9 9e9", b"-1 -1 -2 -2", b"0 0 1", b"", b"/a /b /c /d"))
    return re.sub(rb"/MediaBox\s*\[[^\]]*\]", b"/MediaBox [" + box + b"]", pdf)


def names(pdf: bytes, random: Random) -> bytes:
    """Fonts, filters and types are called by other names."""
    key = random.choice((b"/Filter", b"/Subtype", b"/Type", b"/Font", b"/Encoding", b"/ToUnicode"))
    other = random.choice((b"/Nothing", b"/Filter", b"/Pages", b"/JBIG2Decode", b"/" + b"x" * 5000))
    return pdf.replace(key, other if random.random() < 0.5 else key + b" " + other)


def nested(pdf: bytes, random: Random) -> bytes:
    """Arrays and dictionaries within one another, thousands deep."""
    depth = random.choice((100, 10_000, 200_000))
    opening, closing = random.choice(((b"[", b"]"), (b"<</A ", b">>"), (b"(", b")")))
    deep = opening * depth + closing * random.choice((depth, 0))
    return pdf.replace(b"/Type /Page", b"/Deep " + deep + b" /Type /Page", 1)


def streams(pdf: bytes, random: Random) -> bytes:
    """A stream's own bytes are spoilt, its frame is not."""

    def spoil(found: re.Match[bytes]) -> bytes:
        return found[1] + flip(found[2] or b" ", random) + found[3]

    return re.sub(rb"(stream\r?\n)(.*?)(\r?\nendstream)", spoil, pdf, flags=re.DOTALL)


def operators(pdf: bytes, random: Random) -> bytes:
    """Drawing goes on and on: states saved and never restored, text at impossible places."""
    loop = random.choice(
        (b"q ", b"BT ", b"1e38 0 0 1e38 0 0 cm ", b"(a) Tj ", b"0 0 m 9 9 l S ", b"/Fm0 Do ")
    )
    return pdf.replace(b"BT", loop * random.choice((10, 50_000)) + b"BT", 1)


MUTATIONS: tuple[Mutation, ...] = (
    flip,
    cut_out,
    truncated,
    ended_early,
    noise,
    repeated,
    exchanged,
    numbers,
    sizes,
    names,
    nested,
    streams,
    operators,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ...]:
    """A typeset document with embedded fonts, and a plain one of nothing compressed."""
    folder = tmp_path_factory.mktemp("sound")
    text = f"= Heading\n{WORDS}\n#table(columns: 2)[a][b][c][d]\n#pagebreak()\n= More\n{WORDS}"
    plain = folder / "plain.pdf"
    canvas = Canvas(str(plain), pageCompression=0)
    for page in range(3):
        canvas.drawString(72, 700, f"Words on page {page}, in a row, to be read.")
        canvas.showPage()
    canvas.save()
    return typeset(text, folder / "typeset.pdf").read_bytes(), plain.read_bytes()


@pytest.mark.slow
def test_whatever_is_done_to_a_pdf_has_an_outcome(sound: tuple[bytes, ...], tmp_path: Path) -> None:
    """Every spoilt file is converted or refused with a code; the sound one behind the spoilt ones
    of a kind is converted as ever.
    """
    pool = Conversions(partial(open_file_converter, ".pdf", DEFAULT_OPTIONS))
    paths = list(written(sound, tmp_path, each=6))
    outcomes = list(pool.convert(map(source_of, paths)))
    assert [outcome.task.source.path for outcome in outcomes] == paths
    whole = (o.result for o in outcomes if o.task.source.path.stem == "sound")
    texts = {result.plain_text for result in whole if result}
    assert len(texts) == 1
    for outcome in outcomes:
        if outcome.task.source.path.stem == "sound":
            assert outcome.result is not None
        elif outcome.error is not None:
            assert outcome.error.code in CODES, outcome.task.source.path.name
            assert outcome.error.hint


def written(sound: tuple[bytes, ...], folder: Path, *, each: int) -> Iterator[Path]:
    """Spoilt files of each kind, and a sound one behind them."""
    for mutation in MUTATIONS:
        (folder / mutation.__name__).mkdir()
        random = Random(mutation.__name__)
        for number in range(each):
            path = folder / mutation.__name__ / f"{number}.pdf"
            path.write_bytes(mutation(sound[number % 2], random))
            yield path
        path = folder / mutation.__name__ / "sound.pdf"
        path.write_bytes(sound[0])
        yield path
