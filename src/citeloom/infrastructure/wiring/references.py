"""The bibliography a project cites from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.ports.reference_library import ReferenceLibrary

if TYPE_CHECKING:
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings import Settings


def open_references(
    settings: Settings, project: Project, override: Path | None = None
) -> ReferenceLibrary:
    """The project's references, those named for this run, or none."""
    from citeloom.infrastructure.references.file_library import (
        EmptyReferenceLibrary,
        FileReferenceLibrary,
    )

    if override is not None:
        path = override.absolute()
    elif project.references is not None:
        path = settings.resolve(project.references)
    else:
        return EmptyReferenceLibrary()
    return FileReferenceLibrary(path, mapping=settings.mapping(project.id))
