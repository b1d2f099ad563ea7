"""Latency to the first verified sentence: of a model called directly, of `ask`, and over HTTP.

python -m benchmarks.bench_first_sentence LIBRARY [--project ID] [--calls 100] [--late 0]

A scripted service on the loopback interface streams the same reply to all four, in turn, in the
same run. Directly means one httpx client that reads until the first sentence is whole; verified is
the same passages sent and the sentence verified; `ask` retrieves them first, and judges whether the
project is about the question; over HTTP is `POST /api/v1/ask` up to the first event of a sentence.
`--late` are seconds before the first token.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import httpx
from benchmarks.bench_answers import content, print_latency
from tests.fakes.answer_model import claim, reply
from tests.fakes.chat_server import ChatService, ServedChat, Turn, chat_server

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.prompt import ReplyReader, prompt_of
from citeloom.application.answering.write import write_answer
from citeloom.application.events import NoEvents
from citeloom.application.jobs import Jobs
from citeloom.application.limits import ServerOptions
from citeloom.application.ports.answer_model import AnswerModel, ModelPrompt
from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.answer import Answer, Sentence
from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.retrieval.passage import Passage
from citeloom.infrastructure.answering import request_of
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.http_server import HttpServer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import open_library
from citeloom.infrastructure.library.project import ProjectLibrary

WARM_UP = 5
QUESTION = "How much longer does a logger last with a copper collar?"


class FirstSentence(NoEvents):
    """Knows when the first sentence was verified."""

    at = 0.0

    def shown(self, _: Sentence) -> None:
        """Note the time."""
        self.at = self.at or time.perf_counter()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("library", type=Path)
    options.add_argument("--project")
    options.add_argument("--question", default=QUESTION)
    options.add_argument("--calls", type=int, default=100)
    options.add_argument("--late", type=float, default=0.0)
    asked = options.parse_args()
    with chat_server(ChatService(reply=quoting)) as served, open_library(asked.library) as library:
        served.service.then(*[Turn(late=asked.late)] * (4 * (WARM_UP + asked.calls) + 1))
        project = library.project(asked.project)
        model = served.model()
        ask: Ask = replace(project.answering, model=model)
        project.__dict__["answering"] = ask
        found = ask(AskRequest(text=asked.question))
        found = replace(found, sentences=(), unverified=(), notes=())
        service = ServedLibrary(
            library=library,
            jobs=Jobs(library.ingest_target, clock=SystemClock()),
            projects=(project.project.id,),
            calls=Calls(library.limits),
        )
        server = HttpServer(service, ServerOptions(port=0))
        server.start()
        with httpx.Client(timeout=60.0) as http:
            rounds = [
                (
                    directly(http, served, prompt_for(asked.question, found.passages)),
                    by_writing(model, found),
                    by_asking(project, asked.question),
                    over_http(http, server.url, project, asked.question),
                )
                for _ in range(WARM_UP + asked.calls)
            ]
        server.close(print)
    report(rounds[WARM_UP:])


def quoting(user: str) -> str:
    """A reply of three sentences that are the passages' own."""
    passages = json.loads(user)["passages"][:3]
    quotes = [(one["id"], one["text"].replace("\n", " ")[-120:-1]) for one in passages]
    return reply(*(claim(quote, (name, quote)) for name, quote in quotes))


def prompt_for(question: str, passages: Sequence[Passage]) -> ModelPrompt:
    """The prompt of a question with its passages."""
    named = {f"p{n}": passage.stored for n, passage in enumerate(passages, start=1)}
    return prompt_of(question, named, AnswerWording())


def directly(http: httpx.Client, served: ServedChat, prompt: ModelPrompt) -> float:
    """Seconds until the first sentence is whole."""
    reader = ReplyReader()
    started = time.perf_counter()
    body = request_of("served", prompt, 500)
    with http.stream("POST", f"{served.url}/chat/completions", json=body) as response:
        for line in response.iter_lines():
            if line.startswith("data: {") and reader.read(content(line)):
                return time.perf_counter() - started
    raise AssertionError("there was no sentence")


def by_writing(model: AnswerModel, answer: Answer) -> float:
    """Seconds until the first sentence is verified, the passages being known."""
    told = FirstSentence()
    started = time.perf_counter()
    write_answer(answer, AskRequest(answer.question, events=told), model)
    return told.at - started


def by_asking(project: ProjectLibrary, question: str) -> float:
    """Seconds until the first sentence is verified, retrieval and all."""
    told = FirstSentence()
    started = time.perf_counter()
    project.ask(question, events=told)
    return told.at - started


def over_http(http: httpx.Client, url: str, project: ProjectLibrary, question: str) -> float:
    """Seconds until the event of the first sentence."""
    body = {"project": project.project.id, "question": question, "stream": True}
    started = time.perf_counter()
    with http.stream("POST", f"{url}/api/v1/ask", json=body) as response:
        for line in response.iter_lines():
            if line == "event: sentence":
                return time.perf_counter() - started
    raise AssertionError("there was no sentence")


def report(rounds: Sequence[Sequence[float]]) -> None:
    names = ("directly", "verified", "ask", "over HTTP")
    for name, seconds in zip(names, zip(*rounds, strict=True), strict=True):
        print_latency(name, seconds)


if __name__ == "__main__":
    main()
