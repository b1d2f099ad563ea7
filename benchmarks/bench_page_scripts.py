"""How much of pages in other scripts arrives exactly, by script, by program and by kind of page.

    python -m benchmarks.bench_page_scripts [--only WORD] [--faults] [--keep FOLDER]

Each sentence, line, row and note that was set must stand in the text of the conversion, letter by
letter, digits, brackets and quotation marks included, but for the ends of lines within addresses,
letters that are not seen, and spaces in scripts that part no words; order counts the neighbours
that follow one another. Half of the pages, with words and fonts of their own, are to decide on
(`--faults` prints what failed in those); the others are only measured. `--keep` uses PDFs that are
there already.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

from benchmarks.page_scripts.pages import Page, pages
from benchmarks.page_scripts.programs import programs

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

_UNSEEN = re.compile("[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_BROKEN_ADDRESS = re.compile(r"(https://|example\.org/) ")
_KEYS = tuple[str, str, bool, bool]


def main() -> None:
    """Make and read the pages one by one, then print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="pages with all these words in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    parser.add_argument("--keep", type=Path, help="keep the PDFs here")
    options = parser.parse_args()
    counts: Counter[_KEYS] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = (options.keep or Path(folder)).resolve()  # a program runs in a folder of its own
        place.mkdir(parents=True, exist_ok=True)
        for program, make in programs().items():
            for page in pages():
                name = f"{program}-{page.name}"
                if not all(word in name for word in options.only.split()):
                    continue
                path = place / f"{name}.pdf"
                if not path.exists():
                    try:
                        make(page, path)
                    except (subprocess.SubprocessError, OSError) as error:
                        print(f"{name} could not be set: {error}")
                        continue
                _measure(counts, program, page, path, faults=options.faults)
    _print(counts)


def _measure(counts: Counter[_KEYS], program: str, page: Page, path: Path, *, faults: bool) -> None:
    spaced = page.language.spaced
    text = _read(path) if spaced else _read(path).replace(" ", "")
    statements = [_normalised(text) for text in page.statements]
    statements = statements if spaced else [said.replace(" ", "") for said in statements]
    places = [text.find(statement) for statement in statements]
    order = [
        first < second
        for first, second in pairwise(places)
        if first >= 0 and second >= 0 and page.kind == "columns"
    ]
    for said, at in zip(page.statements, places):
        for group in (program, page.language.code, page.kind, "all"):
            counts[f"{page.language.code} {group}", "exact", page.decides, at >= 0] += 1
        if at < 0 and faults and page.decides:
            print(f"{path.stem}\n    set  {said}\n    read {_nearest(said, text)}")
    for right in order:
        counts[f"{page.language.code} columns", "order", page.decides, right] += 1


def _read(path: Path) -> str:
    try:
        source = SourceFile(path=path, doc_id=path.stem, content_hash="")
        return _normalised(PdfConverter().convert(source).plain_text)
    except CiteloomError as error:
        print(f"{path.stem}: {error}")
        return ""


def _normalised(text: str) -> str:
    text = " ".join(_UNSEEN.sub("", unicodedata.normalize("NFC", text)).split())
    return _BROKEN_ADDRESS.sub(r"\1", text)


def _nearest(said: str, text: str) -> str:
    """The stretch of the text in which most words of a statement stand."""
    words, wanted = text.split(" "), Counter(said.split())
    length = len(said.split()) + 2
    shares = [
        (wanted & Counter(words[at : at + length])).total()
        for at in range(max(1, len(words) - length + 1))
    ]
    at = shares.index(max(shares))
    return " ".join(words[at : at + length])


def _print(counts: Counter[_KEYS]) -> None:
    groups = dict.fromkeys((group, kind) for group, kind, _, _ in counts)
    print(f"{'':24}{'':8}{'decide':>20}{'report':>20}")
    for group, kind in sorted(groups):
        cells = [_share(counts, group, kind, decides) for decides in (True, False)]
        print(f"{group:24}{kind:8}" + "".join(f"{cell:>20}" for cell in cells))


def _share(counts: Counter[_KEYS], group: str, kind: str, decides: bool) -> str:
    right, wrong = (counts[group, kind, decides, holds] for holds in (True, False))
    return f"{100 * right / (right + wrong):.1f} of {right + wrong}" if right + wrong else "-"


if __name__ == "__main__":
    main()
