"""Search by words in German, French, Portuguese and Spanish, over passages made for this.

Three ways to make terms: all as English, all as one language, each text as its own language. Each
language is a collection of its own; `mixed` is all of them and some English in one, where one
language cannot be named. Questions have other forms of the passages' words; every second one or so
is typed without accents. Rules are decided on the even half of the questions, by a hash, and
reported on the odd one.

    python benchmarks/bench_languages.py [--half even|odd|all] [--by-kind]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean

from citeloom.application.evaluate.ranking import Evaluate, EvaluationRequest, index_collection
from citeloom.application.events import no_reader
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
from citeloom.domain.evaluation.measures import (
    EvaluationCollection,
    Question,
    RelevanceJudgement,
    Text,
)
from citeloom.domain.policies import Mode
from citeloom.domain.project import Project
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.bm25 import STEMMERS
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.infrastructure.embedding.vector_cache import CachedDense
from citeloom.infrastructure.evaluation.trec_measures import IrMeasures
from citeloom.infrastructure.filesystem import DiskSourceFiles
from citeloom.infrastructure.filesystem.source_files import FolderDiskSpace
from citeloom.infrastructure.sqlite_manifest import SqliteManifest
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex

DATA = Path(__file__).parent / "data" / "languages"
LANGUAGES = ("de", "fr", "pt", "es")
MIXED = "mixed"
MODES = (Mode.SPARSE, Mode.HYBRID)
FIGURES = ("nDCG@10", "MRR@10")


class AllAsEnglish(FastEmbedSparse):
    """BM25 that takes every text for English."""

    @property
    def languages(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The passages and questions of one file."""

    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


def main() -> None:
    """Measure every collection in every way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("even", "odd", "all"), default="odd")
    parser.add_argument("--by-kind", action="store_true", help="Forms and accents apart.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dense = CachedDense(FastEmbedDense(), folder / "vectors.sqlite")
        print("| collection | terms | questions | " + " | ".join(_headings()) + " |")
        print("|---|---|" + "---|" * (1 + len(MODES) * len(FIGURES)))
        for collection in _collections():
            for way, sparse in _ways(collection.name):
                rows = _measured(folder, collection, dense, sparse(), chosen.half)
                for told, values in _summaries(rows, by_kind=chosen.by_kind):
                    print(f"| {collection.name} {told}| {way} | {values} |", flush=True)


def _headings() -> Iterator[str]:
    return (f"{figure}, {mode.value}" for mode in MODES for figure in FIGURES)


def _collections() -> Iterator[EvaluationCollection]:
    files = {code: _read(DATA / f"{code}.jsonl") for code in (*LANGUAGES, "en")}
    for code in LANGUAGES:
        rows = files[code]
        yield EvaluationCollection(name=code, texts=rows.texts, questions=rows.questions)
    yield EvaluationCollection(
        name=MIXED,
        texts=tuple(text for rows in files.values() for text in rows.texts),
        questions=tuple(question for rows in files.values() for question in rows.questions),
    )


def _read(path: Path) -> Rows:
    texts, questions = list[Text](), list[Question]()
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if "passage" in row:
            texts.append(Text(id=row["passage"], title="", text=row["text"]))
            continue
        questions.append(
            Question(
                id=f"{row['of']} {row['question']}",
                kind=row["kind"],
                text=row["question"],
                evidence=(RelevanceJudgement(work=row["of"]),),
            )
        )
    return Rows(texts=tuple(texts), questions=tuple(questions))


def _ways(collection: str) -> Iterator[tuple[str, Callable[[], SparseEmbedder]]]:
    yield "as English", AllAsEnglish
    if collection != MIXED:
        yield "one language", lambda: FastEmbedSparse(f"Qdrant/bm25:{STEMMERS[collection]}")
    yield "its own language", FastEmbedSparse


def _measured(
    folder: Path,
    collection: EvaluationCollection,
    dense: DenseEmbedder,
    sparse: SparseEmbedder,
    half: str,
) -> dict[Question, dict[str, float]]:
    """The figures of each question, by mode and name."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        index = QdrantEdgeIndex(Path(name), space=FolderDiskSpace(Path(name)))
        manifest = SqliteManifest(Path(name, "manifest.sqlite"))
        opened = OpenProject(
            settings=Project(id="languages"),
            index=index,
            files=DiskSourceFiles(Path(name)),
            clock=SystemClock(),
            open_manifest=lambda: manifest,
            open_embedders=lambda: (dense, sparse),
        )
        project = index_collection(opened, collection, counter=ModelTokenizer(), events=no_reader)
        evaluate = Evaluate(project=project, measures=IrMeasures(), events=no_reader, versions={})
        asked = tuple(one for one in collection.questions if half in ("all", _half(one)))
        run = evaluate(EvaluationRequest(name="languages", questions=asked, modes=MODES))
        index.close()
    figures: dict[Question, dict[str, float]] = {question: {} for question in asked}
    by_id = {question.id: question for question in asked}
    for result in run.modes:
        for answer in result.answers:
            for figure in FIGURES:
                key = f"{result.mode.value} {figure}"
                figures[by_id[answer.id]][key] = answer.figures[figure]
    return figures


def _half(question: Question) -> str:
    return "odd" if sha256(question.id.encode()).digest()[0] % 2 else "even"


def _summaries(
    figures: dict[Question, dict[str, float]], *, by_kind: bool
) -> Iterator[tuple[str, str]]:
    yield "", _summary(list(figures.values()))
    if by_kind:
        for kind in sorted({question.kind for question in figures}):
            own = [values for question, values in figures.items() if question.kind == kind]
            yield f"({kind}) ", _summary(own)


def _summary(figures: Sequence[dict[str, float]]) -> str:
    means = (
        fmean(values[f"{mode.value} {figure}"] for values in figures)
        for mode in MODES
        for figure in FIGURES
    )
    return " | ".join((str(len(figures)), *(f"{mean:.3f}".lstrip("0") for mean in means)))


if __name__ == "__main__":
    main()
