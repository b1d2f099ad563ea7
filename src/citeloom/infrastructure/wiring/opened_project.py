"""One project with its references and tools, and the watch of its folders."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.wiring.conversion import readable_suffixes
from citeloom.infrastructure.wiring.models import in_its_precision

if TYPE_CHECKING:
    from citeloom.application.ingest import Ingest, IngestParts
    from citeloom.application.ports.sources import SourceFiles
    from citeloom.application.watching import Watch, WatchPolicy
    from citeloom.domain.project import Project
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.wiring.models import Embedders
    from citeloom.infrastructure.wiring.shared_parts import SharedParts


# The bibliography a project cites from.


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


# One project, and what its use cases are built of.


class OpenedProject:
    """A project of a library, whose stores it shares with the others."""

    def __init__(self, library: SharedParts, project: Project) -> None:
        self._library = library
        self._project = project

    @cached_property
    def project(self) -> Project:
        """The project as it is configured, and bound."""
        library = self._library
        return in_its_precision(self._project, library.settings, lambda: library.index)

    @property
    def library(self) -> SharedParts:
        """What is shared with the library's other projects."""
        return self._library

    @property
    def embedders(self) -> Embedders:
        """The project's models."""
        return self._library.embedders(self.project)

    def ingest_parts(self, references: Path | None = None) -> IngestParts:
        """The dependencies of an ingest."""
        from importlib.metadata import version

        from citeloom.application.ingest import IngestParts
        from citeloom.infrastructure.filesystem.disk_space import FolderDiskSpace
        from citeloom.infrastructure.wiring.conversion import (
            DocumentTools,
            image_reading,
            open_executor,
        )

        library, settings = self.library, self.library.settings
        conversion, models = settings.conversion, self.embedders
        factory = DocumentTools(
            settings=settings,
            project=self.project,
            references=open_references(settings, self.project, references),
        )
        return IngestParts(
            project=self.project,
            files=library.files,
            tools=replace(
                factory(), counter=models.counter, dense=models.dense, sparse=models.sparse
            ),
            executor=open_executor(factory),
            reading=image_reading(settings),
            ocr_languages=conversion.ocr_languages if conversion.ocr else None,
            ocr_min_confidence=conversion.ocr_min_confidence,
            limits=f"{version('citeloom')} {conversion.limits}{self._window}",
            remote=models.remote,
            index=library.index,
            manifest=library.manifest,
            audit=library.audit,
            clock=library.clock,
            lease=library.lease,
            space=FolderDiskSpace(settings.data_dir / "projects"),
            machine=library.make_machine if library.machine is not None else None,
        )

    @property
    def _window(self) -> str:
        """The window of a remote model, which a text may have been too long for."""
        remote = self.embedders.remote
        return f" {self.embedders.counter.window}" if remote else ""


# What a watch works with.


def open_watch(project: OpenedProject, sources: tuple[str, ...], policy: WatchPolicy) -> Watch:
    """The watch of a project's sources. Raises `ConfigError` if there is none."""
    from citeloom.application.ingest import Ingest
    from citeloom.application.watching import Watch
    from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders

    chosen = sources or project.project.sources
    if not chosen:
        raise ConfigError(
            "there is nothing to watch",
            "Name a folder, or set `sources` of the project in citeloom.toml.",
        )
    library = project.library
    base = library.settings.base_dir

    def open_ingest(files: SourceFiles) -> Ingest:
        return Ingest(replace(project.ingest_parts(), files=files))

    return Watch(
        sources=chosen,
        suffixes=readable_suffixes(),
        files=library.files,
        changes=WatchedFolders([_folder(base / source) for source in chosen]),
        clock=library.clock,
        open_ingest=open_ingest,
        policy=policy,
    )


def _folder(source: Path) -> Path:
    """The folder to watch: an editor replaces a file, but leaves its folder."""
    return source.parent if source.is_file() else source
