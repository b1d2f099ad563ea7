"""A small project in memory whose questions can be answered."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.retrieval.query import Query
from citeloom.domain.answers.calibration import Calibration
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.passage import Selection
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import RYE, Library

TEXTS = {
    "papers/a.txt": "# Rainfall\n\nWinter rye was sown in the last week of September on plot nine. "
    "The yield did not fall below four tonnes in any of the years. "
    "Rainfall before sowing was measured with two gauges on each plot.",
    "papers/b.txt": "# Fouling\n\nBarnacles settled on the rim of the lower window within a week. "
    "A copper collar kept the window of the logger clean for a whole summer.",
}
ALWAYS = Thresholds(related=-1.0, answered=-1.0, unknown_share=1.0)
NEVER = Thresholds(related=2.0, answered=2.0, unknown_share=1.0)


def project(texts: Mapping[str, str] | None = None) -> Library:
    """An ingested project; its first text has a reference."""
    library = Library(dict(texts or TEXTS))
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library


def query_of(library: Library) -> Query:
    """The project's query."""
    return Query(
        project=library.project,
        dense=library.dense,
        sparse=library.sparse if library.project.hybrid_enabled else None,
        index=library.index,
        clock=library.clock,
    )


def calibrated(
    library: Library, thresholds: Thresholds, *, chunks: int | None = None
) -> Calibration:
    """A calibration of the project with such thresholds."""
    collection = library.index.binding(library.project.collection)
    assert collection is not None
    everything = Selection(project_id=library.project.id)
    return Calibration(
        collection=collection.name,
        generation=collection.generation,
        model=collection.dense_model,
        chunks=chunks or library.index.count(collection.name, everything),
        thresholds=thresholds,
        verdicts={},
    )


def ask_of(
    library: Library, *, model: AnswerModel | None = None, thresholds: Thresholds | None = ALWAYS
) -> Ask:
    """The project's `ask`; without thresholds it is not calibrated."""
    calibrations = InMemoryCalibrations()
    if thresholds is not None:
        calibrations.put(calibrated(library, thresholds))
    query = query_of(library)
    return Ask(
        query=query, judge=JudgeRelevance(query=query, calibrations=calibrations), model=model
    )
