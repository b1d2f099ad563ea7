"""`ProjectLibrary`, the public API of one project, where each use case is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from citeloom.application.events import ReadEvent, reader_of
from citeloom.application.options import (
    AskOptions,
    DocumentOptions,
    FilterOptions,
    IngestOptions,
    QueryOptions,
    WatchOptions,
    absolute,
    choice,
    filters_of,
    ingest_request,
    query_request,
    question_of,
)
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import ConfigError
from citeloom.domain.retrieval.passage import Selection
from citeloom.infrastructure.library.manuscript import ProjectManuscript

if TYPE_CHECKING:
    from citeloom.application.answering.chat import SessionRetention, Sessions
    from citeloom.application.answering.write import AnswerEvents
    from citeloom.application.collect import Chapter, Collect, CollectedPassage
    from citeloom.application.delete import Delete, DeleteReport
    from citeloom.application.documents import DocumentDetail, Inspection, ListedDocument
    from citeloom.application.ingest import IngestRequest
    from citeloom.application.library_info import LibraryInfo
    from citeloom.application.match import MatchCandidates, MatchDocuments
    from citeloom.application.models import RecommendedModels
    from citeloom.application.options import Stop
    from citeloom.application.ports.answer_model import AnswerModel
    from citeloom.application.ports.runtime import Cancellation, Progress
    from citeloom.application.ports.sources import SourceFiles
    from citeloom.application.ports.vector_index import Serving, StoreState
    from citeloom.application.repair import RepairReport
    from citeloom.application.reports import IngestReport
    from citeloom.application.retrieval.find import Concordance
    from citeloom.application.retrieval.query import QueryResult
    from citeloom.application.retrieval.show import Shown
    from citeloom.application.validate import ValidationReport
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.session import Turn
    from citeloom.domain.project import Project
    from citeloom.domain.zotero.selection import ZoteroSelection
    from citeloom.infrastructure.library.library import Library


class ProjectLibrary(ProjectManuscript):
    """One project: query it, ingest into it, inspect it. It never sees other projects' passages."""

    def __init__(self, library: Library, project: Project) -> None:
        super().__init__(library.parts, project)
        self._library = library

    @property
    def info(self) -> LibraryInfo:
        """The library's configuration file and folders."""
        return self._library.info

    def check_store(self) -> StoreState:
        """The state of the vector store and of the project's collection."""
        return self._library.check_store(self.project.id)

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
        from citeloom.application.models import RecommendModels

        return RecommendModels(project=self._configured, index=self.parts.index)()

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

    def query(self, text: str, **options: Unpack[QueryOptions]) -> QueryResult:
        """The passages that answer a question, best first.

        Raises `InvalidFilter` for an empty or impossible filter, `InvalidProject` if nothing has
        been ingested yet, `EmbeddingMismatch` if the collection has other models,
        `HybridNotSupported` if it has no sparse vectors.
        """
        request, floor = query_request(text, options), options.get("floor")
        if not (self.project.retrieval.floor if floor is None else floor):
            return self.retrieval(request)
        from citeloom.application.answering.relevance import QueryAboveFloor

        return QueryAboveFloor(query=self.retrieval, judge=self.relevance)(request)

    def ask(
        self,
        text: str | None = None,
        *,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
        question: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """An answer whose every sentence is tied to words of a passage, with their page.
        `events` receives passages and sentences as they are found and checked; `cancellation` ends
        it from another thread. Raises what `query` and the model raise. `question` is the former
        name of `text`.
        """
        from citeloom.application.answering.ask import AskRequest

        query, filters = question_of(text, question), filters_of(options)
        first, top_k = options.get("quote_first", False), options.get("top_k")
        request = AskRequest(question=query, filters=filters, top_k=top_k, quote_first=first)
        return self.answering(request, events, cancellation)

    def chat(
        self,
        text: str | None = None,
        *,
        session_id: str | None = None,
        events: AnswerEvents | None = None,
        cancellation: Cancellation | None = None,
        question: str | None = None,
        **options: Unpack[AskOptions],
    ) -> Turn:
        """The next question of a session, or the first of a new one, answered as by `ask`.

        A follow-up is made self-contained first; the turn says what was really asked. It is stored
        once this returns. Raises `NotFound` for an unknown session, and what `ask` raises.
        """
        from citeloom.application.answering.chat import Chat, ChatRequest
        from citeloom.application.answering.follow_ups import ResolveFollowUp, RewriteQuestion

        request = ChatRequest(
            question=question_of(text, question),
            session_id=session_id,
            filters=filters_of(options),
            top_k=options.get("top_k"),
            quote_first=options.get("quote_first", False),
        )
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
        return chat(request, events, cancellation)

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
        from citeloom.application.retrieval.show import Show

        return Show(project=self.project, index=self.parts.index)(name, context=context)

    def find(
        self, *words: str, exact: bool = False, **options: Unpack[FilterOptions]
    ) -> Concordance:
        """Every place of the words, in any form unless it is to be `exact`, with its page; several
        words stand in one passage. Raises `InvalidFilter`, and `InvalidProject` if nothing has been
        ingested yet.
        """
        from citeloom.application.retrieval.find import Find, FindRequest

        request = FindRequest(words=words, exact=exact, filters=filters_of(options))
        return Find(query=self.retrieval)(request)

    def collect(
        self, chunk_id: str, *, chapter: str, comment: str = "", tags: Sequence[str] | str = ()
    ) -> CollectedPassage:
        """Append a passage with a comment and tags to the Markdown file of a chapter, once.

        Raises `NotFound` for an unknown passage, `InvalidFilter` for a name that no chapter can
        have.
        """
        from citeloom.application.collect import CollectRequest

        labels = (tags,) if isinstance(tags, str) else tuple(tags)
        return self._collection(
            CollectRequest(chunk_id=chunk_id, chapter=chapter, comment=comment, tags=labels)
        )

    def chapters(self, chapter: str | None = None) -> list[Chapter]:
        """The chapters with passages of the project, or that one alone. Raises `NotFound`."""
        return self._collection.chapters(chapter)

    @property
    def _collection(self) -> Collect:
        from citeloom.application.collect import Collect
        from citeloom.infrastructure.filesystem.chapter_files import FolderChapterFiles
        from citeloom.infrastructure.serialisation.markdown import collected, heading

        settings = self.parts.settings
        lock = settings.data_dir / "collected.lock"
        return Collect(
            project=self.project,
            index=self.parts.index,
            files=FolderChapterFiles(settings.collected_dir, lock=lock),
            entry=collected,
            heading=heading,
        )

    def ingest(
        self,
        *sources: str | Path,
        references: Path | None = None,
        zotero: ZoteroSelection | None = None,
        progress: Progress | None = None,
        events: ReadEvent | None = None,
        stop: Stop = None,
        **options: Unpack[IngestOptions],
    ) -> IngestReport:
        """Ingest files, folders or a Zotero selection; `events` reads what happens, `progress`
        shows it.

        Without sources and `zotero` the project's configured sources are ingested. `references`
        replaces the project's own; `stop` is a `Cancellation`, or a function that is called
        between documents and cancels the run when it returns True. Raises `IndexLocked` while
        another process changes the project.
        """
        from citeloom.application.ingest import ingest
        from citeloom.application.zotero.ingest import IngestZotero

        request = ingest_request(options, *sources, stop=stop)
        send, parts = reader_of(progress, events), self.ingest_parts(references)
        if zotero is None:
            return ingest(parts, request, send)
        return IngestZotero(parts=parts, reach=lambda: self.parts.zotero)(request, zotero, send)

    def sync(
        self,
        *,
        annotations: bool | None = None,
        notes: bool | None = None,
        progress: Progress | None = None,
        stop: Stop = None,
        **options: Unpack[IngestOptions],
    ) -> IngestReport:
        """Update the project from its Zotero selection.

        Raises `ConfigError` if it has none.
        """
        from citeloom.application.zotero.ingest import IngestZotero

        request = ingest_request(options, stop=stop)
        ingest = IngestZotero(parts=self.ingest_parts(), reach=lambda: self.parts.zotero)
        return ingest.sync(request, reader_of(progress), annotations=annotations, notes=notes)

    def watch(
        self,
        *sources: str | Path,
        events: ReadEvent,
        stop: Stop,
        settle_seconds: float = 2.0,
        sweep_seconds: float = 300.0,
        progress: Progress | None = None,
        **options: Unpack[WatchOptions],
    ) -> None:
        """Keep the index equal to files and folders, or the project's configured sources, until
        `stop` is requested or returns True. `events` reads what happens: a report after each run
        that changed something, failures, and sources that are not there.

        A file is read once it has not changed for `settle_seconds`; every `sweep_seconds` all
        sources are looked at in case a change was missed. Documents are removed with their files.
        Raises `ConfigError` if there is no source.
        """
        from citeloom.application.ingest import ingest
        from citeloom.application.watching import Watch, WatchPolicy
        from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        chosen = absolute(sources) or self.project.sources
        if not chosen:
            raise ConfigError(
                "there is nothing to watch",
                "Name a folder, or set `sources` of the project in citeloom.toml.",
            )

        def ingest_from(
            files: SourceFiles, request: IngestRequest, send: ReadEvent
        ) -> IngestReport:
            return ingest(replace(self.ingest_parts(), files=files), request, send)

        base = self.parts.settings.base_dir
        watch = Watch(
            sources=chosen,
            suffixes=readable_suffixes(),
            files=self.parts.files,
            changes=WatchedFolders([_folder(base / source) for source in chosen]),
            clock=self.parts.clock,
            ingest=ingest_from,
            policy=WatchPolicy(settle_seconds=settle_seconds, sweep_seconds=sweep_seconds),
        )
        watch(ingest_request(options, stop=stop), reader_of(progress, events))

    def inspect(self, *, sample: int = 0) -> Inspection:
        """Describe the project and its index, with `sample` of its chunks."""
        from citeloom.application.documents import inspect_project

        parts = self.parts
        return inspect_project(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            machine=parts.machine,
            sample=sample,
        )

    def documents(self, **options: Unpack[DocumentOptions]) -> list[ListedDocument]:
        """The documents that match every given filter, sorted by path. Raises `InvalidFilter`."""
        from citeloom.application.documents import ListDocuments

        parts, state = self.parts, options.get("state")
        return ListDocuments(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            machine=parts.machine,
        )(
            options.get("text"),
            state=None if state is None else choice("state", DocumentState, state),
            missing_reference=options.get("missing_reference", False),
            filters=filters_of(options),
        )

    def document(self, doc_id: str) -> DocumentDetail:
        """A document with its outline, its pages and its chunks. Raises `NotFound`."""
        from citeloom.application.documents import DescribeDocument

        parts = self.parts
        return DescribeDocument(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            machine=parts.machine,
        )(doc_id)

    def match_candidates(self, document: str | None = None) -> Iterator[MatchCandidates]:
        """The documents without a reference, each with the three references nearest to it; or one
        document, by its path, the end of it or its id.

        Raises `ConfigError` if the project has no references, `NotFound` for an unknown document.
        """
        return self._matching.candidates(document)

    def configure_reference(self, document: str, citekey: str) -> Path:
        """Write into citeloom.toml that a document is the work of a citekey, and return the file.
        An ingest of a library opened afterwards applies it.

        Raises `NotFound` for an unknown document or citekey, `ConfigError` where the file cannot be
        changed.
        """
        return self._matching.configure_reference(document, citekey)

    @property
    def _matching(self) -> MatchDocuments:
        from citeloom.application.match import MatchDocuments
        from citeloom.infrastructure.wiring.conversion import cached_first_pages
        from citeloom.infrastructure.wiring.zotero import configure_file

        settings = self.parts.settings
        return MatchDocuments(
            project=self.project,
            index=self.parts.index,
            manifest=self.parts.manifest,
            references=self.references(),
            first_pages=cached_first_pages(settings),
            configure=partial(configure_file, settings, self.project.id),
        )

    def page_image(self, chunk_id: str, *, page: int | None = None, scale: float = 1.5) -> bytes:
        """A page of a passage as PNG with the passage highlighted, `scale` pixels a point.

        Raises `NotFound` for an unknown passage, a page that it is not on or a file that is gone,
        `UnsupportedFormat` where the document is no PDF, `SourceChanged` when its file has changed.
        """
        from citeloom.application.retrieval.show import DrawPage

        parts = self.parts
        return DrawPage(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            files=parts.files,
            images=parts.page_images,
        )(chunk_id, page=page, scale=scale)

    def repair(
        self, *, dry_run: bool = False, waiting: Callable[[str], None] | None = None
    ) -> RepairReport:
        """Rebuild the manifest from the index, finish killed deletions, and report the rest."""
        from citeloom.application.repair import Repair

        parts = self.parts
        return Repair(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            files=parts.files,
            audit=parts.audit,
            lease=parts.lease,
            clock=parts.clock,
            machine=parts.machine,
        )(dry_run=dry_run, waiting=waiting)

    def validate(
        self,
        *,
        only: frozenset[str] = frozenset(),
        skip: frozenset[str] = frozenset(),
        cancellation: Cancellation | None = None,
    ) -> ValidationReport:
        """Check models, store, references and every chunk, read-only; `cancellation` ends it from
        another thread.
        """
        from citeloom.application.validate import Validate

        parts = self.parts
        return Validate(
            project=self.project,
            policy=parts.settings.validation,
            index=parts.index,
            manifest=parts.manifest,
            references=self.references(),
            counter=self.embedders.counter,
            dense=self.embedders.dense,
            machine=parts.machine,
        )(only=only, skip=skip, cancellation=cancellation)

    def check_deletion(self, *, doc_id: str | None = None, citekey: str | None = None) -> None:
        """Raise `NotFound` where `delete` would, and change nothing."""
        self._deletion.check(doc_id=doc_id, citekey=citekey)

    def delete(
        self,
        *,
        doc_id: str | None = None,
        citekey: str | None = None,
        everything: bool = False,
        waiting: Callable[[str], None] | None = None,
    ) -> DeleteReport:
        """Delete one document, every document of a work, or everything. Source files stay; ingests
        skip them until one runs with `restore`.

        Raises `ConfigError` unless exactly one of the three is given, `NotFound` for an unknown
        document or work. While another process changes the project, raises `IndexLocked`, or
        calls `waiting` with its owner and waits.
        """
        if sum((doc_id is not None, citekey is not None, everything)) != 1:
            raise ConfigError(
                "it is not clear what to delete",
                "Give exactly one of doc_id, citekey and everything.",
            )
        if doc_id is not None:
            return self._deletion.document(doc_id, waiting=waiting)
        if citekey is not None:
            return self._deletion.work(citekey, waiting=waiting)
        return self._deletion.everything(waiting=waiting)

    @property
    def _deletion(self) -> Delete:
        from citeloom.application.delete import Delete

        parts = self.parts
        return Delete(
            project=self.project,
            index=parts.index,
            manifest=parts.manifest,
            audit=parts.audit,
            lease=parts.lease,
            clock=parts.clock,
        )


def _folder(source: Path) -> Path:
    """The folder to watch: an editor replaces a file, but leaves its folder."""
    return source.parent if source.is_file() else source
