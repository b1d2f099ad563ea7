"""A draft in the reading room: given, checked, decided on, followed, exported."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import Library
from tests.e2e.papers import BRIDGES
from tests.integration.web.conftest import csrf_of, room_of

QUOTE = "Repainting in June destroys most broods of a year"
DRAFT = f"""# Broods

It is said that “{QUOTE}” [@moreau2015, p. 2].

Also “{QUOTE.replace("June", "July")}” [@moreau2015, p. 2], and “{QUOTE}” [@tanaka2017].

Nests of barn swallows are found under road bridges with a rough face.
"""


@pytest.fixture
def thesis(library: Library) -> Iterator[Path]:
    path = library.info.base_dir / "thesis.md"
    path.write_text(DRAFT, encoding="utf-8")
    yield path
    path.unlink()
    path.with_name("thesis.md.citeloom.json").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("language", "coverage", "absent"),
    [
        (
            "de",
            "2 von 2 Quellenangaben im Text gelesen",
            "das Zitat steht in keinem Werk der Bibliothek",
        ),
        ("pt", "2 de 2 referências no texto lidas", "a citação não está em nenhuma obra"),
    ],
)
def test_coverage_and_what_a_check_says_are_in_the_readers_language(
    room: TestClient, language: str, coverage: str, absent: str
) -> None:
    text = (
        "It is said that “no swallow of the north has ever counted bridges by their paint” "
        "[@moreau2015, p. 2].\n\nOthers say so, too [@moreau2015, p. 2].\n"
    )
    csrf = csrf_of(room.get("/drafts").text)
    answer = room.post("/drafts", data={"text": text, "markup": "markdown", "csrf": csrf})
    page = room.get(answer.headers["location"], headers={"accept-language": language}).text
    assert coverage in page
    assert absent in page


@pytest.mark.parametrize(
    ("language", "changed", "elsewhere"),
    [
        ("de", "„July“, wo das Werk „June“ hat", "es steht auf p. 2"),
        ("pt", "“July” onde a obra tem “June”", "está em p. 2"),
    ],
)
def test_what_varies_in_what_a_check_says_is_in_the_readers_language_too(
    room: TestClient, language: str, changed: str, elsewhere: str
) -> None:
    text = (
        f"So “{QUOTE.replace('June', 'July')}” [@moreau2015, p. 2], and “{QUOTE}” "
        "[@moreau2015, p. 1].\n"
    )
    csrf = csrf_of(room.get("/drafts").text)
    answer = room.post("/drafts", data={"text": text, "markup": "markdown", "csrf": csrf})
    first = answer.headers["location"]
    said = [
        room.get(f"{first}&at={place}", headers={"accept-language": language}).text
        for place in places_of(room.get(first).text)
    ]
    assert any(changed in page for page in said)
    assert any(elsewhere in page for page in said)


def places_of(page: str) -> list[str]:
    """The places that the signs in the margin lead to, in the draft's order."""
    signs = re.findall(r'<p class="signs">(.*?)</p>', page, re.DOTALL)
    return [at for sign in signs for at in re.findall(r'hx-get="[^"]*[?&;]at=([^&"]+)', sign)]


def test_a_pasted_text_becomes_a_page_that_is_of_its_session_alone(
    room: TestClient, service: ServedLibrary
) -> None:
    form = room.get("/drafts")
    assert form.status_code == 200
    data = {"text": DRAFT, "markup": "markdown", "csrf": csrf_of(form.text)}
    answer = room.post("/drafts", data=data)
    assert answer.status_code == 303, answer.text
    page = room.get(answer.headers["location"])
    assert page.status_code == 200
    _, near, _ = places_of(page.text)
    chosen = room.get(f"{answer.headers['location']}&at={near}")
    assert "<del>July</del>" in chosen.text
    assert "<ins>June</ins>" in chosen.text
    assert "3 of 3 citations in the text read" in page.text
    assert "looked at" not in page.text
    assert 'name="decision"' not in page.text
    with room_of(service) as other:
        gone = other.get(answer.headers["location"])
    assert (gone.status_code, "no longer in memory" in gone.text) == (410, True)


def test_nothing_is_no_draft_and_a_forged_form_is_none(room: TestClient) -> None:
    token = csrf_of(room.get("/drafts").text)
    assert room.post("/drafts", data={"text": " ", "csrf": token}).status_code == 422
    assert room.post("/drafts", data={"text": DRAFT}).status_code == 403


def uploaded(room: TestClient, name: str, content: bytes) -> str:
    """The page of a file that is uploaded, or what is wrong with it."""
    token = csrf_of(room.get("/drafts").text)
    answer = room.post("/drafts", data={"csrf": token}, files={"upload": (name, content)})
    if answer.status_code != 303:
        return str(answer.text)
    return str(room.get(answer.headers["location"]).text)


def test_an_upload_is_what_its_content_is(room: TestClient) -> None:
    latex = (
        r"\section{Broods} ``Repainting in July destroys most broods of a year'' \cite{moreau2015}"
    )
    page = uploaded(room, r"C:\texts\<b>draft", latex.encode())
    assert "&lt;b&gt;draft.tex" in page
    assert "<del>July</del>" in page
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("anything.txt", "words")
    assert "no draft that can be read" in uploaded(room, "draft.docx", packed.getvalue())
    assert "no draft that can be read" in uploaded(room, "draft.md", b"a\0b")


def test_words_of_a_draft_are_no_markup(room: TestClient) -> None:
    page = uploaded(
        room, "x.md", b'Says "<script>alert(1)</script> `<img src=x>` words" [@moreau2015].'
    )
    assert "<script>alert" not in page
    assert "<img src=x>" not in page


def test_a_file_has_an_address_that_leads_to_each_place(room: TestClient, thesis: Path) -> None:
    assert "file=thesis.md" in room.get("/drafts").text
    page = room.get("/drafts?file=thesis.md").text
    exact, near, other = places_of(page)
    assert other.endswith(".5")
    assert "0 of 2 looked at" in page
    chosen = room.get(f"/drafts?file=thesis.md&at={exact}").text
    evidence = chosen[chosen.index("<aside") :]
    assert QUOTE in evidence
    assert "/page.png" in evidence
    assert f"@{BRIDGES.citekey}, p. 2]" in evidence
    assert "<del>July</del>" in room.get(f"/drafts?file=thesis.md&at={near}").text
    only = room.get("/drafts?file=thesis.md&only=near").text
    assert "It is said that" not in only
    assert "Nothing of this kind" in room.get("/drafts?file=thesis.md&only=absent").text


def test_a_page_follows_the_file_and_keeps_its_place(room: TestClient, thesis: Path) -> None:
    page = room.get("/drafts?file=thesis.md").text
    _, near, _ = places_of(page)
    address = followed_by(room.get(f"/drafts?file=thesis.md&at={near}").text)
    assert room.get(address).status_code == 204
    thesis.write_text(f"A new line.\n\n{DRAFT}", encoding="utf-8")
    moved = room.get(address)
    assert moved.status_code == 200
    assert "<del>July</del>" in moved.text
    assert "line 7" in moved.text[moved.text.index("<aside") :]
    thesis.write_text(f"A new line.\n\n{DRAFT.replace('July', 'August')}", encoding="utf-8")
    assert "<del>August</del>" in room.get(followed_by(moved.text)).text
    thesis.unlink()
    assert room.get(followed_by(moved.text)).status_code == 204
    thesis.write_text("words", encoding="utf-8")
    assert "Nothing is left to look at" in room.get(followed_by(moved.text)).text


def followed_by(page: str) -> str:
    """The address that a page asks every two seconds."""
    match = re.search(r'hx-get="([^"]+)" hx-trigger="every 2s"', page)
    assert match is not None
    return match[1].replace("&amp;", "&")


@pytest.mark.parametrize(
    ("file", "status"),
    [("../etc/passwd", 403), ("/etc/passwd", 403), ("nowhere.md", 404), ("papers", 404)],
)
def test_no_other_file_is_read(room: TestClient, file: str, status: int) -> None:
    answer = room.get("/drafts", params={"file": file})
    assert (answer.status_code, "root:" in answer.text) == (status, False)


def test_a_decision_is_kept_beside_the_file_and_leads_on(room: TestClient, thesis: Path) -> None:
    page = room.get("/drafts?file=thesis.md").text
    _, near, other = places_of(page)
    data = {"file": "thesis.md", "csrf": csrf_of(page), "note": "ask <Ada>"}
    key = near.partition(".")[0]
    answer = room.post("/drafts/decisions", data={**data, "key": key, "decision": "to_mend"})
    assert answer.status_code == 303
    kept = json.loads(thesis.with_name("thesis.md.citeloom.json").read_text())["decisions"]
    assert [(one["decision"], one["note"]) for one in kept] == [("to_mend", "ask <Ada>")]
    after = room.get(answer.headers["location"]).text
    assert "1 of 2 looked at" in after
    assert f"at={other}" in after[after.index('id="next"') :]
    assert "ask &lt;Ada&gt;" in room.get(f"/drafts?file=thesis.md&at={near}").text
    thesis.write_text(DRAFT.replace("July", "August"), encoding="utf-8")
    _, changed, _ = places_of(room.get("/drafts?file=thesis.md").text)
    assert "Outdated" in room.get(f"/drafts?file=thesis.md&at={changed}").text
    gone = room.post("/drafts/decisions", data={**data, "key": key, "decision": "accepted"})
    assert (gone.status_code, "has changed" in gone.text) == (409, True)
    room.post("/drafts/decisions", data={**data, "key": key, "decision": "none"})
    assert "Outdated" not in room.get(f"/drafts?file=thesis.md&at={changed}").text
    thesis.with_name("thesis.md.citeloom.json").write_text("{}")
    assert "no decisions that can be read" in room.get("/drafts?file=thesis.md").text


def test_support_is_searched_for_a_paragraph(room: TestClient, thesis: Path) -> None:
    page = room.get("/drafts?file=thesis.md").text
    assert "support-7" in page
    found = room.get("/drafts?file=thesis.md&support=7").text
    support = found[found.index('id="support-7"') :]
    assert f"[@{BRIDGES.citekey}, p. " in support
    assert "<blockquote" in support.partition("</article>")[0]
    assert room.get("/drafts?file=thesis.md&support=400").status_code == 200


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("text", "thesis.md:5:"),
        ("json", '"verdict": "near"'),
        ("junit", "<testsuites"),
        ("sarif", '"2.1.0"'),
        ("diff", "+Also “Repainting in June"),
        ("bibtex", "@article"),
        ("biblatex", "@article"),
        ("csl-json", '"moreau2015"'),
        ("ris", "TY  - "),
    ],
)
def test_what_the_command_prints_is_a_download(
    room: TestClient, thesis: Path, form: str, words: str
) -> None:
    answer = room.get(f"/drafts/export?file=thesis.md&format={form}")
    assert answer.status_code == 200
    assert words in answer.text
    assert str(thesis.parent) not in answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    page = room.get("/drafts?file=thesis.md").text
    assert f"format={form}" in page


def test_a_server_that_is_read_only_keeps_no_decision(
    room: TestClient, library: Library, thesis: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = library.parts.settings
    closed = replace(settings, server=replace(settings.server, read_only=True))
    monkeypatch.setattr(library.parts, "settings", closed)
    page = room.get("/drafts?file=thesis.md").text
    assert 'name="decision"' not in page
    key = places_of(page)[1].partition(".")[0]
    data = {"file": "thesis.md", "csrf": csrf_of(page), "key": key, "decision": "accepted"}
    assert room.post("/drafts/decisions", data=data).status_code == 403
    assert not thesis.with_name("thesis.md.citeloom.json").exists()


def test_texts_that_were_given_are_forgotten_in_turn(room: TestClient) -> None:
    token = csrf_of(room.get("/drafts").text)
    words = "Nothing is quoted here. " * 16_000

    def give() -> str:
        answer = room.post("/drafts", data={"text": words, "csrf": token})
        assert answer.status_code == 303
        return str(answer.headers["location"])

    first = give()
    assert room.get(first).status_code == 200
    for _ in range(5):
        last = give()
    assert room.get(last).status_code == 200
    assert room.get(first).status_code == 410


def test_a_file_that_cannot_be_read_is_waited_for(room: TestClient, thesis: Path) -> None:
    thesis.write_text("> " * 5_000 + "deep", encoding="utf-8")
    broken = room.get("/drafts?file=thesis.md")
    assert (broken.status_code, "too deep" in broken.text) == (422, True)
    assert room.get(followed_by(broken.text)).status_code == 204
    thesis.write_text(DRAFT, encoding="utf-8")
    assert "It is said that" in room.get(followed_by(broken.text)).text
