"""The use case `calibrate`: thresholds of verdicts from the collection itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from citeloom.application.answering.relevance import JudgeRelevance
from citeloom.application.collection import selection_of
from citeloom.application.events import DocumentDone, ReadEvent, reported_run
from citeloom.application.open_project import OpenProject
from citeloom.application.ports.records import CalibrationStore
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.reports import CalibrationOutcome
from citeloom.application.requests.passages import QueryRequest
from citeloom.application.retrieval.query import query
from citeloom.domain.answers.calibration import (
    CHANGED,
    LEAST_CHUNKS,
    UNRELATED_QUESTIONS,
    Calibration,
    Measured,
    Samples,
    calibrate,
    question_of_name,
    question_of_words,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.errors import CiteloomError, IncompleteReply, InvalidProject
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.passage import IndexQuery, Selection, StoredChunk
from citeloom.domain.retrieval.words import PASSAGES_READ
from citeloom.domain.text.tokens import sentence_spans

OWN_SENTENCES = 120
_LEAST_OWN = 20
_WORDS = range(8, 41)
_WITHOUT = frozenset({StageName.RERANK, StageName.WORKS})
_DEEP = 30
"""How many passages are read to know which are nearest without a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrate:
    """Asks the library unrelated questions and questions made of its own sentences."""

    project: OpenProject
    judge: JudgeRelevance
    calibrations: CalibrationStore
    events: ReadEvent
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: UNRELATED_QUESTIONS)
    cancellation: Cancellation | None = None
    least_chunks: int = LEAST_CHUNKS

    def __call__(self) -> Calibration:
        """Calibrate the project's collection and store what was found.

        Raises what `query` raises, `InvalidProject` for fewer than 20 sentences to ask about, and
        `IncompleteReply` if it was cancelled.
        """
        project = self.project
        collection, selection = project.bound_collection(), selection_of(project, Filters())
        sentences = self._sentences(selection)
        named = [(question_of_name(text), sentence) for text, sentence in sentences]
        short = [(text, stored) for text, stored in named if text is not None]
        count = len(sentences) + len(short) + sum(map(len, self.questions.values()))
        with reported_run(count, self.events):
            both = [
                self._with_and_without(question_of_words(text), sentence, selection)
                for text, sentence in sentences
            ]
            samples = Samples(
                unrelated={
                    name: tuple(self._measured(question, selection) for question in questions)
                    for name, questions in self.questions.items()
                },
                present=tuple(measured for measured, _ in both),
                short=tuple(self._measured(text, selection) for text, _ in short),
                absent=tuple(measured for _, measured in both if measured is not None),
            )
        chunks = project.index.count(project.collection, project.everything)
        calibration = calibrate(samples, collection, chunks, project.clock.now())
        self.calibrations.put(calibration)
        return calibration

    def if_changed(self, cancellation: Cancellation, asked: bool) -> CalibrationOutcome | None:
        """Calibrate where the collection has changed by more than a tenth since the last time and
        is not small, or it was `asked` for; what came of it, and None where none was due or it was
        cancelled.
        """
        project = self.project
        collection, clock = project.bound_collection(), project.clock
        chunks = project.index.count(project.collection, project.everything)
        last = self.calibrations.get(collection.name)
        if not chunks or (last and last.fits(collection) and last.drift(chunks) <= CHANGED):
            return None
        if not asked and chunks < self.least_chunks:
            return None
        started, reason, made = clock.monotonic(), "", None
        try:
            made = replace(self, cancellation=cancellation)()
        except IncompleteReply:
            return None
        except CiteloomError as error:
            reason = error.message
        except OSError as error:
            reason = f"it could not be stored: {error.strerror or error}"
        return CalibrationOutcome(
            chunks=chunks,
            seconds=round(clock.monotonic() - started, 1),
            thresholds=made.thresholds if made else None,
            reason=reason,
        )

    def _measured(self, text: str, selection: Selection) -> Measured:
        return self._with_and_without(text, None, selection)[0]

    def _with_and_without(
        self, text: str, own: StoredChunk | None, selection: Selection
    ) -> tuple[Measured, Measured | None]:
        """The question as it stands in the library, and in it without the document of `own`; None
        where there is no other.
        """
        if self.cancellation is not None and self.cancellation.requested:
            raise IncompleteReply("the calibration was cancelled", "Calibrate again.")
        result = query(self.project, QueryRequest(text=text, top_k=_DEEP, without=_WITHOUT))
        stored = [passage.stored for passage in result.passages]
        near = self._nearest(text, selection)
        self.events(DocumentDone(document=text, state="asked"))
        whole = self._as_judged(text, stored, near)
        if own is None:
            return whole, None
        doc_id = own.chunk.doc_id
        others = [
            (neighbour, score) for neighbour, score in near if neighbour.chunk.doc_id != doc_id
        ]
        if not others:
            return whole, None
        rest = [stored_chunk for stored_chunk in stored if stored_chunk.chunk.doc_id != doc_id]
        return whole, self._as_judged(text, rest, others)

    def _as_judged(
        self, text: str, stored: Sequence[StoredChunk], near: Sequence[tuple[StoredChunk, float]]
    ) -> Measured:
        read = stored[:PASSAGES_READ]
        similarity = near[0][1] if near else 0.0
        return Measured(similarity, self.judge.wording(text, read))

    def _nearest(self, text: str, selection: Selection) -> list[tuple[StoredChunk, float]]:
        nearest = IndexQuery(
            selection=selection,
            mode=Mode.DENSE,
            limit=_DEEP,
            dense=self.project.dense.embed_query(text),
        )
        hits = self.project.index.search(self.project.collection, nearest)
        return [(hit.stored, hit.score) for hit in hits]

    def _sentences(self, selection: Selection) -> list[tuple[str, StoredChunk]]:
        """A sentence from each of some chunks, the same at every calibration."""
        stored = self.project.chunks(selection)
        chunks = sorted(
            (stored_chunk for stored_chunk in stored if stored_chunk.chunk.kind is ChunkKind.TEXT),
            key=lambda stored: _drawn(stored.chunk.id),
        )
        sentences = [
            (text, stored) for stored in chunks[: 2 * OWN_SENTENCES] for text in _one_of(stored)
        ]
        if len(sentences) < _LEAST_OWN:
            raise InvalidProject(
                f"project '{self.project.id}' has only {len(sentences)} sentences "
                f"to calibrate with, fewer than {_LEAST_OWN}",
                "Ingest more documents first; until then the default thresholds hold.",
            )
        return sentences[:OWN_SENTENCES]


def _drawn(name: str) -> int:
    """A pseudo-random number, the same for the same name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _one_of(stored: StoredChunk) -> list[str]:
    """A sentence of the chunk that has words to ask for and is neither short nor long, if any."""
    text = stored.chunk.text
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    fitting = [
        sentence
        for sentence in sentences
        if len(sentence.split()) in _WORDS and question_of_words(sentence)
    ]
    return [fitting[_drawn(stored.chunk.id) % len(fitting)]] if fitting else []
