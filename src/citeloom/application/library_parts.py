"""What a library is made of: its use cases, each built when it is first asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from citeloom.application.available import AvailableEngine, AvailableModel
    from citeloom.application.delete import Delete
    from citeloom.application.evaluate.pages import EvaluatePages
    from citeloom.application.evaluate.run import Evaluate
    from citeloom.application.evaluate.sweep import SweepReport
    from citeloom.application.ingest import Ingest
    from citeloom.application.inspect import Inspect
    from citeloom.application.listing import ListDocuments
    from citeloom.application.ports.progress import Progress
    from citeloom.application.repair import Repair
    from citeloom.application.retrieval.query import Query
    from citeloom.application.retrieval.show import Show
    from citeloom.application.validate import Validate
    from citeloom.application.zotero.browse import Browse
    from citeloom.application.zotero.doctor import Doctor
    from citeloom.application.zotero.download import Download
    from citeloom.application.zotero.ingest import IngestZotero
    from citeloom.domain.evaluation import EvaluationCollection, Question
    from citeloom.domain.project import Project
    from citeloom.domain.zotero_selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryInfo:
    """Where a library lies: its configuration, if there is a file, and its data."""

    base_dir: Path
    data_dir: Path
    config_file: Path | None
    log_level: str = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A configured project in one line."""

    id: str
    collection: str
    embedding_model: str
    sparse_model: str | None
    references: str | None
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a part of the library can be used, and what is wrong if it cannot."""

    part: str
    ok: bool
    detail: str = ""


class Serving(Protocol):
    """A project's index, held for the sake of other processes until its library is closed."""

    @property
    @abstractmethod
    def idle_seconds(self) -> float:
        """How long no other process has asked for anything."""
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
    def show(self) -> Show: ...

    @property
    @abstractmethod
    def inspect(self) -> Inspect: ...

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
    def repair(self) -> Repair: ...

    @property
    @abstractmethod
    def evaluate_pages(self) -> EvaluatePages: ...

    @abstractmethod
    def serve(self) -> Serving:
        """Hold the project's index, and load its models, for other processes to ask."""
        ...

    @abstractmethod
    def ingest(self, references: Path | None) -> Ingest:
        """The ingest, matching documents against other references where these are named."""
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
    def query_over(
        self, collection: EvaluationCollection, progress: Progress
    ) -> AbstractContextManager[Query]:
        """The project's query over a test collection, in an index that goes when this ends."""
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
        """Other fusions and chunk sizes compared with the present ones."""
        ...


class LibraryParts(Protocol):
    """What is shared by the projects of a library, and what knows no project."""

    @property
    @abstractmethod
    def info(self) -> LibraryInfo: ...

    @property
    @abstractmethod
    def browse(self) -> Browse: ...

    @abstractmethod
    def project_ids(self) -> tuple[str, ...]:
        """The configured projects, in the order of the configuration."""
        ...

    @abstractmethod
    def project(self, project_id: str) -> ProjectParts:
        """The use cases of a project. Raises `InvalidProject` when it is not configured."""
        ...

    @abstractmethod
    def summaries(self) -> list[ProjectSummary]:
        """The configured projects, with how many documents each has indexed."""
        ...

    @abstractmethod
    def last_selection(self, project_id: str) -> ZoteroSelection | None:
        """What was selected of Zotero when the project was last ingested from it."""
        ...

    @abstractmethod
    def doctor(self, project_id: str | None) -> Doctor:
        """Examines Zotero, and what a project has indexed of it."""
        ...

    @abstractmethod
    def download(self, progress: Progress) -> Download:
        """Downloads files from the Zotero account whose key is in the environment."""
        ...

    @abstractmethod
    def models(self) -> list[AvailableModel]:
        """The embedding models there are."""
        ...

    @abstractmethod
    def ocr_engines(self) -> list[AvailableEngine]:
        """The engines that read images."""
        ...

    @abstractmethod
    def questions(self, path: Path) -> tuple[Question, ...]:
        """The evaluation questions of a file. Raises `InvalidQrels`."""
        ...

    @abstractmethod
    def collection(self, folder: Path) -> EvaluationCollection:
        """The test collection in a folder, in BEIR's form. Raises `InvalidQrels`."""
        ...

    @abstractmethod
    def health(self) -> list[Health]:
        """Whether data folder, stores and models can be used."""
        ...

    @abstractmethod
    def close(self) -> None:
        """Close everything that was opened. May be called twice."""
        ...
