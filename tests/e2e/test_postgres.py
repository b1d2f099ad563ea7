"""The same library in PostgreSQL: what is stored, found, killed and said."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.run_recipe import RECIPES

from citeloom.domain.retrieval.passage import StoredChunk
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.conftest import Install
from tests.e2e.papers import PAPERS, write_papers, write_references
from tests.e2e.processes import processes_in, wait_until
from tests.fakes.postgres import connected, database, in_langchain

Configure = Callable[..., None]
QUESTION = "how lichens age a surface"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with database() as made:
        yield made


def configured(desk: Desk, url: str) -> Desk:
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    store = f"[store]\nurl = {json.dumps(url)}\n"
    desk.configure(project_table(SMALL, references="references.json"), tables=store)
    return desk


def chunks(desk: Desk) -> list[StoredChunk]:
    """What is stored, without machines and chunking, which the embedded store does not name, and
    without boxes, of which the embedded engine rounds the last digit.
    """
    stored = (replace(one, machines=(), chunking={}) for one in desk.chunks())
    return [replace(one, chunk=replace(one.chunk, boxes=())) for one in stored]


@pytest.fixture
def stored(desk: Desk, url: str) -> Iterator[Desk]:
    """A desk whose chunks are in the database, dropped at the end."""
    configured(desk, url)
    yield desk
    app = desk.open(SMALL)
    if app.parts.index.binding(app.project.collection):
        app.parts.index.drop(app.project.collection)
    app.parts.close()


def test_it_holds_and_finds_what_the_embedded_store_does(stored: Desk, ingested: Desk) -> None:
    stored.must("ingest")
    assert chunks(stored) == chunks(ingested)
    assert not (stored.data / "projects").exists()
    for mode in ("hybrid", "dense", "sparse"):
        found, expected = (
            desk.must("query", QUESTION, "--mode", mode, "--format", "json").json["items"]
            for desk in (stored, ingested)
        )
        assert [one["chunk_id"] for one in found] == [one["chunk_id"] for one in expected] != []
        assert [one["score"] for one in found] == pytest.approx(
            [one["score"] for one in expected], abs=1e-4
        )
    said = stored.must("inspect").out
    assert "PostgreSQL" in said
    assert stored.must("validate").code == 0
    again = stored.must("ingest", "--json")
    assert again.json["indexed"] == []
    assert "store: PostgreSQL" in again.err
    checked = stored.must("store", "check", "--json").json
    assert (checked["available"], checked["may_write"], checked["problems"]) == (True, True, [])
    assert checked["collections"][0]["points"] == len(chunks(stored))


def test_a_user_who_only_asks_may_read_and_not_write(stored: Desk, url: str) -> None:
    stored.must("ingest")
    with connected(url) as connection:
        connection.execute("DROP ROLE IF EXISTS citeloom_reader")
        connection.execute("CREATE ROLE citeloom_reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA citeloom TO citeloom_reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA citeloom TO citeloom_reader")
    config = stored.config.read_text("utf-8")
    stored.config.write_text(config.replace("postgres@", "citeloom_reader@"), "utf-8")
    checked = stored.must("store", "check", "--json").json
    stored.config.write_text(config, "utf-8")
    with connected(url) as connection:
        connection.execute("DROP OWNED BY citeloom_reader")
        connection.execute("DROP ROLE citeloom_reader")
    assert (checked["may_read"], checked["may_write"], checked["problems"]) == (True, False, [])


def test_a_rebuild_a_deletion_and_a_lost_manifest(stored: Desk, ingested: Desk) -> None:
    stored.must("ingest")
    assert stored.must("ingest", "--rebuild", "--json").json["promoted"]
    assert chunks(stored) == chunks(ingested)
    (stored.data / "manifest.sqlite").unlink()
    stored.must("repair")
    assert chunks(stored) == chunks(ingested)
    document = stored.chunks()[0].chunk.doc_id
    stored.must("delete", "--doc", document, "--yes")
    assert {one.chunk.doc_id for one in stored.chunks()} == {
        one.chunk.doc_id for one in ingested.chunks()
    } - {document}


@pytest.mark.slow
def test_killed_at_any_moment_the_next_run_makes_it_whole(stored: Desk, ingested: Desk) -> None:
    for pause in (0.0, 0.2, 0.5):
        with stored.start("ingest", "--force") as running:
            wait_until(lambda: "  indexed: " in stored.stderr_file.read_text("utf-8"), running)
            time.sleep(pause)
            running.send_signal(signal.SIGKILL)
            running.communicate()
        wait_until(lambda: processes_in(stored.folder) == [])
    stored.must("ingest")
    assert chunks(stored) == chunks(ingested)


def test_without_psycopg_the_line_that_installs_it_is_told(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('no psycopg here')\n")
    configured(desk, "postgresql://localhost/citeloom")
    path = {"PYTHONPATH": f"{tmp_path}:{desk.environment.get('PYTHONPATH', '')}"}
    outcome = desk.spawn("query", QUESTION, env=path)
    assert outcome.code == 14
    assert "pip install '.[postgres]'" in outcome.err


def test_no_database_is_said_without_a_traceback(desk: Desk) -> None:
    configured(desk, "postgresql://me@127.0.0.1:9/citeloom")
    outcome = desk.run("query", QUESTION, env={"PGPASSWORD": "sEcReT"})
    assert outcome.code == 13
    assert "No database answers at postgresql://127.0.0.1:9/citeloom" in outcome.err
    assert "sEcReT" not in outcome.err
    checked = desk.run("store", "check", env={"PGPASSWORD": "sEcReT"})
    assert checked.code == 13
    assert "there are problems" in checked.out
    assert "sEcReT" not in checked.out + checked.err


def test_two_folders_share_the_database(stored: Desk, make_desk: MakeDesk, ingested: Desk) -> None:
    stored.must("ingest")
    other = make_desk("other")
    other.config.write_text(stored.config.read_text("utf-8"), "utf-8")
    found, expected = (
        [one["chunk_id"] for one in desk.must("query", QUESTION, "--format", "json").json["items"]]
        for desk in (other, ingested)
    )
    assert found == expected != []


def test_two_machines_ingest_into_the_database_and_leave_each_others_documents_alone(
    stored: Desk, make_desk: MakeDesk
) -> None:
    other = make_desk("other")
    other.config.write_text(stored.config.read_text("utf-8"), "utf-8")
    write_papers(other.library, *PAPERS[:1])
    write_papers(stored.library, *PAPERS)
    write_references(other.folder / "references.json", *PAPERS)
    for desk in (stored, other):
        desk.must("ingest")
    everything = chunks(stored)
    for desk in (stored, other):
        desk.must("ingest", "--prune", "--yes")
        repaired = desk.must("repair", "--json").json
        assert (repaired["relisted"], repaired["findings"]) == ([], [])
    assert chunks(other) == everything
    more = len(PAPERS) - 1
    assert other.must("repair", "--json").json["of_other_machines"] == more
    assert f"{more} documents of other machines" in other.must("validate").out
    [(machine, count)] = other.must("inspect", "--json").json["other_machines"].items()
    assert ((stored.data / "machine").read_text("utf-8").split()[0], more) == (machine, count)
    for path in other.library.iterdir():
        (stored.library / path.name).unlink()
    assert len(stored.must("ingest", "--prune", "--yes", "--json").json["pruned"]) == 1
    assert chunks(other) == everything
    (stored.data / "manifest.sqlite").unlink()
    repaired = stored.must("repair", "--json").json
    assert (len(repaired["relisted"]), repaired["of_other_machines"]) == (more, 1)


@pytest.fixture
def in_documents(desk: Desk, installed: Install) -> Configure:
    """Configures the desk for a store in whose collection `documents` the papers are to be."""
    installed(RECIPES / "pdf-in-portuguese")
    configured(desk, "")
    table = project_table(SMALL, collection="documents", hybrid_enabled=False)

    def configure(*lines: str) -> None:
        desk.configure(table, tables="\n".join(["[store]", *lines, ""]))

    return configure


def test_langchains_tables_need_a_distribution_beside_a_recipe(
    desk: Desk, in_documents: Configure
) -> None:
    bare = {"PYTHONPATH": ""}
    needed = "needs citeloom-langchain-tables, which is not installed"
    install = "pip install ./recipes/pdf-in-portuguese/extension"
    with database() as url:
        in_documents(f"url = {json.dumps(in_langchain(url))}")
        desk.must("ingest")
        without = desk.spawn("query", QUESTION, env=bare)
        assert desk.must("query", QUESTION).out
        in_documents(f"url = {json.dumps(url)}")
        in_own_tables = desk.run("query", QUESTION)
    for said, outcome in (
        (f"the vector store 'postgresql+langchain' {needed}", without),
        ("The collection 'documents' is in LangChain's tables", in_own_tables),
    ):
        assert outcome.code == 14, outcome.err
        assert said in outcome.err
        assert install in outcome.err


def test_a_collection_that_a_langchain_program_left_is_asked_in_place(
    desk: Desk, ingested: Desk, in_documents: Configure
) -> None:
    with database() as url:
        in_documents(f"url = {json.dumps(in_langchain(url))}")
        desk.must("ingest")
        with connected(url) as connection:  # nothing of citeloom's is left but texts and vectors
            connection.execute("DROP SCHEMA citeloom CASCADE")
            connection.execute(
                "UPDATE langchain_pg_embedding SET cmetadata = jsonb_build_object('source', "
                "cmetadata -> 'source', 'page', cmetadata -> 'page')"
            )
        answer = desk.must("query", QUESTION, "--format", "json").json
        expected = ingested.must("query", QUESTION, "--mode", "dense", "--format", "json").json
        best, same = answer["items"][0], expected["items"][0]
        assert (best["chunk_id"], best["page_span"]) == (same["chunk_id"], same["page_span"])
        assert best["citekey"] is None
        assert desk.must("show", best["chunk_id"]).out
        assert "langchain" in desk.must("inspect").out


@pytest.mark.parametrize("again", [True, False])
def test_a_collection_that_a_langchain_program_made_anew_is_noticed_by_each_command(
    desk: Desk, in_documents: Configure, again: bool
) -> None:
    with database() as url:
        in_documents(f"url = {json.dumps(in_langchain(url))}")
        desk.must("ingest")
        with connected(url) as connection:
            connection.execute("DELETE FROM langchain_pg_collection WHERE name = 'documents'")
            if again:
                connection.execute(
                    "INSERT INTO langchain_pg_collection (uuid, name) "
                    "VALUES (gen_random_uuid(), 'documents')"
                )
        for command in (("query", QUESTION), ("repair", "--dry-run"), ("repair",), ("ingest",)):
            outcome = desk.run(*command)
            assert outcome.code == 13, outcome.err
            assert "deleted or made anew by another program" in outcome.err
            assert "citeloom ingest --rebuild" in outcome.err
        desk.must("ingest", "--rebuild")
        assert "0 findings" in desk.must("repair").out
        assert desk.must("query", QUESTION, "--format", "json").json["items"] != []
