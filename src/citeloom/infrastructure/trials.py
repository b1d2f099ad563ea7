"""What evaluations need besides a project's own use cases: judgements, measures, trial indexes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from citeloom.application.evaluate.collection import IndexCollection
from citeloom.application.evaluate.run import Evaluate
from citeloom.application.evaluate.sweep import Sweep, SweepReport, TrialSet
from citeloom.application.evaluate.variants import Variant, chunking_variants, fusion_variants
from citeloom.application.ingest import Ingest, IngestParts, IngestRequest
from citeloom.application.ports.embedders import DenseEmbedder
from citeloom.application.ports.progress import Progress
from citeloom.application.query import Query
from citeloom.domain.evaluation import EvaluationCollection, Question
from citeloom.domain.policies import ChunkingPolicy
from citeloom.infrastructure.audit.jsonl import JsonlAuditLog
from citeloom.infrastructure.bootstrap import App
from citeloom.infrastructure.embedding.cache.cached_dense import CachedDense
from citeloom.infrastructure.evaluation.beir import read_collection
from citeloom.infrastructure.evaluation.measures import IrMeasures
from citeloom.infrastructure.evaluation.questions import read_questions
from citeloom.infrastructure.evaluation.run_file import read_run, run_json
from citeloom.infrastructure.evaluation.versions import installed_versions
from citeloom.infrastructure.manifest.sqlite import SqliteManifest
from citeloom.infrastructure.stores.qdrant.edge_index import QdrantEdgeIndex

__all__ = [
    "collection_query",
    "evaluation",
    "read_collection",
    "read_questions",
    "read_run",
    "run_json",
    "sweep",
]


def evaluation(query: Query, progress: Progress) -> Evaluate:
    """The evaluation of a query."""
    return Evaluate(
        query=query, measures=IrMeasures(), progress=progress, versions=installed_versions()
    )


@contextmanager
def collection_query(
    app: App, collection: EvaluationCollection, progress: Progress, chunking: ChunkingPolicy
) -> Iterator[Query]:
    """The project's query over a test collection, in an index that goes when this ends."""
    with _trial(app, chunking, progress) as parts:
        yield IndexCollection(
            project=parts.project,
            counter=parts.counter,
            dense=parts.dense,
            sparse=parts.sparse,
            index=parts.index,
            clock=parts.clock,
            progress=progress,
        )(collection)


def sweep(
    app: App,
    named: tuple[str, tuple[Question, ...]],
    collections: Sequence[EvaluationCollection],
    progress: Progress,
    *,
    fusion_only: bool,
) -> SweepReport:
    """A sweep over questions on the project's own documents, and over test collections."""
    chunking = app.project.chunking.fitted(app.ingest(None).parts.counter.window)
    present = Variant(name="present", chunking=chunking, retrieval=app.project.retrieval)
    variants = list(fusion_variants(present))
    if not fusion_only:
        variants += chunking_variants(present)
    name, questions = named
    own = TrialSet(
        name=name,
        questions=questions,
        by_document=False,
        opened=partial(_documents_query, app, progress),
    )
    others = [
        TrialSet(
            name=collection.name,
            questions=collection.questions,
            by_document=True,
            opened=partial(collection_query, app, collection, progress),
        )
        for collection in collections
    ]
    return Sweep(measures=IrMeasures(), progress=progress)([own, *others], present, variants)


@contextmanager
def _documents_query(app: App, progress: Progress, chunking: ChunkingPolicy) -> Iterator[Query]:
    """The project's query over its documents: its own index where they are cut so already, else
    one made from the conversions there are.
    """
    own = app.ingest(None).parts
    if chunking == app.project.chunking.fitted(own.counter.window):
        yield replace(app.query, dense=_kept(app, app.query.dense))
        return
    documents = tuple(entry.path for entry in own.manifest.entries(app.project.id))
    with _trial(app, chunking, progress) as parts:
        Ingest(parts)(IngestRequest(sources=documents))
        yield Query(
            project=parts.project,
            dense=parts.dense,
            sparse=parts.sparse,
            index=parts.index,
            clock=parts.clock,
        )


@contextmanager
def _trial(app: App, chunking: ChunkingPolicy, progress: Progress) -> Iterator[IngestParts]:
    """The project's parts with an index, a manifest and a log of their own for the time being;
    vectors are kept beside the project for the next trial.
    """
    parts = app.ingest(None).parts
    with tempfile.TemporaryDirectory(prefix="citeloom-") as name:
        folder = Path(name)
        trial = replace(
            parts,
            project=replace(app.project, chunking=chunking),
            dense=_kept(app, parts.dense),
            index=QdrantEdgeIndex(folder / "projects"),
            manifest=SqliteManifest(folder / "manifest.sqlite"),
            audit=JsonlAuditLog(folder / "audit"),
            progress=progress,
        )
        try:
            yield trial
        finally:
            trial.index.close()
            trial.manifest.close()


def _kept(app: App, dense: DenseEmbedder) -> DenseEmbedder:
    return CachedDense(dense, app.data_dir / "cache" / "embeddings.sqlite")
