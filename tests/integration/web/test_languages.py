"""The pages in the language of the reader's browser."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

SEARCH = {"en": "Search", "de": "Suchen", "pt": "Pesquisar"}


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("pt-BR", "pt"),
        ("fr, pt;q=0.3, de;q=0.2", "pt"),
        ("fr", "en"),
        ("", "en"),
        ("de;q=0, en;q=0.1", "en"),
        ("de;q=zero", "de"),
    ],
)
def test_a_page_is_in_the_language_that_the_browser_likes_best(
    room: TestClient, accepted: str, language: str
) -> None:
    page = room.get("/", headers={"accept-language": accepted}).text
    assert f'<html lang="{language}">' in page
    assert f">{SEARCH[language]}</button>" in page


def test_numbers_have_their_words(room: TestClient) -> None:
    address = "/ask?text=nests+under+bridges"
    assert (
        "Textstellen wurden gelesen." in room.get(address, headers={"accept-language": "de"}).text
    )
