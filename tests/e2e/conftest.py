from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest
from scripts.make_sample_library import make_library
from scripts.run_recipe import install

from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.extensions import extensions
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.papers import PAPERS, write_papers, write_references

MADE: list[Desk] = []


@pytest.fixture(scope="session")
def make_desk(tmp_path_factory: pytest.TempPathFactory) -> MakeDesk:
    """Makes desks that share one cache of models."""
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    models = tmp_path_factory.mktemp("models")

    def make(name: str) -> Desk:
        desk = Desk(tmp_path_factory.mktemp(name), models)
        MADE.append(desk)
        return desk

    return make


@pytest.fixture(autouse=True)
def clear_desks() -> Iterator[None]:
    """Removes the desks made for one test: an index of one chunk fills 240 MB of the disk."""
    kept = len(MADE)
    yield
    for desk in MADE[kept:]:
        shutil.rmtree(desk.folder, ignore_errors=True)
    del MADE[kept:]


@pytest.fixture(scope="session")
def sample(make_desk: MakeDesk) -> Desk:
    """The sample library, ingested; not to be changed."""
    desk = make_desk("sample")
    make_library(desk.folder)
    desk.must("ingest")
    return desk


@pytest.fixture(scope="session")
def ingested(make_desk: MakeDesk) -> Desk:
    """The small papers with their references, ingested in one go; not to be changed."""
    desk = make_desk("ingested")
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    desk.configure(project_table(SMALL, references="references.json"))
    desk.must("ingest")
    return desk


@pytest.fixture
def small(ingested: Desk, make_desk: MakeDesk) -> Desk:
    """A copy of the ingested small papers that a test may change."""
    desk = make_desk("small")
    shutil.copytree(ingested.folder, desk.folder, dirs_exist_ok=True)
    return desk


@pytest.fixture
def desk(ingested: Desk, make_desk: MakeDesk) -> Desk:
    """A folder with nothing in it but the conversions of the small papers, to save time."""
    desk = make_desk("desk")
    shutil.copytree(ingested.conversions, desk.conversions)
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
            extensions.cache_clear()

        yield added
    extensions.cache_clear()
