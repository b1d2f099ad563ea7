"""Checking a project: its models, its store, its references and every chunk."""

from citeloom.application.validate.chunk_checks import CheckedDocument, Finding, ValidationReport
from citeloom.application.validate.validate import Validate

__all__ = ["CheckedDocument", "Finding", "Validate", "ValidationReport"]
