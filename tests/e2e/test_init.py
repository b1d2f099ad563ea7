"""`citeloom init` writes a configuration that loads, and never over another."""

from __future__ import annotations

from tests.e2e.command import Desk
from tests.e2e.papers import CLAY, write_papers, write_references


def test_what_init_writes_is_what_ingest_needs(desk: Desk) -> None:
    write_papers(desk.library, CLAY)
    write_references(desk.folder / "refs.json", CLAY)
    made = desk.must(
        "init", "--project", "lab/new", "--references", "refs.json", "--source", "library/"
    )
    assert made.out == "citeloom.toml\n"
    assert made.err == "Next: citeloom ingest\n"
    written = desk.config.read_text(encoding="utf-8").splitlines()
    assert len(written) < 12
    ingested = desk.must("ingest")
    assert ingested.out.startswith("lab/new: 1 found, 1 indexed, 0 unchanged, 0 failed")
    assert "1 matched (1 by doi)" in ingested.out


def test_an_existing_file_is_left_as_it_is(desk: Desk) -> None:
    desk.config.write_text("# mine\n", encoding="utf-8")
    refused = desk.run("init", "--project", "lab/new")
    assert refused.code == 14
    assert refused.err.startswith("error [CONFIG_ERROR]: this folder already has a citeloom.toml")
    assert '[project."lab/new"]' in refused.err
    assert desk.config.read_text(encoding="utf-8") == "# mine\n"


def test_what_is_not_in_the_file_stands_in_the_next_command(desk: Desk) -> None:
    made = desk.must("init", "--project", "thesis")
    assert made.err == "Next: citeloom ingest FOLDER\n"
    assert '[project."thesis"]' in desk.config.read_text(encoding="utf-8")
    assert desk.must("projects", "--json").json[0]["id"] == "thesis"
    refused = desk.run("init", "--source", "")
    assert refused.code == 2
    assert "the path is empty" in refused.err


def test_an_impossible_project_id_writes_nothing(desk: Desk) -> None:
    refused = desk.run("init", "--project", "lab/new/old")
    assert refused.code == 10
    assert "INVALID_PROJECT" in refused.err
    assert "name or namespace/name" in refused.err
    assert "e.g. citeloom/clean-arch" in refused.err
    assert not desk.config.exists()
