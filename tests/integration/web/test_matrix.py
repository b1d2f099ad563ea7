"""The literature matrix in the reading room."""

from __future__ import annotations

import io
import re
from zipfile import ZipFile

import pytest
from starlette.testclient import TestClient

from tests.e2e.papers import BRIDGES, CLAY
from tests.integration.http.conftest import ONE

QUESTIONS = "questions=Where were nests found?&questions=How was the clay fired?"


def test_without_questions_there_is_the_form_alone(room: TestClient) -> None:
    page = room.get("/matrix")
    assert page.status_code == 200
    assert page.text.count('name="questions"') == 3
    assert "<table" not in page.text


def test_a_cell_opens_its_page(room: TestClient) -> None:
    page = room.get(f"/matrix?{QUESTIONS}&questions=").text
    assert page.count('name="questions"') == 3
    table = page[page.index("<table") : page.index("</table>")]
    rows = re.findall(r"<tr data-item>(.*?)</tr>", table, re.DOTALL)
    assert [BRIDGES.citekey in row or CLAY.citekey in row for row in rows] == [True] * len(rows)
    [passage] = set(re.findall(rf'href="(/passages/[^"]+)">\[@{BRIDGES.citekey}, p. \d', rows[0]))
    assert room.get(passage.replace("&amp;", "&"), follow_redirects=True).status_code == 200
    assert "may or may not answer" in page


def test_filters_leave_works_out(room: TestClient) -> None:
    page = room.get(f"/matrix?{QUESTIONS}&works={CLAY.citekey}").text
    assert BRIDGES.title not in page
    assert f'name="works" value="{CLAY.citekey}"' in page
    assert "<details open>" in page
    unknown = room.get(f"/matrix?{QUESTIONS}&works=nobody2000").text
    assert 'role="alert"' in unknown


def test_a_question_is_no_markup(room: TestClient) -> None:
    page = room.get("/matrix", params={"questions": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in page


@pytest.mark.parametrize(("form", "sign"), [("csv", "citekey,year"), ("markdown", "| Work |")])
def test_the_table_is_a_download(room: TestClient, form: str, sign: str) -> None:
    page = room.get(f"/matrix?{QUESTIONS}").text
    [address] = re.findall(rf'href="(/matrix/export[^"]*format={form}[^"]*)"', page)
    answer = room.get(address.replace("&amp;", "&"))
    assert answer.text.startswith(sign)
    assert BRIDGES.citekey in answer.text
    assert answer.headers["content-disposition"].startswith("attachment")


def test_a_workbook_links_to_the_pages_here(room: TestClient) -> None:
    answer = room.get(f"/matrix/export?{QUESTIONS}&format=xlsx")
    with ZipFile(io.BytesIO(answer.content)) as archive:
        links = archive.read("xl/worksheets/_rels/sheet1.xml.rels").decode()
    targets = re.findall('Target="([^"]+)"', links)
    assert targets
    project = ONE.replace("/", "%2F")
    assert all(
        re.fullmatch(rf"http://127\.0\.0\.1:8484/passages/\w+\?project={project}", target)
        for target in targets
    )
