from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from itertools import count
from pathlib import Path

import pytest
from filelock import FileLock
from scripts.make_sample_library import make_library
from scripts.run_recipe import install

from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.extensions import forget_extensions
from tests.copies import copy_folder
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.papers import PAPERS, write_papers, write_references
from tests.memory import in_memory

MADE: list[Desk] = []
ROOM = 4 << 30
"""Bytes, for all desks there are at a time."""


@pytest.fixture(scope="session")
def make_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeDesk]:
    """Makes desks that share one cache of models."""
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    models = tmp_path_factory.mktemp("models")
    numbers = count()
    with in_memory(room=ROOM) as folder:

        def make(name: str) -> Desk:
            place = folder / f"{name}{next(numbers)}"
            place.mkdir()
            MADE.append(Desk(place, models))
            return MADE[-1]

        yield make


MakeOnce = Callable[[str, Callable[[Desk], None]], Desk]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory, make_desk: MakeDesk) -> MakeOnce:
    """Copies of desks that one of the processes of the tests makes for all."""
    own = tmp_path_factory.getbasetemp()
    everyones = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made(name: str, fill: Callable[[Desk], None]) -> Desk:
        desk = make_desk(name)
        whole = everyones / f"{name}-for-all"
        with FileLock(everyones / f"{name}.lock"):
            if not whole.exists():
                fill(desk)
                copy_folder(desk.folder, whole.with_suffix(".partial"))
                whole.with_suffix(".partial").rename(whole)
                return desk
        copy_folder(whole, desk.folder)
        return desk

    return made


@pytest.fixture(autouse=True)
def clear_desks() -> Iterator[None]:
    """Removes the desks made for one test: an index of one chunk fills 240 MB of the disk."""
    kept = len(MADE)
    yield
    for desk in MADE[kept:]:
        shutil.rmtree(desk.folder, ignore_errors=True)
    del MADE[kept:]


@pytest.fixture(scope="session")
def sample(made_once: MakeOnce) -> Desk:
    """The sample library, ingested; not to be changed. What `make quality` has just ingested is
    unchanged.
    """

    def ingest(desk: Desk) -> None:
        make_library(desk.folder)
        if ingested := os.environ.get("CITELOOM_SAMPLE_LIBRARY"):
            copy_folder(Path(ingested), desk.data)
        desk.must("ingest")

    return made_once("sample", ingest)


@pytest.fixture(scope="session")
def ingested(made_once: MakeOnce) -> Desk:
    """The small papers with their references, ingested in one go; not to be changed."""

    def ingest(desk: Desk) -> None:
        write_papers(desk.library, *PAPERS)
        write_references(desk.folder / "references.json", *PAPERS)
        desk.configure(project_table(SMALL, references="references.json"))
        desk.must("ingest")

    return made_once("ingested", ingest)


@pytest.fixture
def small(ingested: Desk, make_desk: MakeDesk) -> Desk:
    """A copy of the ingested small papers that a test may change."""
    desk = make_desk("small")
    copy_folder(ingested.folder, desk.folder)
    return desk


@pytest.fixture
def desk(ingested: Desk, make_desk: MakeDesk) -> Desk:
    """A folder with nothing in it but the conversions of the small papers, to save time."""
    desk = make_desk("desk")
    copy_folder(ingested.conversions, desk.conversions)
    return desk


Install = Callable[[Path], None]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Install]:
    """Installs the extension of a recipe for this process and those that it starts."""
    site = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(site))
        patch.syspath_prepend(str(site))

        def added(recipe: Path) -> None:
            install(recipe, "--target", str(site))
            invalidate_caches()
            forget_extensions()

        yield added
    forget_extensions()
