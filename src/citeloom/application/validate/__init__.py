"""Checking a project: its models, its store, its references and every chunk."""

from citeloom.application.validate.findings import Finding, Severity, ValidationReport
from citeloom.application.validate.validate import Validate

__all__ = ["Finding", "Severity", "Validate", "ValidationReport"]
