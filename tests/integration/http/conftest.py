"""Two projects of a few papers, and a Zotero, behind the HTTP API."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import compile_path
from starlette.testclient import TestClient

from citeloom.application.answering.ask import Ask
from citeloom.application.jobs import Jobs
from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.answers.ask import (
    AskAnswer,
    FoundAnswer,
    NumberedSentence,
    TurnAnswer,
)
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.api import ROUTERS, described
from citeloom.infrastructure.interfaces.http.gate import AccessPolicy
from citeloom.infrastructure.interfaces.http.http_server import HttpServer, create_app
from citeloom.infrastructure.interfaces.http.problems import Problem
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library, open_library
from tests.described import assert_described, violations
from tests.e2e.command import Desk
from tests.e2e.papers import BRIDGES, CLAY, FERRIES, write_papers, write_references
from tests.e2e.zotero_papers import zotero_desk
from tests.fakes.answer_model import claim, reply
from tests.fakes.chat_server import ChatService, ServedChat, chat_server

ONE, TWO, HIDDEN = "lab/one", "lab/two", "hidden"
CONFIGURATION = """
[project."lab/one"]
references = "references.json"
sources = ["papers"]

[project."lab/two"]
sources = ["others"]

[project.hidden]
sources = ["others"]

[zotero]
data_dir = "zotero"
access = "local"

[conversion]
workers = 1
"""
PATIENCE = 30.0
EVENTS = {
    "passages": FoundAnswer,
    "sentence": NumberedSentence,
    "answer": AskAnswer,
    "error": Problem,
}
Events = list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The library; project `hidden` is not served."""
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    folder = tmp_path_factory.mktemp("served")
    write_papers(folder / "papers", BRIDGES, CLAY)
    write_references(folder / "references.json", BRIDGES, CLAY)
    write_papers(folder / "others", FERRIES)
    zotero_desk(Desk(folder, folder), BRIDGES, CLAY)
    (folder / "citeloom.toml").write_text(CONFIGURATION, encoding="utf-8")
    models = tmp_path_factory.mktemp("models")
    with open_library(folder, overrides={"models": {"cache_dir": models}}) as library:
        for name in (ONE, TWO):
            assert not library.project(name).ingest().failed
        yield library


@pytest.fixture(scope="session")
def service(library: Library) -> Iterator[ServedLibrary]:
    jobs = Jobs(library.ingest_target, clock=SystemClock())
    served = ServedLibrary(
        library=library, jobs=jobs, projects=(ONE, TWO), calls=Calls(library.limits)
    )
    for project in served.projects:
        served.readiness.loaded(project)
    yield served
    assert jobs.close(60)


def client_of(service: ServedLibrary, guard: AccessPolicy | None = None) -> TestClient:
    """A client on the same machine."""
    let_in = guard or AccessPolicy.of(address="127.0.0.1", hosts=(), origins=(), token=None)
    client = TestClient(
        create_app(service, let_in),
        base_url="http://127.0.0.1:8484",
        raise_server_exceptions=False,
    )
    client.event_hooks = {"response": [keeps_to_the_document]}
    return client


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document of the API."""
    app = FastAPI()
    for router in ROUTERS:
        app.include_router(router)
    return described(app)


def keeps_to_the_document(response: Any) -> None:
    """Fail for JSON that the OpenAPI document does not describe whole."""
    media_type = response.headers.get("content-type", "").partition(";")[0]
    if not response.is_success or media_type != "application/json":
        return
    path, method = response.request.url.path, response.request.method.lower()
    operation = next(
        (
            one[method]
            for template, one in document()["paths"].items()
            if method in one and compile_path(template)[0].match(path)
        ),
        None,
    )
    if operation is None:
        return
    schema = operation["responses"][str(response.status_code)]["content"][media_type]["schema"]
    response.read()
    whole = {**schema, "components": document()["components"]}
    assert not (faults := violations(response.json(), whole)), f"{method} {path}: {faults}"


@pytest.fixture(scope="session")
def client(service: ServedLibrary) -> Iterator[TestClient]:
    with client_of(service) as client:
        yield client


@pytest.fixture(scope="session")
def folder(library: Library) -> Path:
    return library.info.base_dir


@pytest.fixture
def served() -> Iterator[ServedChat]:
    with chat_server(ChatService(reply=quoting)) as served:
        yield served


@pytest.fixture
def writing(library: Library, served: ServedChat, monkeypatch: pytest.MonkeyPatch) -> ServedChat:
    """The service, whose model writes the answers of the first project."""
    project = library.project(ONE)
    ask = project.answering
    model = served.model(first_seconds=PATIENCE, seconds=2 * PATIENCE)
    changed = Ask(project=ask.project, judge=ask.judge, model=model)
    monkeypatch.setitem(project.__dict__, "answering", changed)
    return served


@pytest.fixture
def http(service: ServedLibrary) -> Iterator[httpx.Client]:
    """A client of a server with a socket."""
    server = HttpServer(service, ServerOptions(port=0))
    server.start()
    with httpx.Client(base_url=f"{server.url}/api/v1", timeout=PATIENCE) as http:
        http.event_hooks = {"response": [keeps_to_the_document]}
        yield http
    server._server.should_exit = True
    server._thread.join(PATIENCE)


def ask_and_leave(
    http: httpx.Client, path: str, body: Mapping[str, object], writing: ServedChat
) -> None:
    """Post a question, and close the connection once the model has been asked."""
    url = http.base_url
    connection = HTTPConnection(url.host, url.port, timeout=PATIENCE)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", f"{url.path}{path}", json.dumps(body), headers)
    until = time.monotonic() + PATIENCE
    while not writing.service.asked and time.monotonic() < until:
        time.sleep(0.02)
    assert writing.service.asked
    connection.close()


def quoting(user: str) -> str:
    """A reply with two true sentences, and between them one that is made up."""
    passage = json.loads(user)["passages"][0]
    first, second = passage["text"].replace("\n", " ").split(". ")[:2]
    name = passage["id"]
    return reply(
        claim(first, (name, first)),
        claim("Everybody knows it.", (name, "as everybody knows")),
        claim(second, (name, second)),
    )


def events_of(text: str) -> Events:
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    read = [dict(line.split(": ", 1) for line in block.splitlines()) for block in blocks]
    assert [int(one["id"]) for one in read] == [*range(1, len(read) + 1)]
    events = [(one["event"], json.loads(one["data"])) for one in read]
    for event, data in events:
        if event in EVENTS:
            assert_described(data, TurnAnswer if "follow_up" in data else EVENTS[event])
    return events
