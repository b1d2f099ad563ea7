"""The use case `ingest`: a project's documents, converted, matched, chunked, embedded, stored."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from citeloom.application.deletion import Deletion
from citeloom.application.ingest.parts import IngestParts, IngestRequest
from citeloom.application.ingest.run import Run
from citeloom.application.ports.progress import NoProgress, Progress
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
        """Run it, and tell `progress` how far it is.

        Raises `ConfigError` without sources, `EmbeddingMismatch` for a collection of other
        models, `ModelUnavailable` before any work when a model is missing, `IndexLocked` at once
        while another process changes the project.
        """
        parts, shown = self.parts, progress or NoProgress()
        if request.dry_run:
            return self._look(request, shown)
        with parts.lease.hold(parts.project.id, waiting=request.waiting):
            Deletion(project=parts.project, index=parts.index, manifest=parts.manifest).finish()
            try:
                with closing(parts.executor):
                    return Run(parts, request, shown).execute()
            finally:
                shown.finish()

    def _look(self, request: IngestRequest, shown: Progress) -> IngestReport:
        """Report what there is to do. What a remote model would cost is counted in documents that
        are converted for it, and whose conversions are kept; nothing is sent.
        """
        try:
            with closing(self.parts.executor):
                return Run(self.parts, request, shown).look()
        finally:
            shown.finish()
