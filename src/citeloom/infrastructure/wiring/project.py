"""The use cases of one project, each built at its first use, and its models shared between
processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.library_parts import ProjectParts, Serving
from citeloom.domain.errors import ConfigError
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.stores.qdrant.edge.owner_collection import SharedEmbedders
from citeloom.infrastructure.stores.qdrant.edge.owner_embedders import SharedDense, SharedSparse
from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex
from citeloom.infrastructure.wiring.opened_project import OpenedProject

if TYPE_CHECKING:
    from citeloom.application.answering.ask import Ask
    from citeloom.application.answering.calibrate import Calibrate
    from citeloom.application.answering.chat import Chat, SessionRetention, Sessions
    from citeloom.application.answering.relevance import JudgeRelevance, QueryAboveFloor
    from citeloom.application.collect import Collect
    from citeloom.application.delete import Delete
    from citeloom.application.documents import DescribeDocument, Inspect, ListDocuments
    from citeloom.application.evaluate.answers import EvaluateAnswers, EvaluateClaims
    from citeloom.application.evaluate.pages import EvaluatePages
    from citeloom.application.evaluate.run import Evaluate
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.ingest import Ingest
    from citeloom.application.match import MatchDocuments
    from citeloom.application.models import RecommendModels
    from citeloom.application.ports.embedders import DenseEmbedder, SparseEmbedder
    from citeloom.application.ports.runtime import Progress
    from citeloom.application.repair import Repair
    from citeloom.application.retrieval.query import Query
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.application.retrieval.show import DrawPage, Show
    from citeloom.application.validate import Validate
    from citeloom.application.watching import Watch, WatchPolicy
    from citeloom.application.zotero.ingest import IngestZotero
    from citeloom.domain.evaluation.measures import EvaluationCollection, Question


# The use cases of one project, each built at its first use.


class ProjectWiring(OpenedProject, ProjectParts):
    """Builds the use cases of one project, each at its first use."""

    @cached_property
    def query(self) -> Query:
        from citeloom.application.retrieval.query import Query

        dense, sparse = question_embedders(self)
        return Query(
            project=self.project,
            dense=dense,
            sparse=sparse,
            index=self.library.index,
            clock=self.library.clock,
            reranking=self._reranking(),
        )

    def reranked_query(self, reranker: str | None) -> Query:
        return replace(self.query, reranking=self._reranking(reranker))

    def _reranking(self, name: str | None = None) -> Reranking | None:
        """The reranking by the reranker of that name, or else by the configured one, if any."""
        settings, policy = self.library.settings, self.project.retrieval
        if name is None and (settings.rerank.model is None or not policy.rerank):
            return None
        return self.library.reranking(self.project, name)

    @cached_property
    def _judge(self) -> JudgeRelevance:
        from citeloom.application.answering.relevance import JudgeRelevance

        return JudgeRelevance(query=self.query, calibrations=self.library.calibrations)

    @cached_property
    def query_above_floor(self) -> QueryAboveFloor:
        from citeloom.application.answering.relevance import QueryAboveFloor

        return QueryAboveFloor(query=self.query, judge=self._judge)

    @cached_property
    def ask(self) -> Ask:
        from citeloom.application.answering.ask import Ask
        from citeloom.infrastructure.wiring.models import open_answer_model

        settings = self.library.settings
        return Ask(
            query=self.query,
            judge=self._judge,
            model=open_answer_model(settings),
            entailment=self.library.entailment,
            wording=settings.wording(self.project.id),
        )

    @property
    def chat(self) -> Chat:
        from citeloom.application.answering.chat import Chat
        from citeloom.application.answering.follow_ups import ResolveFollowUp, RewriteQuestion

        ask = self.ask
        rewrite = None
        if ask.model is not None:
            rewrite = RewriteQuestion(model=ask.model, language=ask.wording.language)
        return Chat(
            ask=ask,
            make_self_contained=ResolveFollowUp(rewrite=rewrite),
            sessions=self.library.sessions,
            retention=self._session_retention,
            clock=self.library.clock,
        )

    @property
    def sessions(self) -> Sessions:
        from citeloom.application.answering.chat import Sessions

        return Sessions(
            project=self.project, store=self.library.sessions, retention=self._session_retention
        )

    @property
    def _session_retention(self) -> SessionRetention:
        from citeloom.application.answering.chat import SessionRetention

        library = self.library
        days = library.settings.answers.session_days
        return SessionRetention(store=library.sessions, clock=library.clock, days=days)

    def calibrate(self, progress: Progress) -> Calibrate:
        from citeloom.application.answering.calibrate import Calibrate

        return Calibrate(
            query=self.query,
            judge=self._judge,
            calibrations=self.library.calibrations,
            progress=progress,
        )

    def evaluate_claims(self, progress: Progress) -> EvaluateClaims:
        from citeloom.application.evaluate.answers import EvaluateClaims

        return EvaluateClaims(
            query=self.query, progress=progress, entailment=self.library.entailment
        )

    def evaluate_answers(self, progress: Progress) -> EvaluateAnswers:
        from citeloom.application.evaluate.answers import EvaluateAnswers

        return EvaluateAnswers(ask=self.ask, progress=progress)

    @cached_property
    def show(self) -> Show:
        from citeloom.application.retrieval.show import Show

        return Show(project=self.project, index=self.library.index)

    @cached_property
    def collect(self) -> Collect:
        from citeloom.application.collect import Collect
        from citeloom.infrastructure.filesystem.chapter_files import FolderChapterFiles
        from citeloom.infrastructure.serialisation.markdown import collected, heading

        settings = self.library.settings
        lock = settings.data_dir / "collected.lock"
        return Collect(
            project=self.project,
            index=self.library.index,
            files=FolderChapterFiles(settings.collected_dir, lock=lock),
            entry=collected,
            heading=heading,
        )

    @cached_property
    def match(self) -> MatchDocuments:
        from citeloom.application.match import MatchDocuments
        from citeloom.infrastructure.wiring.conversion import cached_first_pages
        from citeloom.infrastructure.wiring.opened_project import open_references
        from citeloom.infrastructure.wiring.zotero import configure_file

        settings = self.library.settings
        return MatchDocuments(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            references=open_references(settings, self.project),
            first_pages=cached_first_pages(settings),
            configure=partial(configure_file, settings, self.project.id),
        )

    @property
    def inspect(self) -> Inspect:
        from citeloom.application.documents import Inspect

        return Inspect(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            machine=self.library.machine,
        )

    @cached_property
    def recommend_models(self) -> RecommendModels:
        from citeloom.application.models import RecommendModels

        return RecommendModels(project=self._project, index=self._library.index)

    @property
    def validate(self) -> Validate:
        from citeloom.application.validate import Validate
        from citeloom.infrastructure.wiring.opened_project import open_references

        return Validate(
            project=self.project,
            policy=self.library.settings.validation,
            index=self.library.index,
            manifest=self.library.manifest,
            references=open_references(self.library.settings, self.project),
            counter=self.embedders.counter,
            dense=self.embedders.dense,
            machine=self.library.machine,
        )

    @cached_property
    def delete(self) -> Delete:
        from citeloom.application.delete import Delete

        return Delete(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            audit=self.library.audit,
            lease=self.library.lease,
            clock=self.library.clock,
        )

    @property
    def documents(self) -> ListDocuments:
        from citeloom.application.documents import ListDocuments

        return ListDocuments(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            machine=self.library.machine,
        )

    @property
    def document(self) -> DescribeDocument:
        from citeloom.application.documents import DescribeDocument

        return DescribeDocument(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            machine=self.library.machine,
        )

    @cached_property
    def page_image(self) -> DrawPage:
        from citeloom.application.retrieval.show import DrawPage

        return DrawPage(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            files=self.library.files,
            images=self.library.page_images,
        )

    @property
    def repair(self) -> Repair:
        from citeloom.application.repair import Repair

        return Repair(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            files=self.library.files,
            audit=self.library.audit,
            lease=self.library.lease,
            clock=self.library.clock,
            machine=self.library.machine,
        )

    @cached_property
    def evaluate_pages(self) -> EvaluatePages:
        from citeloom.application.evaluate.pages import EvaluatePages
        from citeloom.infrastructure.conversion.pdfium import PdfiumPageTexts

        return EvaluatePages(
            project=self.project,
            index=self.library.index,
            manifest=self.library.manifest,
            files=self.library.files,
            page_texts=PdfiumPageTexts(),
        )

    def allowed_path(self, path: str) -> Path:
        from citeloom.infrastructure.filesystem.source_files import allowed_path

        settings = self.library.settings
        roots = settings.server.roots or self.project.sources
        return allowed_path(path, [*map(settings.resolve, roots)], settings.base_dir)

    def load_models(self) -> None:

        load_models(self)

    def serve(self) -> Serving:

        return serve(self)

    def ingest(self, references: Path | None = None) -> Ingest:
        from citeloom.application.ingest import Ingest

        return Ingest(self.ingest_parts(references))

    def watch(self, sources: tuple[str, ...], policy: WatchPolicy) -> Watch:
        from citeloom.infrastructure.wiring.opened_project import open_watch

        return open_watch(self, sources, policy)

    def ingest_zotero(self, references: Path | None = None) -> IngestZotero:
        from citeloom.application.zotero.ingest import IngestZotero

        return IngestZotero(parts=self.ingest_parts(references), reach=lambda: self.library.zotero)

    def evaluate(self, query: Query, progress: Progress) -> Evaluate:
        from citeloom.infrastructure.wiring.evaluation import evaluation_of

        return evaluation_of(query, progress)

    def query_over(
        self, collection: EvaluationCollection, progress: Progress, reranker: str | None
    ) -> AbstractContextManager[Query]:
        from citeloom.infrastructure.wiring.evaluation import query_over

        reranking = self._reranking(reranker)
        return query_over(self, collection, progress, self.project.chunking, reranking)

    def sweep(
        self,
        questions: tuple[str, tuple[Question, ...]],
        collections: Sequence[EvaluationCollection],
        progress: Progress,
        *,
        fusion_only: bool,
    ) -> SweepReport:
        from citeloom.infrastructure.wiring.evaluation import sweep

        return sweep(self, self.query, questions, collections, progress, fusion_only=fusion_only)


# Sharing a project's index and models with other processes.


def question_embedders(wiring: OpenedProject) -> tuple[DenseEmbedder, SparseEmbedder | None]:
    """The embedders of questions, which use the models of the index's owner; a remote model is
    asked by this process, with its own key.
    """
    index, project = wiring.library.index, wiring.project
    sparse = project.bound_sparse_model
    if not isinstance(index, SharedIndex):
        return wiring.embedders.dense, wiring.embedders.sparse
    index.share_models(_models(wiring))
    return (
        wiring.embedders.dense
        if project.remote
        else SharedDense(
            project.embedding_model, lambda: wiring.embedders.dense, index, project.collection
        ),
        SharedSparse(sparse, lambda: wiring.embedders.sparse, index, project.collection)
        if sparse
        else None,
    )


def serve(wiring: OpenedProject) -> Serving:
    """Become the owner process of the project's index, with its models loaded."""
    index, project = wiring.library.index, wiring.project
    if not isinstance(index, SharedIndex):
        raise ConfigError(
            f"the index of project '{project.id}' is on a server, or read-only",
            "Processes can share only an index in a writable data folder.",
        )
    models = _models(wiring)
    index.share_models(models)
    serving = index.serve(project.collection)
    if index.binding(project.collection) is not None:
        index.count(project.collection, Selection(project_id=project.id))
    models.load()
    return serving


def load_models(wiring: OpenedProject) -> None:
    """Load the models that questions need, unless another process holds the index; a remote model
    has nothing to load, and is not asked.

    Raises `IndexUnavailable` where the store does not answer.
    """
    index = wiring.library.index
    index.binding(wiring.project.collection)
    if wiring.embedders.remote is None and not (
        isinstance(index, SharedIndex) and index.has_other_owner(wiring.project.collection)
    ):
        _models(wiring).load()


def _models(wiring: OpenedProject) -> SharedEmbedders:
    project = wiring.project
    sparse = project.bound_sparse_model
    return SharedEmbedders(
        dense={} if project.remote else {project.embedding_model: lambda: wiring.embedders.dense},
        sparse={sparse: lambda: wiring.embedders.sparse} if sparse else {},
    )
