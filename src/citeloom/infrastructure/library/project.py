"""`ProjectLibrary`, the public API of one project, where each use case is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.requests.fields import accepts
from citeloom.application.requests.passages import (
    AskRequest,
    ChatRequest,
    FindRequest,
    QueryRequest,
)
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.library.documents import ProjectDocuments
from citeloom.infrastructure.library.evaluation import ProjectEvaluation
from citeloom.infrastructure.library.manuscript import ProjectManuscript

if TYPE_CHECKING:
    from citeloom.application.answering.chat import SessionRetention, Sessions
    from citeloom.application.library_info import LibraryInfo
    from citeloom.application.manuscript.collect import Chapter, Collect, CollectedPassage
    from citeloom.application.models import RecommendedModels
    from citeloom.application.ports.answer_model import AnswerModel
    from citeloom.application.ports.vector_index import Serving, StoreState
    from citeloom.application.retrieval.find import Concordance
    from citeloom.application.retrieval.result import QueryResult
    from citeloom.application.retrieval.show import Shown
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.session import Turn


class ProjectLibrary(ProjectDocuments, ProjectManuscript, ProjectEvaluation):
    """One project: query it, ingest into it, inspect it. It never sees other projects' passages."""

    @property
    def info(self) -> LibraryInfo:
        """The library's configuration file and folders."""
        return self.parts.info

    def check_store(self) -> StoreState:
        """The state of the vector store and of the project's collection."""
        return self.parts.check_store([self._configured.collection])

    def allowed_path(self, path: str) -> Path:
        """The absolute path of a file or folder that another program may have ingested: one at or
        below `[server] roots`, or else the project's sources.

        Raises `PathNotAllowed` for any other, for links and devices, and `NotFound` if there is
        nothing.
        """
        from citeloom.infrastructure.filesystem.source_files import allowed_path

        settings = self.parts.settings
        roots = settings.server.roots or self.project.sources
        return allowed_path(path, [*map(settings.resolve, roots)], settings.base_dir)

    def load_models(self) -> None:
        """Load the models that questions need, unless another process holds the index or a service
        embeds; open nothing else.

        Raises `ModelUnavailable`, and `IndexUnavailable` where the store does not answer.
        """
        index, collection = self.parts.index, self.project.collection
        index.binding(collection)
        if self.project.remote is None and not index.has_other_owner(collection):
            self.question_models.load()

    def recommended_models(self) -> RecommendedModels:
        """The languages found in some of the project's passages, and the models they recommend."""
        from citeloom.application.models import recommend_models

        return recommend_models(replace(self.opened, settings=self._configured))

    def serve(self) -> Serving:
        """Serve the project's index and models to other processes until the library is closed.

        Raises `IndexLocked` if another process does, and `ConfigError` if the index is on a
        server.
        """
        index, collection, models = self.parts.index, self.project.collection, self.question_models
        serving = index.serve(collection, models)
        if index.binding(collection) is not None:
            index.count(collection, Selection(project_id=self.project.id))
        models.load()
        return serving

    @accepts(QueryRequest)
    def query(self, request: QueryRequest) -> QueryResult:
        """The passages that answer a question, best first.

        Raises `InvalidFilter` for an empty or impossible filter, `InvalidProject` if nothing has
        been ingested yet, `EmbeddingMismatch` if the collection has other models,
        `HybridNotSupported` if it has no sparse vectors.
        """
        from citeloom.application.retrieval.query import query

        if not (self.project.retrieval.floor if request.floor is None else request.floor):
            return query(self.opened, request)
        from citeloom.application.answering.relevance import query_above_floor

        return query_above_floor(self.opened, self.relevance, request)

    @accepts(AskRequest)
    def ask(self, request: AskRequest) -> Answer:
        """An answer whose every sentence is tied to words of a passage, with their page. Raises
        what `query` and the model raise.
        """
        return self.answering(request, request.events, request.cancellation)

    @accepts(ChatRequest)
    def chat(self, request: ChatRequest) -> Turn:
        """The next question of a session, or the first of a new one, answered as by `ask`.

        A follow-up is made self-contained first; the turn says what was really asked. It is stored
        once this returns. Raises `NotFound` for an unknown session, and what `ask` raises.
        """
        from citeloom.application.answering.chat import Chat
        from citeloom.application.answering.follow_ups import ResolveFollowUp, RewriteQuestion

        ask, rewrite = self.answering, None
        if ask.model is not None:
            rewrite = RewriteQuestion(model=ask.model, language=ask.wording.language)
        chat = Chat(
            ask=ask,
            make_self_contained=ResolveFollowUp(rewrite=rewrite),
            sessions=self.parts.sessions,
            retention=self._session_retention,
            clock=self.parts.clock,
        )
        return chat(request, request.events, request.cancellation)

    @property
    def answer_model(self) -> AnswerModel | None:
        """The model that writes answers; None where nothing is sent anywhere."""
        return self.answering.model

    @property
    def sessions(self) -> Sessions:
        """The conversations about the project: to list, read and delete."""
        from citeloom.application.answering.chat import Sessions

        return Sessions(
            project=self.project, store=self.parts.sessions, retention=self._session_retention
        )

    @property
    def _session_retention(self) -> SessionRetention:
        from citeloom.application.answering.chat import SessionRetention

        parts = self.parts
        days = parts.settings.answers.session_days
        return SessionRetention(store=parts.sessions, clock=parts.clock, days=days)

    def show(self, name: str, *, context: int = 1) -> Shown:
        """The chunk of that id with `context` neighbours a side, or all of a citekey, document
        id or end of a path. Raises `NotFound`.
        """
        from citeloom.application.retrieval.show import show

        return show(self.opened, name, context=context)

    def page_image(self, chunk_id: str, *, page: int | None = None, scale: float = 1.5) -> bytes:
        """A page of a passage as PNG with the passage highlighted, `scale` pixels a point.

        Raises `NotFound` for an unknown passage, a page that it is not on or a file that is gone,
        `UnsupportedFormat` where the document is no PDF, `SourceChanged` when its file has changed.
        """
        from citeloom.application.retrieval.show import draw_page

        return draw_page(self.opened, self.parts.page_images, chunk_id, page=page, scale=scale)

    @accepts(FindRequest)
    def find(self, request: FindRequest) -> Concordance:
        """Every place of the words, with its page. Raises `InvalidFilter`, and `InvalidProject` if
        nothing has been ingested yet.
        """
        from citeloom.application.retrieval.find import find

        return find(self.opened, request)

    def collect(
        self, chunk_id: str, *, chapter: str, comment: str = "", tags: Sequence[str] | str = ()
    ) -> CollectedPassage:
        """Append a passage with a comment and tags to the Markdown file of a chapter, once.

        Raises `NotFound` for an unknown passage, `InvalidFilter` for a name that no chapter can
        have.
        """
        from citeloom.application.manuscript.collect import CollectRequest

        labels = (tags,) if isinstance(tags, str) else tuple(tags)
        return self._collection(
            CollectRequest(chunk_id=chunk_id, chapter=chapter, comment=comment, tags=labels)
        )

    def chapters(self, chapter: str | None = None) -> list[Chapter]:
        """The chapters with passages of the project, or that one alone. Raises `NotFound`."""
        return self._collection.chapters(chapter)

    @property
    def _collection(self) -> Collect:
        from citeloom.application.manuscript.collect import Collect
        from citeloom.infrastructure.answers.markdown import collected, heading
        from citeloom.infrastructure.filesystem.chapter_files import FolderChapterFiles

        settings = self.parts.settings
        lock = settings.data_dir / "collected.lock"
        return Collect(
            project=self.opened,
            files=FolderChapterFiles(settings.collected_dir, lock=lock),
            entry=collected,
            heading=heading,
        )
