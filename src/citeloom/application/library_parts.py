"""The parts of a library: its use cases, each built at its first use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citeloom.application.answering.ask import Ask
    from citeloom.application.answering.calibrate import Calibrate
    from citeloom.application.answering.chat import Chat, Sessions
    from citeloom.application.answering.relevance import QueryAboveFloor
    from citeloom.application.collect import Collect
    from citeloom.application.delete import Delete
    from citeloom.application.documents import DescribeDocument, Inspect, ListDocuments
    from citeloom.application.evaluate.answers import EvaluateAnswers, EvaluateClaims
    from citeloom.application.evaluate.pages import EvaluatePages
    from citeloom.application.evaluate.run import Evaluate
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.ingest import Ingest
    from citeloom.application.limits import CallLimits, ServerOptions
    from citeloom.application.match import MatchDocuments
    from citeloom.application.models import AvailableEngine, AvailableModel, RecommendModels
    from citeloom.application.ports.runtime import Progress
    from citeloom.application.ports.vector_index import StoreState
    from citeloom.application.repair import Repair
    from citeloom.application.retrieval.query import Query
    from citeloom.application.retrieval.show import DrawPage, Show
    from citeloom.application.validate import Validate
    from citeloom.application.watching import Watch, WatchPolicy
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.doctor import Doctor
    from citeloom.application.zotero.ingest import IngestZotero
    from citeloom.application.zotero.snapshot import Download
    from citeloom.domain.answers.evaluation import LabelledClaim
    from citeloom.domain.evaluation.measures import EvaluationCollection, Question
    from citeloom.domain.project import Project
    from citeloom.domain.zotero.selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerModelInfo:
    """The configured model that writes answers, and the host that it sends questions and passages
    to.
    """

    name: str
    sends_to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerInfo:
    """The configured reranker, and the host that it sends questions and passages to, if any."""

    name: str
    sends_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntailmentInfo:
    """The configured model that judges written sentences, and the host that it sends them and
    their quotes to, if any.
    """

    name: str
    sends_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryInfo:
    """The configuration file of a library, if any, what is out of date in it, its folders, the
    shapes by project in which results may be printed, and the model that writes answers, the one
    that judges them and the reranker, where they are configured; whether the store is on a server.
    """

    base_dir: Path
    data_dir: Path
    config_file: Path | None
    log_level: str = "warning"
    shapes: Mapping[str, Mapping[str, Mapping[str, str | dict[str, str]]]] = field(
        default_factory=dict
    )
    answer_model: AnswerModelInfo | None = None
    reranker: RerankerInfo | None = None
    entailment: EntailmentInfo | None = None
    warnings: tuple[str, ...] = ()
    has_remote_store: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A configured project, summarised."""

    id: str
    collection: str
    embedding_model: str
    sparse_model: str | None
    references: str | None
    documents: int
    sends_text_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a part of the library is usable, and the reason if it is not."""

    part: str
    ok: bool
    detail: str = ""


class Serving(Protocol):
    """A project's index, served to other processes until its library is closed."""

    @property
    @abstractmethod
    def idle_seconds(self) -> float:
        """Seconds since the last call of another process; 0 while one is running."""
        ...


class ProjectParts(Protocol):
    """The use cases of one project."""

    @property
    @abstractmethod
    def project(self) -> Project: ...

    @property
    @abstractmethod
    def query(self) -> Query: ...

    @property
    @abstractmethod
    def query_above_floor(self) -> QueryAboveFloor: ...

    @property
    @abstractmethod
    def ask(self) -> Ask: ...

    @property
    @abstractmethod
    def chat(self) -> Chat: ...

    @property
    @abstractmethod
    def sessions(self) -> Sessions: ...

    @property
    @abstractmethod
    def show(self) -> Show: ...

    @property
    @abstractmethod
    def collect(self) -> Collect: ...

    @property
    @abstractmethod
    def match(self) -> MatchDocuments: ...

    @property
    @abstractmethod
    def inspect(self) -> Inspect: ...

    @property
    @abstractmethod
    def recommend_models(self) -> RecommendModels: ...

    @property
    @abstractmethod
    def validate(self) -> Validate: ...

    @property
    @abstractmethod
    def delete(self) -> Delete: ...

    @property
    @abstractmethod
    def documents(self) -> ListDocuments: ...

    @property
    @abstractmethod
    def document(self) -> DescribeDocument: ...

    @property
    @abstractmethod
    def page_image(self) -> DrawPage: ...

    @property
    @abstractmethod
    def repair(self) -> Repair: ...

    @abstractmethod
    def evaluate_claims(self, progress: Progress) -> EvaluateClaims:
        """The check of labelled claims."""
        ...

    @property
    @abstractmethod
    def evaluate_pages(self) -> EvaluatePages: ...

    @abstractmethod
    def allowed_path(self, path: str) -> Path:
        """The absolute path of a file or folder that a client may name. Raises `PathNotAllowed`,
        and `NotFound` if there is nothing.
        """
        ...

    @abstractmethod
    def load_models(self) -> None:
        """Load the models that questions need, unless another process holds them."""
        ...

    @abstractmethod
    def serve(self) -> Serving:
        """Serve the project's index and models to other processes."""
        ...

    @abstractmethod
    def ingest(self, references: Path | None) -> Ingest:
        """The ingest, with `references` instead of the project's own if given."""
        ...

    @abstractmethod
    def watch(self, sources: tuple[str, ...], policy: WatchPolicy) -> Watch:
        """The watch of sources, or of the project's own where none is named."""
        ...

    @abstractmethod
    def ingest_zotero(self, references: Path | None) -> IngestZotero:
        """The ingest from Zotero."""
        ...

    @abstractmethod
    def evaluate(self, query: Query, progress: Progress) -> Evaluate:
        """The evaluation of a query."""
        ...

    @abstractmethod
    def reranked_query(self, reranker: str | None) -> Query:
        """The query, with the reranker of that name in place of the configured one. Raises
        `ConfigError` for one that cannot be used.
        """
        ...

    @abstractmethod
    def calibrate(self, progress: Progress) -> Calibrate:
        """The calibration of the project's collection."""
        ...

    @abstractmethod
    def evaluate_answers(self, progress: Progress) -> EvaluateAnswers:
        """The evaluation of the project's answers."""
        ...

    @abstractmethod
    def query_over(
        self, collection: EvaluationCollection, progress: Progress, reranker: str | None
    ) -> AbstractContextManager[Query]:
        """The project's query over a test collection, in a temporary index; `reranker` as of
        `reranked_query`.
        """
        ...

    @abstractmethod
    def sweep(
        self,
        questions: tuple[str, tuple[Question, ...]],
        collections: Sequence[EvaluationCollection],
        progress: Progress,
        *,
        fusion_only: bool,
    ) -> SweepReport:
        """Compare other fusions and chunk sizes with the current ones."""
        ...


class LibraryParts(Protocol):
    """What the projects of a library share, and what belongs to no project."""

    @property
    @abstractmethod
    def info(self) -> LibraryInfo: ...

    @property
    @abstractmethod
    def limits(self) -> CallLimits: ...

    @property
    @abstractmethod
    def server(self) -> ServerOptions: ...

    @property
    @abstractmethod
    def browse(self) -> Browse: ...

    @abstractmethod
    def project_ids(self) -> tuple[str, ...]:
        """The configured projects, in the order of the configuration."""
        ...

    @abstractmethod
    def citekeys(self, project_id: str) -> tuple[str, ...]:
        """The citekeys of a project's documents, sorted; nothing but the manifest is read."""
        ...

    @abstractmethod
    def project(self, project_id: str) -> ProjectParts:
        """The use cases of a project. Raises `InvalidProject` when it is not configured."""
        ...

    @abstractmethod
    def summaries(self) -> list[ProjectSummary]:
        """The configured projects, each with its number of indexed documents."""
        ...

    @abstractmethod
    def last_selection(self, project_id: str) -> ZoteroSelection | None:
        """The Zotero selection of the project's last ingest from Zotero."""
        ...

    @abstractmethod
    def doctor(self, project_id: str | None) -> Doctor:
        """The checks of Zotero, and of a project ingested from it."""
        ...

    @abstractmethod
    def download(self, progress: Progress) -> Download:
        """Downloads files from the Zotero account whose key is in the environment."""
        ...

    @abstractmethod
    def check_store(self, project_id: str | None) -> StoreState:
        """The state of the vector store, and of the collections of all projects or of one."""
        ...

    @abstractmethod
    def store_error(self) -> str:
        """Why the vector store does not answer; empty where it does."""
        ...

    @abstractmethod
    def models(self) -> list[AvailableModel]:
        """The supported embedding models and rerankers."""
        ...

    @abstractmethod
    def fetch_model(self, name: str) -> None:
        """Download a model that runs here into the cache, unless it is there. Raises
        `ModelUnavailable`.
        """
        ...

    @abstractmethod
    def ocr_engines(self) -> list[AvailableEngine]:
        """The OCR engines."""
        ...

    @abstractmethod
    def questions(self, path: Path) -> tuple[Question, ...]:
        """The evaluation questions of a file. Raises `InvalidQrels`."""
        ...

    @abstractmethod
    def claims(self, path: Path) -> tuple[LabelledClaim, ...]:
        """The labelled claims of a file. Raises `InvalidQrels`."""
        ...

    @abstractmethod
    def collection(self, folder: Path) -> EvaluationCollection:
        """The test collection in a folder, in BEIR's form. Raises `InvalidQrels`."""
        ...

    @abstractmethod
    def health(self) -> list[Health]:
        """Whether each project's collection and the manifest are usable."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Close everything that is open. May be called twice."""
        ...
