"""What evaluations need beside a project's own use cases: measures, and throw-away indexes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.evaluate.ranking import Evaluate, index_collection
from citeloom.application.evaluate.sweep import (
    SweepReport,
    TrialSet,
    Variant,
    chunking_variants,
    fusion_variants,
    run_sweep,
)
from citeloom.application.events import ReadEvent
from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.open_project import OpenProject
from citeloom.application.requests.ingest import IngestRequest
from citeloom.infrastructure.audit import JsonlAuditLog
from citeloom.infrastructure.conversion.workers.processes import InlineExecutor
from citeloom.infrastructure.embedding.vector_cache import CachedDense
from citeloom.infrastructure.evaluation.trec_measures import IrMeasures, installed_versions
from citeloom.infrastructure.filesystem.source_files import FolderDiskSpace
from citeloom.infrastructure.sqlite_manifest import SqliteManifest
from citeloom.infrastructure.stores.qdrant.edge.index import QdrantEdgeIndex

if TYPE_CHECKING:
    from citeloom.application.ports.embedders import DenseEmbedder
    from citeloom.application.retrieval.reranking import Reranking
    from citeloom.domain.evaluation.measures import EvaluationCollection, Question
    from citeloom.domain.policies import ChunkingPolicy
    from citeloom.infrastructure.library.parts import ProjectParts


def evaluation_of(project: OpenProject, events: ReadEvent) -> Evaluate:
    """The evaluation of a project."""
    return Evaluate(
        project=project, measures=IrMeasures(), events=events, versions=installed_versions()
    )


@contextmanager
def project_over(
    opened: ProjectParts,
    collection: EvaluationCollection,
    events: ReadEvent,
    chunking: ChunkingPolicy,
    reranking: Reranking | None = None,
) -> Iterator[OpenProject]:
    """A project of the texts of a test collection, in an index that goes when this ends."""
    with _trial(opened, chunking) as parts:
        project = index_collection(
            parts.project, collection, counter=parts.tools.counter, events=events
        )
        yield replace(project, open_reranking=lambda: reranking)


def sweep(
    opened: ProjectParts,
    named: tuple[str, tuple[Question, ...]],
    collections: Sequence[EvaluationCollection],
    events: ReadEvent,
    *,
    fusion_only: bool,
) -> SweepReport:
    """A sweep over questions on the project's own documents, and over test collections."""
    project = opened.project
    chunking = project.chunking.fitted(opened.embedders.counter.window)
    present = Variant(name="present", chunking=chunking, retrieval=project.retrieval)
    variants = list(fusion_variants(present))
    if not fusion_only:
        variants += chunking_variants(present)
    name, questions = named
    own = TrialSet(
        name=name,
        questions=questions,
        by_document=False,
        opened=partial(_project_chunked, opened, events),
    )
    others = [
        TrialSet(
            name=collection.name,
            questions=collection.questions,
            by_document=True,
            opened=partial(project_over, opened, collection, events),
        )
        for collection in collections
    ]
    sets = [own, *others]
    return run_sweep(sets, present, variants, measures=IrMeasures(), events=events)


@contextmanager
def _project_chunked(
    opened: ProjectParts, events: ReadEvent, chunking: ChunkingPolicy
) -> Iterator[OpenProject]:
    """The project itself where its chunks are such already, else one made from the conversions
    there are.
    """
    if chunking == opened.project.chunking.fitted(opened.embedders.counter.window):
        dense, sparse = _cached(opened, opened.opened.dense), opened.opened.sparse
        yield replace(
            opened.opened, open_embedders=lambda: (dense, sparse), open_reranking=lambda: None
        )
        return
    with _trial(opened, chunking) as parts:
        paths = tuple(entry.path for entry in opened.opened.entries())
        request = IngestRequest(sources=paths, calibrate=False)
        ingest(parts, request, events)
        yield parts.project


@contextmanager
def _trial(opened: ProjectParts, chunking: ChunkingPolicy) -> Iterator[IngestParts]:
    """The project's parts with an index, a manifest and a log of their own for the time being;
    vectors are kept beside the project for the next trial.
    """
    parts = opened.ingest_parts()
    tools = replace(parts.tools, dense=_cached(opened, parts.tools.dense))
    with (
        tempfile.TemporaryDirectory(prefix="citeloom-") as name,
        closing(SqliteManifest(Path(name, "manifest.sqlite"))) as manifest,
        closing(
            QdrantEdgeIndex(Path(name, "projects"), space=FolderDiskSpace(Path(name)))
        ) as index,
    ):
        project = replace(
            parts.project,
            settings=replace(opened.project, chunking=chunking),
            index=index,
            open_manifest=lambda: manifest,
            open_embedders=lambda: (tools.dense, tools.sparse),
            open_reranking=lambda: None,
        )
        yield replace(
            parts,
            project=project,
            tools=tools,
            executor=InlineExecutor(lambda: tools),
            audit=JsonlAuditLog(Path(name, "audit")),
        )


def _cached(opened: ProjectParts, dense: DenseEmbedder) -> DenseEmbedder:
    return CachedDense(dense, opened.parts.settings.data_dir / "cache" / "embeddings.sqlite")
