"""Projects: which there are, what they hold, and whether they are sound."""

from __future__ import annotations

from citeloom.application.listing import ListedDocument
from citeloom.domain.passage import trim
from citeloom.infrastructure.interfaces.mcp.answers import Json
from citeloom.infrastructure.interfaces.mcp.arguments import (
    Arguments,
    DocumentArguments,
    OfProject,
    ValidateArguments,
)
from citeloom.infrastructure.interfaces.mcp.hints import for_assistants
from citeloom.infrastructure.interfaces.mcp.tool_call import ToolCall
from citeloom.infrastructure.serialisation.json import UNTRUSTED

_LONGEST = 500


def list_projects(call: ToolCall[Arguments]) -> Json:
    """The configured projects that are served."""
    return {
        "projects": [
            {"id": one.id, "documents": one.documents, "hybrid": one.sparse_model is not None}
            for one in call.library.projects()
            if call.only in {None, one.id}
        ]
    }


def list_documents(call: ToolCall[DocumentArguments]) -> Json:
    """Some of a project's documents, by path."""
    asked, project = call.arguments, call.project
    found = project.documents(**asked.options())
    some = found[asked.offset : asked.offset + asked.limit]
    return {
        "project": project.project.id,
        "total": len(found),
        "offset": asked.offset,
        "items": [_document(one) for one in some],
    }


def inspect_collection(call: ToolCall[OfProject]) -> Json:
    """What a project's index and manifest hold."""
    found = call.project.inspect()
    collection = found.description.collection
    return {
        "project": found.project.id,
        "collection": collection.name,
        "models": {"dense": collection.dense_model, "sparse": collection.sparse_model},
        "chunks": found.description.points,
        "chunks_by_kind": found.by_kind,
        "documents_by_status": found.by_status,
    }


def validate(call: ToolCall[ValidateArguments]) -> Json:
    """What the checks find."""
    asked = call.arguments
    report = call.project.validate(
        only=frozenset(map(str, asked.check)),
        skip=frozenset(map(str, asked.skip)),
        cancellation=call.cancellation,
    )
    return {
        "project": report.project,
        **UNTRUSTED,
        "passed": report.passed,
        "documents": report.documents,
        "chunks": report.chunks,
        "findings": [
            {
                "check": finding.check,
                "severity": finding.severity.value,
                "message": finding.message,
                "hint": for_assistants(finding.hint),
                "subject": finding.subject,
                "count": finding.count,
            }
            for finding in report.findings
        ],
    }


def _document(one: ListedDocument) -> Json:
    return {
        **UNTRUSTED,
        "title": trim(one.title, _LONGEST)[0],
        "authors": [trim(author, _LONGEST)[0] for author in one.authors[:10]],
        "year": one.year,
        "citekey": one.citekey,
        "path": one.path,
        "doc_id": one.doc_id,
        "pages": one.pages,
        "chunks": one.chunks,
        "state": one.state.value,
        "error": one.error and trim(one.error, _LONGEST)[0],
    }
