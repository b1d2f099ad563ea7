"""`ProjectLibrary`, the public API of one project, where each use case is built."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from citeloom.application.events import ReadEvent, reader_of
from citeloom.application.requests.fields import accepts, values_of
from citeloom.application.requests.ingest import (
    FollowRequest,
    IngestRequest,
    MarksRequest,
    SyncRequest,
    WatchRequest,
    absolute,
)
from citeloom.application.requests.manuscript import CollectRequest
from citeloom.application.requests.passages import (
    AskRequest,
    ChatRequest,
    DocumentsRequest,
    FindRequest,
    QueryRequest,
    ValidateRequest,
)
from citeloom.domain.errors import ConfigError, PathNotAllowed
from citeloom.infrastructure.library.evaluation import EvaluationMethods
from citeloom.infrastructure.library.project_drafts import DraftMethods

if TYPE_CHECKING:
    from citeloom.application.answering.chat import Sessions
    from citeloom.application.delete import Delete, DeleteReport
    from citeloom.application.documents import DocumentDetail, Inspection, ListedDocument
    from citeloom.application.library_info import LibraryInfo, ProjectSetup
    from citeloom.application.manuscript.collect import Chapter, Collect, CollectedPassage
    from citeloom.application.match import MatchCandidates, MatchDocuments
    from citeloom.application.models import RecommendedModels
    from citeloom.application.ports.answer_model import AnswerModel
    from citeloom.application.ports.sources import SourceFiles
    from citeloom.application.ports.vector_index import Serving, StoreState
    from citeloom.application.repair import RepairReport
    from citeloom.application.reports import IngestReport
    from citeloom.application.retrieval.facets import WorkFacets
    from citeloom.application.retrieval.find import Concordance
    from citeloom.application.retrieval.page_view import PageView
    from citeloom.application.retrieval.result import QueryResult
    from citeloom.application.retrieval.show import Shown
    from citeloom.application.retrieval.work_map import WorkMap
    from citeloom.application.validate import ValidationReport
    from citeloom.application.zotero.coverage import ZoteroCoverage
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.session import Turn
    from citeloom.domain.retrieval.passage import Passage


class ProjectLibrary(DraftMethods, EvaluationMethods):
    """One project: query it, ingest into it, inspect it. It never sees other projects' passages."""

    @property
    def info(self) -> LibraryInfo:
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

    def add_file(self, name: str, content: IO[bytes]) -> Path:
        """Write a document into the folder `[server] uploads` under its name, made safe, and return
        where; one that is there with the same content stays, and none is overwritten.

        Raises `PathNotAllowed` where there is no such folder below the sources, and as
        `added_files.add_file` for what is no document by its content.
        """
        from citeloom.infrastructure.filesystem.added_files import add_file

        settings = self.parts.settings
        if settings.server.uploads is None:
            raise PathNotAllowed(
                "files may not be added here",
                'Name a folder below the sources in citeloom.toml: [server] uploads = "papers"',
            )
        folder = settings.resolve(settings.server.uploads)
        if not os.path.lexists(folder):
            self.allowed_path(str(folder.parent))
            folder.mkdir(exist_ok=True)
        allowed = self.allowed_path(str(folder))
        return add_file(allowed, name, content, most_text=settings.conversion.max_text_mb << 20)

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
        from citeloom.infrastructure.wiring.models import multilingual_model

        opened = replace(self.opened, settings=self._configured)
        return recommend_models(opened, lambda: multilingual_model(self.parts.settings))

    def serve(self) -> Serving:
        """Serve the project's index and models to other processes until the library is closed.

        Raises `IndexLocked` if another process does, and `ConfigError` if the index is on a
        server.
        """
        index, collection, models = self.parts.index, self.project.collection, self.question_models
        serving = index.serve(collection, models)
        if index.binding(collection) is not None:
            index.count(collection, self.opened.everything)
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
        return self.answering(request)

    @accepts(ChatRequest)
    def chat(self, request: ChatRequest) -> Turn:
        """The next question of a session, or the first of a new one, answered as by `ask`.

        A follow-up is made self-contained first; the turn says what was really asked. It is stored
        once this returns. Raises `NotFound` for an unknown session, and what `ask` raises.
        """
        from citeloom.application.answering.chat import chat
        from citeloom.application.answering.follow_ups import RewriteQuestion

        ask, rewrite = self.answering, None
        if ask.model is not None:
            rewrite = RewriteQuestion(model=ask.model, language=ask.wording.language)
        return chat(request, ask=ask, sessions=self.sessions, rewrite=rewrite)

    @property
    def answer_model(self) -> AnswerModel | None:
        """The model that writes answers; None where nothing is sent anywhere."""
        return self.answering.model

    @property
    def sessions(self) -> Sessions:
        """The conversations about the project: to list, read and delete."""
        from citeloom.application.answering.chat import Sessions

        parts = self.parts
        return Sessions(
            project=self.project,
            store=parts.sessions,
            clock=parts.clock,
            days=parts.settings.answers.session_days,
        )

    def show(self, name: str, *, context: int = 1) -> Shown:
        """The chunk of that id with `context` neighbours a side, or all of a citekey, document
        id or end of a path. Raises `NotFound`.
        """
        from citeloom.application.retrieval.show import show

        return show(self.opened, name, context=context)

    def page_image(
        self, chunk_id: str, *, page: int | None = None, scale: float = 1.5, words: str = ""
    ) -> bytes:
        """A page of a passage as PNG with the passage highlighted, or these `words` of it alone,
        `scale` pixels a point.

        Raises `NotFound` for an unknown passage, a page that it is not on or a file that is gone,
        `UnsupportedFormat` where the document is no PDF, `SourceChanged` when its file has changed.
        """
        from citeloom.application.retrieval.show import draw_page

        images = self.parts.page_images
        return draw_page(self.opened, images, chunk_id, page=page, scale=scale, words=words)

    def plain_page(self, doc_id: str, page: int, *, scale: float = 1.5) -> bytes:
        """A page of a document as PNG, without any mark. Raises as `page_image`."""
        from citeloom.application.retrieval.page_view import draw_plain_page

        return draw_plain_page(self.opened, self.parts.page_images, doc_id, page, scale=scale)

    def page_view(
        self,
        doc_id: str,
        *,
        page: int | None = None,
        label: str | None = None,
        chunk_id: str | None = None,
        words: str = "",
    ) -> PageView:
        """A page of a document, by number or printed label, else that of a passage or of the
        `words` of it: what is on it, and where. Without fixed pages, a part of the text.

        Raises `NotFound` for an unknown document, page or passage, or one of another document.
        """
        from citeloom.application.retrieval.page_view import view_page

        images = self.parts.page_images
        return view_page(
            self.opened, images, doc_id, page=page, label=label, chunk_id=chunk_id, words=words
        )

    def similar(self, chunk_id: str, *, top_k: int = 10) -> list[Passage]:
        """The passages of other documents nearest in meaning to a passage. Raises `NotFound`."""
        from citeloom.application.retrieval.similar import similar_passages

        return similar_passages(self.opened, chunk_id, top_k=top_k)

    def places_of_words(self, question: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Where in each of the texts the words of a question stand, in any form."""
        from citeloom.application.retrieval.find import places_of_words

        return places_of_words(self.opened, question, texts)

    def facets(self) -> WorkFacets:
        """How many works have each tag, author, year and the like. Raises `InvalidProject` if
        nothing has been ingested yet.
        """
        from citeloom.application.retrieval.facets import FacetsCache

        return self.opened.kept(FacetsCache).facets(self.opened)

    @accepts(FindRequest)
    def find(self, request: FindRequest) -> Concordance:
        """Every place of the words, with its page. Raises `InvalidFilter`, and `InvalidProject` if
        nothing has been ingested yet.
        """
        from citeloom.application.retrieval.find import find

        return find(self.opened, request)

    @accepts(CollectRequest)
    def collect(self, request: CollectRequest) -> CollectedPassage:
        """Append a passage with a comment and tags to the Markdown file of a chapter, once.

        Raises `NotFound` for an unknown passage, `InvalidFilter` for a name that no chapter can
        have.
        """
        return self._collection(request)

    def chapters(self, chapter: str | None = None) -> list[Chapter]:
        """The chapters with passages of the project, or that one alone. Raises `NotFound`."""
        return self._collection.chapters(chapter)

    @property
    def _collection(self) -> Collect:
        from citeloom.application.manuscript.collect import Collect
        from citeloom.infrastructure.answers.markdown import collected, heading
        from citeloom.infrastructure.filesystem.draft_files import FolderChapterFiles

        settings = self.parts.settings
        files = FolderChapterFiles(
            settings.collected_dir, lock=settings.data_dir / "collected.lock"
        )
        return Collect(project=self.opened, files=files, entry=collected, heading=heading)

    # -- what fills, keeps and checks it

    @accepts(IngestRequest)
    def ingest(self, request: IngestRequest) -> IngestReport:
        """Ingest files, folders or a Zotero selection; relative sources are of the current folder.

        Raises `IndexLocked` while another process changes the project.
        """
        from citeloom.application.ingest.ingest_run import ingest
        from citeloom.application.zotero.ingest_zotero import IngestZotero

        request = replace(request, sources=absolute(request.files))
        send = reader_of(request.progress, request.events)
        parts = self.ingest_parts(request.references)
        if request.zotero is None:
            return ingest(parts, request, send)
        run = IngestZotero(parts=parts, reach=lambda: self.parts.zotero)
        return run(request, request.zotero, send)

    @accepts(SyncRequest)
    def sync(self, request: SyncRequest) -> IngestReport:
        """Update the project from its Zotero selection.

        Raises `ConfigError` if it has none.
        """
        from citeloom.application.zotero.ingest_zotero import IngestZotero

        run = IngestZotero(parts=self.ingest_parts(), reach=lambda: self.parts.zotero)
        marks = values_of(request, MarksRequest)
        return run.sync(request.ingesting(), reader_of(request.progress), **marks)

    @property
    def setup(self) -> ProjectSetup:
        """What is there of the project's sources, references and Zotero before an ingest."""
        from citeloom.application.library_info import describe_setup
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        return describe_setup(
            self.opened,
            references=self.references(),
            zotero=lambda: self.parts.zotero,
            suffixes=readable_suffixes(),
        )

    def zotero_coverage(self, *libraries: str) -> ZoteroCoverage:
        """How much of the named libraries of Zotero, or of those of the project's selection, is
        indexed: by collection and saved search. Raises `NotFound`, and `SourceUnavailable`.
        """
        from citeloom.application.zotero.coverage import cover_zotero

        parts, project = self.parts, self.project
        selection = project.zotero or parts.manifest.selection(project.id)
        return cover_zotero(parts.zotero, self.opened.entries(), selection, libraries)

    @accepts(FollowRequest)
    def watch_zotero(self, request: FollowRequest) -> None:
        """Keep the index equal to the project's Zotero selection until `stop` is requested or
        returns True. `events` reads what happens: a report after each run that changed something,
        and failures.

        Zotero is read once its database has not changed for `settle_seconds`, and every
        `sweep_seconds`; over an API at the latter alone. Raises what `sync` does at the first run.
        """
        from citeloom.application.watching import ZoteroWatch
        from citeloom.application.zotero.ingest_zotero import IngestZotero

        marks = values_of(request, MarksRequest)

        def sync(run: IngestRequest, send: ReadEvent) -> IngestReport:
            use_case = IngestZotero(parts=self.ingest_parts(), reach=lambda: self.parts.zotero)
            return use_case.sync(run, send, **marks)

        watch = ZoteroWatch(
            zotero=lambda: self.parts.zotero,
            clock=self.parts.clock,
            sync=sync,
            pace=request,
        )
        watch(request.ingesting(), reader_of(request.progress, request.events))

    @accepts(WatchRequest)
    def watch(self, request: WatchRequest) -> None:
        """Keep the index equal to files and folders, or the project's configured sources, until
        `stop` is requested or returns True. `events` reads what happens: a report after each run
        that changed something, failures, and sources that are not there.

        A file is read once it has not changed for `settle_seconds`; every `sweep_seconds` all
        sources are looked at in case a change was missed. Documents are removed with their files.
        Raises `ConfigError` if there is no source.
        """
        from citeloom.application.ingest.ingest_run import ingest
        from citeloom.application.watching import Watch
        from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders
        from citeloom.infrastructure.wiring.conversion import readable_suffixes

        chosen = absolute(request.sources) or self.project.sources
        if not chosen:
            raise ConfigError(
                "there is nothing to watch",
                "Name a folder, or set `sources` of the project in citeloom.toml.",
            )

        def ingest_from(
            files: SourceFiles, request: IngestRequest, send: ReadEvent
        ) -> IngestReport:
            parts = self.ingest_parts()
            return ingest(
                replace(parts, project=replace(parts.project, files=files)), request, send
            )

        places = [self.parts.settings.base_dir / source for source in chosen]
        watch = Watch(
            sources=chosen,
            suffixes=readable_suffixes(),
            files=self.parts.files,
            # An editor replaces a file, but leaves its folder.
            changes=WatchedFolders(
                [place.parent if place.is_file() else place for place in places]
            ),
            clock=self.parts.clock,
            ingest=ingest_from,
            pace=request,
        )
        watch(request.ingesting(), reader_of(request.progress, request.events))

    def work_map(self) -> WorkMap:
        """The project's works on a plane, those with similar texts near one another.

        Raises `InvalidProject` if nothing has been ingested yet.
        """
        from citeloom.application.retrieval.work_map import map_works
        from citeloom.infrastructure.embedding.principal_plane import principal_plane

        return map_works(self.opened, principal_plane)

    def inspect(self, *, sample: int = 0) -> Inspection:
        """Describe the project and its index, with `sample` of its chunks."""
        from citeloom.application.documents import inspect_project

        return inspect_project(self.opened, sample=sample)

    @accepts(DocumentsRequest)
    def documents(self, request: DocumentsRequest) -> list[ListedDocument]:
        """The documents that match every given filter, sorted by path. Raises `InvalidFilter`."""
        from citeloom.application.documents import list_documents

        return list_documents(self.opened, request)

    def document(self, doc_id: str) -> DocumentDetail:
        """A document with its outline, its pages and its chunks. Raises `NotFound`."""
        from citeloom.application.documents import describe_document

        return describe_document(self.opened, doc_id)

    def match_candidates(self, document: str | None = None) -> Iterator[MatchCandidates]:
        """The documents without a reference, each with the three references nearest to it; or one
        document, by its path, the end of it or its id.

        Raises `ConfigError` if the project has no references, `NotFound` for an unknown document.
        """
        return self._matching.candidates(document)

    def configure_reference(self, document: str, citekey: str) -> Path:
        """Write into citeloom.toml that a document is the work of a citekey, and return the file.
        The next ingest applies it.

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

        def configure(path: str, citekey: str) -> Path:
            file = configure_file(settings, self.project.id, path, citekey)
            self.chosen_references[path] = citekey
            return file

        return MatchDocuments(
            project=self.opened,
            references=self.references(),
            first_pages=cached_first_pages(settings),
            configure=configure,
        )

    def repair(
        self, *, dry_run: bool = False, waiting: Callable[[str], None] | None = None
    ) -> RepairReport:
        """Rebuild the manifest from the index, finish killed deletions, and report the rest."""
        from citeloom.application.repair import Repair

        repair = Repair(project=self.opened, audit=self.parts.audit, lease=self.parts.lease)
        return repair(dry_run=dry_run, waiting=waiting)

    @accepts(ValidateRequest)
    def validate(self, request: ValidateRequest) -> ValidationReport:
        """Check models, store, references and every chunk, read-only; `cancellation` ends it from
        another thread.
        """
        from citeloom.application.validate import Validate

        validate = Validate(
            project=self.opened,
            policy=self.parts.settings.validation,
            references=self.references(),
            counter=self.embedders.counter,
            dense=self.embedders.dense,
        )
        return validate(request)

    def check_deletion(self, *, doc_id: str | None = None, citekey: str | None = None) -> None:
        """Raise `NotFound` where `delete` would, and change nothing."""
        if doc_id is not None:
            self._deletion.check("doc_id", doc_id)
        if citekey is not None:
            self._deletion.check("citekey", citekey)

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
            return self._deletion.documents("doc_id", doc_id, waiting=waiting)
        if citekey is not None:
            return self._deletion.documents("citekey", citekey, waiting=waiting)
        return self._deletion.everything(waiting=waiting)

    @property
    def _deletion(self) -> Delete:
        from citeloom.application.delete import Delete

        return Delete(project=self.opened, audit=self.parts.audit, lease=self.parts.lease)
