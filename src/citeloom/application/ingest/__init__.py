"""Bringing a project's documents into its index."""

from citeloom.application.ingest.ingest import Ingest
from citeloom.application.ingest.parts import IngestParts, IngestRequest

__all__ = ["Ingest", "IngestParts", "IngestRequest"]
