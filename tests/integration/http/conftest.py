"""Two projects of a few papers, and a Zotero, behind the HTTP API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeloom.application.jobs import Jobs
from citeloom.application.library import Library
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.app import create_app
from citeloom.infrastructure.interfaces.http.guard import Guard
from citeloom.infrastructure.interfaces.http.service import Service
from citeloom.infrastructure.wiring.library import open_library
from tests.e2e.command import Desk
from tests.e2e.papers import BRIDGES, CLAY, FERRIES, write_papers, write_references
from tests.e2e.zotero_papers import zotero_desk

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
Ask = Callable[..., TestClient]


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
def service(library: Library) -> Iterator[Service]:
    jobs = Jobs(library, clock=SystemClock())
    served = Service(library=library, jobs=jobs, projects=(ONE, TWO), calls=Calls(library.limits))
    served.ready.set()
    yield served
    assert jobs.close(60)


def client_of(service: Service, guard: Guard | None = None) -> TestClient:
    """A client on the same machine."""
    let_in = guard or Guard.of(address="127.0.0.1", hosts=(), origins=(), token=None)
    return TestClient(
        create_app(service, let_in),
        base_url="http://127.0.0.1:8484",
        raise_server_exceptions=False,
    )


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[TestClient]:
    with client_of(service) as client:
        yield client


@pytest.fixture(scope="session")
def folder(library: Library) -> Path:
    return library.info.base_dir
