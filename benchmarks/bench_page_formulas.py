"""How formulas of pages arrive: whole in their sentence, right, or wrong with and without a doubt.

    python -m benchmarks.bench_page_formulas [--only WORD] [--faults] [--keep FOLDER]

Formulas in sentences, displayed ones and scripts in plain text are set by several programs, and
looked for in the blocks of the conversion. One is right if it says what was set, as `formulas.py`
has it: forms of letters aside, each script, fraction, root and row in its place. One part of the
formulas and programs is to decide on (`--faults` prints what was wrong or doubted in that); two
others, `report` and `fresh`, are only measured. `--keep` uses PDFs that are there already.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.page_formulas.formulas import plain, said
from benchmarks.page_formulas.pages import HALVES, Part, parts
from benchmarks.page_formulas.programs import can_set, programs

from citeloom.application.ports.conversion import SourceFile
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

_LONGEST = 160  # characters between the halves of a sentence
_ENOUGH = 70  # characters of a sentence that no other ends with
_COLUMNS = ("whole", "right", "wrong, silent", "wrong, doubted", "right, doubted", "of")
_Blocks = Sequence[tuple[str, Sequence[str]]]


def main() -> None:
    """Make and read the pages one by one, then print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="programs with this word in their name")
    parser.add_argument("--faults", action="store_true", help="print what failed, where allowed")
    parser.add_argument("--keep", type=Path, help="keep the PDFs here")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for half in HALVES:
            for at, (program, make) in enumerate(programs(half).items()):
                if options.only not in f"{half} {program}":
                    continue
                path = place / f"{half} {program}.pdf"
                made = [part for part in parts(half, seed=at) if can_set(program, part)]
                try:
                    if not path.exists():
                        make(made, path)
                except (subprocess.SubprocessError, OSError) as error:
                    print(f"{path.stem} could not be set: {error}")
                    continue
                blocks = _blocks(path)
                for part in made:
                    found = _measure(part, blocks)
                    for group in (f"{half} {program}", f"{half} {part.kind}"):
                        counts.update((group, name) for name in found)
                    if options.faults and half == "decide":
                        _show(path.stem, part, blocks, found)
    _print(counts)


def _blocks(path: Path) -> _Blocks:
    """The text of each block, and its doubts."""
    result = PdfConverter().convert(SourceFile(path=path, doc_id="doc", content_hash=""))
    return [
        (result.plain_text[block.start : block.end], [doubt.value for doubt in block.doubts])
        for block in result.blocks
    ]


def _measure(part: Part, blocks: _Blocks) -> list[str]:
    text, doubts = _found(part, blocks)
    is_right = text is not None and plain(text) == _truth(part)
    found = ["of", *["whole"] * (text is not None), *["right"] * is_right]
    if is_right and doubts:
        found.append("right, doubted")
    elif not is_right:
        found.append("wrong, doubted" if doubts else "wrong, silent")
    return found


def _truth(part: Part) -> str:
    if part.kind == "plain":
        raised = re.sub(r"\^([^^]+)\^", r"^(\1)", part.source)
        return plain(re.sub(r"~([^~]+)~", r"_(\1)", raised))
    return said(part.formula) + part.number


def _found(part: Part, blocks: _Blocks) -> tuple[str | None, Sequence[str]]:
    """What stands between the halves of a sentence in one block, or in the block between them, and
    the doubts of that.
    """
    before, after = (_squeezed(text) for text in (part.before[-_ENOUGH:], part.after[:30]))
    texts = [_squeezed(text) for text, _ in blocks]
    at = next((n for n, text in enumerate(texts) if before in text), None)
    if at is None:
        return None, []
    if part.kind == "display":
        end = next((n for n, text in enumerate(texts) if n > at and after in text), at)
        doubts = [doubt for _, doubts in blocks[at + 1 : end] for doubt in doubts]
        return (blocks[at + 1][0] if end == at + 2 else None), doubts
    joint = "by" if part.kind == "plain" else "where"
    sentence = rf"{re.escape(before)} {joint}\b(.{{1,{_LONGEST}}}?)\band {re.escape(after)}"
    match = re.search(sentence, re.sub(r"\s+", " ", blocks[at][0]))
    return (match[1] if match else None), blocks[at][1]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _show(name: str, part: Part, blocks: _Blocks, found: Sequence[str]) -> None:
    failed = [kind for kind in found if "," in kind]
    if failed:
        text, doubts = _found(part, blocks)
        print(f"{name}: {failed[0]}: {part.source}: {text!r} {' '.join(doubts)}")


def _print(counts: Counter[tuple[str, str]]) -> None:
    print(f"{'':26}" + "".join(f"{column:>16}" for column in _COLUMNS))
    for group in dict.fromkeys(group for group, _ in counts):
        print(f"{group:26}" + "".join(f"{counts[group, column]:>16}" for column in _COLUMNS))


if __name__ == "__main__":
    main()
