"""The views of searches: passages that answer, every place of words, filters, citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import open_library
from tests.integration.http.conftest import ONE
from tests.integration.web.conftest import csrf_of, room_of

QUESTION = "Where do swallows nest under bridges?"
QUOTED = "Repainting in June destroys most broods of a year."


def search(room: TestClient, text: str = QUESTION, **parameters: str) -> str:
    answer = room.get("/search", params={"text": text, **parameters})
    assert answer.status_code == 200
    return answer.text


def test_passages_stand_below_their_works_with_the_words_marked(room: TestClient) -> None:
    page = search(room)
    assert page.count("Swallows Under Road Bridges of the Lower Valley</a></h2>") == 1
    assert "[@moreau2015, p. 1]" in page
    assert "<mark>bridges</mark>" in page
    assert 'value="Where do swallows nest under bridges?"' in page
    assert "Where nests were found" in page
    assert "of 2 works" in page or "of 1 work" in page


def test_a_question_is_never_markup(room: TestClient) -> None:
    page = search(room, "<script>alert(1)</script> nests")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_filters_are_links_with_the_numbers_of_works(room: TestClient) -> None:
    page = search(room)
    assert "birds <small>1</small>" in page
    assert "those of all 2 works" in page
    filtered = search(room, tags="birds")
    assert 'name="tags" value="birds"' in filtered
    assert "tag: birds" in filtered
    assert "Swallows" in filtered
    years = search(room, year_from="2015", year_to="2015")
    assert 'name="year_from" value="2015"' in years


def test_what_is_wrong_with_a_question_is_said_on_its_page(room: TestClient) -> None:
    page = search(room, tags="fish")
    assert 'class="problem" role="alert"' in page
    assert 'type="search"' in page
    assert room.get("/search", params={"text": "x", "top_k": 500}).status_code == 422


def test_citations_are_copied_as_the_reader_chose(room: TestClient) -> None:
    assert 'data-copy="[@moreau2015, p. 1]"' in search(room)
    latex = room.get("/search", params={"text": QUESTION, "cite": "latex"})
    assert 'data-copy="\\autocite[1]{moreau2015}"' in latex.text
    assert 'data-copy="\\autocite[1]{moreau2015}"' in search(room)
    assert "#cite(&lt;moreau2015&gt;, supplement: [p. 1])" in search(room, cite="typst")
    assert 'data-copy="Moreau 2015, p. 1"' in search(room, cite="plain")
    room.cookies.set("citeloom_citations", "nonsense")
    room.cookies.delete("citeloom_citations")
    assert 'data-copy="[@moreau2015, p. 1]"' in search(room)


def test_the_order_is_explained_on_request(room: TestClient) -> None:
    plain, explained = search(room), search(room, explain="true")
    assert "explain=True" in plain
    assert explained.count('class="faint"') > plain.count('class="faint"')


def test_every_place_of_a_word_is_listed(room: TestClient) -> None:
    page = search(room, "bridges", every="true")
    assert page.count("<mark>") >= 2
    assert "moreau2015 <small>" in page
    assert "Other forms, too" in search(room, "bridges", every="true", exact="true")
    assert "nowhere in the library" in search(room, "zeppelins", every="true")
    phrase = search(room, '"barn swallows"', every="true")
    assert phrase.count("<mark>") == phrase.count("<mark>barn swallows</mark>") > 0


def test_the_first_page_shows_the_works_taken_up_last(room: TestClient) -> None:
    page = room.get("/").text
    assert "Swallows Under Road Bridges" in page
    assert "autofocus" in page


def test_an_empty_library_says_what_to_do_first(tmp_path: Path, service: ServedLibrary) -> None:
    (tmp_path / "citeloom.toml").write_text('[project."lab/none"]\nsources = ["papers"]\n')
    with open_library(tmp_path) as library:
        empty = replace(service, library=library, projects=("lab/none",))
        with room_of(empty) as client:
            page = client.get("/")
    assert page.status_code == 200
    assert "Nothing has been ingested yet" in page.text
    assert "/library" in page.text


# --- what is done with a passage


@pytest.fixture
def chunk_id(service: ServedLibrary) -> str:
    return service.project(ONE).query(QUOTED).passages[0].stored.chunk.id


@pytest.fixture
def chapters(service: ServedLibrary) -> Iterator[Path]:
    folder = service.library.parts.settings.collected_dir
    yield folder
    for file in folder.glob("*.md"):
        file.unlink()


def test_a_passage_is_collected_for_a_chapter(
    room: TestClient, chunk_id: str, chapters: Path
) -> None:
    page = search(room)
    assert f"/passages/{chunk_id}/collect" in search(room, QUOTED)
    form = {"chapter": "Birds", "comment": "See.", "to": "/search?text=nests"}
    refused = room.post(f"/passages/{chunk_id}/collect", data=form)
    assert refused.status_code == 403
    assert not (chapters / "birds.md").exists()
    answer = room.post(f"/passages/{chunk_id}/collect", data={**form, "csrf": csrf_of(page)})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/search?text=nests#p-{chunk_id}"
    assert "See." in (chapters / "birds.md").read_text(encoding="utf-8")
    assert '<option value="Birds">' in room.get(answer.headers["location"]).text


def test_nothing_is_collected_in_a_room_that_only_shows(
    service: ServedLibrary, chunk_id: str, chapters: Path
) -> None:
    settings = service.library.parts.settings
    shown = replace(settings, server=replace(settings.server, read_only=True))
    with open_library(settings.base_dir) as library:
        library.parts.settings = shown
        with room_of(replace(service, library=library)) as client:
            page = client.get("/search", params={"text": QUOTED}).text
            form = {"chapter": "Birds", "csrf": csrf_of(page)}
            answer = client.post(f"/passages/{chunk_id}/collect", data=form)
    assert "/collect" not in page
    assert answer.status_code == 403
    assert not (chapters / "birds.md").exists()


def test_passages_like_one_are_of_other_works(room: TestClient, chunk_id: str) -> None:
    page = room.get(f"/passages/{chunk_id}/similar").text
    assert "Repainting in June" in page
    assert "Swallows Under Road Bridges of the Lower Valley</a></h2>" not in page
    assert "<article" in page
    assert room.get("/passages/nothing/similar").status_code == 404


def test_a_quotation_is_compared_word_by_word(
    room: TestClient, service: ServedLibrary, chunk_id: str
) -> None:
    doc_id = service.project(ONE).show(chunk_id).chunks[0].chunk.doc_id
    address = f"/works/{doc_id}"
    right = room.get(address, params={"quote": QUOTED}).text
    assert "word for word" in right
    assert '<rect class="mark words"' in right
    assert f"/works/{doc_id}/pages/2.png" in right
    changed = QUOTED.replace("June", "May")
    near = room.get(address, params={"quote": changed}).text
    assert "<del>May</del>" in near
    assert "<ins>June</ins>" in near
    absent = room.get(address, params={"quote": "Nobody counted the bats of the tower."}).text
    assert "No work of the library has it" in absent


def test_a_search_by_words_alone_is_one_link_away(room: TestClient) -> None:
    page = room.get("/search", params={"text": "nests"}).text
    chosen, other = r'mode=hybrid[^"]*" aria-current="true"', r'href="([^"]*mode=sparse[^"]*)"'
    assert re.search(chosen, page)
    link = re.search(other, page)
    assert link is not None
    again = room.get(unescape(link[1])).text
    assert re.search(r'mode=sparse[^"]*" aria-current="true"', again)
