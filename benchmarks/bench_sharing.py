"""How an embedded index is shared: what readers wait for, and what kills cost.

python benchmarks/bench_sharing.py [--chunks 20000] [--seconds 60] [--kills 100]
python benchmarks/bench_sharing.py --library FOLDER [--seconds 60]

With a folder that has a citeloom.toml and an index: `citeloom query` from one shell and from five,
alone and beside an ingest and a rebuild of that library. Without: query latency through another
process, idle and while the owner process stores, optimises and rebuilds;
many readers and writers at the same time; owner processes and clients killed at random moments.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

from benchmarks.bench_index import COLLECTION, NAME, PROJECT, embedded, hybrid

from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection
from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex

EVERYTHING = Selection(project_id=PROJECT)
FLUSH = 256


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--chunks", type=int, default=20_000)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--library", type=Path)
    asked = options.parse_args()
    if asked.library:
        shells(asked.library, asked.seconds)
        return
    with tempfile.TemporaryDirectory() as folder:
        latencies(Path(folder), asked.chunks)
    with tempfile.TemporaryDirectory() as folder:
        crowd(Path(folder), asked.seconds)
    with tempfile.TemporaryDirectory() as folder:
        kills(Path(folder), asked.kills)


# --- latency -------------------------------------------------------------------------------------


def latencies(root: Path, chunks: int) -> None:
    holder = SharedIndex(root, purpose="bench")
    holder.create(COLLECTION)
    with reader(root) as times, phase(times, f"while {chunks} are stored"):
        store(holder, NAME, chunks)
    with reader(root) as times:
        with phase(times, "idle, not optimised"):
            time.sleep(5)
        with phase(times, "while it optimises"):
            holder.optimize(NAME)
        with phase(times, "idle"):
            time.sleep(5)
        with phase(times, "while it is built anew"):
            staged = holder.stage(replace(COLLECTION, generation="second"))
            store(holder, staged, chunks // 4)
            holder.optimize(staged)
            holder.promote(NAME)
    holder.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"peak memory: {peak} MB here, {child} MB in the largest of the other processes")


def store(index: SharedIndex, name: str, chunks: int) -> None:
    for start in range(0, chunks, FLUSH):
        index.upsert(name, [embedded(number) for number in range(start, start + FLUSH)])
        index.flush(name)


@contextmanager
def reader(root: Path) -> Iterator[Path]:
    """Another process that asks again and again, and notes down when and how long it took."""
    notes = root / "latencies"
    with running("read", root, notes):
        while not notes.exists():
            time.sleep(0.05)
        yield notes


@contextmanager
def phase(notes: Path, what: str) -> Iterator[None]:
    before = notes.stat().st_size
    start = time.perf_counter()
    yield
    spent = time.perf_counter() - start
    with notes.open(encoding="utf-8") as stream:
        stream.seek(before)
        report(f"{what} ({spent:.0f} s)", [float(line) for line in stream if line.endswith("\n")])


def report(what: str, times: list[float]) -> None:
    if len(times) < 2:
        print(f"{what:<40}{len(times)} queries")
        return
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{what:<40}{p50:8.1f} p50{p95:9.1f} p95{max(times):9.1f} worst ms, {len(times)} queries")


# --- many at a time ------------------------------------------------------------------------------


def crowd(root: Path, seconds: float) -> None:
    first = SharedIndex(root, purpose="bench")
    first.create(COLLECTION)
    store(first, NAME, 2_000)
    first.close()
    readers = [start("read", root, root / f"reader-{n}") for n in range(8)]
    writers = [start("write", root, root / f"writer-{n}", str(n)) for n in range(2)]
    time.sleep(seconds)
    failed = sum(end(process) != 0 for process in (*readers, *writers))
    times = [float(line) for n in range(8) for line in lines(root / f"reader-{n}")]
    report("8 readers, 2 writers", times)
    print(f"processes that failed: {failed}")
    check(root, [root / f"writer-{n}" for n in range(2)])


# --- shells --------------------------------------------------------------------------------------


QUESTIONS = ("What is measured?", "Which method is faster?", "How large is the error?")


def shells(folder: Path, seconds: float) -> None:
    """Queries from shells, as many in a minute as they manage."""
    loops(folder, 1, seconds, "1 shell")
    loops(folder, 5, seconds, "5 shells")
    for option in ("--force", "--rebuild"):
        ingest = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "ingest", option],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        loops(folder, 5, seconds, f"5 shells beside ingest {option}")
        print(f"    ingest {option} ended with {ingest.wait()}")


def loops(folder: Path, number: int, seconds: float, what: str) -> None:
    ends = time.monotonic() + seconds
    times: list[float] = []
    failures: list[str] = []

    def loop(first: int) -> None:
        place = first
        while time.monotonic() < ends:
            start = time.perf_counter()
            query = subprocess.run(
                [sys.executable, "-m", "citeloom", "query", QUESTIONS[place % len(QUESTIONS)]],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            times.append((time.perf_counter() - start) * 1000)
            failures.extend([query.stderr] * (query.returncode != 0))
            place += 1

    threads = [Thread(target=loop, args=(first,)) for first in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report(what, times)
    print(f"    queries that failed: {len(failures)} {failures[:1] or ''}")


# --- kills ---------------------------------------------------------------------------------------


def kills(root: Path, number: int) -> None:
    """Kill readers and writers, one of whom holds the collection, and look at what is stored."""
    chance = random.Random(0)
    first = SharedIndex(root, purpose="bench")
    first.create(COLLECTION)
    first.close()
    notes = [root / f"writer-{n}" for n in range(3)]
    writers = [start("write", root, file, str(n)) for n, file in enumerate(notes)]
    holders = 0
    for kill in range(number):
        place = chance.randrange(3)
        writers[place].stdout.readline()  # type: ignore[union-attr]
        time.sleep(chance.uniform(0.0, 0.5))
        holders += f'"pid": {writers[place].pid},' in holder_of(root)
        writers[place].kill()
        writers[place].communicate()
        writers[place] = start("write", root, notes[place], f"{place}-{kill}")
    failed = sum(end(process) != 0 for process in writers)
    print(f"{number} kills, {holders} of them of the holder; processes that failed: {failed}")
    check(root, notes)


def holder_of(root: Path) -> str:
    try:
        return (root / NAME / "holder").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def check(root: Path, notes: list[Path]) -> None:
    acknowledged = {chunk for file in notes for chunk in lines(file)}
    index = SharedIndex(root)
    stored = [stored.chunk.id for stored in index.scroll(NAME, EVERYTHING)]
    index.close()
    print(
        f"{len(acknowledged)} chunks acknowledged, {len(acknowledged - set(stored))} of them lost, "
        f"{len(stored) - len(set(stored))} doubled"
    )


# --- the other processes -------------------------------------------------------------------------


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def end(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=120)
    return process.returncode


@contextmanager
def running(*arguments: str | Path) -> Iterator[None]:
    process = start(*arguments)
    try:
        yield
    finally:
        end(process)


def lines(file: Path) -> list[str]:
    if not file.exists():
        return []
    return file.read_text(encoding="utf-8").split("\n")[:-1]


def until_told() -> Event:
    told = Event()

    def listen() -> None:
        sys.stdin.read()
        told.set()

    Thread(target=listen, daemon=True).start()
    return told


def read(root: str, notes: str) -> None:
    index, told = SharedIndex(Path(root), purpose="read"), until_told()
    with Path(notes).open("a", encoding="utf-8", buffering=1) as stream:
        while not told.wait(0.02):
            query = hybrid()
            start = time.perf_counter()
            index.search(NAME, query)
            stream.write(f"{(time.perf_counter() - start) * 1000:.2f}\n")
    index.close()


def write(root: str, notes: str, who: str) -> None:
    index, told, step = SharedIndex(Path(root), purpose="write"), until_told(), 0
    print("writing", flush=True)
    with Path(notes).open("a", encoding="utf-8", buffering=1) as stream:
        while not told.is_set() or not step:
            named = [f"{who}-{step}-{place}" for place in range(32)]
            index.upsert(NAME, [renamed(embedded(0), one) for one in named])
            index.flush(NAME)
            stream.write("".join(f"{one}\n" for one in named))
            step += 1
            time.sleep(0.05)
    index.close()


def renamed(chunk: EmbeddedChunk, chunk_id: str) -> EmbeddedChunk:
    stored = chunk.stored
    return replace(chunk, stored=replace(stored, chunk=replace(stored.chunk, id=chunk_id)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(*sys.argv[2:])
    elif sys.argv[1:2] == ["write"]:
        write(*sys.argv[2:])
    else:
        main()
