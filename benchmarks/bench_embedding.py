"""How fast texts are embedded beside FastEmbed as it is given, and what a cold query costs."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from fastembed import TextEmbedding

from citeloom.application.models import ModelKind
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer
from citeloom.infrastructure.embedding.fastembed.minilm import INT8_ID, MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

SYLLABLES = "ka re to mi sun lar pen do vi sta ne qui bor el fa ther ing con pro ses".split()
COMMON = "the of and to in a is that for it as was with be by on not he his but at are this".split()
Embed = Callable[[], Iterable[object]]

BARE = f"""
from fastembed import TextEmbedding
model = TextEmbedding({MODEL_ID!r}, specific_model_path=FOLDER)
print(len(next(iter(model.query_embed("how are page labels kept")))))
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
    if options.library:
        _cold(options.library)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="texts to embed, one JSON string a line")
    parser.add_argument("--count", type=int, default=256, help="how many texts to take or make")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--library", type=Path, help="an ingested library to ask from cold")
    return parser.parse_args()


def _texts(file: Path | None, count: int) -> list[str]:
    chance = random.Random(7)
    if file is not None:
        texts = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        return chance.sample(texts, min(count, len(texts)))
    return [_text(chance, round(chance.triangular(12, 130, 90))) for _ in range(count)]


def _text(chance: random.Random, words: int) -> str:
    return " ".join(
        chance.choice(COMMON)
        if chance.random() < 0.45
        else "".join(chance.choices(SYLLABLES, k=chance.randint(1, 3)))
        for _ in range(words)
    )


def _throughput(texts: Sequence[str], tokens: int, options: argparse.Namespace) -> None:
    """Every way in turn, round by round: a busy machine is busy for all. The best counts."""
    folder = ModelCache().folder(MODEL_ID, ModelKind.DENSE)
    raw = TextEmbedding(MODEL_ID, specific_model_path=str(folder), threads=options.threads)
    ways: dict[str, Embed] = {"FastEmbed as given": partial(raw.passage_embed, texts)}
    for name, model in (("citeloom, fp32", MODEL_ID), ("citeloom, int8", INT8_ID)):
        ours = FastEmbedDense(model, threads=options.threads)
        ours.embed_query("warm")
        ways[name] = partial(ours.embed_passages, texts)
    rounds = [{way: _seconds(ways[way]) for way in ways} for _ in range(options.rounds)]
    best = {way: min(taken[way] for taken in rounds) for way in ways}
    plain, plain_worked = best["FastEmbed as given"]
    for name, (taken, worked) in best.items():
        print(
            f"  {name:18} {taken:6.2f} s {len(texts) / taken:7.1f} texts/s "
            f"{tokens / taken:7.0f} tokens/s {plain / taken:5.2f} x; "
            f"CPU {worked:6.2f} s {plain_worked / worked:5.2f} x"
        )


def _seconds(embed: Embed) -> tuple[float, float]:
    """Wall and CPU seconds."""
    start, started = time.perf_counter(), time.process_time()
    for _ in embed():
        pass
    return time.perf_counter() - start, time.process_time() - started


def _cold(library: Path, runs: int = 6) -> None:
    """Medians over fresh processes in turn, the first of which warm the disk and are left out."""
    folder = ModelCache().folder(MODEL_ID, ModelKind.DENSE)
    ways = {
        "FastEmbed as given, one query": ["-c", BARE.replace("FOLDER", repr(str(folder)))],
        "citeloom query": ["-m", "citeloom", "query", "how are page labels kept"],
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for run in range(runs + 1):
        for name, arguments in ways.items():
            measured = _process_seconds([sys.executable, *arguments], library)
            taken[name] += [measured] if run else []
    medians = {name: [median(each) for each in zip(*times)] for name, times in taken.items()}
    for name, (passed, worked) in medians.items():
        print(f"  {name:30} {passed:5.2f} s, CPU {worked:5.2f} s")
    bare, ours = medians.values()
    print(f"  ratio {ours[0] / bare[0]:.2f}, of CPU {ours[1] / bare[1]:.2f}")


def _process_seconds(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a process."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    after = os.times()
    worked = after.children_user + after.children_system
    return time.perf_counter() - start, worked - before.children_user - before.children_system


if __name__ == "__main__":
    main()
