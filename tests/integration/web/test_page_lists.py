"""A book with a page list in the reading room: its pages are those that are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.jobs import Jobs
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.embedding.fastembed.minilm import packaged_weights
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import open_library
from tests.fakes.many_formats import write_epub
from tests.integration.web.conftest import room_of

_PAGE = "<span epub:type='pagebreak' id='p{0}' title='{0}'></span>"
_CHAPTERS = [
    f"<h1>{title}</h1><p>{_PAGE.format(label)}{' '.join([text] * 12)}</p>"
    for label, title, text in (
        ("101", "Tides", "The gauge on the quay was read at noon by the harbour master."),
        ("117", "Surges", "A storm of three days raised the water by more than two metres."),
    )
]


def test_printed_pages_stand_where_numbers_of_the_file_do_for_a_pdf(tmp_path: Path) -> None:
    if packaged_weights() is None:
        pytest.skip("needs the packaged weights: requirements/weights.txt is not installed")
    (tmp_path / "books").mkdir()
    write_epub(tmp_path / "books/quay", *_CHAPTERS)
    (tmp_path / "citeloom.toml").write_text('[project."lab/own"]\nsources = ["books/"]\n')
    with open_library(tmp_path) as library:
        project = library.project("lab/own")
        assert not project.ingest().failed
        (document,) = project.documents()
        jobs = Jobs(library.ingest_target, clock=SystemClock())
        calls = Calls(library.limits)
        served = ServedLibrary(library=library, jobs=jobs, projects=("lab/own",), calls=calls)
        with room_of(served) as room:
            page = room.get(f"/works/{document.doc_id}?project=lab/own&label=117").text
        assert jobs.close(60)
    assert "Page of the file" not in page
    assert "Printed page" in page
    assert ", 117" in page.partition("</title>")[0]
    assert "Surges</a> <small>117</small>" in page
    assert "Tides</a> <small>101</small>" in page
