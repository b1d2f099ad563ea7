"""What evaluations need besides a project's own use cases: judgements, measures, trial indexes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from citeloom.application.evaluate.collection import IndexCollection
from citeloom.application.evaluate.run import Evaluate
from citeloom.application.ingest import IngestParts
from citeloom.application.ports.progress import Progress
from citeloom.application.query import Query
from citeloom.domain.evaluation import JudgedCollection
from citeloom.domain.project import Project
from citeloom.infrastructure.audit.jsonl import JsonlAuditLog
from citeloom.infrastructure.bootstrap import App
from citeloom.infrastructure.embedding_cache.cached_dense import CachedDense
from citeloom.infrastructure.evaluation.beir import read_collection
from citeloom.infrastructure.evaluation.measures import IrMeasures
from citeloom.infrastructure.evaluation.questions import read_questions
from citeloom.infrastructure.evaluation.run_file import read_run, run_json
from citeloom.infrastructure.evaluation.versions import installed_versions
from citeloom.infrastructure.manifest.sqlite import SqliteManifest
from citeloom.infrastructure.qdrant.edge_index import QdrantEdgeIndex

__all__ = [
    "collection_query",
    "evaluation",
    "read_collection",
    "read_questions",
    "read_run",
    "run_json",
]


def evaluation(query: Query, progress: Progress) -> Evaluate:
    """The evaluation of a query."""
    return Evaluate(
        query=query, measures=IrMeasures(), progress=progress, versions=installed_versions()
    )


@contextmanager
def collection_query(app: App, collection: JudgedCollection, progress: Progress) -> Iterator[Query]:
    """The project's query over a test collection, in an index that goes when this ends."""
    with tempfile.TemporaryDirectory(prefix="citeloom-") as folder:
        parts = trial_parts(app, app.project, Path(folder))
        try:
            yield IndexCollection(
                project=parts.project,
                counter=parts.counter,
                dense=parts.dense,
                sparse=parts.sparse,
                index=parts.index,
                clock=parts.clock,
                progress=progress,
            )(collection)
        finally:
            parts.index.close()
            parts.manifest.close()


def trial_parts(app: App, project: Project, folder: Path) -> IngestParts:
    """The project's own parts with an index, a manifest and a log in `folder`; vectors are kept
    beside the project for the next trial.
    """
    parts, cache = app.ingest(None).parts, app.data_dir / "cache" / "embeddings.sqlite"
    return replace(
        parts,
        project=project,
        dense=CachedDense(parts.dense, cache),
        index=QdrantEdgeIndex(folder / "projects"),
        manifest=SqliteManifest(folder / "manifest.sqlite"),
        audit=JsonlAuditLog(folder / "audit"),
    )
