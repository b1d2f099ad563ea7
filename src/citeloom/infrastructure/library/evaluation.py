"""The evaluations of a project: what it finds, answers, cites and refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.events import reader_of
from citeloom.application.requests.fields import choice
from citeloom.domain.policies import Mode
from citeloom.infrastructure.library.parts import ProjectParts

if TYPE_CHECKING:
    from citeloom.application.evaluate.pages import PageReport
    from citeloom.application.evaluate.saved_runs import RunFiles, SavedRuns
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.events import Progress
    from citeloom.domain.answers.calibration import Calibration
    from citeloom.domain.answers.evaluation import AnswerEvaluation, ClaimEvaluation
    from citeloom.domain.evaluation.comparison import RunComparison
    from citeloom.domain.evaluation.measures import EvaluationRun, Question


class EvaluationMethods(ProjectParts):
    """What measures a project, or its settings on test collections."""

    @property
    def calibration(self) -> Calibration | None:
        """The calibration of the project's collection; None without one that fits it."""
        name = self.project.collection
        collection, calibration = (
            self.parts.index.binding(name),
            self.parts.calibrations.get(name),
        )
        return calibration if calibration and collection and calibration.fits(collection) else None

    def calibrate(self, *, progress: Progress | None = None) -> Calibration:
        """Find the thresholds from which the project is about a question, and store them.

        Raises `InvalidProject` if it has too few sentences to compare.
        """
        return self.calibration_with(reader_of(progress))()

    def evaluate(
        self,
        questions: Path | Sequence[Question],
        *,
        modes: Sequence[Mode | str] = (),
        k: int = 10,
        reranker: str | None = None,
        progress: Progress | None = None,
    ) -> EvaluationRun:
        """Evaluate questions with known evidence, given as values or as a JSON Lines file: measure
        the first `k` passages in each of `modes`, by default all that the project supports. A
        `reranker` by name takes the place of the configured one.
        """
        from citeloom.application.evaluate.ranking import EvaluationRequest
        from citeloom.infrastructure.library.trials import evaluation_of

        name, read = _named(questions)
        request = EvaluationRequest(name=name, questions=read, modes=_modes(modes), k=k)
        reranking = self.reranking(reranker)
        project = replace(self.opened, open_reranking=lambda: reranking)
        return evaluation_of(project, reader_of(progress))(request)

    def evaluate_highlights(
        self,
        *,
        modes: Sequence[Mode | str] = (),
        k: int = 10,
        reranker: str | None = None,
        progress: Progress | None = None,
    ) -> EvaluationRun:
        """Evaluate the comments on the project's indexed highlights as questions, by colour and
        tag: what is found for each but the highlight itself. Raises `NotFound` without one.
        """
        from citeloom.application.evaluate.highlights import highlight_request
        from citeloom.infrastructure.library.trials import evaluation_of

        request = highlight_request(self.opened, modes=_modes(modes), k=k)
        reranking = self.reranking(reranker)
        project = replace(self.opened, open_reranking=lambda: reranking)
        return evaluation_of(project, reader_of(progress))(request)

    def evaluate_collection(
        self,
        folder: Path,
        *,
        modes: Sequence[Mode | str] = (),
        k: int = 10,
        reranker: str | None = None,
        progress: Progress | None = None,
    ) -> EvaluationRun:
        """Evaluate a test collection in BEIR's format, in a temporary index."""
        from citeloom.application.evaluate.ranking import EvaluationRequest
        from citeloom.infrastructure.evaluation.files import read_collection
        from citeloom.infrastructure.library.trials import evaluation_of, project_over

        collection, shown = read_collection(folder), reader_of(progress)
        request = EvaluationRequest(
            name=collection.name,
            questions=collection.questions,
            modes=_modes(modes),
            k=k,
            by_document=True,
        )
        chunking, reranking = self.project.chunking, self.reranking(reranker)
        with project_over(self, collection, shown, chunking, reranking) as project:
            return evaluation_of(project, shown)(request)

    def saved_runs(self) -> SavedRuns:
        """The runs over the project's collection in the folder `[paths] runs_dir`."""
        from citeloom.application.evaluate.saved_runs import saved_runs

        return saved_runs(self.opened, self._run_files)

    def compare_runs(self, before: str, after: str) -> RunComparison:
        """The second of two of `saved_runs` against the first, by the names of their files.

        Raises `NotFound`, and `InvalidQrels` where they have no question and mode in common.
        """
        from citeloom.application.evaluate.saved_runs import compare_saved

        return compare_saved(self.opened, self._run_files, before, after)

    @property
    def _run_files(self) -> RunFiles:
        from citeloom.infrastructure.answers.evaluations import read_run
        from citeloom.infrastructure.evaluation.files import RunFolder

        return RunFolder(self.parts.settings.runs_dir, read_run)

    def evaluate_answers(
        self, questions: Path | Sequence[Question], *, progress: Progress | None = None
    ) -> AnswerEvaluation:
        """Answer questions; measure what is cited, and what is refused as it should be."""
        from citeloom.application.evaluate.answers import evaluate_answers

        name, read = _named(questions)
        return evaluate_answers(name, read, ask=self.answering, events=reader_of(progress))

    def evaluate_claims(self, file: Path, *, progress: Progress | None = None) -> ClaimEvaluation:
        """Check the labelled sentences of a JSON Lines file as if a model had written them."""
        from citeloom.application.evaluate.answers import evaluate_claims
        from citeloom.infrastructure.evaluation.files import read_claims

        events, entailment = reader_of(progress), self.parts.entailment
        return evaluate_claims(self.opened, read_claims(file), events=events, entailment=entailment)

    def evaluate_pages(self, *, examples: int = 3) -> PageReport:
        """Check every chunk against the text of the PDF pages it is cited by."""
        from citeloom.application.evaluate.pages import evaluate_pages
        from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts

        return evaluate_pages(self.opened, PdfiumPageTexts(), examples=examples)

    def sweep(
        self,
        questions: Path | Sequence[Question],
        *,
        collections: Sequence[Path] = (),
        fusion_only: bool = False,
        progress: Progress | None = None,
    ) -> SweepReport:
        """Try other fusions and chunk sizes, and report which are significantly better."""
        from citeloom.infrastructure.evaluation.files import read_collection
        from citeloom.infrastructure.library.trials import sweep

        others = [read_collection(folder) for folder in collections]
        shown = reader_of(progress)
        return sweep(self, _named(questions), others, shown, fusion_only=fusion_only)


def _named(questions: Path | Sequence[Question]) -> tuple[str, tuple[Question, ...]]:
    """The questions, with the name of the file that they are read from."""
    from citeloom.infrastructure.evaluation.files import read_questions

    if isinstance(questions, Path):
        return questions.name, read_questions(questions)
    return "questions", tuple(questions)


def _modes(names: Sequence[Mode | str]) -> tuple[Mode, ...]:
    return tuple(choice("mode", Mode, name) for name in names)
