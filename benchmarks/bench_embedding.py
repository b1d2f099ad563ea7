"""How fast texts are embedded beside FastEmbed as it is given."""

from __future__ import annotations

import argparse
import json
import random
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


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="texts to embed, one JSON string a line")
    parser.add_argument("--count", type=int, default=256, help="how many texts to take or make")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
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


if __name__ == "__main__":
    main()
