"""How fast texts are embedded, sorted by length against unsorted, and what a cold query costs."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from fastembed import TextEmbedding

from citeloom.application.available import ModelKind
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache
from citeloom.infrastructure.embedding.fastembed.tokenizer import ModelTokenizer

SYLLABLES = "ka re to mi sun lar pen do vi sta ne qui bor el fa ther ing con pro ses".split()
COMMON = "the of and to in a is that for it as was with be by on not he his but at are this".split()
Embed = Callable[[], Iterable[object]]

COLD = """
import sys, time
marks = [("", time.perf_counter())]
mark = lambda name: marks.append((name, time.perf_counter()))
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
mark("adapters")
import numpy
mark("numpy")
import onnxruntime
mark("onnxruntime")
import fastembed
mark("fastembed")
dense = FastEmbedDense(threads=int(sys.argv[1]))
dense.embed_query("what is")
mark("session + first query")
dense.embed_query("how are page labels kept")
mark("second query")
FastEmbedSparse().embed_query("how are page labels kept")
mark("sparse query")
for (_, before), (name, after) in zip(marks, marks[1:]):
    print(f"{name}={1000 * (after - before):.1f}")
"""


def main() -> None:
    options = _options()
    tokens = ModelTokenizer()
    texts = _texts(options.texts, options.count)
    counts = tokens.count_all(texts)
    print(
        f"{len(texts)} texts of {min(counts)}..{max(counts)} tokens, "
        f"median {median(counts):.0f}, {sum(counts)} in all; {options.threads} threads"
    )
    _throughput(texts, sum(counts), options)
    _cold(options.threads)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="texts to embed, one a line")
    parser.add_argument("--count", type=int, default=512, help="how many texts to make")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--batch", type=int, nargs="+", default=[16, 32, 64, 256], help="256 is FastEmbed's own"
    )
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


def _texts(file: Path | None, count: int) -> list[str]:
    if file is not None:
        return [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    chance = random.Random(7)
    return [_text(chance, round(chance.triangular(12, 130, 90))) for _ in range(count)]


def _text(chance: random.Random, words: int) -> str:
    return " ".join(
        chance.choice(COMMON)
        if chance.random() < 0.45
        else "".join(chance.choices(SYLLABLES, k=chance.randint(1, 3)))
        for _ in range(words)
    )


def _throughput(texts: Sequence[str], tokens: int, options: argparse.Namespace) -> None:
    """Every way in turn, round by round, so that a busy machine is busy for all; the best counts.

    CPU seconds are the steadier measure where others work on the machine, with one thread.
    """
    folder = ModelCache().folder(MODEL_ID, ModelKind.DENSE)
    raw = TextEmbedding(MODEL_ID, specific_model_path=str(folder), threads=options.threads)
    ways: dict[tuple[str, int], Embed] = {}
    for size in options.batch:
        ours = FastEmbedDense(threads=options.threads, batch_size=size)
        ours.embed_query("warm")
        ways["FastEmbed as given", size] = partial(raw.passage_embed, texts, batch_size=size)
        ways["longest first", size] = partial(ours.embed_passages, texts)
    rounds = [{way: _seconds(ways[way]) for way in ways} for _ in range(options.rounds)]
    best = {way: min(taken[way] for taken in rounds) for way in ways}
    for (name, size), (taken, worked) in best.items():
        plain, plain_worked = best["FastEmbed as given", size]
        print(
            f"  batches of {size:3}, {name:18} {taken:6.2f} s {len(texts) / taken:7.1f} texts/s "
            f"{tokens / taken:7.0f} tokens/s {plain / taken:5.2f} x; "
            f"CPU {worked:6.2f} s {plain_worked / worked:5.2f} x"
        )


def _seconds(embed: Embed) -> tuple[float, float]:
    """Wall and CPU seconds."""
    start, started = time.perf_counter(), time.process_time()
    for _ in embed():
        pass
    return time.perf_counter() - start, time.process_time() - started


def _cold(threads: int, runs: int = 5) -> None:
    """Medians over fresh processes, the first of which warms the disk and is left out."""
    parts: dict[str, list[float]] = {}
    for run in range(runs + 1):
        start = time.perf_counter()
        shown = subprocess.run(
            [sys.executable, "-c", COLD, str(threads)], check=True, capture_output=True, text=True
        )
        whole = 1000 * (time.perf_counter() - start)
        for line in [*shown.stdout.splitlines(), f"whole process={whole}"] if run else []:
            name, _, value = line.partition("=")
            parts.setdefault(name, []).append(float(value))
    print("a cold query, ms: " + ", ".join(f"{n} {median(v):.0f}" for n, v in parts.items()))


if __name__ == "__main__":
    main()
