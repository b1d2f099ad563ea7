"""Projects: which there are, what they hold, and whether they are sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Self

from citeloom.application.documents import ListedDocument
from citeloom.application.requests.passages import DocumentsRequest, ValidateRequest
from citeloom.domain.retrieval.passage import trim
from citeloom.infrastructure.answers.model import UNTRUSTED, Model, Untrusted, filled
from citeloom.infrastructure.answers.text import counted, one_line
from citeloom.infrastructure.interfaces.mcp.tool_answers import (
    WARNING,
    Part,
    ToolAnswer,
    for_assistants,
    named,
    pairs,
)
from citeloom.infrastructure.interfaces.mcp.tool_call import Limit, Offset, ToolCall, tool
from citeloom.infrastructure.library.project import ProjectLibrary

_LONGEST = 500

# What the tools answer.


class ServedProject(Model):
    """A configured project."""

    id: str
    documents: int
    hybrid: bool


class ProjectList(ToolAnswer):
    """Of `list_projects`."""

    DESCRIBED = "projects"

    projects: tuple[ServedProject, ...]

    def lines(self) -> Iterator[str]:
        yield counted(len(self.projects), "project")
        for project in self.projects:
            search = "meaning and words" if project.hybrid else "meaning alone"
            yield f"- {project.id}: {project.documents} documents, found by {search}"


class DocumentItem(Model):
    """A document."""

    content: Untrusted = UNTRUSTED
    title: str
    authors: tuple[str, ...]
    year: int | None
    citekey: str | None
    path: str
    doc_id: str
    pages: int | None
    chunks: int
    state: str
    error: str | None

    @classmethod
    def of(cls, document: ListedDocument) -> Self:
        """A document, with texts of a bounded length."""
        return filled(
            cls,
            document,
            title=trim(document.title, _LONGEST)[0],
            authors=tuple(trim(author, _LONGEST)[0] for author in document.authors[:10]),
            state=document.state.value,
            error=document.error and trim(document.error, _LONGEST)[0],
        )


DOCUMENT = Part.of(DocumentItem, "title path doc_id citekey state")


class DocumentList(ToolAnswer):
    """Of `list_documents`: some of `total`."""

    DESCRIBED = "total next_offset items"
    PARTS = (DOCUMENT,)

    project: str
    total: int
    offset: int
    items: tuple[DocumentItem, ...]
    next_offset: int | None = None

    def lines(self) -> Iterator[str]:
        yield f"{len(self.items)} of {self.total} documents of {self.project}"
        yield WARNING
        for item in self.items:
            facts = (
                f"@{item.citekey}" if item.citekey else "no reference",
                item.path,
                f"{item.pages} pages" if item.pages else "",
                f"{item.chunks} chunks",
                item.state,
                item.error or "",
                f"doc_id {item.doc_id}",
            )
            name = named(item.title or item.path, "; ".join(item.authors), item.year)
            yield f"- {name}: {', '.join(one_line(fact) for fact in facts if fact)}"


class ProjectContents(ToolAnswer):
    """Of `inspect_collection`."""

    DESCRIBED = "models chunks documents_by_status"

    project: str
    collection: str
    models: Mapping[str, str | None]
    chunks: int
    chunks_by_kind: Mapping[str, int]
    documents_by_status: Mapping[str, int]
    copies: int

    def lines(self) -> Iterator[str]:
        yield f"{self.project}: {self.chunks} chunks in {self.collection}"
        yield f"models: {pairs(self.models)}"
        copies = f", copies of others {self.copies}" if self.copies else ""
        yield f"documents: {pairs(self.documents_by_status)}{copies}"
        yield f"chunks: {pairs(self.chunks_by_kind)}"


class ShownFinding(Model):
    """What validation found."""

    check: str
    severity: str
    message: str
    hint: str
    subject: str
    count: int


FINDING = Part.of(ShownFinding, "")


class Findings(ToolAnswer):
    """Of `validate`."""

    DESCRIBED = "passed findings"
    PARTS = (FINDING,)

    project: str
    content: Untrusted = UNTRUSTED
    passed: bool
    documents: int
    chunks: int
    findings: tuple[ShownFinding, ...]

    def lines(self) -> Iterator[str]:
        verdict = "passed" if self.passed else "not passed"
        contents = f"{self.documents} documents, {self.chunks} chunks"
        yield f"{self.project}: {verdict}, {counted(len(self.findings), 'finding')} in {contents}"
        yield WARNING
        for finding in self.findings:
            what = f"{finding.check} ({finding.severity}): {finding.message}"
            count = f"{finding.count} times" if finding.count > 1 else ""
            parts = (what, finding.subject, count, finding.hint)
            yield "- " + "; ".join(one_line(str(part)) for part in parts if part)


# The tools.


@tool(title="List projects", limit="inspect_seconds")
def list_projects(call: ToolCall) -> ProjectList:
    """Every other tool needs the id of one."""
    projects = (
        filled(ServedProject, project, hybrid=project.sparse_model is not None)
        for project in call.library.projects()
        if call.only in {None, project.id}
    )
    return ProjectList(projects=tuple(projects))


@tool(title="List documents", limit="inspect_seconds")
def list_documents(
    project: ProjectLibrary, request: DocumentsRequest, offset: Offset = 0, limit: Limit = 50
) -> DocumentList:
    """Documents by path: titles, authors, states."""
    documents = project.documents(request)
    return DocumentList(
        project=project.project.id,
        total=len(documents),
        offset=offset,
        items=tuple(map(DocumentItem.of, documents[offset : offset + limit])),
    )


@tool(title="Describe a project", limit="inspect_seconds")
def inspect_collection(project: ProjectLibrary) -> ProjectContents:
    """A project's models and counts."""
    inspection = project.inspect()
    collection = inspection.description.collection
    return ProjectContents(
        project=inspection.project.id,
        collection=collection.name,
        models={"dense": collection.dense_model, "sparse": collection.sparse_model},
        chunks=inspection.description.points,
        chunks_by_kind=inspection.by_kind,
        documents_by_status=inspection.by_status,
        copies=inspection.copies,
    )


@tool(title="Check a project", limit="hybrid_seconds", heavy=True)
def validate(call: ToolCall, project: ProjectLibrary, request: ValidateRequest) -> Findings:
    """Faults of index and references; changes nothing."""
    report = project.validate(replace(request, cancellation=call.cancellation))
    findings = (
        filled(
            ShownFinding,
            finding,
            severity=finding.severity.value,
            hint=for_assistants(finding.hint),
        )
        for finding in report.findings
    )
    return filled(Findings, report, findings=tuple(findings))
