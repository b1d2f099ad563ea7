"""Projects, their documents, what is in Zotero, and whether all is well."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

from citeloom.application.library_info import ProjectSummary
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.ingest import SelectionRequest
from citeloom.application.requests.passages import DocumentsRequest, ValidateRequest
from citeloom.domain.errors import Busy, DeadlineExceeded
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.library import (
    ChunkPage,
    DocumentAnswer,
    DocumentPageAnswer,
    Readiness,
    ServerStatus,
    ValidationAnswer,
)
from citeloom.infrastructure.answers.model import HERE, filled
from citeloom.infrastructure.answers.passages import ShownPassage
from citeloom.infrastructure.answers.zotero import (
    AnnotationEntry,
    AnnotationList,
    CitekeyList,
    CollectionEntry,
    CollectionList,
    ItemEntry,
    ItemList,
    TagEntry,
    TagList,
)
from citeloom.infrastructure.interfaces.http.metrics import MEDIA_TYPE
from citeloom.infrastructure.interfaces.http.problems import Refusal, problem_response
from citeloom.infrastructure.interfaces.http.responses import (
    PREFIX,
    Identifier,
    JsonAnswer,
    Pagination,
    ProjectPagination,
    RequestId,
    Responses,
    Served,
    in_thread,
)
from citeloom.infrastructure.interfaces.http.served_library import (
    VALIDATION_SECONDS,
    LoadedProjects,
    ServedLibrary,
)
from citeloom.infrastructure.interfaces.request_models import Name, RequestBody, RequestModel

router = APIRouter(prefix=PREFIX)


class DocumentFilter(Pagination, RequestBody[DocumentsRequest]):
    """Which documents of a project are listed."""


@router.get("/projects", tags=["projects"], operation_id="list_projects")
@in_thread(scrubbed=True)
def projects(service: Served) -> list[ProjectSummary]:
    """List the projects that are served."""
    return [project for project in service.library.projects() if project.id in service.projects]


@router.get("/documents", tags=["documents"], operation_id="list_documents")
@in_thread(scrubbed=True)
def documents(filters: Annotated[DocumentFilter, Query()], service: Served) -> DocumentPageAnswer:
    """List a project's documents, sorted by path."""
    listed = service.project(filters.project).documents(filters.asked())
    return filters.of(DocumentPageAnswer, listed, project=filters.project)


@router.get("/documents/{doc_id}", tags=["documents"], operation_id="get_document")
@in_thread()
def document(
    doc_id: Identifier, page: Annotated[ProjectPagination, Query()], service: Served
) -> DocumentAnswer:
    """Describe a document: its headings, its pages, and some of its chunks in reading order."""
    detail = service.project(page.project).document(doc_id)
    return filled(
        DocumentAnswer,
        detail,
        project=page.project,
        document=service.paths.value(detail.document),
        chunks=page.of(ChunkPage, detail.chunks, ShownPassage.of_chunk),
    )


@router.get(
    "/validation",
    tags=["projects"],
    response_model=ValidationAnswer,
    operation_id="validate_project",
)
async def validation(
    checks: Annotated[RequestBody[ValidateRequest], Query()], service: Served
) -> Response:
    """Check models, store, references and every chunk of a project, or only what `check` names."""
    chosen = service.project(checks.project)

    def answer(cancellation: Cancellation) -> bytes:
        report = chosen.validate(checks.asked(cancellation=cancellation))
        return json_text(service.paths.value(ValidationAnswer.of(report)), indent=None).encode()

    key = ("validation", checks.model_dump_json())
    result = await service.heavy.run(key, answer, VALIDATION_SECONDS)
    return Response(result, media_type=JsonAnswer.media_type)


_PLAIN: Responses = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

zotero_router = APIRouter(prefix=f"{PREFIX}/zotero", tags=["zotero"])


class ZoteroFilter(Pagination, RequestModel[SelectionRequest]):
    """Which entries of Zotero are listed."""

    search: Name | None = None

    @property
    def selection(self) -> ZoteroSelection:
        return self.asked().selection or ZoteroSelection()


Filter = Annotated[ZoteroFilter, Query()]


def _zotero_seconds(service: ServedLibrary, _: object) -> float:
    return service.limits.hybrid_seconds


@zotero_router.get("/collections", operation_id="list_zotero_collections")
@in_thread(seconds=_zotero_seconds, scrubbed=True)
def collections(chosen: Filter, service: Served) -> CollectionList:
    """List collections by library and path."""
    listed = service.library.zotero().collections(chosen.selection)
    return chosen.of(CollectionList, listed, CollectionEntry.of)


@zotero_router.get("/items", operation_id="list_zotero_items")
@in_thread(seconds=_zotero_seconds, scrubbed=True)
def items(chosen: Filter, service: Served) -> ItemList:
    """List items by citekey."""
    listed = service.library.zotero().items(chosen.selection, search=chosen.search)
    return chosen.of(ItemList, listed, ItemEntry.of)


@zotero_router.get("/tags", operation_id="list_zotero_tags")
@in_thread(seconds=_zotero_seconds, scrubbed=True)
def tags(chosen: Filter, service: Served) -> TagList:
    """List tags, the most frequent first."""
    listed = service.library.zotero().tags(chosen.selection, search=chosen.search)
    return chosen.of(TagList, listed, TagEntry.of)


class AnnotationFilter(ZoteroFilter):
    """Which annotations of Zotero are listed."""

    item: Name | None = None
    color: Name | None = None


@zotero_router.get("/annotations", operation_id="list_zotero_annotations")
@in_thread(seconds=_zotero_seconds, scrubbed=True)
def list_annotations(
    chosen: Annotated[AnnotationFilter, Query()], service: Served
) -> AnnotationList:
    """List annotations by item, in the order of their pages."""
    listed = service.library.zotero().annotations(
        chosen.selection,
        search=chosen.search,
        item=chosen.item,
        colors=[chosen.color] if chosen.color else [],
    )
    return chosen.of(AnnotationList, listed, AnnotationEntry.of)


@zotero_router.get("/citekeys", operation_id="list_zotero_citekeys")
@in_thread(seconds=_zotero_seconds, scrubbed=True)
def citekeys(chosen: Filter, service: Served) -> CitekeyList:
    """List the citekeys of items, generated ones included, that begin with a text."""
    found = service.library.zotero_citekeys(chosen.search or "", chosen.selection)
    return chosen.of(CitekeyList, found)


class ExportFilter(RequestModel[SelectionRequest]):
    """Which references of Zotero are exported, and as what."""

    format: Literal["biblatex", "bibtex", "csl-json", "ris"] = "biblatex"
    citekey: list[Name] = Field(default_factory=list, max_length=500)


@zotero_router.get(
    "/export", response_class=Response, responses=_PLAIN, operation_id="export_zotero"
)
@in_thread(seconds=_zotero_seconds)
def export(chosen: Annotated[ExportFilter, Query()], service: Served) -> Response:
    """Give the references of items, or of those with the citekeys."""
    references, _ = service.library.export_zotero(
        chosen.asked().selection, chosen.citekey, chosen.format
    )
    return PlainTextResponse(references)


_STORE_SECONDS = 5.0
_STORE_AWAY = Refusal(
    status=503,
    code="INDEX_UNAVAILABLE",
    message="the vector store does not answer",
    hint="`citeloom store check` says why; it is ready again once the store is back.",
)

server_router = APIRouter(prefix=PREFIX, tags=["server"])


@server_router.get("/health", response_model=ServerStatus, operation_id="health")
async def health() -> Response:
    """Say that the server is up."""
    return JsonAnswer(ServerStatus(status="ok", version=version("citeloom")), HERE)


@server_router.get("/ready", response_model=Readiness, operation_id="ready")
async def ready(service: Served, request_id: RequestId) -> Response:
    """Say whether every project is loaded and the store answers, so that queries are answered at
    once.
    """
    readiness = service.readiness
    if not readiness.is_ready:
        return problem_response(_not_ready(readiness), request_id)
    try:
        is_away = bool(await service.run(service.library.store_error, _STORE_SECONDS))
    except DeadlineExceeded:
        is_away = True
    except Busy:
        is_away = False  # it is not known
    if is_away:
        return problem_response(_STORE_AWAY, request_id)
    return JsonAnswer(Readiness(ready=True), HERE)


@server_router.get("/metrics", response_class=Response, responses=_PLAIN, operation_id="metrics")
@in_thread()
def metrics(service: Served) -> Response:
    """Give the figures of the server in Prometheus's text format."""
    return Response(service.metrics.text(), media_type=MEDIA_TYPE)


def _not_ready(projects: LoadedProjects) -> Refusal:
    """What is loaded, without the names of projects, since no token is needed."""
    counts = f"{projects.total - len(projects.missing)} of {projects.total} projects are loaded"
    if not projects.codes:
        hint = "Queries are answered already, the first ones slowly."
        return Refusal(status=503, code="STARTING", message=counts, hint=hint)
    return Refusal(
        status=503,
        code=projects.codes[0],
        message=f"{counts}; of the rest: {', '.join(projects.codes)}",
        hint="The server's log names the projects and the reasons; they are tried again.",
    )
