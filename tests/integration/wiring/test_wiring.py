"""What the wiring builds, when, and what it says of a name it does not know."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Thread

import pytest

from citeloom.application.limits import CallLimits
from citeloom.domain.errors import ConfigError, InvalidProject, PathNotAllowed
from citeloom.infrastructure.extensions import EMBEDDERS, RERANKERS, STORES, TABLES, Registry
from citeloom.infrastructure.library.library import Library, open_library
from citeloom.infrastructure.library.parts import Resources
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.wiring.stores import machine_of

ONE = '[project."lab/one"]\n'
TWO = ONE + '[project."lab/two"]\n'


def library_in(folder: Path, toml: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "citeloom.toml").write_text(toml, encoding="utf-8")
    return folder


@pytest.mark.parametrize("registry", [STORES, EMBEDDERS, RERANKERS, TABLES])
def test_every_entry_of_a_registry_can_be_imported(registry: Registry[object]) -> None:
    assert list(registry)
    assert all(callable(registry[name]) for name in registry)


def test_a_name_that_is_not_registered_gives_the_nearest() -> None:
    with pytest.raises(ConfigError, match="no family of rerankers 'cohere4'") as refused:
        RERANKERS["cohere4"]
    assert refused.value.hint == "Did you mean cohere?"
    with pytest.raises(ConfigError) as far:
        STORES["gopher"]
    assert far.value.hint == f"Known names: {', '.join(STORES)}."
    assert {"embedded", "https", "postgresql", "milvus-lite"} <= set(STORES)


class Door:
    def __init__(self, name: str, closed: list[str]) -> None:
        self.name = name
        self._closed = closed

    def close(self) -> None:
        self._closed.append(self.name)


def test_parts_are_built_once_and_closed_in_reverse_order() -> None:
    closed: list[str] = []
    resources = Resources()
    front = resources.opened("front", lambda: Door("front", closed))
    resources.opened("back", lambda: Door("back", closed))
    assert resources.opened("front", lambda: Door("another", closed)) is front
    assert list(resources) == ["front", "back"]
    resources.close()
    resources.close()
    assert closed == ["back", "front"]
    assert list(resources) == []


def test_a_part_that_is_being_closed_may_wait_for_a_thread_that_gets_another() -> None:
    resources = Resources()
    stuck: list[bool] = []

    class Server:
        def close(self) -> None:
            last_call = Thread(target=lambda: resources.get("models", list), daemon=True)
            last_call.start()
            last_call.join(timeout=10)
            stuck.append(last_call.is_alive())

    resources.opened("index", Server)
    resources.close()
    assert stuck == [False]


def test_opening_a_library_opens_nothing(tmp_path: Path) -> None:
    with open_library(library_in(tmp_path, ONE)) as library:
        assert library.project("lab/one").project.collection == "proj-lab-one"
        assert library.info.base_dir == tmp_path
    assert list(tmp_path.iterdir()) == [tmp_path / "citeloom.toml"]


def test_a_library_is_found_by_folder_file_or_settings(tmp_path: Path) -> None:
    folder = library_in(tmp_path, TWO)
    below = folder / "below"
    below.mkdir()
    for where in (folder, below, folder / "citeloom.toml", load_settings(cwd=folder)):
        with open_library(where) as library:
            assert [project.id for project in library.projects()] == ["lab/one", "lab/two"]


def test_a_project_need_not_be_named_where_there_is_one(tmp_path: Path) -> None:
    with open_library(library_in(tmp_path, ONE)) as library:
        assert library.project().project.id == "lab/one"
    with (
        open_library(library_in(tmp_path, TWO)) as library,
        pytest.raises(InvalidProject, match="which project") as refused,
    ):
        library.project()
    assert "lab/one, lab/two" in refused.value.hint


def test_a_question_builds_no_ingest(tmp_path: Path) -> None:
    library = Library(load_settings(cwd=library_in(tmp_path, ONE)))
    project = library.project("lab/one")
    assert project is library.project("lab/one")
    assert project.opened is project.opened
    assert project.opened.index is library.parts.index


def test_clients_may_name_the_projects_sources_or_the_roots_instead(tmp_path: Path) -> None:
    for name in ("papers", "inbox"):
        (tmp_path / name).mkdir()
    project = '[project."lab/one"]\nsources = ["papers/"]\n'
    with open_library(library_in(tmp_path, project)) as library:
        assert library.project().allowed_path("papers") == tmp_path / "papers"
        with pytest.raises(PathNotAllowed):
            library.project().allowed_path("inbox")
    with open_library(library_in(tmp_path, f'{project}[server]\nroots = "inbox"\n')) as library:
        assert library.project().allowed_path("inbox") == tmp_path / "inbox"
        with pytest.raises(PathNotAllowed):
            library.project().allowed_path("papers")
    with open_library(library_in(tmp_path, ONE)) as library, pytest.raises(PathNotAllowed):
        library.project().allowed_path("citeloom.toml")


def test_limits_are_those_of_the_configuration(tmp_path: Path) -> None:
    with open_library(library_in(tmp_path, ONE)) as library:
        assert library.limits == CallLimits()
    toml = f"{ONE}[server]\nquery_seconds = 2\ntop_k = 5\n"
    with open_library(library_in(tmp_path, toml)) as library:
        assert library.limits == CallLimits(query_seconds=2, top_k=5)


def test_threads_share_the_models_of_a_project(tmp_path: Path) -> None:
    library = Library(load_settings(cwd=library_in(tmp_path, ONE)))
    with ThreadPoolExecutor(8) as threads:
        found = {*threads.map(lambda _: id(library.project("lab/one").embedders), range(32))}
    assert len(found) == 1


def test_health_names_each_collection_and_the_manifest(tmp_path: Path) -> None:
    with open_library(library_in(tmp_path, TWO)) as library:
        told = {health.part: (health.ok, health.detail) for health in library.health()}
    assert told == {
        "collection proj-lab-one": (True, "nothing ingested yet"),
        "collection proj-lab-two": (True, "nothing ingested yet"),
        "manifest": (True, ""),
    }


def test_health_says_what_cannot_be_read(tmp_path: Path) -> None:
    folder = library_in(tmp_path, ONE)
    collection = folder / ".citeloom" / "projects" / "proj-lab-one"
    collection.mkdir(parents=True)
    (collection / "collection.json").write_text("{", encoding="utf-8")
    (folder / ".citeloom" / "manifest.sqlite").write_text("no database" * 100, encoding="utf-8")
    with open_library(folder) as library:
        assert [health.ok for health in library.health()] == [False, False]
        assert all(health.detail for health in library.health())


@pytest.mark.parametrize("package", ["library", "wiring"])
def test_every_module_of_the_wiring_can_be_imported(package: str) -> None:
    package = f"citeloom.infrastructure.{package}"
    folder = Path(import_module(package).__file__ or "").parent
    names = [path.stem for path in folder.glob("*.py") if path.stem != "__init__"]
    assert len(names) >= 4
    assert all(import_module(f"{package}.{name}").__doc__ for name in names)


def test_projects_with_the_same_models_share_them(tmp_path: Path) -> None:
    other = '[project."lab/three"]\nhybrid_enabled = false\n'
    library = Library(load_settings(cwd=library_in(tmp_path, TWO + other)))
    one, two, three = (library.project(name).embedders for name in library.project_ids())
    assert one is two
    assert one is not three
    library.close()


def test_the_server_listens_where_the_file_says(tmp_path: Path) -> None:
    table = '[server]\nport = 9000\nhosts = "lib.example.org"\ntoken_file = "token"\n'
    server = open_library(library_in(tmp_path, ONE + table)).server
    assert (server.port, server.hosts) == (9000, ("lib.example.org",))
    assert server.token_file == tmp_path / "token"


def test_sessions_are_kept_for_as_long_as_is_configured(tmp_path: Path) -> None:
    for toml, days in (("", 0), ("[answers]\nsession_days = 7\n", 7)):
        where = library_in(tmp_path, ONE + toml)
        library = Library(load_settings(cwd=where))
        assert library.project("lab/one").sessions.days == days
        library.close()


def test_a_data_folder_gets_an_id_once_for_a_store_that_machines_share(tmp_path: Path) -> None:
    url = '[qdrant]\nurl = "http://127.0.0.1:9"\n'
    first = load_settings(cwd=library_in(tmp_path / "a", ONE + url))
    assert machine_of(load_settings(cwd=library_in(tmp_path / "c", ONE)), make=True) is None
    assert machine_of(first) == ""
    assert not first.data_dir.exists()
    made = machine_of(first, make=True)
    assert made
    assert machine_of(first) == machine_of(first, make=True) == made
    assert [path.name for path in first.data_dir.iterdir()] == ["machine"]


def test_a_copied_data_folder_gets_an_id_of_its_own_and_a_moved_one_keeps_it(
    tmp_path: Path,
) -> None:
    url = '[qdrant]\nurl = "http://127.0.0.1:9"\n'
    first = load_settings(cwd=library_in(tmp_path / "a", ONE + url))
    made = machine_of(first, make=True)
    copied = load_settings(cwd=shutil.copytree(tmp_path / "a", tmp_path / "b"))
    assert machine_of(copied) == ""
    assert machine_of(copied, make=True) not in ("", made)
    shutil.move(tmp_path / "a", tmp_path / "moved")
    moved = load_settings(cwd=tmp_path / "moved")
    assert machine_of(moved) == machine_of(moved, make=True) == made
    (copied.data_dir / "machine").write_text(f"{made}\n", "utf-8")
    assert machine_of(copied, make=True) == made
