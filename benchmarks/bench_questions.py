"""The same questions asked of citeloom and of a plain loop over the same PDFs, in one run.

usage: python -m benchmarks.bench_questions LIBRARY [--questions FILE ...] [--keep FOLDER]

The loop is what one writes in an afternoon: pypdf, windows of 256 tokens, the same model as given,
the cosine, and nothing else. It needs `pip install pypdf`. LIBRARY has `pdf/`,
`references.csl.json` and `questions.jsonl`; each file of questions is told apart, and by its
halves where it has any. A place is right if it has a page of the evidence; p is that of a paired
randomisation test of the reciprocal rank. The last figure of each is how many pages its first place
has on average: the more pages a place has, the more often it has the right one.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import fmean

import numpy as np
from benchmarks.bench_ingest import configure, windows, working_folder
from fastembed import TextEmbedding
from tokenizers import Tokenizer

from citeloom.application.models import ModelKind
from citeloom.domain.evaluation.measures import Question
from citeloom.domain.evaluation.significance import randomisation_p
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache
from citeloom.infrastructure.evaluation.files import read_questions
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.settings import load_settings

PROJECT = "bench/ingest"
DEPTH = 10

Span = tuple[int, int]
Place = tuple[str | None, Span | None]
"""The citekey of a work and the pages of a passage."""


def main() -> None:
    """Ingest, make the plain loop's windows, ask both, and print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--questions", type=Path, nargs="*", default=[], help="other files of them")
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it there")
    options = parser.parse_args()
    library = options.library.resolve()
    files = [library / "questions.jsonl", *options.questions]
    with working_folder(options.keep) as folder:
        compare(library, files, folder / "desk")


def compare(library: Path, files: Sequence[Path], desk: Path) -> None:
    """Ask both every question of the files, and print a table of each."""
    if not desk.exists():
        configure(desk, library / "references.csl.json", library / "pdf", "fp32")
    app = Library(load_settings(config=desk / "citeloom.toml")).project(PROJECT)
    app.ingest()
    citekeys = {
        Path(entry.path).name: entry.citekey for entry in app.inspect().documents if entry.citekey
    }
    plain = PlainLoop.over(library / "pdf", citekeys)
    for file in files:
        answerable = [one for one in read_questions(file) if one.answerable]
        ours = {one.id: found(one, asked(app, one.text)) for one in answerable}
        theirs = {one.id: found(one, plain(one.text)) for one in answerable}
        print(f"\n== {file.name}{'citeloom':>35}{'plain loop':>30}{'p':>8}")
        for name, group in groups(file, answerable):
            told(name, [ours[one] for one in group], [theirs[one] for one in group])
    app.parts.close()


def asked(app: ProjectLibrary, text: str) -> list[Place]:
    """The places that citeloom finds."""
    passages = app.query(text, top_k=DEPTH).passages
    works = ((one.stored.citation, one.stored.chunk.page_span) for one in passages)
    return [(work.citekey if work else None, span) for work, span in works]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainLoop:
    """Windows of all PDFs with their vectors, of unit length."""

    model: TextEmbedding
    places: list[Place]
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]

    @classmethod
    def over(cls, folder: Path, citekeys: Mapping[str, str]) -> PlainLoop:
        """The loop over the PDFs of a folder."""
        weights = ModelCache().folder(MODEL_ID, ModelKind.DENSE)
        model = TextEmbedding(MODEL_ID, specific_model_path=str(weights))
        tokens = Tokenizer.from_file(str(weights / "tokenizer.json"))
        tokens.no_truncation()
        tokens.no_padding()
        places: list[Place] = []
        texts: list[str] = []
        for path in sorted(folder.glob("*.pdf")):
            for text, span in _windows(path, tokens):
                places.append((citekeys.get(path.name), span))
                texts.append(text)
        vectors = np.array(list(model.embed(texts, batch_size=8)), dtype=np.float32)
        return cls(model=model, places=places, vectors=vectors)

    def __call__(self, text: str) -> list[Place]:
        """The nearest windows."""
        (question,) = self.model.query_embed(text)
        best = np.argsort(-(self.vectors @ question), kind="stable")[:DEPTH]
        return [self.places[at] for at in best]


def _windows(path: Path, tokens: Tokenizer) -> Iterator[tuple[str, Span]]:
    from pypdf import PdfReader  # noqa: PLC0415 - only here

    pages = [page.extract_text() for page in PdfReader(path).pages]
    starts = list(accumulate((len(page) + 1 for page in pages), initial=0))
    text, at = "\n".join(pages), 0
    for window in windows(text, tokens):
        at = text.index(window, at)
        yield window, (bisect_right(starts, at), bisect_right(starts, at + len(window) - 1))


@dataclass(frozen=True, slots=True)
class Found:
    """The reciprocal rank of the evidence, and the number of pages of the first place."""

    reciprocal_rank: float
    pages: int


def found(question: Question, places: Sequence[Place]) -> Found:
    """How the places answer a question."""
    spans = [span or (0, 0) for _, span in places[:1]]
    return Found(reciprocal_rank(question, places), sum(last - first + 1 for first, last in spans))


def reciprocal_rank(question: Question, places: Sequence[Place]) -> float:
    """1 / the rank of the first place with a page of the evidence; 0 without one."""
    for rank, (citekey, span) in enumerate(places, start=1):
        for evidence in question.evidence:
            on_page = evidence.page is None or (span and span[0] <= evidence.page <= span[1])
            if citekey == evidence.work and on_page:
                return 1 / rank
    return 0.0


def groups(file: Path, questions: Sequence[Question]) -> Iterator[tuple[str, list[str]]]:
    """The ids of all questions, of each half, and of each kind."""
    yield "all", [one.id for one in questions]
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    halves = {row["id"]: row.get("half") for row in rows}
    for half, title in (("choose", "chosen on"), ("report", "reported on")):
        if any(halves[one.id] == half for one in questions):
            yield title, [one.id for one in questions if halves[one.id] == half]
    for kind in sorted({one.kind for one in questions}):
        yield kind, [one.id for one in questions if one.kind == kind]


def told(name: str, ours: Sequence[Found], theirs: Sequence[Found]) -> None:
    """One line: how many are in the first 1, 5 and 10, and the mean reciprocal rank, of both."""
    pairs = zip(ours, theirs)
    p = randomisation_p([one.reciprocal_rank - other.reciprocal_rank for one, other in pairs])
    print(f"{name:>12} {len(ours):4}  {_figures(ours):>30}{_figures(theirs):>30}{p:8.4f}")


def _figures(answers: Sequence[Found]) -> str:
    ranks = [one.reciprocal_rank for one in answers]
    first = "/".join(str(sum(rank >= 1 / depth for rank in ranks)) for depth in (1, 5, DEPTH))
    return f"{first}  {fmean(ranks):.3f}  {fmean(one.pages for one in answers):.2f}"


if __name__ == "__main__":
    main()
