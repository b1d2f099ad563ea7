"""Latency to the first token: a model behind the answer port beside calling its service directly.

python benchmarks/bench_answers.py [--calls 200] [--late 0]

A scripted service on the loopback interface streams the same reply to both, in turn, in the same
run. `--late` are seconds that the service waits before its first token. Directly means one httpx
client that reads lines until the first one with content.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence

import httpx
from tests.fakes.chat_server import KEY, ChatService, ServedChat, Turn, chat_server

from citeloom.application.answering.prompt import CLAIM_SCHEMA
from citeloom.application.ports.answer_model import ModelPrompt
from citeloom.infrastructure.answering import request_of

WARM_UP = 20
PASSAGES = [{"id": f"p{n}", "text": "The buoy drifted for nine days. " * 50} for n in range(6)]
PROMPT = ModelPrompt(
    system="Answer from the passages.",
    user=json.dumps({"question": "How long did the buoy drift?", "passages": PASSAGES}),
    schema=CLAIM_SCHEMA,
)
Measure = Callable[[], float]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--calls", type=int, default=200)
    options.add_argument("--late", type=float, default=0.0)
    asked = options.parse_args()
    with chat_server(ChatService(key=KEY)) as served, httpx.Client() as http:
        served.service.then(*[Turn(late=asked.late)] * 2 * (WARM_UP + asked.calls))
        model = served.model()

        def by_port() -> float:
            started = time.perf_counter()
            reply = model.stream(PROMPT)
            next(reply)
            spent = time.perf_counter() - started
            "".join(reply)
            return spent

        measured = _in_turn([lambda: directly(http, served), by_port], asked.calls)
    report(*measured)


def directly(http: httpx.Client, served: ServedChat) -> float:
    """Seconds to the first line with content."""
    body = request_of("served", PROMPT, 500)
    headers = {"Authorization": f"Bearer {KEY}"}
    started = time.perf_counter()
    first = 0.0
    with http.stream(
        "POST", f"{served.url}/chat/completions", json=body, headers=headers
    ) as response:
        for line in response.iter_lines():
            if not first and line.startswith("data: {") and content(line):
                first = time.perf_counter() - started
    return first


def content(line: str) -> str:
    """What a line of a streamed reply adds to it."""
    (choice, *_) = json.loads(line.removeprefix("data: "))["choices"] or [{}]
    content: str = choice.get("delta", {}).get("content") or ""
    return content


def _in_turn(measures: list[Measure], calls: int) -> list[list[float]]:
    rounds = [[measure() for measure in measures] for _ in range(WARM_UP + calls)]
    return [list(times) for times in zip(*rounds[WARM_UP:], strict=True)]


def print_latency(name: str, seconds: Sequence[float]) -> None:
    """Print the median and the 95th percentile of some calls."""
    median, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
    print(f"{name}: median {median * 1000:.2f} ms, p95 {p95 * 1000:.2f} ms, {len(seconds)} calls")


def report(direct: list[float], port: list[float]) -> None:
    print_latency("directly", direct)
    print_latency("by the port", port)
    ratios = sorted(late / early for late, early in zip(port, direct, strict=True))
    print(
        f"ratio of the medians {statistics.median(port) / statistics.median(direct):.3f}, "
        f"median of the pairs' ratios {statistics.median(ratios):.3f}"
    )


if __name__ == "__main__":
    main()
