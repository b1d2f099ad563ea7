"""A library whose embedding model is a service, from the first ingest to a query without it."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.copies import copy_folder
from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.in_process import Outcome
from tests.e2e.papers import PAPERS, write_papers, write_references
from tests.e2e.processes import processes_in, wait_until
from tests.fakes.embedding_server import KEY, EmbeddingService, ServedEmbeddings, embedding_server

QUESTION = "What do the papers report?"
AT_ONCE = 3


@pytest.fixture
def served() -> Iterator[ServedEmbeddings]:
    with embedding_server(EmbeddingService(key=KEY)) as served:
        yield served


@pytest.fixture
def papers(desk: Desk) -> Desk:
    """The small papers, converted and not yet ingested."""
    write_papers(desk.library, *PAPERS)
    write_references(desk.folder / "references.json", *PAPERS)
    return desk


def configure(desk: Desk, served: ServedEmbeddings, family: str = "openai", **keys: object) -> None:
    """Let the project use the service, whose key is in SERVED_API_KEY."""
    name, url = f"{family}/served", served.openai if family == "openai" else served.url
    values = {"base_url": url, "api_key_env": "SERVED_API_KEY", "requests_at_once": AT_ONCE, **keys}
    table = "\n".join(
        [f'[models."{name}"]', *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    )
    project = project_table(SMALL, references="references.json", embedding_model=name)
    desk.configure(project, tables=table)


def run(desk: Desk, *args: str | Path) -> Outcome:
    """Run a command that has the key, and never shows it."""
    outcome = desk.run(*args, env={"SERVED_API_KEY": KEY})
    assert KEY not in outcome.out + outcome.err
    return outcome


def must(desk: Desk, *args: str | Path) -> Outcome:
    outcome = run(desk, *args)
    assert outcome.code == 0, f"{args}: exit {outcome.code}\n{outcome.out}\n{outcome.err}"
    return outcome


@pytest.mark.parametrize("family", ["openai", "cohere"])
def test_a_library_is_embedded_searched_and_told_of(
    family: str, papers: Desk, served: ServedEmbeddings
) -> None:
    configure(papers, served, family, batch=4)
    service, url = served.service, served.openai if family == "openai" else served.url

    estimated = must(papers, "ingest", "--dry-run", "--json").json
    assert service.asked == []
    assert estimated["indexed"] == []
    assert estimated["embed_api_calls"] > 0

    report = must(papers, "ingest", "--json").json
    assert len(report["indexed"]) == len(PAPERS)
    assert report["sends_text_to"] == url
    assert report["embed_api_calls"] == len(service.asked) == estimated["embed_api_calls"] + 1
    assert 0 < report["embed_tokens"] <= estimated["embed_tokens"] + 10
    assert report["embed_seconds"] > 0

    answer = must(papers, "query", QUESTION, "--format", "json").json
    assert answer["models"]["dense"] == f"{family}/served"
    assert answer["items"]
    assert service.asked[-1].texts == [QUESTION]

    asked = len(service.asked)
    again = must(papers, "ingest", "--json").json
    assert (again["embed_api_calls"], len(service.asked)) == (0, asked)

    rebuilt = must(papers, "ingest", "--rebuild", "--json").json
    assert rebuilt["promoted"]
    assert rebuilt["embed_reused"] == rebuilt["chunks"]["added"]
    assert len(service.asked) == asked + 1, "one question to see whether the service is there"

    assert url in must(papers, "inspect").out
    assert must(papers, "inspect", "--json").json["project"]["remote"]["endpoint"] == url
    assert url in must(papers, "validate").out
    assert must(papers, "validate", "--format", "json").json["sends_text_to"] == url
    models = must(papers, "models", "--json").json["models"]
    assert [m["name"] for m in models if m["sends_text_to"] == url] == [f"{family}/served"]
    assert url in must(papers, "models").out
    assert must(papers, "projects", "--json").json[0]["sends_text_to"] == url
    assert len(service.asked) == asked + 1
    written = next(papers.data.glob("projects/*/collection.json")).read_text()
    binding = json.loads(written)["collection"]
    assert (binding["dimension"], binding["dense_model"]) == (32, f"{family}/served")
    assert binding["dense_inputs"].startswith(family)


def test_the_reports_are_told_to_people(papers: Desk, served: ServedEmbeddings) -> None:
    configure(papers, served)
    assert f"to {served.openai}" in must(papers, "ingest", "--dry-run").out
    output = must(papers, "ingest").out
    assert f"embedding: {len(served.service.asked)} calls of " in output


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals and /proc")
@pytest.mark.parametrize("calls", [2, 12, 24])
def test_a_killed_ingest_pays_once(calls: int, papers: Desk, served: ServedEmbeddings) -> None:
    configure(papers, served, batch=1)
    with papers.config.open("a", encoding="utf-8") as config:
        config.write("\n[chunking]\nmax_tokens = 60\noverlap_tokens = 0\nmin_chunk_tokens = 5\n")
    service = served.service
    service.delay = 0.05
    papers.stderr_file.unlink(missing_ok=True)
    killed = Desk(papers.folder, papers.models)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SERVED_API_KEY", KEY)
        with killed.start("ingest") as running:
            wait_until(lambda: len(service.asked) >= calls, running)
            running.kill()
            running.communicate()
    assert running.returncode == -signal.SIGKILL
    wait_until(lambda: processes_in(papers.folder) == [])
    wait_until(lambda: service.at_once == 0)

    report = must(papers, "ingest", "--json").json
    assert sorted(report["indexed"] + report["unchanged"]) == sorted(
        f"library/{path.name}" for path in papers.library.iterdir()
    )
    texts = {chunk.chunk.embedding_text for chunk in papers.chunks()}
    asked = [text for one in service.asked for text in one.texts if text in texts]
    assert set(asked) == texts
    assert len(asked) - len(texts) <= AT_ONCE


class TestWithoutTheService:
    def test_a_query_ends_with_13(self, papers: Desk, served: ServedEmbeddings) -> None:
        configure(papers, served)
        must(papers, "ingest")
        with embedding_server() as gone:
            pass
        configure(papers, gone)
        outcome = run(papers, "query", QUESTION)
        assert outcome.code == 13
        assert gone.url.removeprefix("http://") in outcome.err
        assert must(papers, "query", "--mode", "sparse", QUESTION).out

    def test_an_ingest_ends_before_any_work(self, papers: Desk, served: ServedEmbeddings) -> None:
        configure(papers, served)
        outcome = papers.run("ingest")
        assert outcome.code == 13
        assert "SERVED_API_KEY" in outcome.err
        assert not list(papers.data.glob("projects/*/collection.json"))

    def test_no_table_no_text(self, papers: Desk, served: ServedEmbeddings) -> None:
        papers.configure(project_table(SMALL, embedding_model="openai/text-embedding-3-small"))
        outcome = papers.run("ingest", env={"OPENAI_API_KEY": KEY})
        assert outcome.code == 14
        assert "base_url" in outcome.err


class TestBinding:
    def test_other_inputs_are_refused(self, papers: Desk, served: ServedEmbeddings) -> None:
        configure(papers, served)
        must(papers, "ingest")
        asked = len(served.service.asked)
        configure(papers, served, query_prefix="query: ", passage_prefix="passage: ")
        for command in (("query", QUESTION), ("ingest",), ("validate",)):
            outcome = run(papers, *command)
            assert outcome.code == 12, outcome
            assert "passage: " in outcome.err
        assert len(served.service.asked) == asked

    def test_another_dimension_is_refused(self, papers: Desk, served: ServedEmbeddings) -> None:
        configure(papers, served)
        must(papers, "ingest")
        served.service.dimension = 16
        (papers.library / "more.md").write_text("# More\n\n" + "Something else is told. " * 40)
        outcome = run(papers, "ingest")
        assert outcome.code == 12
        assert "16" in outcome.err
        assert run(papers, "query", QUESTION).code == 12
        asked = len(served.service.asked)
        configure(papers, served, dimension=16)
        assert run(papers, "query", QUESTION).code == 12
        assert len(served.service.asked) == asked


def test_a_text_that_is_refused_fails_its_document_alone(
    papers: Desk, served: ServedEmbeddings
) -> None:
    configure(papers, served)
    (papers.library / "long.md").write_text("# Long\n\n" + "Pneumonoultramicroscopic " * 60)
    served.service.longest = 1000
    (papers.library / "short.md").write_text("# Short\n\n" + "It is short and clear. " * 10)
    outcome = run(papers, "ingest", "library/long.md", "library/short.md", "--json")
    assert outcome.code == 3
    assert outcome.json["indexed"] == ["library/short.md"]
    (failed,) = outcome.json["failed"]
    assert (failed["path"], failed["code"]) == ("library/long.md", "TEXT_REFUSED")
    assert "window" in failed["hint"]


def test_a_copy_of_the_folder_needs_no_vectors(
    papers: Desk, served: ServedEmbeddings, make_desk: MakeDesk
) -> None:
    """What was paid for lies with the library."""
    configure(papers, served)
    must(papers, "ingest")
    copy = make_desk("copy")
    copy_folder(papers.folder, copy.folder)
    shutil.rmtree(copy.data / "projects")
    asked = len(served.service.asked)
    must(copy, "ingest", "--force")
    assert len(served.service.asked) == asked + 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_query_uses_its_own_key_while_another_process_serves(
    papers: Desk, served: ServedEmbeddings
) -> None:
    configure(papers, served)
    must(papers, "ingest")
    with papers.start("serve") as serving:
        wait_until(
            lambda: "serving project" in papers.stderr_file.read_text(encoding="utf-8"), serving
        )
        assert must(papers, "query", QUESTION).out
        without = papers.run("query", QUESTION)
        serving.send_signal(signal.SIGTERM)
        serving.communicate(timeout=60)
    assert without.code == 13
    assert "SERVED_API_KEY" in without.err
