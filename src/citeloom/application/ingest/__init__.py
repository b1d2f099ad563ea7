"""Bringing a project's documents into its index."""

from citeloom.application.ingest.request import IngestParts
from citeloom.application.ingest.run import ingest

__all__ = ["IngestParts", "ingest"]
