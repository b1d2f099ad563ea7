"""A research library that answers with passages you can cite to the page.

    import citeloom

    with citeloom.open_library("thesis/") as library:
        for passage in library.project("me/thesis").query("How do graders agree?").passages:
            print(passage.citation, passage.text)

Each public name is a name of this package, and loads what it needs when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citeloom.application.answering.write import AnswerEvents as AnswerEvents
    from citeloom.application.collect import Chapter as Chapter
    from citeloom.application.collect import CollectedPassage as CollectedPassage
    from citeloom.application.delete import DeleteReport as DeleteReport
    from citeloom.application.documents import DocumentDetail as DocumentDetail
    from citeloom.application.documents import Inspection as Inspection
    from citeloom.application.documents import ListedDocument as ListedDocument
    from citeloom.application.evaluate.pages import PageReport as PageReport
    from citeloom.application.evaluate.sweep import SweepReport as SweepReport
    from citeloom.application.library import Library as Library
    from citeloom.application.library_parts import (
        Health as Health,
    )
    from citeloom.application.library_parts import (
        LibraryInfo as LibraryInfo,
    )
    from citeloom.application.library_parts import (
        ProjectSummary as ProjectSummary,
    )
    from citeloom.application.match import MatchCandidates as MatchCandidates
    from citeloom.application.models import (
        AvailableEngine as AvailableEngine,
    )
    from citeloom.application.models import (
        AvailableModel as AvailableModel,
    )
    from citeloom.application.options import (
        FilterOptions as FilterOptions,
    )
    from citeloom.application.options import IngestOptions as IngestOptions
    from citeloom.application.options import (
        QueryOptions as QueryOptions,
    )
    from citeloom.application.ports.runtime import Cancellation as Cancellation
    from citeloom.application.ports.runtime import NoProgress as NoProgress
    from citeloom.application.ports.runtime import Progress as Progress
    from citeloom.application.project_library import ProjectLibrary as ProjectLibrary
    from citeloom.application.repair import RepairReport as RepairReport
    from citeloom.application.reports import (
        DocumentFailure as DocumentFailure,
    )
    from citeloom.application.reports import (
        IngestReport as IngestReport,
    )
    from citeloom.application.retrieval.query import QueryResult as QueryResult
    from citeloom.application.retrieval.show import Shown as Shown
    from citeloom.application.validate import (
        Finding as Finding,
    )
    from citeloom.application.validate import (
        ValidationReport as ValidationReport,
    )
    from citeloom.domain.answers.answer import (
        Answer as Answer,
    )
    from citeloom.domain.answers.answer import (
        AnswerStatus as AnswerStatus,
    )
    from citeloom.domain.answers.answer import (
        Citation as Citation,
    )
    from citeloom.domain.answers.answer import (
        Sentence as Sentence,
    )
    from citeloom.domain.answers.calibration import Calibration as Calibration
    from citeloom.domain.answers.evaluation import AnswerEvaluation as AnswerEvaluation
    from citeloom.domain.answers.relevance import (
        Relevance as Relevance,
    )
    from citeloom.domain.answers.relevance import (
        Verdict as Verdict,
    )
    from citeloom.domain.answers.session import Conversation as Conversation
    from citeloom.domain.answers.session import FollowUp as FollowUp
    from citeloom.domain.answers.session import Session as Session
    from citeloom.domain.answers.session import Turn as Turn
    from citeloom.domain.chunks.chunk import Chunk as Chunk
    from citeloom.domain.chunks.chunk import ChunkKind as ChunkKind
    from citeloom.domain.documents.manifest import DocumentState as DocumentState
    from citeloom.domain.errors import (
        CiteloomError as CiteloomError,
    )
    from citeloom.domain.errors import (
        ConfigError as ConfigError,
    )
    from citeloom.domain.errors import (
        DeadlineExceeded as DeadlineExceeded,
    )
    from citeloom.domain.errors import (
        EmbeddingMismatch as EmbeddingMismatch,
    )
    from citeloom.domain.errors import (
        EmptyDocument as EmptyDocument,
    )
    from citeloom.domain.errors import (
        EncryptedDocument as EncryptedDocument,
    )
    from citeloom.domain.errors import (
        HybridNotSupported as HybridNotSupported,
    )
    from citeloom.domain.errors import (
        IncompleteReply as IncompleteReply,
    )
    from citeloom.domain.errors import (
        IndexLocked as IndexLocked,
    )
    from citeloom.domain.errors import (
        IndexUnavailable as IndexUnavailable,
    )
    from citeloom.domain.errors import (
        InvalidFilter as InvalidFilter,
    )
    from citeloom.domain.errors import (
        InvalidMetadata as InvalidMetadata,
    )
    from citeloom.domain.errors import (
        InvalidProject as InvalidProject,
    )
    from citeloom.domain.errors import (
        InvalidQrels as InvalidQrels,
    )
    from citeloom.domain.errors import (
        InvalidReferences as InvalidReferences,
    )
    from citeloom.domain.errors import (
        InvalidReply as InvalidReply,
    )
    from citeloom.domain.errors import (
        LibraryLocked as LibraryLocked,
    )
    from citeloom.domain.errors import (
        ModelUnavailable as ModelUnavailable,
    )
    from citeloom.domain.errors import (
        NotFound as NotFound,
    )
    from citeloom.domain.errors import (
        PromptTooLong as PromptTooLong,
    )
    from citeloom.domain.errors import (
        SourceUnavailable as SourceUnavailable,
    )
    from citeloom.domain.errors import (
        UnreadableDocument as UnreadableDocument,
    )
    from citeloom.domain.errors import (
        UnsupportedFormat as UnsupportedFormat,
    )
    from citeloom.domain.evaluation.measures import EvaluationRun as EvaluationRun
    from citeloom.domain.evaluation.measures import Question as Question
    from citeloom.domain.policies import Mode as Mode
    from citeloom.domain.references.citation import CitationMeta as CitationMeta
    from citeloom.domain.retrieval.filters import Where as Where
    from citeloom.domain.retrieval.locator import Locator as Locator
    from citeloom.domain.retrieval.passage import Passage as Passage
    from citeloom.domain.retrieval.passage import StoredChunk as StoredChunk
    from citeloom.domain.zotero.selection import ZoteroSelection as ZoteroSelection
    from citeloom.infrastructure.wiring.library import open_library as open_library

_HOME = {
    "citeloom.application.answering.write": "AnswerEvents",
    "citeloom.application.collect": "Chapter CollectedPassage",
    "citeloom.application.delete": "DeleteReport",
    "citeloom.application.documents": "DocumentDetail Inspection ListedDocument",
    "citeloom.application.evaluate.pages": "PageReport",
    "citeloom.application.evaluate.sweep": "SweepReport",
    "citeloom.application.library": "Library",
    "citeloom.application.library_parts": "Health LibraryInfo ProjectSummary",
    "citeloom.application.match": "MatchCandidates",
    "citeloom.application.models": "AvailableEngine AvailableModel",
    "citeloom.application.options": "FilterOptions IngestOptions QueryOptions",
    "citeloom.application.ports.runtime": "Cancellation NoProgress Progress",
    "citeloom.application.project_library": "ProjectLibrary",
    "citeloom.application.repair": "RepairReport",
    "citeloom.application.reports": "DocumentFailure IngestReport",
    "citeloom.application.retrieval.query": "QueryResult",
    "citeloom.application.retrieval.show": "Shown",
    "citeloom.application.validate": "Finding ValidationReport",
    "citeloom.domain.answers.answer": "Answer AnswerStatus Citation Sentence",
    "citeloom.domain.answers.calibration": "Calibration",
    "citeloom.domain.answers.evaluation": "AnswerEvaluation",
    "citeloom.domain.answers.relevance": "Relevance Verdict",
    "citeloom.domain.answers.session": "Conversation FollowUp Session Turn",
    "citeloom.domain.chunks.chunk": "Chunk ChunkKind",
    "citeloom.domain.documents.manifest": "DocumentState",
    "citeloom.domain.errors": (
        "CiteloomError ConfigError DeadlineExceeded EmbeddingMismatch EmptyDocument "
        "EncryptedDocument HybridNotSupported IncompleteReply IndexLocked IndexUnavailable "
        "InvalidFilter InvalidMetadata InvalidProject InvalidQrels InvalidReferences "
        "InvalidReply LibraryLocked ModelUnavailable NotFound PromptTooLong SourceUnavailable "
        "UnreadableDocument UnsupportedFormat"
    ),
    "citeloom.domain.evaluation.measures": "EvaluationRun Question",
    "citeloom.domain.policies": "Mode",
    "citeloom.domain.references.citation": "CitationMeta",
    "citeloom.domain.retrieval.filters": "Where",
    "citeloom.domain.retrieval.locator": "Locator",
    "citeloom.domain.retrieval.passage": "Passage StoredChunk",
    "citeloom.domain.zotero.selection": "ZoteroSelection",
    "citeloom.infrastructure.wiring.library": "open_library",
}
_MODULES = {name: module for module, names in _HOME.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'citeloom' has no attribute '{name}'")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
