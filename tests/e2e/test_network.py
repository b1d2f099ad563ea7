"""Nothing leaves the machine: commands run without a network, under strace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import network
from tests.e2e.command import COMMAND, SMALL, project_table
from tests.e2e.network import contacts, traced, untraceable
from tests.e2e.papers import BRIDGES, CLAY, write_papers, write_references
from tests.fakes.many_formats import write_docx, write_html
from tests.integration.conversion.scanned import scan

DRAFT = """Tiles may dry slowly: "Of the slowly dried tiles only two in a hundred cracked in the
kiln" [@tanaka2017, p. 2].
"""
QUESTION = "What cracks clay tiles?"
COMMANDS = (
    ("ingest",),
    ("query", QUESTION),
    ("check", "thesis.md"),
    ("bundle", "thesis.md", "--out", "evidence.zip"),
)
HOMES = {"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
HOMES |= {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "TMPDIR": "tmp"}
SILENT = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY")
OWN = ("cache/citeloom/", "tmp/citeloom-", "work/.citeloom/", "work/evidence.zip")


@pytest.fixture
def strace() -> None:
    if reason := untraceable():
        assert network.REQUIRED not in os.environ, reason
        pytest.skip(reason)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A user who never ran anything, and who forbids nothing."""
    for folder in HOMES.values():
        (tmp_path / folder).mkdir()
    homes = {name: str(tmp_path / folder) for name, folder in HOMES.items()}
    return {"PATH": os.environ["PATH"], "PYTHONUTF8": "1", **homes}


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


@pytest.mark.slow
@pytest.mark.usefixtures("strace")
def test_no_command_speaks_to_anybody_or_leaves_files_of_others(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    work = tmp_path / "work"
    write_papers(work / "library", BRIDGES, CLAY)
    scan(work / "library" / BRIDGES.file_name, work / "library" / "scan.pdf", pages=frozenset({1}))
    write_docx(work / "library" / "word.docx", "Bricks are dried for a week before they are fired.")
    write_html(work / "library" / "page.html", "Glazes run where the kiln was too hot.")
    write_references(work / "references.json", BRIDGES, CLAY)
    (work / "thesis.md").write_text(DRAFT, encoding="utf-8")
    table = project_table(SMALL, references="references.json")
    (work / "citeloom.toml").write_text(
        f'{table}[conversion]\nworkers = 1\nocr_engine = "rapidocr"\n', encoding="utf-8"
    )
    before, record = files(tmp_path), tmp_path / "strace.txt"
    asked = {
        "citeloom": COMMAND,
        "commands": COMMANDS,
        "question": {"project": SMALL, "text": QUESTION},
    }
    session = [sys.executable, network.__file__]
    printed = traced(session, record, env=environment, cwd=work, stdin=json.dumps(asked))

    outcomes = json.loads(printed)
    assert [outcome["code"] for outcome in outcomes] == [0] * 5, outcomes
    ingested, found, checked, bundled, served = (outcome["out"] for outcome in outcomes)
    assert "5 indexed" in ingested
    assert "tanaka2017" in found
    assert checked.startswith("passed")
    assert bundled.startswith("1 citation: 1 with a passage")
    assert "tanaka2017" in served
    assert [*contacts(record, tmp_path)] == []
    left = files(tmp_path) - before - {record.name}
    assert {file for file in left if not file.startswith(OWN)} == set()


@pytest.mark.usefixtures("strace")
def test_a_trace_shows_whoever_is_spoken_to(tmp_path: Path, environment: dict[str, str]) -> None:
    speaking = """
from socket import *
for family, address in [
    (AF_INET, ("127.0.0.1", 9)),
    (AF_INET6, ("::1", 9)),
    (AF_UNIX, "own"),
    (AF_INET, ("127.0.0.53", 53)),
    (AF_INET, ("192.0.2.1", 443)),
    (AF_INET6, ("2001:db8::1", 443)),
    (AF_UNIX, "/run/resolver"),
]:
    socket(family, SOCK_DGRAM).connect_ex(address)  # of datagrams: nothing is sent
"""
    record = tmp_path / "strace.txt"
    traced([sys.executable, "-c", speaking], record, env=environment, cwd=tmp_path)
    reached = [*contacts(record, tmp_path)]
    for call, address in zip(
        reached, ("127.0.0.53", "192.0.2.1", "2001:db8::1", "/run/resolver"), strict=True
    ):
        assert address in call


def test_the_pdf_engine_alone_loads_nothing_that_reports(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (pdf,) = write_papers(tmp_path, CLAY)
    script = (
        "import pathlib, sys, citeloom_pdf; citeloom_pdf.read_pdf(pathlib.Path(sys.argv[1]));"
        "assert not {'citeloom', 'huggingface_hub', 'onnxruntime'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script, pdf], env=environment, check=True)
    assert files(tmp_path) == {pdf.name}


def test_no_variable_turns_reports_on_again(environment: dict[str, str]) -> None:
    script = "import os, citeloom; print(*(os.environ[name] for name in os.sys.argv[1:]))"
    on = dict.fromkeys(SILENT, "0")
    done = subprocess.run(
        [sys.executable, "-c", script, *SILENT],
        env={**environment, **on},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1"] * len(SILENT)
