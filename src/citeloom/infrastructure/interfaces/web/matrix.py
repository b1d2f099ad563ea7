"""The view of a literature matrix: works down, questions across, each cell with its page."""

from __future__ import annotations

import time
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from citeloom.application.manuscript.matrix import Matrix
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.manuscript import MatrixRequest
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.infrastructure.answers.literature_matrix import (
    CellInShort,
    matrix_csv,
    matrix_markdown,
    matrix_xlsx,
)
from citeloom.infrastructure.interfaces.request_models import Name, RequestBody
from citeloom.infrastructure.interfaces.web.drafts import in_lane
from citeloom.infrastructure.interfaces.web.views import (
    FRESH_SECONDS,
    LatestValues,
    PageOutcome,
    Visit,
    Visiting,
    streamed,
)

router = APIRouter()
_MOST_QUESTIONS = 20
MOST_MATRICES = 8
"""How many are kept, so that one that is shown can be downloaded at once."""


class MatrixForm(RequestBody[MatrixRequest]):
    """Questions, or none yet."""

    questions: list[Name] = Field([], max_length=_MOST_QUESTIONS)

    @property
    def given(self) -> dict[str, object]:
        """What an address says of it."""
        return self.model_dump(exclude_defaults=True, exclude={"project", "format"}, mode="json")


class MatrixFile(MatrixForm):
    """A matrix, and the format of a file."""

    format: Literal["xlsx", "csv", "markdown"]


async def _made(visit: Visit, form: MatrixForm) -> Matrix:
    """The matrix of a form, as it was made a short time ago, or else anew."""
    latest: LatestValues[tuple[float, Matrix]] = visit.request.app.state.matrices
    key = repr((visit.project_id, form.given))

    def make(cancellation: Cancellation) -> Matrix:
        since, known = latest.get(key) or (0.0, None)
        if known is None or time.monotonic() - since > FRESH_SECONDS:
            known = visit.project.matrix(form.asked(cancellation=cancellation))
            since = time.monotonic()
        return latest.keep(key, (since, known))[1]

    return await in_lane(visit, make, visit.service.answers)


@router.get("/matrix")
async def matrix(form: Annotated[MatrixForm, Query()], visit: Visiting) -> Response:
    """The form, and the table once it is made."""

    async def made() -> PageOutcome:
        return await visit.outcome(_made(visit, form))

    return streamed("matrix.html", visit, {"form": form, "made": made, "short": CellInShort.of})


@router.get("/matrix/export")
async def export(form: Annotated[MatrixFile, Query()], visit: Visiting) -> Response:
    """The table as a file; in a workbook the citations open their pages here."""
    made = await _made(visit, form)
    base = str(visit.request.base_url).rstrip("/")

    def link(passage: StoredChunk) -> str:
        return f"{base}{visit.address(f'/passages/{passage.chunk.id}')}"

    content: str | bytes
    match form.format:
        case "xlsx":
            kind, name = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"
            content = await visit.run(lambda: matrix_xlsx(made, link))
        case "csv":
            kind, name, content = "text/csv; charset=utf-8", "csv", matrix_csv(made)
        case _:
            kind, name, content = "text/markdown; charset=utf-8", "md", f"{matrix_markdown(made)}\n"
    headers = {"Content-Disposition": f'attachment; filename="matrix.{name}"'}
    return Response(content, media_type=kind, headers=headers)
