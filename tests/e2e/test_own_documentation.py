"""The repository's documentation as a library: a fresh checkout is ingested and asked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.copies import copy_folder
from tests.e2e.command import Desk, MakeDesk

PROJECT = "citeloom/clean-arch"
CHECKOUT = ("citeloom.toml", "README.md", "CONTRIBUTING.md", "SECURITY.md")
QUESTIONS = {
    "Why are deletions proved first?": "adr19DeletionNeedsProof",
    "What happens to the chunks in the store when an ingest is killed halfway?": (
        "adr2GenerationsAndTheOrderOfWrites"
    ),
    "Why do we not use PyTorch although we use Docling?": "adr4DoclingWithoutTorch",
    "How do I add an embedder?": "citeloomContributing",
    "Two processes want the same index at once: who opens it?": "adr17WhoHoldsTheIndexServesIt",
    "Why is a Word file cited without page numbers?": "adr9PlacesWithoutPages",
    "Can an answer written by a model contain sentences that no passage supports?": (
        "adr27AModelClaimsAndTheProgramVerifies"
    ),
    "How can GitHub Actions fail when the library is broken?": "citeloomCi",
    "Where does the default embedding model come from without Hugging Face?": (
        "adr5AModelThatNeedsNoHub"
    ),
    "What do I write into citeloom.toml to use PostgreSQL?": "citeloomStores",
}
"""Questions of a colleague, written before any was asked, and the page that answers."""


@pytest.fixture(scope="module")
def checkout(make_desk: MakeDesk) -> Iterator[Desk]:
    """What citeloom.toml names, ingested as CONTRIBUTING.md says; what `make quality` has just
    ingested is unchanged.
    """
    desk = make_desk("checkout")
    if ingested := os.environ.get("CITELOOM_OWN_DOCUMENTATION"):
        copy_folder(Path(ingested), desk.data)
    for name in CHECKOUT:
        shutil.copy(ROOT / name, desk.folder)
    shutil.copytree(ROOT / "docs", desk.folder / "docs")
    desk.must("ingest", "--project", PROJECT)
    yield desk
    shutil.rmtree(desk.folder)


@pytest.fixture(scope="module")
def ranks(checkout: Desk) -> dict[str, int | None]:
    """For each question the place of the first passage of its page among ten."""
    app = checkout.open(PROJECT)
    try:
        answers = {question: app.query(question, top_k=10).passages for question in QUESTIONS}
    finally:
        app.parts.close()
    return {
        question: next(
            (rank for rank, passage in enumerate(passages, 1) if page in (passage.citation or "")),
            None,
        )
        for question, passages in answers.items()
        for page in [f"[@{QUESTIONS[question]}, "]
    }


def test_the_command_answers_with_citations_by_section(checkout: Desk) -> None:
    (question, *_) = QUESTIONS
    told = checkout.must("query", question, "--project", PROJECT).out
    assert "[@adr19DeletionNeedsProof, sec. 2, para" in told


def test_every_page_is_cited_by_the_citekey_of_its_reference(checkout: Desk) -> None:
    documents = checkout.must("list", "--project", PROJECT, "--json").json
    assert len(documents) > 70
    assert [document["path"] for document in documents if not document["citekey"]] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_page_that_answers_is_among_ten_passages(
    question: str, ranks: dict[str, int | None]
) -> None:
    assert ranks[question] is not None


def test_nearly_all_pages_are_among_the_six_that_are_shown_unasked(
    ranks: dict[str, int | None],
) -> None:
    shown = [question for question, rank in ranks.items() if rank is not None and rank <= 6]
    assert len(shown) >= 8
