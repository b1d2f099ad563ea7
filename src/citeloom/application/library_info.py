"""What a library says of itself: its configuration, projects, set-up, and how its parts are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import CiteloomError

if TYPE_CHECKING:
    from citeloom.application.open_project import OpenProject
    from citeloom.application.ports.sources import ReferenceLibrary, SourceFolder, ZoteroLibrary


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredModel:
    """A model that writes answers, judges written sentences or reranks."""

    name: str
    """The model."""
    sends_to: str | None
    """The host that it sends texts to; null where it runs here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryInfo:
    """The configuration file of a library, if any, what is out of date in it, its folders, the
    shapes by project in which results may be printed, and the model that writes answers, the one
    that judges them and the reranker, where they are configured; whether the store is on a server.
    """

    base_dir: Path
    data_dir: Path
    config_file: Path | None
    log_level: str = "warning"
    shapes: Mapping[str, Mapping[str, Mapping[str, str | dict[str, str]]]] = field(
        default_factory=dict
    )
    answer_model: ConfiguredModel | None = None
    reranker: ConfiguredModel | None = None
    entailment: ConfiguredModel | None = None
    warnings: tuple[str, ...] = ()
    has_remote_store: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSummary:
    """A configured project, summarised."""

    id: str
    """As it is named with `--project`."""
    collection: str
    """Its collection."""
    embedding_model: str
    """Its dense model."""
    sparse_model: str | None
    """Null where queries are dense alone."""
    references: str | None
    """The file, as configured."""
    documents: int
    """How many are indexed."""
    sends_text_to: str | None = None
    """The address of a remote model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a part of the library is usable, and the reason if it is not."""

    part: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSetting:
    """A key of the configuration with the value in force."""

    table: str
    """As `retrieval`."""
    key: str
    value: str
    """As citeloom.toml writes it; empty where it is unset, or depends on the machine."""
    source: str
    """The file, the variable, or `the command line`; empty for the default."""


# What a project is set up with before anything is ingested.


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
