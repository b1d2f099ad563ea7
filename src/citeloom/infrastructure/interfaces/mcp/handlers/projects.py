"""Projects: which there are, what they hold, and whether they are sound."""

from __future__ import annotations

from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.arguments import Arguments, OfProject
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall


def list_projects(call: ToolCall[Arguments]) -> Json:
    """The configured projects."""
    return {
        "projects": [
            {"id": one.id, "documents": one.documents, "hybrid": one.sparse_model is not None}
            for one in call.library.projects()
        ]
    }


def inspect_collection(call: ToolCall[OfProject]) -> Json:
    """What a project's index and manifest hold."""
    found = call.library.project(call.arguments.project).inspect()
    collection = found.description.collection
    return {
        "project": found.project.id,
        "collection": collection.name,
        "models": {"dense": collection.dense_model, "sparse": collection.sparse_model},
        "chunks": found.description.points,
        "chunks_by_kind": found.by_kind,
        "documents_by_status": found.by_status,
        "documents": [
            {
                "path": entry.path,
                "citekey": entry.citekey,
                "status": entry.status.value,
                "pages": entry.pages,
                "chunks": entry.chunks,
                "error": entry.error_code,
            }
            for entry in found.documents
        ],
    }


def validate(call: ToolCall[OfProject]) -> Json:
    """What the checks find."""
    report = call.library.project(call.arguments.project).validate(cancellation=call.cancellation)
    return {
        "project": report.project,
        "passed": report.passed,
        "documents": report.documents,
        "chunks": report.chunks,
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity.value,
                "message": finding.message,
                "hint": finding.hint,
                "subject": finding.subject,
                "count": finding.count,
            }
            for finding in report.findings
        ],
    }
