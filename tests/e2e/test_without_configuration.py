"""Without a citeloom.toml any project can be used, in the folder one is in."""

from __future__ import annotations

from tests.e2e.command import Desk
from tests.e2e.papers import CLAY, write_papers


def test_ingest_and_query_work_and_say_once_where(desk: Desk) -> None:
    write_papers(desk.library, CLAY)
    line = f"no citeloom.toml here: using project lab/ad-hoc with default settings, in {desk.data}"
    ingested = desk.must("ingest", "library", "--project", "lab/ad-hoc")
    assert ingested.out.startswith("lab/ad-hoc: 1 found, 1 indexed")
    assert ingested.err.count(line) == 1
    asked = desk.must("query", "rounded corners", "--project", "lab/ad-hoc", "-k", "1")
    assert asked.err == line + "\n"
    assert f"library/{CLAY.file_name}, PDF p" in asked.out


def test_a_project_nothing_was_ingested_into_is_told_from_a_wrong_one(desk: Desk) -> None:
    refused = desk.run("query", "rounded corners", "--project", "lab/new")
    assert refused.code == 10
    assert "nothing has been ingested into project 'lab/new' yet" in refused.err


def test_a_folder_without_configuration_says_how_to_get_one(desk: Desk) -> None:
    refused = desk.run("query", "rounded corners")
    assert refused.code == 10
    assert "There is no citeloom.toml here: write one with `citeloom init`" in refused.err
    desk.config.touch()
    refused = desk.run("query", "rounded corners")
    assert f'Add one to {desk.config}: a table [project."citeloom/clean-arch"].' in refused.err
