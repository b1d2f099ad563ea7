"""`citeloom open` hands the passage's page to the reader that the system has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from citeloom.infrastructure.interfaces.cli.passage_commands import opener
from tests.e2e.command import COMMAND, SMALL, Desk
from tests.e2e.papers import CLAY
from tests.e2e.processes import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a script as opener")
LINK = "file:///a%20b/c.pdf#page=3"


@pytest.mark.parametrize(
    ("platform", "command"),
    [
        ("linux", ("xdg-open", LINK)),
        ("freebsd14", ("xdg-open", LINK)),
        ("darwin", ("open", LINK)),
        ("win32", ("rundll32", "url.dll,FileProtocolHandler", LINK)),
    ],
)
def test_each_system_has_its_opener(platform: str, command: tuple[str, ...]) -> None:
    assert opener(LINK, platform) == command


@pytest.fixture
def fake_opener(tmp_path: Path) -> Path:
    """A folder with an opener that writes down what it is to open, and ends with 3 for Zotero."""
    for name in ("xdg-open", "open"):
        program = tmp_path / name
        written = f'printf %s "$1" > {tmp_path}/begun && mv {tmp_path}/begun {tmp_path}/opened'
        program.write_text(f"#!/bin/sh\n{written}\nexit ${{CODE:-0}}\n")
        program.chmod(0o755)
    return tmp_path


def page_link(desk: Desk) -> str:
    return (desk.folder / "library" / CLAY.file_name).as_uri() + "#page=1"


def test_a_passage_is_opened_on_its_page(ingested: Desk, fake_opener: Path) -> None:
    chunk = next(s.chunk.id for s in ingested.chunks() if s.source_path.endswith(CLAY.file_name))
    opened = ingested.run("open", chunk, env={"PATH": f"{fake_opener}:/bin:/usr/bin"})
    assert (opened.code, opened.out) == (0, ""), opened.err
    assert (fake_opener / "opened").read_text().startswith(page_link(ingested)[:-1])


def test_an_opener_that_fails_or_is_missing_is_said(ingested: Desk, fake_opener: Path) -> None:
    for path, said in ((fake_opener, "(exit 3)"), (fake_opener / "none", "cannot be started")):
        refused = ingested.run("open", "tanaka2017", env={"PATH": str(path), "CODE": "3"})
        assert refused.code == 1
        assert said in refused.err
        assert page_link(ingested) in refused.err


def test_a_link_can_be_printed_and_a_missing_file_is_not_opened(small: Desk) -> None:
    assert small.must("open", "tanaka2017", "--print").out == page_link(small) + "\n"
    (small.library / CLAY.file_name).unlink()
    refused = small.run("open", "@tanaka2017")
    assert refused.code == 1
    assert f"the file library/{CLAY.file_name} no longer exists" in refused.err


def test_shells_complete_projects(ingested: Desk) -> None:
    words = {"COMP_WORDS": "citeloom query -p la", "COMP_CWORD": "3"}
    completed = ingested.run(env={"_CITELOOM_COMPLETE": "complete_bash", **words})
    assert (completed.code, completed.out) == (0, "lab/small\n")
    assert "complete -o default" in ingested.must("--show-completion", "bash").out


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("citeloom show tana", "tanaka2017"),
        ("citeloom show @tana", "@tanaka2017"),
        ("citeloom query clay --citekey tana", "tanaka2017"),
        ("citeloom list -p lab/small --citekey tana", "tanaka2017"),
        ("citeloom delete --citekey tana", "tanaka2017"),
        ("citeloom delete --citekey nobody", ""),
        ("citeloom list -p lab/nowhere --citekey tana", ""),
    ],
)
def test_shells_complete_citekeys(ingested: Desk, words: str, completed: str) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    outcome = ingested.run(env={"_CITELOOM_COMPLETE": "complete_bash", **asked})
    assert (outcome.code, outcome.out.split(), outcome.err) == (0, completed.split(), "")


def test_completion_installs_and_works_in_bash(ingested: Desk, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    home = {"HOME": str(tmp_path), "SHELL": bash}
    assert ingested.run("--install-completion", "bash", env=home).code == 0
    program = tmp_path / "citeloom"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m citeloom "$@"\n')
    program.chmod(0o755)
    asked = (
        ". ~/.bashrc; COMP_WORDS=(citeloom show tana); COMP_CWORD=2; "
        '_citeloom_completion citeloom; echo "${COMPREPLY[@]}"'
    )
    answer = subprocess.run(
        [bash, "--norc", "-c", asked],
        cwd=ingested.folder,
        env={**ingested.environment, **home, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout.strip() == "tanaka2017", answer.stderr


@contextmanager
def served(desk: Desk, *options: str, path: Path) -> Iterator[str]:
    """A server at any free port, with the programs of a folder; the address of its room."""
    command = [*COMMAND, "serve", "--port", "0", *options]
    with desk.stderr_file.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=desk.folder,
            env={**desk.environment, "PATH": f"{path}:/bin:/usr/bin"},
            stdin=subprocess.DEVNULL,
            stderr=file,
        )
    with process:
        wait_until(lambda: "/api/docs" in desk.stderr_file.read_text(encoding="utf-8"), process)
        said = re.search(
            r"serving .* at (http://\S+)/,", desk.stderr_file.read_text(encoding="utf-8")
        )
        assert said is not None
        try:
            yield said[1]
        finally:
            process.terminate()
            process.wait(timeout=90)


def test_a_server_opens_its_room_once_it_answers(small: Desk, fake_opener: Path) -> None:
    with served(small, "--open", path=fake_opener) as room:
        wait_until((fake_opener / "opened").exists)
        assert (fake_opener / "opened").read_text() == f"{room}/"
    assert small.run("serve", "--open", "--no-http").code == 2


def test_the_room_of_a_running_server_is_opened(small: Desk, fake_opener: Path) -> None:
    chunk = small.chunks()[0].chunk.id
    with served(small, path=fake_opener) as room:

        def address(*words: str) -> str:
            return small.must("open", "--web", "--print", *words).out.strip()

        wait_until(lambda: small.run("open", "--web", "--print").code == 0)
        assert address() == f"{room}/"
        assert address("--project", SMALL) == f"{room}/?project={quote(SMALL, safe='')}"
        assert address(chunk).startswith(f"{room}/passages/{chunk}?project=")
        assert address("tanaka2017").startswith(f"{room}/passages/")
        assert address("How dry is clay?").startswith(f"{room}/search?text=How+dry+is+clay%3F&")
        assert address("clay").startswith(f"{room}/search?text=clay&")
    refused = small.run("open", "--web")
    assert refused.code == small.run("open", "nothing-of-this-name").code != 0
    assert "citeloom serve --open" in refused.err
    assert small.run("open").code == 2
