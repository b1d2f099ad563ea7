"""The use case `calibrate`: thresholds of relevance from the collection itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from citeloom.application.binding import bound_collection
from citeloom.application.ports.calibration_store import CalibrationStore
from citeloom.application.ports.progress import Progress
from citeloom.application.retrieval.query import Query
from citeloom.application.retrieval.selection import FilterTranslation
from citeloom.domain.answers.calibration import Calibration, Similarities, calibrate
from citeloom.domain.answers.unrelated_questions import UNRELATED_QUESTIONS
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.errors import InvalidProject
from citeloom.domain.filters import Filters
from citeloom.domain.passage import IndexQuery, Selection, StoredChunk
from citeloom.domain.policies import Mode
from citeloom.domain.quotation import holds_verbatim
from citeloom.domain.sentences import sentence_spans

OWN_SENTENCES = 200
_LEAST_OWN = 20
_WORDS = range(8, 41)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrate:
    """Finds the similarities that unrelated questions, and the library's own sentences, have."""

    query: Query
    calibrations: CalibrationStore
    progress: Progress
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: UNRELATED_QUESTIONS)

    def __call__(self) -> Calibration:
        """Calibrate the project's collection and store what was found.

        Raises what `Query` raises, and `InvalidProject` for fewer than 20 sentences to compare.
        """
        project, index = self.query.project, self.query.index
        collection = bound_collection(index, project)
        selection = FilterTranslation(reader=index, project=project).selection(Filters())
        sentences = self._sentences(selection)
        self.progress.start(len(sentences) + sum(map(len, self.questions.values())))
        try:
            found = Similarities(
                unrelated={
                    name: tuple(self._nearest(one, selection) for one in questions)
                    for name, questions in self.questions.items()
                },
                own=tuple(self._nearest(text, selection, own) for text, own in sentences),
            )
        finally:
            self.progress.finish()
        chunks = index.count(project.collection, Selection(project_id=project.id))
        calibration = calibrate(found, collection, chunks, self.query.clock.now())
        self.calibrations.put(calibration)
        return calibration

    def _nearest(self, text: str, selection: Selection, own: StoredChunk | None = None) -> float:
        """The cosine of a text and the nearest chunk, its own and others that hold it aside."""
        query = IndexQuery(
            selection=selection, mode=Mode.DENSE, limit=4, dense=self.query.dense.embed_query(text)
        )
        hits = self.query.index.search(self.query.project.collection, query)
        self.progress.advance(text, "compared")
        others = [hit.score for hit in hits if own is None or not _holds(hit.stored, text, own)]
        return max(others, default=0.0)

    def _sentences(self, selection: Selection) -> list[tuple[str, StoredChunk]]:
        """A sentence from each of some chunks, the same at every calibration."""
        stored = self.query.index.scroll(self.query.project.collection, selection)
        chunks = sorted(
            (one for one in stored if one.chunk.kind is ChunkKind.TEXT),
            key=lambda one: _drawn(one.chunk.id),
        )
        found = [(text, one) for one in chunks[: 2 * OWN_SENTENCES] for text in _one_of(one)]
        if len(found) < _LEAST_OWN:
            raise InvalidProject(
                f"project '{self.query.project.id}' has only {len(found)} sentences to calibrate "
                f"with, fewer than {_LEAST_OWN}",
                "Ingest more documents first; until then the default thresholds hold.",
            )
        return found[:OWN_SENTENCES]


def _holds(stored: StoredChunk, text: str, own: StoredChunk) -> bool:
    """Whether a chunk is the text's own, or holds it as well, as overlapping ones do."""
    return stored.chunk.id == own.chunk.id or holds_verbatim(stored.chunk.text, text)


def _drawn(name: str) -> int:
    """A number that stands for a name, and says nothing of it."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _one_of(stored: StoredChunk) -> list[str]:
    """A sentence of the chunk, if one is neither short nor long."""
    text = stored.chunk.text
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    fitting = [sentence for sentence in sentences if len(sentence.split()) in _WORDS]
    return [fitting[_drawn(stored.chunk.id) % len(fitting)]] if fitting else []
