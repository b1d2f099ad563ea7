"""A small project in memory whose questions can be answered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from random import Random

from citeloom.application.answering.ask import Ask
from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.answer_model import AnswerModel
from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.application.ports.vector_index import VectorIndex
from citeloom.domain.answers.calibration import Calibration
from citeloom.domain.answers.relevance import Thresholds
from citeloom.domain.retrieval.passage import DenseVector, EmbeddedChunk, Selection
from tests.fakes.calibration_store import InMemoryCalibrations
from tests.fakes.embedders import HashingDense
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import RYE, Library, open_project, with_models

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


class RandomDense(HashingDense):
    """Vectors by chance, the same for the same text."""

    def embed_query(self, text: str) -> DenseVector:
        random = Random(text)
        total = [random.gauss(0, 1) for _ in range(self.dimension)]
        length = math.sqrt(sum(value * value for value in total))
        return [value / length for value in total]


def large_project() -> tuple[Library, DenseEmbedder]:
    """Sixty chunks of 300 words, and an embedder of 384 dimensions."""
    random = Random(8)
    words = [f"{one}{two}" for one in ("bar", "ran", "tol", "wes", "kim") for two in range(300)]
    texts = {
        f"papers/{number}.txt": "\n\n".join(
            f"# Part {part}\n\n" + " ".join(random.choices(words, k=300)) for part in range(6)
        )
        for number in range(10)
    }
    return project(texts), RandomDense(dimension=384)


def query_on(
    index: VectorIndex, library: Library, dense: DenseEmbedder | None = None
) -> OpenProject:
    """A project's chunks copied to an index; `dense` embeds them again."""
    name, embedder = library.project.collection, dense or library.dense
    made = library.index.binding(name)
    assert made is not None
    index.create(replace(made, dimension=embedder.dimension))
    everything = Selection(project_id=library.project.id)
    chunks = [
        EmbeddedChunk(
            stored=one.stored,
            dense=embedder.embed_query(one.text) if dense else one.dense,
            sparse=one.sparse,
        )
        for one in library.index.examine(name, everything)
        if one.stored and one.dense
    ]
    index.upsert(name, chunks)
    return with_models(open_project(library, index=index), dense=embedder)


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
    opened = open_project(library)
    return Ask(
        project=opened, judge=JudgeRelevance(project=opened, calibrations=calibrations), model=model
    )
