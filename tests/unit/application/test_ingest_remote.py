"""Ingests whose dense vectors come from a service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from citeloom.application.events import shown_by
from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ports.embedders import EmbeddingUsage
from citeloom.application.reports import IngestReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import EmbeddingMismatch, ModelUnavailable
from citeloom.domain.project import RemoteModel
from tests.fakes.in_memory_remote import InMemoryRemote
from tests.unit.application.library import PROJECT, Library, paper

TWO = {"papers/a.txt": paper("wheat"), "papers/b.txt": paper("barley")}
ENDPOINT = "http://localhost:1/v1"
REMOTE = RemoteModel(endpoint=ENDPOINT, inputs="openai")


class RemoteLibrary(Library):
    """A library whose project has a remote model."""

    def __init__(self, texts: Mapping[str, str], remote: InMemoryRemote | None = None) -> None:
        super().__init__(texts)
        self.remote = remote or InMemoryRemote()
        self.project = replace(PROJECT, embedding_model=self.remote.model_id, remote=REMOTE)

    def parts(self) -> IngestParts:
        parts = super().parts()
        return replace(
            parts,
            tools=replace(parts.tools, dense=self.remote),
            remote=self.remote,
        )

    def look(self) -> IngestReport:
        return ingest(self.parts(), IngestRequest(dry_run=True), shown_by(self.progress))


def test_the_storing_process_asks_the_service_and_says_what_it_took() -> None:
    library = RemoteLibrary(TWO)
    report = library.ingest()
    assert report.indexed == ["papers/a.txt", "papers/b.txt"]
    assert report.sends_text_to == ENDPOINT
    assert report.embed_api_calls == library.remote.usage.calls > 2
    assert report.embed_seconds == 0.5 * report.embed_api_calls
    assert report.seconds["embed"] > 0
    assert library.sources() == {"papers/a.txt": 3, "papers/b.txt": 3}
    assert library.embedded == 0, "the local model is not asked"


def test_the_same_is_stored_as_with_a_local_model() -> None:
    local, remote = Library(TWO), RemoteLibrary(TWO)
    local.ingest()
    remote.ingest()
    assert local.stored().keys() != {}
    assert [s.chunk.text for s in local.stored().values()] == [
        s.chunk.text for s in remote.stored().values()
    ]


def test_a_dry_run_estimates_and_asks_nobody() -> None:
    library = RemoteLibrary(TWO)
    looked = library.look()
    assert library.remote.usage == EmbeddingUsage()
    assert library.index.binding(library.project.collection) is None
    assert looked.pending == ["papers/a.txt", "papers/b.txt"]
    assert looked.embed_api_calls == 2
    assert looked.embed_tokens > 0
    library.ingest()
    assert library.look().embed_api_calls == 0


def test_a_dry_run_passes_over_what_cannot_be_read() -> None:
    library = RemoteLibrary({**TWO, "papers/empty.txt": ""})
    looked = library.look()
    assert looked.embed_api_calls == 2
    assert looked.failed == []
    assert library.manifest.entries(library.project.id) == []


def test_a_second_run_counts_its_own_calls_only() -> None:
    library = RemoteLibrary(TWO)
    library.ingest()
    again = library.ingest()
    assert (again.embed_api_calls, again.embed_reused) == (0, 0)
    rebuilt = library.ingest(IngestRequest(rebuild=True))
    assert rebuilt.embed_reused == rebuilt.chunks.added == 6


def test_a_refused_text_fails_its_document_alone() -> None:
    library = RemoteLibrary(TWO, InMemoryRemote(refused=("barley",)))
    report = library.ingest()
    assert report.indexed == ["papers/a.txt"]
    (failure,) = report.failed
    assert (failure.path, failure.code) == ("papers/b.txt", "TEXT_REFUSED")
    assert library.ingest().failed_before == [replace(failure, hint="")]


def test_a_service_that_goes_ends_the_run_and_the_next_takes_it_up() -> None:
    library = RemoteLibrary(TWO)
    library.remote.gone = True
    with pytest.raises(ModelUnavailable):
        library.ingest()
    assert library.manifest.entries(library.project.id) == []

    library.remote.gone = False
    library.ingest()
    library.files.write("papers/c.txt", paper("oats"))
    library.remote.gone = True
    with pytest.raises(ModelUnavailable):
        library.ingest()
    library.remote.gone = False
    assert library.ingest().indexed == ["papers/c.txt"]
    statuses = {entry.status for entry in library.manifest.entries(library.project.id)}
    assert statuses == {Status.INDEXED}


def test_other_inputs_need_a_rebuild() -> None:
    library = RemoteLibrary(TWO)
    library.ingest()
    library.project = replace(
        library.project, remote=replace(REMOTE, inputs="openai, passages 'p: ', questions ''")
    )
    with pytest.raises(EmbeddingMismatch, match="p: "):
        library.ingest()
    assert library.ingest(IngestRequest(rebuild=True)).promoted
    bound = library.index.binding(library.project.collection)
    assert bound is not None
    assert bound.dense_inputs == library.project.dense_inputs


@pytest.mark.parametrize("configured", [None, 16])
def test_another_dimension_needs_a_rebuild(configured: int | None) -> None:
    library = RemoteLibrary(TWO)
    library.ingest()
    library.files.write("papers/c.txt", paper("oats"))
    library.remote = InMemoryRemote(dimension=16)
    library.project = replace(library.project, remote=replace(REMOTE, dimension=configured))
    with pytest.raises(EmbeddingMismatch, match="16"):
        library.ingest()
    assert library.remote.usage.calls == (1 if configured is None else 0)
    assert library.ingest(IngestRequest(rebuild=True)).promoted
