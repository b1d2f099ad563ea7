"""Files that are added in the reading room, and a reference that is chosen for one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from citeloom.application.jobs import Jobs
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import open_library
from tests.integration.web.conftest import csrf_of, room_of
from tests.integration.web.test_library import finished

CONFIGURATION = """
[project."lab/own"]
references = "references.json"
sources = ["papers"]

[conversion]
workers = 1

[server]
{server}
"""
REFERENCES = [
    {"id": "rye2001", "type": "book", "title": "Winter rye", "author": [{"family": "Ry"}]},
    {"id": "oat1999", "type": "book", "title": "Summer oats", "author": [{"family": "Oat"}]},
]
NOTE = b"# Tides\n\nThe tide turns twice a day in the harbour, and the ferries wait for it.\n"
Opened = Callable[[str], TestClient]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """A room over a library without documents, by the keys of its table [server]."""
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    with ExitStack() as stack:

        def open_room(server: str) -> TestClient:
            (tmp_path / "papers").mkdir()
            (tmp_path / "references.json").write_text(json.dumps(REFERENCES), encoding="utf-8")
            text = CONFIGURATION.format(server=server)
            (tmp_path / "citeloom.toml").write_text(text, encoding="utf-8")
            library = stack.enter_context(open_library(tmp_path))
            jobs = Jobs(library.ingest_target, clock=SystemClock())
            stack.callback(lambda: jobs.close(60))
            calls = Calls(library.limits)
            service = ServedLibrary(library=library, jobs=jobs, projects=("lab/own",), calls=calls)
            return stack.enter_context(room_of(service))

        yield open_room


def test_a_first_run_leads_to_the_first_question(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers"')
    page = room.get("/").text
    assert "First steps" in page
    assert '<code dir="auto">papers</code>' in page
    assert "2 references are there" in page
    assert "There is nothing to read yet" in page
    assert 'type="file"' in page
    (tmp_path / "papers/tides.md").write_bytes(NOTE)
    page = room.get("/search").text
    assert "1 file can be read" in page
    assert "Ingest the files" in page
    assert page.count('<li class="done">') == 2
    job = room.post("/jobs", data={"csrf": csrf_of(page), "project": "lab/own"})
    assert "1 indexed" in finished(room, job.headers["location"])
    assert "First steps" not in room.get("/").text


def test_references_that_cannot_be_read_are_said_at_once(opened: Opened, tmp_path: Path) -> None:
    room = opened("")
    (tmp_path / "references.json").write_text("{", encoding="utf-8")
    page = room.get("/").text
    assert page.count('class="problem"') == 1
    assert str(tmp_path) not in page


def send(room: TestClient, *files: tuple[str, bytes], **parameters: str) -> Any:
    csrf = csrf_of(room.get("/library").text)
    given = [("files", (name, content)) for name, content in files]
    return room.post("/uploads", data={"csrf": csrf}, files=given, params=parameters)


def test_a_file_is_added_ingested_and_given_a_reference(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers/added"')
    assert 'type="file"' in room.get("/library").text
    answer = send(room, ("../../Tides.md", NOTE))
    assert answer.status_code == 303
    assert "1 found, 1 indexed" in finished(room, answer.headers["location"])
    assert (tmp_path / "papers/added/Tides.md").read_bytes() == NOTE
    page = room.get("/library").text
    assert "without a reference: find one" in page
    assert '<rect class="unmatched"' in page

    csrf = csrf_of(page)
    chosen = {"csrf": csrf, "document": "papers/added/Tides.md", "citekey": "@rye2001"}
    answer = room.post("/references", data=chosen)
    assert answer.status_code == 303
    assert "@rye2001. An ingest applies it" in room.get(answer.headers["location"]).text
    assert '"papers/added/Tides.md" = "rye2001"' in (tmp_path / "citeloom.toml").read_text("utf-8")
    job = room.post("/jobs", data={"csrf": csrf, "project": "lab/own"}).headers["location"]
    assert "1 with a new reference" in finished(room, job)
    assert "<code>@rye2001</code>" in room.get("/library").text


def test_what_is_refused_is_named_beside_what_is_added(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers"')
    answer = send(room, ("tides.md", NOTE), ("<b>harbour</b>.pdf", b"\x7fELF\x00"))
    assert answer.status_code == 200
    assert "&lt;b&gt;harbour&lt;/b&gt;.pdf" in answer.text
    assert "is no document that is read here" in answer.text
    assert [path.name for path in (tmp_path / "papers").iterdir()] == ["tides.md"]
    only = send(room, ("virus.exe", b"MZ\x90\x00"))
    assert "No file was added" in only.text


@pytest.mark.parametrize("folder", ["", 'uploads = "elsewhere"', 'uploads = "papers/../elsewhere"'])
def test_files_are_added_below_the_sources_alone(
    opened: Opened, tmp_path: Path, folder: str
) -> None:
    room = opened(folder)
    (tmp_path / "elsewhere").mkdir()
    assert ('type="file"' in room.get("/library").text) == bool(folder)
    answer = send(room, ("tides.md", NOTE))
    assert answer.status_code in {403, 422}
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_a_folder_of_uploads_may_not_be_a_link(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers/added"')
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "papers/added").symlink_to(tmp_path / "elsewhere")
    assert send(room, ("tides.md", NOTE)).status_code in {403, 422}
    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_uploads_are_bounded_and_need_the_token(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers"')
    files = [(f"{number}.md", NOTE) for number in range(51)]
    assert send(room, *files).status_code == 422
    given = [("files", ("tides.md", NOTE))]
    assert room.post("/uploads", data={"csrf": "guess"}, files=given).status_code == 403
    headers = {"content-length": "200000001"}
    assert room.post("/uploads", content=b"", headers=headers).status_code == 413
    assert [*(tmp_path / "papers").iterdir()] == []


def test_a_room_that_is_read_only_takes_no_files(opened: Opened, tmp_path: Path) -> None:
    room = opened('uploads = "papers"\nread_only = true')
    assert 'type="file"' not in room.get("/library").text
    assert send(room, ("tides.md", NOTE)).status_code == 403
    assert [*(tmp_path / "papers").iterdir()] == []
