"""Bringing a project's documents into its index."""

from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ingest.plan import IngestParts

__all__ = ["IngestParts", "ingest"]
