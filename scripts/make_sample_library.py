"""Compile the sample library: papers as PDF, their references and a configuration.

The same sources give the same bytes on every machine: fonts are those of the typesetter, and the
time of compilation is fixed.
"""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import typst

SOURCES = Path(__file__).resolve().parent.parent / "examples" / "library"
COMPILED_AT = datetime(2024, 1, 1, tzinfo=UTC)


def compile_paper(source: Path, target: Path) -> None:
    typst.compile(
        source,
        output=target,
        root=SOURCES,
        ignore_system_fonts=True,
        timestamp=COMPILED_AT,
    )


def make_library(folder: Path) -> list[Path]:
    """Write `library/*.pdf`, `references.json` and `citeloom.toml` into `folder`; the PDFs."""
    library = folder / "library"
    library.mkdir(parents=True, exist_ok=True)
    papers = []
    for source in sorted((SOURCES / "papers").glob("*.typ")):
        target = library / f"{source.stem}.pdf"
        compile_paper(source, target)
        papers.append(target)
    for name in ("references.json", "citeloom.toml"):
        shutil.copyfile(SOURCES / name, folder / name)
    return papers


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: make_sample_library.py FOLDER", file=sys.stderr)
        return 2
    for paper in make_library(Path(arguments[0])):
        print(paper)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
