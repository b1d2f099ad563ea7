"""What the API answers: the same as the command line, of the projects that are served."""

from __future__ import annotations

import io
import re
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image
from starlette.testclient import TestClient

from citeloom.infrastructure.answers.concordance import ConcordanceAnswer
from citeloom.infrastructure.answers.passages import QueryAnswer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from tests.described import as_json
from tests.e2e.papers import BRIDGES, CLAY, FERRIES
from tests.integration.http.conftest import HIDDEN, ONE, TWO, client_of

QUESTION = "Where do swallows nest?"
CHANGING = {"duration_ms", "correlation_id"}


def got(client: TestClient, path: str, **parameters: Any) -> Any:
    """The JSON of an answer."""
    answer = client.get(f"/api/v1/{path}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def asked(client: TestClient, project: str = ONE, query: str = QUESTION, **more: object) -> Any:
    """The JSON of the answer to a question."""
    answer = client.post("/api/v1/query", json={"project": project, "text": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: TestClient, path: str, **parameters: Any) -> tuple[int, str]:
    """The status and the code of a problem."""
    answer = client.get(f"/api/v1/{path}", params=parameters)
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


# --- collecting


def test_a_passage_is_collected_for_a_chapter_once(client: TestClient, folder: Path) -> None:
    best = asked(client)["items"][0]
    body = {"project": ONE, "chunk_id": best["chunk_id"], "chapter": "1 Birds", "tags": ["nests"]}
    for added in (True, False):
        answer = client.post("/api/v1/collect", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json() == {
            "project": ONE,
            "chunk_id": best["chunk_id"],
            "citation": best["citation"],
            "chapter": "1 Birds",
            "path": "collected/1-birds.md",
            "added": added,
        }
    text = (folder / "collected" / "1-birds.md").read_text(encoding="utf-8")
    assert text.count(f"> {best['citation']}\n\nTags: nests\n") == 1
    chapter = {"chapter": "1 Birds", "path": "collected/1-birds.md", "count": 1}
    items = [{**chapter, "chunk_ids": [best["chunk_id"]]}]
    assert got(client, "collect", project=ONE) == {"project": ONE, "count": 1, "items": items}
    assert got(client, "collect", project=TWO)["items"] == []


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"chunk_id": "nope"}, 404),
        ({"chapter": "..."}, 422),
        ({"chapter": "x" * 101}, 422),
        ({"project": TWO}, 404),
        ({"note": "x"}, 422),
    ],
)
def test_what_cannot_be_collected_is_a_problem(
    client: TestClient, folder: Path, wrong: dict[str, str], status: int
) -> None:
    chunk_id = asked(client)["items"][0]["chunk_id"]
    body = {"project": ONE, "chunk_id": chunk_id, "chapter": "9 Nothing", **wrong}
    answer = client.post("/api/v1/collect", json=body)
    assert (answer.status_code, bool(answer.json()["hint"])) == (status, True)
    assert not (folder / "collected" / "9-nothing.md").exists()


# --- words


def test_every_place_of_a_word_is_found_with_its_page(client: TestClient, library: Library) -> None:
    word = asked(client)["items"][0]["text"].split()[-1].strip(".")
    body = {"project": ONE, "words": [word]}
    answer = client.post("/api/v1/find", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found == as_json(ConcordanceAnswer.of(library.project(ONE).find(word, top_k=50)))
    assert found["occurrences"] == len(found["items"]) > 0
    assert client.post("/api/v1/find", json={**body, "words": []}).status_code == 422
    assert client.post("/api/v1/find", json={**body, "words": [" "]}).status_code == 422


def test_a_query_keeps_passages_with_its_words(client: TestClient) -> None:
    word = asked(client)["items"][0]["text"].split()[-1].strip(".")
    kept = asked(client, words=[word])["items"]
    assert kept
    assert all(word.casefold() in item["text"].casefold() for item in kept)
    assert asked(client, words=["qwxyz"])["items"] == []


# --- queries and passages


def test_an_answer_is_that_of_the_library_without_links_to_files(
    client: TestClient, library: Library
) -> None:
    expected: Any = as_json(
        QueryAnswer.of(library.project(ONE).query(QUESTION)), library.info.base_dir
    )
    for item in expected["items"]:
        assert item["links"]["file"].startswith("file:")
        item["links"] |= {"file": None, "pdf": None}
    answer = asked(client)
    assert {k: v for k, v in answer.items() if k not in CHANGING} == {
        k: v for k, v in expected.items() if k not in CHANGING
    }
    assert answer["items"][0]["citekey"] == BRIDGES.citekey


def test_a_section_is_written_as_everywhere(client: TestClient) -> None:
    title = BRIDGES.sections[0][0]
    found = {item["chunk_id"] for item in asked(client, section=[title])["items"]}
    assert found
    for section in (title, f" {title} ", [f"{title}"]):
        assert {item["chunk_id"] for item in asked(client, section=section)["items"]} == found
    by_address = got(client, "query", project=ONE, text=QUESTION, section=title)
    assert {item["chunk_id"] for item in by_address["items"]} == found
    assert asked(client, section=f"{title} > Elsewhere")["items"] == []


def test_a_question_may_be_an_address(client: TestClient) -> None:
    by_address = got(client, "query", project=ONE, text=QUESTION, top_k=2, tags=["birds"])
    posted = asked(client, top_k=2, tags=["birds"])
    assert by_address["items"] == posted["items"] != []


@pytest.mark.parametrize(
    ("options", "citekeys"),
    [
        ({"citekey": "@tanaka2017"}, {CLAY.citekey}),
        ({"tags": ["ceramics"]}, {CLAY.citekey}),
        ({"year_from": 2016}, {CLAY.citekey}),
        ({"year_to": 2016}, {BRIDGES.citekey}),
        ({"section": ["What painters can do"]}, {BRIDGES.citekey}),
        ({"kinds": ["table"]}, set()),
        ({"by_document": True}, {BRIDGES.citekey, CLAY.citekey}),
        ({"group_by": "document"}, {BRIDGES.citekey, CLAY.citekey}),
        ({"group_by": "none"}, {BRIDGES.citekey, CLAY.citekey}),
        ({"mode": "dense", "top_k": 20}, {BRIDGES.citekey, CLAY.citekey}),
    ],
)
def test_filters_narrow(client: TestClient, options: dict[str, Any], citekeys: set[str]) -> None:
    assert {item["citekey"] for item in asked(client, **options)["items"]} == citekeys


def test_a_passage_comes_with_its_neighbours(client: TestClient) -> None:
    chunk = asked(client, query="Slowly dried tiles cracked")["items"][0]["chunk_id"]
    alone = got(client, f"passages/{chunk}", project=ONE, context=0)
    assert [one["chunk_id"] for one in alone["items"]] == [chunk]
    around = got(client, f"passages/{chunk}", project=ONE, context=10)
    assert chunk in {one["chunk_id"] for one in around["items"]}
    assert len(around["items"]) == around["count"] > 1
    assert {one["content"] for one in around["items"]} == {"untrusted"}


def test_a_page_is_drawn_with_the_passage_highlighted(client: TestClient) -> None:
    item = asked(client)["items"][0]
    path = f"/api/v1/passages/{item['chunk_id']}/page.png"
    answer = client.get(path, params={"project": ONE, "scale": 1})
    assert answer.headers["content-type"] == "image/png"
    image = Image.open(io.BytesIO(answer.content)).convert("RGB")
    colours: Any = image.getcolors(10**6)
    yellow = sum(count for count, (_, _, blue) in colours if blue < 160)
    assert yellow > 500
    twice = client.get(path, params={"project": ONE, "scale": 2, "page": item["page_span"][0]})
    larger = Image.open(io.BytesIO(twice.content))
    assert abs(larger.width - 2 * image.width) <= 1 >= abs(larger.height - 2 * image.height)


def test_a_citekey_is_no_passage(client: TestClient) -> None:
    assert refused(client, f"passages/{BRIDGES.citekey}", project=ONE) == (404, "NOT_FOUND")


def test_many_ask_at_the_same_time(client: TestClient) -> None:
    questions = [QUESTION, "Why do tiles crack?", "What does waiting cost?"] * 8
    alone = {question: asked(client, query=question)["items"] for question in set(questions)}
    with ThreadPoolExecutor(8) as pool:
        together = list(
            pool.map(lambda question: asked(client, query=question)["items"], questions)
        )
    assert together == [alone[question] for question in questions]


# --- documents


def test_documents_are_listed_in_pages(client: TestClient) -> None:
    everything = got(client, "documents", project=ONE)
    assert (everything["total"], everything["count"], everything["offset"]) == (2, 2, 0)
    assert [one["citekey"] for one in everything["items"]] == [BRIDGES.citekey, CLAY.citekey]
    second = got(client, "documents", project=ONE, limit=1, offset=1)
    assert (second["total"], second["count"]) == (2, 1)
    assert second["items"] == everything["items"][1:]
    assert got(client, "documents", project=ONE, offset=9)["items"] == []


def test_documents_are_filtered(client: TestClient) -> None:
    assert got(client, "documents", project=ONE, citekey="@tanaka2017")["total"] == 1
    assert got(client, "documents", project=ONE, state="failed")["total"] == 0
    assert got(client, "documents", project=TWO, missing_reference=True)["total"] == 1
    [named] = got(client, "documents", project=ONE, text=BRIDGES.title.upper())["items"]
    assert (named["citekey"], named["year"]) == (BRIDGES.citekey, BRIDGES.year)
    years = {"year_from": BRIDGES.year, "year_to": BRIDGES.year}
    assert BRIDGES.citekey in {
        one["citekey"] for one in got(client, "documents", project=ONE, **years)["items"]
    }
    assert got(client, "documents", project=ONE, year_from=9000)["total"] == 0


def test_a_document_has_an_outline_pages_and_chunks(client: TestClient) -> None:
    doc_id = got(client, "documents", project=ONE)["items"][0]["doc_id"]
    detail = got(client, f"documents/{doc_id}", project=ONE, limit=1)
    assert detail["document"]["citekey"] == BRIDGES.citekey
    assert {title for title, _ in BRIDGES.sections} <= {one["title"] for one in detail["outline"]}
    assert [one["page"] for one in detail["pages"]] == [1, 2]
    assert (detail["chunks"]["count"], len(detail["chunks"]["items"])) == (1, 1)
    rest = got(client, f"documents/{doc_id}", project=ONE, offset=1)["chunks"]
    assert rest["count"] == rest["total"] - 1


# --- the rest


def test_the_projects_that_are_served_are_listed(client: TestClient) -> None:
    listed = got(client, "projects")
    assert [(one["id"], one["documents"]) for one in listed] == [(ONE, 2), (TWO, 1)]


def test_a_project_is_validated(client: TestClient) -> None:
    report = got(client, "validation", project=ONE)
    assert (report["documents"], report["project"]) == (2, ONE)
    assert report["passed"] is True
    only = got(client, "validation", project=ONE, check=["models", "store"])
    assert only["checks"] == ["models", "store"]
    assert refused(client, "validation", project=ONE, check="nothing") == (422, "INVALID_FILTER")


def test_zotero_is_listed(client: TestClient) -> None:
    items = got(client, "zotero/items", search="clay")
    assert [one["citekey"] for one in items["items"]] == [CLAY.citekey]
    (attachment,) = items["items"][0]["attachments"]
    assert attachment["path"] == f"zotero/storage/{attachment['key']}/{CLAY.file_name}"
    assert got(client, "zotero/collections")["total"] == 2
    assert {one["name"] for one in got(client, "zotero/tags")["items"]} == {
        *BRIDGES.tags,
        *CLAY.tags,
    }
    assert refused(client, "zotero/items", collection="Nowhere") == (404, "NOT_FOUND")


def test_references_annotations_and_citekeys_of_zotero_are_given(client: TestClient) -> None:
    citekeys = got(client, "zotero/citekeys")["items"]
    assert len(citekeys) == got(client, "zotero/items")["total"]
    assert got(client, "zotero/citekeys", search=citekeys[0].upper())["items"] == [citekeys[0]]
    assert got(client, "zotero/annotations", color="no such colour")["total"] == 0
    exported = {"format": "ris", "citekey": citekeys[0]}
    answer = client.get("/api/v1/zotero/export", params=exported)
    assert f"ID  - {citekeys[0]}" in answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    assert refused(client, "zotero/export", citekey="nobody1999") == (404, "NOT_FOUND")


def test_health_and_readiness(client: TestClient, service: ServedLibrary) -> None:
    assert got(client, "health")["status"] == "ok"
    assert got(client, "ready") == {"ready": True}


def test_it_is_ready_once_every_project_is_loaded(service: ServedLibrary) -> None:
    starting = ServedLibrary(
        library=service.library, jobs=service.jobs, projects=(ONE, TWO), calls=service.calls
    )
    with client_of(starting) as client:
        assert refused(client, "ready") == (503, "STARTING")
        starting.readiness.loaded(ONE)
        starting.readiness.failed(TWO, "MODEL_UNAVAILABLE")
        assert refused(client, "ready") == (503, "MODEL_UNAVAILABLE")
        problem = client.get("/api/v1/ready").json()
        assert problem["detail"] == "1 of 2 projects are loaded; of the rest: MODEL_UNAVAILABLE"
        assert TWO not in str(problem), "it is answered without a token"
        starting.readiness.loaded(TWO)
        assert got(client, "ready") == {"ready": True}


class StoreThatGoes:
    """A library whose store may be away."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.error = ""

    def store_error(self) -> str:
        return self.error or self._library.store_error()

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)


def test_readiness_follows_the_store(service: ServedLibrary) -> None:
    library = StoreThatGoes(service.library)
    served = replace(service, library=cast("Library", library))
    for project in served.projects:
        served.readiness.loaded(project)
    with client_of(served) as client:
        assert got(client, "ready") == {"ready": True}
        library.error = "No database answers at postgresql://db.example/papers"
        assert refused(client, "ready") == (503, "INDEX_UNAVAILABLE")
        assert "db.example" not in client.get("/api/v1/ready").text
        library.error = ""
        assert got(client, "ready") == {"ready": True}


def test_figures_name_routes_and_projects_that_are_served(client: TestClient) -> None:
    asked(client)
    text = client.get("/api/v1/metrics").text
    assert re.search(
        r'http_requests_total\{method="POST",route="/api/v1/query",status="200"\}', text
    )
    assert re.search(r'request_seconds_bucket\{le="0.05",method="POST",route="/api/v1/query"', text)
    assert f'citeloom_documents{{project="{ONE}",status="indexed"}} 2.0' in text
    assert re.search(rf'citeloom_index_chunks\{{project="{TWO}"\}} [1-9]', text)
    assert f'citeloom_jobs{{project="{ONE}",state="running"}} 0.0' in text
    assert "process_resident_memory_bytes" in text
    assert HIDDEN not in text


def test_a_figure_has_no_label_that_a_client_invents(client: TestClient) -> None:
    client.get("/api/v1/invented-by-a-client")
    client.request("INVENTED", "/api/v1/query")
    text = client.get("/api/v1/metrics").text
    assert "invented" not in text.lower()


def test_the_documentation_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/api/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(addresses) == 3
    for address in addresses:
        assert address.startswith("/api/docs/")
        assert client.get(address).status_code == 200
    assert client.get("/api/docs/other.js").status_code == 404


def test_the_page_of_the_documentation_may_run_its_own_script_alone(client: TestClient) -> None:
    page = client.get("/api/docs")
    [script] = re.findall("<script>(.*?)</script>", page.text, re.DOTALL)
    assert "/api/openapi.json" in script
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = page.headers["content-security-policy"].split("; ")
    assert f"script-src 'self' 'sha256-{digest}'" in policy


def test_the_api_is_described(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    operations = [one for path in described["paths"].values() for one in path.values()]
    assert len(operations) >= 18
    for operation in operations:
        problem = operation["responses"]["default"]["content"]["application/problem+json"]
        assert problem["schema"]["$ref"].endswith("/Problem")
        assert operation["description"]
    assert {"Problem", "QueryAnswer", "JobAnswer"} <= described["components"]["schemas"].keys()


def test_no_answer_tells_where_files_lie(client: TestClient, folder: Path) -> None:
    doc_id = got(client, "documents", project=TWO)["items"][0]["doc_id"]
    chunk = asked(client, TWO, "ferries")["items"][0]["chunk_id"]
    paths = [
        f"query?project={TWO}&text=ferries&explain=true",
        f"passages/{chunk}?project={TWO}",
        f"documents?project={TWO}",
        f"documents/{doc_id}?project={TWO}",
        f"validation?project={TWO}",
        "projects",
        "zotero/items",
        "metrics",
        f"query?project={HIDDEN}&text=ferries",
        f"passages/{folder}?project={TWO}",
    ]
    for path in paths:
        assert str(folder.parent) not in client.get(f"/api/v1/{path}").text, path
    assert FERRIES.file_name in client.get(f"/api/v1/{paths[2]}").text
