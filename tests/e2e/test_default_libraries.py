"""Which libraries an ingest and a question load by default, in all their processes."""

from __future__ import annotations

import re

import pytest

from tests.e2e.command import SMALL, Desk, MakeDesk, project_table
from tests.e2e.in_process import Outcome
from tests.e2e.papers import PAPERS, write_papers
from tests.fakes.many_formats import WRITERS

IMPORTED = re.compile(r"^import time:.*\| +(\S+)$", re.MULTILINE)
BY_CONFIGURATION = {"docling.document_converter", "fastembed", "qdrant_client"}
"""What runs where a layout of Docling's, another model or a Qdrant server is configured."""
INGEST = {
    "docling.backend.msword_backend",
    "docling.models.postprocessing.reading_order_rb",
    "docling.models.stages.heading_hierarchy.heading_hierarchy_model",
    "docling_parse",
    "onnxruntime",
    "pydantic",
    "qdrant_edge",
    "structlog",
    "tomli",
    "typer",
}
QUESTION = {"onnxruntime", "pydantic", "qdrant_edge", "tomli", "typer"}


@pytest.fixture(scope="module")
def desk(make_desk: MakeDesk) -> Desk:
    """A PDF and a Word document."""
    desk = make_desk("libraries")
    write_papers(desk.library, PAPERS[0])
    WRITERS["docx"](desk.library / "note.docx", "The tide rises twice a day.")
    desk.configure(project_table(SMALL))
    return desk


@pytest.fixture(scope="module")
def ingest(desk: Desk) -> set[str]:
    return imported(desk, "ingest")


def imported(desk: Desk, *args: str) -> set[str]:
    """The modules that a command and its worker processes import, read off Python's own account."""
    outcome: Outcome = desk.spawn(*args, env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert outcome.code == 0
    return set(IMPORTED.findall(outcome.err))


def test_an_ingest_loads_what_the_table_says(ingest: set[str]) -> None:
    assert INGEST - ingest == set()
    assert BY_CONFIGURATION & ingest == set()


def test_a_question_loads_what_the_table_says(desk: Desk, ingest: set[str]) -> None:
    question = imported(desk, "query", "When does the tide rise?")
    assert QUESTION - question == set()
    assert (BY_CONFIGURATION | INGEST - QUESTION) & question == set()
