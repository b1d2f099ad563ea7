"""Resident memory over many conversations, some at a time, in one process.

python benchmarks/bench_chat.py FOLDER [--chats 500] [--turns 10] [--at-once 16] [--extractive]

FOLDER holds an ingested library, of which a copy is used. Follow-ups and answers are written by a
scripted service on the loopback interface in a process of its own, or, with `--extractive`, without
any model. Memory is printed before the first chat and after each hundredth.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from tests.fakes.answer_model import claim, reply
from tests.fakes.chat_server import ChatService, chat_server

from citeloom import ProjectLibrary, open_library

FIRST = (
    "How much longer does a logger last with a copper collar?",
    "What makes a reading room quiet?",
    "How is fruit kept cold on its way?",
    "Which microphones were used in the rooms?",
)
LATER = ("And in winter?", "How was it measured?", "Why?", "What about the first week?")
MEGABYTE = 1 << 20
HUNDRED = 100


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--chats", type=int, default=500)
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--at-once", type=int, default=16)
    options.add_argument("--extractive", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(asked.folder, Path(folder) / "library")
        with served(asked.extractive) as answers:
            overrides = {"answers": answers} if answers else None
            with open_library(copy, overrides=overrides) as library:
                measure(library.project(), asked.chats, asked.turns, asked.at_once)
        kept = copy / ".citeloom" / "sessions.sqlite"
        print(f"sessions.sqlite: {kept.stat().st_size / MEGABYTE:.1f} MB")


def measure(project: ProjectLibrary, chats: int, turns: int, at_once: int) -> None:
    """Hold the chats, and print what memory is resident by hundred."""
    hold(project, 0, 2)
    print(f"before: {resident():.0f} MB", flush=True)
    started = time.perf_counter()
    done = 0
    with ThreadPoolExecutor(at_once) as pool:
        while done < chats:
            some = range(done, min(done + HUNDRED, chats))
            list(pool.map(lambda number: hold(project, number, turns), some))
            done = some.stop
            spent = time.perf_counter() - started
            print(f"{done} chats: {resident():.0f} MB, {spent:.0f} s", flush=True)
    print(f"{len(project.sessions.listed())} sessions are kept")


def hold(project: ProjectLibrary, number: int, turns: int) -> None:
    """A chat of so many turns."""
    session: str | None = None
    for at in range(turns):
        texts = LATER if at else FIRST
        turn = project.chat(texts[(number + at) % len(texts)], session_id=session)
        session = turn.session_id


def resident() -> float:
    """The resident memory of this process, after what can be freed was."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / MEGABYTE


@contextmanager
def served(extractive: bool) -> Iterator[dict[str, object]]:
    """The settings of a scripted service in another process; none without a model."""
    if extractive:
        yield {}
        return
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,))
    process.start()
    try:
        yield {"model": "openai/served", "base_url": here.recv()}
    finally:
        here.send(None)
        process.join()


def serve(control: Connection) -> None:
    """Serve until told to stop."""
    with chat_server(ChatService(reply=scripted)) as served:
        control.send(served.url)
        control.recv()


def scripted(user: str) -> str:
    """The question before with the next one, or the first words of the first two passages."""
    asked = json.loads(user)
    if "turns" in asked:
        before = asked["turns"][-1]["question"]
        return json.dumps({"question": f"{asked['question']} {before}"[:200]})
    quotes = [(one["id"], one["text"][:120].rsplit(" ", 1)[0]) for one in asked["passages"][:2]]
    return reply(*(claim(quote, (name, quote)) for name, quote in quotes))


if __name__ == "__main__":
    main()
