"""Ingest a library with ground truth and print what came of it.

usage: python -m benchmarks.bench_library LIBRARY [--keep FOLDER]

LIBRARY has `pdf/`, `references.csl.json`, `groundtruth.jsonl` (which file is which reference),
`locators.jsonl` (sentences and the page each stands on) and `questions.jsonl` (questions, the
page of their evidence). Everything is measured in one run: time by stage, memory, matching, how
much text is kept, whether sentences are found and with the right page, whether evidence is found,
and what a query costs beside the bare calls it is made of.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import qdrant_edge as edge
from benchmarks.bench_ingest import working_folder

from citeloom.application.reports import IngestReport
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.infrastructure.interfaces.cli.eval_tables import run_text
from citeloom.infrastructure.library.library import Library
from citeloom.infrastructure.library.project import ProjectLibrary
from citeloom.infrastructure.settings import load_settings

PROJECT = "bench/library"
MODES = (Mode.DENSE, Mode.SPARSE, Mode.HYBRID)


def main() -> None:
    """Run the whole benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--keep", type=Path, help="Work in this folder and leave it there.")
    arguments = parser.parse_args()
    with working_folder(arguments.keep) as folder:
        run(arguments.library.resolve(), folder)


def run(library: Path, folder: Path) -> None:
    """Ingest twice, then ask everything there is a truth for."""
    toml = folder / "citeloom.toml"
    toml.write_text(
        f'[project."{PROJECT}"]\n'
        f"references = {json.dumps(str(library / 'references.csl.json'))}\n"
        f"sources = [{json.dumps(str(library / 'pdf'))}]\n"
    )
    for title in ("first run", "second run, unchanged"):
        app = Library(load_settings(config=toml)).project(PROJECT)
        started = time.perf_counter()
        report = app.ingest()
        seconds = time.perf_counter() - started
        print(f"\n== {title}: {seconds:.1f} s")
        tell_ingest(report)
        if title == "first run":
            tell_memory()
        app.parts.close()
    app = Library(load_settings(config=toml)).project(PROJECT)
    tell_matching(app, library)
    for name in ("locators.jsonl", "questions.jsonl"):
        tell_found(app, library / name)
    tell_latency(app, folder, [row["question"] for row in _lines(library / "questions.jsonl")])
    app.parts.close()


def tell_ingest(report: IngestReport) -> None:
    """Counts, shares and seconds of an ingest."""
    chunks = report.chunks
    print(
        f"documents: {report.found} found, {len(report.indexed)} indexed, "
        f"{len(report.unchanged)} unchanged, {len(report.failed)} failed "
        f"{[(failure.path, failure.code) for failure in report.failed]}"
    )
    if not report.indexed:
        return
    stored = chunks.added + chunks.rewritten
    print(
        f"chunks: {stored}, filtered {dict(chunks.filtered)}, "
        f"body text kept {chunks.body_share:.4f}, with a heading {chunks.with_heading / stored:.4f}"
    )
    stages = {stage: round(seconds, 1) for stage, seconds in report.seconds.items()}
    convert = report.seconds["convert"]
    print(
        f"pages {report.pages}, seconds {stages}, pages a second of conversion "
        f"{report.pages / convert:.1f}, overall {report.pages / report.seconds['total']:.1f}"
    )
    print(f"failed pages: {report.page_failures}")


def tell_memory() -> None:
    """Peak resident memory of this process and of the largest worker."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory: this process {own:.0f} MB, largest worker {worker:.0f} MB")


def tell_matching(app: ProjectLibrary, library: Path) -> None:
    """How many files got the right reference."""
    truth = {file: citekey for citekey, files in _citekeys(library).items() for file in files}
    right, wrong, missing = 0, [], []
    for entry in app.inspect().documents:
        name = Path(entry.path).name
        if entry.citekey is None:
            missing.append(name)
        elif entry.citekey == truth[name]:
            right += 1
        else:
            wrong.append((name, entry.citekey, truth[name]))
    print(f"\n== matching: {right} right, {len(wrong)} wrong {wrong}, unmatched {missing}")


def tell_found(app: ProjectLibrary, questions: Path) -> None:
    """What comes back for sentences and questions whose place is known."""
    run = app.evaluate(questions, modes=MODES)
    print(f"\n== {run_text(run)}")


def tell_latency(app: ProjectLibrary, folder: Path, questions: Sequence[str]) -> None:
    """A warm query beside the bare library calls it is made of, alternating in one run."""
    with tempfile.TemporaryDirectory() as copy:
        bare = _bare_calls(app, folder, Path(copy))
        ours, theirs = [], []
        for question in [*questions[:5], *questions]:
            ours.append(_timed(partial(_ask, app, question, Mode.HYBRID, 6)))
            theirs.append(_timed(partial(bare, question)))
    print()
    for title, times in (("query", ours[5:]), ("bare embed and search", theirs[5:])):
        cuts = statistics.quantiles(times, n=20)
        print(f"{title}: p50 {cuts[9] * 1000:.1f} ms, p95 {cuts[18] * 1000:.1f} ms")
    print(f"ratio of medians {statistics.median(ours[5:]) / statistics.median(theirs[5:]):.2f}")


def _bare_calls(app: ProjectLibrary, folder: Path, copy: Path) -> Callable[[str], object]:
    """FastEmbed and Qdrant Edge called directly, on a copy of the shard."""
    app.parts.index.close()
    (shard,) = (folder / ".citeloom" / "projects" / app.project.collection).glob("shard-*")
    shutil.copytree(shard, copy / "shard")
    bare_shard = edge.EdgeShard.load(str(copy / "shard"))
    assert isinstance(app.embedders.dense, FastEmbedDense)
    assert isinstance(app.embedders.sparse, FastEmbedSparse)
    dense, sparse = app.embedders.dense._model(), app.embedders.sparse
    match = edge.FieldCondition(key="project_id", match=edge.MatchValue(value=PROJECT))
    where, depth = edge.Filter(must=[match]), app.project.retrieval.candidates

    def ask(question: str) -> object:
        (vector,) = dense.query_embed(question)
        words = sparse.embed_query(question)
        terms = edge.SparseVector(list(words.indices), list(words.values))
        sides = [
            edge.Query.Nearest(vector.tolist(), using="dense"),
            edge.Query.Nearest(terms, using="sparse"),
        ]
        request = edge.QueryRequest(
            limit=6,
            prefetches=[edge.Prefetch(limit=depth, query=side, filter=where) for side in sides],
            query=cast("edge.Fusion", edge.Fusion.Rrf(k=app.project.retrieval.rrf_k + 1)),
            with_payload=True,
        )
        return bare_shard.query(request)

    return ask


def _ask(app: ProjectLibrary, text: str, mode: Mode, top_k: int) -> tuple[Passage, ...]:
    return app.query(text, mode=mode, top_k=top_k).passages


def _citekeys(library: Path) -> dict[str, set[str]]:
    files: dict[str, set[str]] = {}
    with_file = (row for row in _lines(library / "groundtruth.jsonl") if row["pdf"])
    for row in with_file:
        files.setdefault(row["citekey"], set()).add(Path(row["pdf"]).name)
    return files


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
