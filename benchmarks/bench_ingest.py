"""A first ingest beside a plain loop over the same PDFs, from cold caches, in one run.

usage: python -m benchmarks.bench_ingest LIBRARY [--share 3] [--keep FOLDER]

The loop is what one writes in an afternoon: pypdf, windows of 256 tokens, FastEmbed as given,
Qdrant Edge; no structure, no references, no pages. It needs `pip install pypdf`. LIBRARY has `pdf/`
and `references.csl.json`; with `--share 3` a third of the files is taken, by their hash.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import qdrant_edge as edge
from fastembed import TextEmbedding
from tokenizers import Tokenizer

from citeloom.application.models import ModelKind
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

PROJECT = "bench/ingest"
WINDOW, OVERLAP = 254, 32

PLAIN = "import sys; from benchmarks.bench_ingest import plain_loop; plain_loop(*sys.argv[1:])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--share", type=int, default=1, help="take one file in so many")
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it there")
    options = parser.parse_args()
    with working_folder(options.keep) as folder:
        run(options.library.resolve(), folder, options.share)


@contextmanager
def working_folder(kept: Path | None) -> Iterator[Path]:
    """A folder to work in, which is left there if it is named, and else goes at the end."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def run(library: Path, folder: Path, share: int) -> None:
    """Ingest the files in every way, each in processes of its own and from nothing."""
    sources = folder / "pdf"
    sources.mkdir(parents=True)
    for path in chosen(library / "pdf", share):
        shutil.copyfile(path, sources / path.name)
    print(f"{len(list(sources.iterdir()))} PDFs")
    plain, plain_worked, told = timed(folder, "-c", PLAIN, "pdf", "plain")
    print(f"plain loop       {plain:6.1f} s, CPU {plain_worked:6.1f} s; {told.strip()}")
    for precision in ("fp32", "int8"):
        desk = folder / precision
        configure(desk, library / "references.csl.json", sources, precision)
        taken, worked, report = timed(desk, "-m", "citeloom", "ingest", "--json")
        stages = {name: round(took, 1) for name, took in json.loads(report)["seconds"].items()}
        print(
            f"citeloom, {precision}   {taken:6.1f} s, CPU {worked:6.1f} s; work by stage {stages}"
        )
        print(f"  ratio          {plain / taken:6.2f}, of CPU {plain_worked / worked:6.2f}")
        taken, worked, _ = timed(desk, "-m", "citeloom", "ingest", "--json")
        print(f"  unchanged      {taken:6.2f} s, CPU {worked:6.2f} s")


def configure(desk: Path, references: Path, sources: Path, precision: str) -> None:
    """A project of its own over the files, in a new folder."""
    desk.mkdir()
    table = {
        "references": str(references),
        "sources": [str(sources)],
        "precision": precision,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    text = "\n".join([f'[project."{PROJECT}"]', *lines, ""])
    (desk / "citeloom.toml").write_text(text, encoding="utf-8")


def chosen(folder: Path, share: int) -> Iterator[Path]:
    """One PDF in so many, always the same ones."""
    for path in sorted(folder.glob("*.pdf")):
        if int(hashlib.sha256(path.name.encode()).hexdigest(), 16) % share == 0:
            yield path


def timed(folder: Path, *arguments: str) -> tuple[float, float, str]:
    """The wall and CPU seconds a fresh interpreter takes with its children, and what it prints."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=folder,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    passed, after = time.perf_counter() - start, os.times()
    worked = after.children_user + after.children_system
    return passed, worked - before.children_user - before.children_system, done.stdout


def plain_loop(sources: str, target: str) -> None:
    """Every PDF's text in windows, embedded and stored; files one after the other."""
    from pypdf import PdfReader  # noqa: PLC0415 - only here

    folder = ModelCache().folder(MODEL_ID, ModelKind.DENSE)
    model = TextEmbedding(MODEL_ID, specific_model_path=str(folder))
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens.no_truncation()
    tokens.no_padding()
    Path(target).mkdir()
    dense = edge.EdgeVectorParams(size=384, distance=edge.Distance.Cosine)
    shard = edge.EdgeShard.create(target, edge.EdgeConfig(vectors={"dense": dense}))
    number = 0
    for path in sorted(Path(sources).glob("*.pdf")):
        text = "\n".join(page.extract_text() for page in PdfReader(path).pages)
        texts = list(windows(text, tokens))
        points = [
            edge.Point(number + at, {"dense": vector.tolist()}, {"text": text, "path": path.name})
            for at, (text, vector) in enumerate(zip(texts, model.embed(texts)))
        ]
        shard.update(edge.UpdateOperation.upsert_points(points))
        number += len(points)
    shard.flush()
    print(f"{number} chunks")


def windows(text: str, tokens: Tokenizer) -> Iterator[str]:
    """The text in overlapping windows of as many tokens as the model reads."""
    places = tokens.encode(text, add_special_tokens=False).offsets
    for start in range(0, max(1, len(places) - OVERLAP), WINDOW - OVERLAP):
        window = list(islice(places, start, start + WINDOW))
        if window:
            yield text[window[0][0] : window[-1][1]]


if __name__ == "__main__":
    main()
