"""`ProjectLibrary`, the public API of one project."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from citeloom.application.options import (
    AskOptions,
    DocumentOptions,
    IngestOptions,
    QueryOptions,
    WatchOptions,
    absolute,
    choice,
    filters_of,
    ingest_request,
    modes_of,
    query_request,
    question_of,
)
from citeloom.application.ports.runtime import NoProgress
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import ConfigError
from citeloom.domain.policies import Mode

if TYPE_CHECKING:
    from citeloom.application.answering.chat import Sessions
    from citeloom.application.answering.write import AnswerEvents
    from citeloom.application.collect import Chapter, CollectedPassage
    from citeloom.application.delete import DeleteReport
    from citeloom.application.documents import DocumentDetail, Inspection, ListedDocument
    from citeloom.application.evaluate.pages import PageReport
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.library_parts import LibraryInfo, LibraryParts, ProjectParts, Serving
    from citeloom.application.match import MatchCandidates
    from citeloom.application.models import RecommendedModels
    from citeloom.application.ports.answer_model import AnswerModel
    from citeloom.application.ports.runtime import Cancellation, Progress
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.repair import RepairReport
    from citeloom.application.reports import IngestReport
    from citeloom.application.retrieval.query import QueryResult
    from citeloom.application.retrieval.show import Shown
    from citeloom.application.validate import ValidationReport
    from citeloom.application.watching import WatchEvents
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.calibration import Calibration
    from citeloom.domain.answers.evaluation import AnswerEvaluation, ClaimEvaluation
    from citeloom.domain.answers.session import Turn
    from citeloom.domain.evaluation.measures import EvaluationRun, Question
    from citeloom.domain.project import Project
    from citeloom.domain.zotero.selection import ZoteroSelection


class ProjectLibrary:
    """One project: query it, ingest into it, inspect it. It never sees other projects' passages."""

    def __init__(self, library: LibraryParts, parts: ProjectParts) -> None:
        self._library = library
        self._parts = parts

    @property
    def project(self) -> Project:
        """The project as it is configured."""
        return self._parts.project

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
        return self._parts.allowed_path(path)

    def load_models(self) -> None:
        """Load the models that questions need, unless another process holds the index; open
        nothing else.

        Raises `ModelUnavailable`.
        """
        self._parts.load_models()

    def recommended_models(self) -> RecommendedModels:
        """The languages found in some of the project's passages, and the models they recommend."""
        return self._parts.recommend_models()

    def serve(self) -> Serving:
        """Serve the project's index and models to other processes until the library is closed.

        Raises `IndexLocked` if another process does, and `ConfigError` if the index is on a
        server.
        """
        return self._parts.serve()

    def query(self, text: str, **options: Unpack[QueryOptions]) -> QueryResult:
        """The passages that answer a question, best first.

        Raises `InvalidFilter` for an empty or impossible filter, `InvalidProject` if nothing has
        been ingested yet, `EmbeddingMismatch` if the collection has other models,
        `HybridNotSupported` if it has no sparse vectors.
        """
        request = query_request(text, options)
        floor = options.get("floor")
        if self.project.retrieval.floor if floor is None else floor:
            return self._parts.query_above_floor(request)
        return self._parts.query(request)

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
        return self._parts.ask(request, events, cancellation)

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
        from citeloom.application.answering.chat import ChatRequest

        request = ChatRequest(
            question=question_of(text, question),
            session_id=session_id,
            filters=filters_of(options),
            top_k=options.get("top_k"),
            quote_first=options.get("quote_first", False),
        )
        return self._parts.chat(request, events, cancellation)

    @property
    def answer_model(self) -> AnswerModel | None:
        """The model that writes answers; None where nothing is sent anywhere."""
        return self._parts.ask.model

    @property
    def sessions(self) -> Sessions:
        """The conversations about the project: to list, read and delete."""
        return self._parts.sessions

    def calibrate(self, *, progress: Progress | None = None) -> Calibration:
        """Find the thresholds from which the project is about a question, and store them.

        Raises `InvalidProject` if it has too few sentences to compare.
        """
        return self._parts.calibrate(progress or NoProgress())()

    def show(self, name: str, *, context: int = 1) -> Shown:
        """The chunk of that id with `context` neighbours a side, or all of a citekey, document
        id or end of a path. Raises `NotFound`.
        """
        return self._parts.show(name, context=context)

    def collect(
        self, chunk_id: str, *, chapter: str, comment: str = "", tags: Sequence[str] | str = ()
    ) -> CollectedPassage:
        """Append a passage with a comment and tags to the Markdown file of a chapter, once.

        Raises `NotFound` for an unknown passage, `InvalidFilter` for a name that no chapter can
        have.
        """
        from citeloom.application.collect import CollectRequest

        labels = (tags,) if isinstance(tags, str) else tuple(tags)
        return self._parts.collect(
            CollectRequest(chunk_id=chunk_id, chapter=chapter, comment=comment, tags=labels)
        )

    def chapters(self, chapter: str | None = None) -> list[Chapter]:
        """The chapters with passages of the project, or that one alone. Raises `NotFound`."""
        return self._parts.collect.chapters(chapter)

    def ingest(
        self,
        *sources: str | Path,
        references: Path | None = None,
        zotero: ZoteroSelection | None = None,
        progress: Progress | None = None,
        stop: Callable[[], bool] | None = None,
        **options: Unpack[IngestOptions],
    ) -> IngestReport:
        """Ingest files, folders or a Zotero selection.

        Without sources and `zotero` the project's configured sources are ingested. `references`
        replaces the project's own; `stop` is called between documents and cancels the run when it
        returns True. Raises `IndexLocked` while another process changes the project.
        """
        request = ingest_request(options, *sources, stop=stop)
        shown = progress or NoProgress()
        if zotero is not None:
            return self._parts.ingest_zotero(references)(request, zotero, shown)
        return self._parts.ingest(references)(request, shown)

    def watch(
        self,
        *sources: str | Path,
        events: WatchEvents,
        stop: Callable[[], bool],
        settle_seconds: float = 2.0,
        sweep_seconds: float = 300.0,
        progress: Progress | None = None,
        **options: Unpack[WatchOptions],
    ) -> None:
        """Keep the index equal to files and folders, or the project's configured sources, until
        `stop` returns True. `events` receives a report after each run that changed something.

        A file is read once it has not changed for `settle_seconds`; every `sweep_seconds` all
        sources are looked at in case a change was missed. Documents are removed with their files.
        """
        from citeloom.application.watching import WatchPolicy

        policy = WatchPolicy(settle_seconds=settle_seconds, sweep_seconds=sweep_seconds)
        watch = self._parts.watch(absolute(sources), policy)
        watch(ingest_request(options, stop=stop), events, progress)

    def sync(
        self,
        *,
        annotations: bool | None = None,
        notes: bool | None = None,
        progress: Progress | None = None,
        stop: Callable[[], bool] | None = None,
        **options: Unpack[IngestOptions],
    ) -> IngestReport:
        """Update the project from its Zotero selection.

        Raises `ConfigError` if it has none.
        """
        request = ingest_request(options, stop=stop)
        return self._parts.ingest_zotero(None).sync(
            request, progress or NoProgress(), annotations=annotations, notes=notes
        )

    def inspect(self, *, sample: int = 0) -> Inspection:
        """Describe the project and its index, with `sample` of its chunks."""
        return self._parts.inspect(sample=sample)

    def documents(self, **options: Unpack[DocumentOptions]) -> list[ListedDocument]:
        """The documents that match every given filter, sorted by path. Raises `InvalidFilter`."""
        state = options.get("state")
        return self._parts.documents(
            options.get("text"),
            state=None if state is None else choice("state", DocumentState, state),
            missing_reference=options.get("missing_reference", False),
            filters=filters_of(options),
        )

    def document(self, doc_id: str) -> DocumentDetail:
        """A document with its outline, its pages and its chunks. Raises `NotFound`."""
        return self._parts.document(doc_id)

    def match_candidates(self, document: str | None = None) -> Iterator[MatchCandidates]:
        """The documents without a reference, each with the three references nearest to it; or one
        document, by its path, the end of it or its id.

        Raises `ConfigError` if the project has no references, `NotFound` for an unknown document.
        """
        return self._parts.match.candidates(document)

    def configure_reference(self, document: str, citekey: str) -> Path:
        """Write into citeloom.toml that a document is the work of a citekey, and return the file.
        An ingest of a library opened afterwards applies it.

        Raises `NotFound` for an unknown document or citekey, `ConfigError` where the file cannot be
        changed.
        """
        return self._parts.match.configure_reference(document, citekey)

    def page_image(self, chunk_id: str, *, page: int | None = None, scale: float = 1.5) -> bytes:
        """A page of a passage as PNG with the passage highlighted, `scale` pixels a point.

        Raises `NotFound` for an unknown passage, a page that it is not on or a file that is gone,
        `UnsupportedFormat` where the document is no PDF, `SourceChanged` when its file has changed.
        """
        return self._parts.page_image(chunk_id, page=page, scale=scale)

    def repair(
        self, *, dry_run: bool = False, waiting: Callable[[str], None] | None = None
    ) -> RepairReport:
        """Rebuild the manifest from the index, finish killed deletions, and report the rest."""
        return self._parts.repair(dry_run=dry_run, waiting=waiting)

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
        return self._parts.validate(only=only, skip=skip, cancellation=cancellation)

    def check_deletion(self, *, doc_id: str | None = None, citekey: str | None = None) -> None:
        """Raise `NotFound` where `delete` would, and change nothing."""
        self._parts.delete.check(doc_id=doc_id, citekey=citekey)

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
            return self._parts.delete.document(doc_id, waiting=waiting)
        if citekey is not None:
            return self._parts.delete.work(citekey, waiting=waiting)
        return self._parts.delete.everything(waiting=waiting)

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
        from citeloom.application.evaluate.run import EvaluationRequest

        name, question_list = self._questions(questions)
        request = EvaluationRequest(name=name, questions=question_list, modes=modes_of(modes), k=k)
        query = self._parts.reranked_query(reranker)
        return self._parts.evaluate(query, progress or NoProgress())(request)

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
        from citeloom.application.evaluate.run import EvaluationRequest

        collection = self._library.collection(folder)
        request = EvaluationRequest(
            name=collection.name,
            questions=collection.questions,
            modes=modes_of(modes),
            k=k,
            by_document=True,
        )
        shown = progress or NoProgress()
        with self._parts.query_over(collection, shown, reranker) as query:
            return self._parts.evaluate(query, shown)(request)

    def evaluate_answers(
        self, questions: Path | Sequence[Question], *, progress: Progress | None = None
    ) -> AnswerEvaluation:
        """Answer questions; measure what is cited, and what is refused as it should be."""
        name, question_list = self._questions(questions)
        return self._parts.evaluate_answers(progress or NoProgress())(name, question_list)

    def evaluate_claims(self, file: Path, *, progress: Progress | None = None) -> ClaimEvaluation:
        """Check the labelled sentences of a JSON Lines file as if a model had written them."""
        return self._parts.evaluate_claims(progress or NoProgress())(self._library.claims(file))

    def evaluate_pages(self, *, examples: int = 3) -> PageReport:
        """Check every chunk against the text of the PDF pages it is cited by."""
        return self._parts.evaluate_pages(examples=examples)

    def sweep(
        self,
        questions: Path | Sequence[Question],
        *,
        collections: Sequence[Path] = (),
        fusion_only: bool = False,
        progress: Progress | None = None,
    ) -> SweepReport:
        """Try other fusions and chunk sizes, and report which are significantly better."""
        others = [self._library.collection(folder) for folder in collections]
        named = self._questions(questions)
        shown = progress or NoProgress()
        return self._parts.sweep(named, others, shown, fusion_only=fusion_only)

    def _questions(self, questions: Path | Sequence[Question]) -> tuple[str, tuple[Question, ...]]:
        if isinstance(questions, Path):
            return questions.name, self._library.questions(questions)
        return "questions", tuple(questions)
