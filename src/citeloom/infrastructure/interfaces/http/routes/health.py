"""Whether the server is up, whether it is ready, and its figures."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter
from starlette.responses import Response

from citeloom.domain.errors import Busy, DeadlineExceeded
from citeloom.infrastructure.answers.library import Health, Readiness
from citeloom.infrastructure.answers.model import HERE
from citeloom.infrastructure.interfaces.http.answers import JsonAnswer, Responses
from citeloom.infrastructure.interfaces.http.metrics import MEDIA_TYPE
from citeloom.infrastructure.interfaces.http.problems import Refusal, problem_response
from citeloom.infrastructure.interfaces.http.routes import PREFIX, RequestId, Served, in_thread
from citeloom.infrastructure.interfaces.http.service import LoadedProjects, ServedLibrary

_FIGURES: Responses = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

_STORE_SECONDS = 5.0
_STORE_AWAY = Refusal(
    status=503,
    code="INDEX_UNAVAILABLE",
    message="the vector store does not answer",
    hint="`citeloom store check` says why; it is ready again once the store is back.",
)

router = APIRouter(prefix=PREFIX, tags=["server"])


@router.get("/health", response_model=Health, operation_id="health")
async def health() -> Response:
    """Say that the server is up."""
    return JsonAnswer(Health(status="ok", version=version("citeloom")), HERE)


@router.get("/ready", response_model=Readiness, operation_id="ready")
async def ready(service: Served, request_id: RequestId) -> Response:
    """Say whether every project is loaded and the store answers, so that queries are answered at
    once.
    """
    readiness = service.readiness
    if not readiness.is_ready:
        return problem_response(_not_ready(readiness), request_id)
    if await _is_store_away(service):
        return problem_response(_STORE_AWAY, request_id)
    return JsonAnswer(Readiness(ready=True), HERE)


@router.get("/metrics", response_class=Response, responses=_FIGURES, operation_id="metrics")
@in_thread()
def metrics(service: Served) -> Response:
    """Give the figures of the server in Prometheus's text format."""
    return Response(service.metrics.text(), media_type=MEDIA_TYPE)


async def _is_store_away(service: ServedLibrary) -> bool:
    """Whether the vector store does not answer; not known while too many calls are open."""
    try:
        return bool(await service.run(service.library.store_error, _STORE_SECONDS))
    except DeadlineExceeded:
        return True
    except Busy:
        return False


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
