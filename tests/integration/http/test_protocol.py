"""What the API keeps of HTTP: methods, parameters, validators, compression."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import ONE, client_of

DOCUMENTS = f"/api/v1/documents?project={ONE}"


def a_chunk(client: TestClient) -> str:
    found = client.post("/api/v1/query", json={"project": ONE, "text": "nests"})
    return str(found.json()["items"][0]["chunk_id"])


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "query", "GET, HEAD, POST"),
        ("PUT", "jobs", "GET, HEAD, POST"),
        ("POST", "chat/sessions/x", "DELETE, GET, HEAD"),
        ("GET", "ask", "POST"),
        ("OPTIONS", "documents", "GET, HEAD"),
    ],
)
def test_every_method_of_a_path_is_allowed(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = client.request(method, f"/api/v1/{path}")
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize(
    "path",
    ["projects", "documents", "validation", "jobs", "chat/sessions", "zotero/items", "health"],
)
def test_a_parameter_that_there_is_not_is_named(client: TestClient, path: str) -> None:
    answer = client.get(f"/api/v1/{path}", params={"project": ONE, "limitt": 3})
    assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_FILTER")
    assert "limitt" in answer.text


def test_a_parameter_of_a_post_is_not_ignored_either(client: TestClient) -> None:
    body = {"project": ONE, "text": "nests"}
    assert client.post("/api/v1/query?top_k=1", json=body).status_code == 422


def test_a_head_is_a_get_without_its_body(client: TestClient) -> None:
    got = client.get(DOCUMENTS)
    head = client.head(DOCUMENTS)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == got.headers["etag"]
    assert client.head("/api/v1/documents?project=none").status_code == 404
    assert client.head("/api/v1/ask").status_code == 405
    assert client.head("/api/v1/jobs/x/events").status_code == 405
    figures = client.get("/api/v1/metrics").text
    assert 'method="HEAD",route="/api/v1/documents",status="200"' in figures


def test_an_answer_that_the_client_has_is_not_sent_again(client: TestClient) -> None:
    for path in (DOCUMENTS, f"/api/v1/passages/{a_chunk(client)}/page.png?project={ONE}"):
        first = client.get(path)
        assert "no-store" not in first.headers["cache-control"]
        again = client.get(path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        other = client.get(path, headers={"if-none-match": 'W/"other"'})
        assert (other.status_code, other.content) == (200, first.content)
    assert "etag" not in client.get("/api/v1/documents?project=none").headers


def test_long_answers_are_compressed_for_those_who_can_read_that(client: TestClient) -> None:
    plain = client.get("/api/openapi.json", headers={"accept-encoding": "identity"})
    packed = client.get("/api/openapi.json", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < len(plain.content) / 3
    picture = f"/api/v1/passages/{a_chunk(client)}/page.png?project={ONE}"
    assert "content-encoding" not in client.get(picture).headers


def test_the_document_names_operations_and_refusals(service: ServedLibrary) -> None:
    paths = client_of(service).get("/api/openapi.json").json()["paths"]
    operations = [(path, one) for path, of in paths.items() for one in of.values()]
    names = [one["operationId"] for _, one in operations]
    assert len(set(names)) == len(names)
    assert {"query", "ask", "list_documents", "start_job", "follow_job"} <= {*names}
    assert not [name for name in names if "api_v1" in name]
    for path, one in operations:
        is_open = path.endswith(("/health", "/ready"))
        assert ({"401", "429"} <= one["responses"].keys()) is not is_open
        assert "503" in one["responses"]


def test_every_object_with_named_keys_has_no_others(service: ServedLibrary) -> None:
    schemas = client_of(service).get("/api/openapi.json").json()["components"]["schemas"]
    open_ones = [
        name
        for name, schema in schemas.items()
        if "properties" in schema and schema.get("additionalProperties") is not False
    ]
    assert not open_ones


def test_what_documents_say_is_marked(client: TestClient) -> None:
    listed = client.get(DOCUMENTS).json()
    one = client.get(f"/api/v1/documents/{listed['items'][0]['doc_id']}?project={ONE}").json()
    checked = client.get(f"/api/v1/validation?project={ONE}").json()
    items = client.get("/api/v1/zotero/items").json()
    assert {answer["content"] for answer in (listed, one, checked, items)} == {"untrusted"}
