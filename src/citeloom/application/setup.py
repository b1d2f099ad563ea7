"""What a project is set up with before anything is ingested: its sources, references and Zotero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.sources import ReferenceLibrary, SourceFolder, ZoteroLibrary
from citeloom.domain.errors import CiteloomError


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSetup:
    """What is there of what a project is made from."""

    sources: tuple[SourceFolder, ...]
    """Those that are configured, each with its fault."""
    files: int
    """How many in them can be read."""
    references: int
    """How many references are in the configured file."""
    has_references: bool
    """Whether a file is configured."""
    reference_fault: CiteloomError | None = field(default=None, compare=False)
    """Why the file cannot be read."""
    zotero: str = ""
    """What is read of Zotero; empty where it cannot be reached."""
    zotero_fault: CiteloomError | None = field(default=None, compare=False)
    """Why it cannot."""


def describe_setup(
    project: OpenProject,
    *,
    references: ReferenceLibrary,
    zotero: Callable[[], ZoteroLibrary],
    suffixes: frozenset[str],
) -> ProjectSetup:
    """Look at the sources of a project, its references and Zotero; nothing is read of a document.

    What cannot be read has its fault.
    """
    sources, count, source = project.settings.sources, 0, ""
    reference_fault = zotero_fault = None
    try:
        count = len(references.references())
    except CiteloomError as error:
        reference_fault = error
    try:
        source = zotero().source
    except CiteloomError as error:
        zotero_fault = error
    return ProjectSetup(
        sources=tuple(project.files.folder(name) for name in sources),
        files=len(project.files.find(sources, suffixes).files),
        references=count,
        has_references=project.settings.references is not None,
        reference_fault=reference_fault,
        zotero=source,
        zotero_fault=zotero_fault,
    )
