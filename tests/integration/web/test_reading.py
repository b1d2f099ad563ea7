"""The views of passages and works."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from tests.integration.http.conftest import ONE

QUOTED = "Repainting in June destroys most broods of a year."


@pytest.fixture(scope="module")
def doc_id(service: ServedLibrary) -> str:
    [document] = [d for d in service.project(ONE).documents() if d.citekey == "moreau2015"]
    return document.doc_id


@pytest.fixture(scope="module")
def chunk_id(service: ServedLibrary) -> str:
    """The passage of page 2 that is quoted."""
    return service.project(ONE).query(QUOTED).passages[0].stored.chunk.id


def test_a_passage_opens_its_work_at_its_page(room: TestClient, chunk_id: str, doc_id: str) -> None:
    page = room.get(f"/passages/{chunk_id}").text
    assert f"/works/{doc_id}/pages/2.png" in page
    assert '<rect class="mark"' in page
    assert "[@moreau2015, p. 2]" in page
    assert "Swallows Under Road Bridges" in page


def test_words_are_marked_alone(room: TestClient, chunk_id: str, doc_id: str) -> None:
    address = f"/works/{doc_id}?passage={chunk_id}&words="
    whole, words = room.get(address).text, room.get(address + QUOTED).text
    assert words.count('<rect class="mark words"') < 3
    assert '<rect class="mark"' not in words
    assert f"<mark>{QUOTED[:-1]}" in words
    missing = room.get(f"{address}Herons destroyed most of the broods of that year.").text
    assert "were not found" in missing
    assert whole.count('<rect class="mark"') == missing.count('<rect class="mark"') > 0


def test_pages_are_turned_by_links(room: TestClient, doc_id: str) -> None:
    first, second = (room.get(f"/works/{doc_id}?page={page}").text for page in (1, 2))
    assert f'rel="next" href="/works/{doc_id}?page=2&amp;' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev"' in second
    assert 'rel="next"' not in second
    assert first.count('loading="lazy"') == 2
    assert room.get(f"/works/{doc_id}?page=3").status_code == 404
    assert room.get(f"/works/{doc_id}?page=none").status_code == 422


def test_a_picture_is_kept_by_browsers(room: TestClient, doc_id: str) -> None:
    address = f"/works/{doc_id}/pages/1.png?scale=0.5"
    picture = room.get(address)
    assert picture.content.startswith(b"\x89PNG")
    assert "immutable" in picture.headers["cache-control"]
    tag = picture.headers["etag"]
    assert not tag.startswith("W/")
    assert room.get(address, headers={"if-none-match": tag}).status_code == 304
    assert room.get(f"/works/{doc_id}/pages/1.png?scale=1").headers["etag"] != tag
    assert room.get(f"/works/{doc_id}/pages/9.png").status_code == 404
    assert room.get(f"/works/{doc_id}/pages/1.png?scale=50").status_code == 422


def test_a_passage_has_a_picture_with_it_marked(
    room: TestClient, chunk_id: str, doc_id: str
) -> None:
    marked = room.get(f"/passages/{chunk_id}/page.png?scale=0.5").content
    words = room.get(f"/passages/{chunk_id}/page.png", params={"scale": 0.5, "words": QUOTED})
    plain = room.get(f"/works/{doc_id}/pages/2.png?scale=0.5").content
    assert len({marked, words.content, plain}) == 3


def test_a_passage_that_is_not_there_is_a_page(room: TestClient) -> None:
    for path in ("/passages/nothing", "/works/nothing", "/passages/nothing/page.png"):
        answer = room.get(path)
        assert (answer.status_code, "<h1>" in answer.text) == (404, True)
