"""The views of the library: documents and their references, Zotero, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby, islice
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Form, Query
from starlette.responses import RedirectResponse, Response

from citeloom.application.documents import ListedDocument, coverage_of
from citeloom.application.zotero.coverage import ZoteroCoverage
from citeloom.domain.errors import InvalidProject
from citeloom.infrastructure.answers.ingest_text import OBJECTIONS
from citeloom.infrastructure.answers.zotero import DiagnosisAnswer
from citeloom.infrastructure.interfaces.http.library_routes import DocumentFilter
from citeloom.infrastructure.interfaces.web.views import (
    Changing,
    PageOutcome,
    Visit,
    Visiting,
    streamed,
    view,
)

router = APIRouter()
_CANDIDATES = 10
"""How many documents without a reference are on a page: each is compared with all references."""
MOST_FILES = 50
"""How many files may be added at a time."""
Name = Annotated[str, Form(min_length=1, max_length=1_000)]


def all_documents(visit: Visit) -> list[ListedDocument]:
    """The documents of the project; none where nothing was ingested yet."""
    project = visit.project
    try:
        return project.documents()
    except InvalidProject:
        return []


def place_in(visit: Visit) -> Callable[[str], str]:
    """A function that says where a document lies: below a source from its name on, elsewhere as
    `PrivatePaths` does.
    """
    folders = [PurePath(source) for source in visit.project.project.sources]

    def place(path: str) -> str:
        file = PurePath(path)
        if file.is_absolute():
            for folder in folders:
                if file.is_relative_to(folder) and file != folder:
                    return str(file.relative_to(folder.parent))
        return visit.service.paths.path(path)

    return place


def page_addresses(
    visit: Visit, path: str, offset: int, limit: int, total: int, /, **parameters: object
) -> dict[str, str | None]:
    """The addresses of the pages before and after this one of a list."""
    before, after = max(offset - limit, 0), offset + limit
    return {
        "previous": visit.address(path, **parameters, offset=before or None) if offset else None,
        "following": visit.address(path, **parameters, offset=after) if after < total else None,
    }


@router.get("/library")
@view("library.html", seconds=lambda service: service.limits.hybrid_seconds)
def documents(form: Annotated[DocumentFilter, Query()], visit: Visiting) -> Mapping[str, object]:
    """The documents that match, each with its state and what mends it."""
    everything = all_documents(visit)
    given = form.model_dump(exclude_defaults=True, exclude={"project", "offset"})
    is_narrowed = bool(given.keys() - {"limit"}) and bool(everything)
    listed = visit.project.documents(form.asked()) if is_narrowed else everything
    return {
        "form": form,
        "coverage": coverage_of(everything),
        "copies": sum(document.copy_of is not None for document in everything),
        "total": len(listed),
        "listed": listed[form.offset : form.offset + form.limit],
        "most_files": MOST_FILES if may_add_files(visit) else 0,
        "running": running_jobs(visit),
        "place": place_in(visit),
        "words": visit.service.paths.text,
        **page_addresses(visit, "/library", form.offset, form.limit, len(listed), **given),
    }


def may_add_files(visit: Visit) -> bool:
    return not visit.read_only and visit.service.library.server.uploads is not None


def first_steps(visit: Visit) -> Mapping[str, object]:
    """What `first_run.html` shows, where nothing is ingested yet."""

    async def setup() -> PageOutcome:
        seconds = visit.service.limits.hybrid_seconds
        return await visit.outcome(visit.run(lambda: visit.project.setup, seconds))

    return {
        "setup": setup,
        "refusal": visit.refusal,
        "running": running_jobs(visit),
        "most_files": MOST_FILES if may_add_files(visit) else 0,
        "place": place_in(visit),
        "words": visit.service.paths.text,
    }


def running_jobs(visit: Visit) -> list[str]:
    """The ids of the project's jobs that have not ended."""
    jobs = visit.service.jobs.list()
    return [j.id for j in jobs if j.project == visit.project_id and not j.state.is_final]


@router.get("/references")
@view("references.html", seconds=lambda service: service.limits.hybrid_seconds, reading=True)
def references(
    visit: Visiting,
    document: Annotated[str | None, Query(max_length=1_000)] = None,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    chosen: Annotated[str | None, Query(max_length=300)] = None,
) -> Mapping[str, object]:
    """Documents without a reference, each with those nearest to it."""
    has_references = visit.project.project.references is not None
    candidates = visit.project.match_candidates(document) if has_references else iter(())
    shown = [*islice(candidates, offset, offset + _CANDIDATES + 1)]
    total = offset + len(shown)
    return {
        "has_references": has_references,
        "shown": shown[:_CANDIDATES],
        "chosen": chosen,
        "place": place_in(visit),
        "objections": OBJECTIONS,
        **page_addresses(visit, "/references", offset, _CANDIDATES, total),
    }


@router.post("/references", dependencies=[Changing])
@view("")
def choose_reference(visit: Visiting, document: Name, citekey: Name) -> Response:
    """Configure which work a document is; the next ingest applies it."""
    visit.project.configure_reference(document, citekey)
    target = visit.address("/references", chosen=citekey.removeprefix("@"))
    return RedirectResponse(target, status_code=303)


# The settings.


@router.get("/settings")
@view("settings.html")
def settings(visit: Visiting) -> Mapping[str, object]:
    """Each setting with its value, and where that comes from; nothing can be changed here."""
    library = visit.service.library
    listed = library.settings(visit.project.project.id)
    tables = [(name, [*rows]) for name, rows in groupby(listed, key=lambda each: each.table)]
    return {
        "tables": tables,
        "config_file": library.info.config_file,
        "warnings": library.info.warnings,
        "words": visit.service.paths.text,
    }


# Zotero.

_FINDINGS = 5
"""How many findings of a check are named."""


@router.get("/zotero")
async def zotero(visit: Visiting, library: Annotated[str, Query(max_length=300)] = "") -> Response:
    """The collections and saved searches of Zotero as they are read, then what is wrong there."""

    def cover() -> ZoteroCoverage:
        return visit.project.zotero_coverage(*filter(None, [library]))

    def diagnose() -> DiagnosisAnswer:
        chosen = visit.project.project.id
        return DiagnosisAnswer.of(visit.service.library.diagnose_zotero(project_id=chosen))

    seconds = visit.service.limits.hybrid_seconds

    async def covered() -> PageOutcome:
        return await visit.outcome(visit.run(cover, seconds))

    async def diagnosed() -> PageOutcome:
        outcome = await visit.outcome(visit.run(diagnose, seconds, visit.service.reading))
        found: list[object] = []
        if outcome.answer is not None:
            by_check = groupby(outcome.answer.findings, key=lambda finding: finding.check)
            for _, findings in by_check:
                alike = [*findings]
                found.append((alike[0], len(alike), alike[:_FINDINGS]))
        return PageOutcome(answer=found, refusal=outcome.refusal)

    values = {"covered": covered, "diagnosed": diagnosed, "words": visit.service.paths.text}
    return streamed("zotero.html", visit, values)
