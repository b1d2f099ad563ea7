"""The use case `ingest`: a project's documents, converted, matched, cut, embedded and stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citeloom.application.deletion import Deletion
from citeloom.application.ingest.parts import IngestParts, IngestRequest
from citeloom.application.ingest.run import Run
from citeloom.application.ports.progress import Progress
from citeloom.application.reports import IngestReport


@dataclass(frozen=True, slots=True)
class Ingest:
    """Brings documents into a project's index.

    What is reported as indexed is stored and survives a power cut. A killed run leaves no
    document half done in the catalogue's eyes: the next run takes up those that are not indexed,
    and since chunks have the same ids every time, nothing is doubled.
    """

    parts: IngestParts

    def __call__(self, request: IngestRequest, progress: Progress | None = None) -> IngestReport:
        """Run it, telling `progress` how far it is.

        Raises `ConfigError` without sources, `EmbeddingMismatch` for a collection of other
        models, `ModelUnavailable` before any work when a model is missing, `IndexLocked` at once
        while another process changes the project.
        """
        parts = replace(self.parts, progress=progress or self.parts.progress)
        if request.dry_run:
            return Run(parts, request).look()
        with parts.lease.hold(parts.project.id, waiting=request.waiting):
            Deletion(project=parts.project, index=parts.index, manifest=parts.manifest).finish()
            try:
                return Run(parts, request).execute()
            finally:
                parts.progress.finish()
