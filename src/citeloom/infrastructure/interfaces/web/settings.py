"""The view of the settings, read only."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from fastapi import APIRouter

from citeloom.infrastructure.interfaces.web.views import Visiting, view

router = APIRouter()


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
