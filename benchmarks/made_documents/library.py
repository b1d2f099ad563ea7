"""Make a library of the made documents, with questions whose page is known.

usage: python -m benchmarks.made_documents.library FOLDER

FOLDER gets `pdf/`, `references.csl.json` and `questions.jsonl`, whose pages are those on which the
words that answer stand here: other versions of the programs may set them on others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.made_documents.documents import MadeDocument, made_documents
from benchmarks.made_documents.truth import PageIndex
from benchmarks.made_documents.works import made_works, works

from citeloom.infrastructure.conversion.pdfium import page_texts

QUESTIONS = Path(__file__).parents[1] / "questions" / "made.jsonl"
Row = dict[str, Any]


def main() -> None:
    """Make the library in a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    make_library(parser.parse_args().folder)


def make_library(folder: Path) -> None:
    """The PDFs of every program that is installed, their references, and the questions."""
    (folder / "pdf").mkdir(parents=True, exist_ok=True)
    authors = {work.citekey: work.author for work in works()}
    pages: dict[str, PageIndex] = {}
    references: list[Row] = []
    for made in (*made_works(), *made_documents()):
        if made.program() is None:
            print(f"skipped, its program is not installed: {made.name}")
            continue
        pages[citekey(made)] = _pages(made, folder / "pdf" / f"{citekey(made)}.pdf")
        references.append(_reference(made, authors.get(made.name, "Maker")))
    _write(folder / "references.csl.json", json.dumps(references, indent=1))
    rows = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    placed = (json.dumps(row, ensure_ascii=False) for row in _placed(rows, pages))
    _write(folder / "questions.jsonl", "\n".join(placed))


def citekey(made: MadeDocument) -> str:
    """The citekey of a made document."""
    return made.name.replace(" ", "_")


def _pages(made: MadeDocument, path: Path) -> PageIndex:
    return PageIndex(made.make(path) or page_texts(path))


def _placed(rows: Iterator[Row], pages: dict[str, PageIndex]) -> Iterator[Row]:
    """The questions that the library can answer or is not to, with their pages."""
    for row in rows:
        if "citekey" not in row:
            yield row
        elif row["citekey"] in pages:
            span = pages[row["citekey"]].span(row["evidence"])
            if span is None:
                raise SystemExit(f"{row['id']}: not found in {row['citekey']}: {row['evidence']}")
            yield {**row, "pages": list(range(span[0], span[1] + 1))}


def _reference(made: MadeDocument, author: str) -> Row:
    return {
        "id": citekey(made),
        "citation-key": citekey(made),
        "type": "article-journal",
        "title": made.story.title,
        "author": [{"family": author, "given": "M."}],
        "issued": {"date-parts": [[2020]]},
    }


def _write(path: Path, text: str) -> None:
    path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
