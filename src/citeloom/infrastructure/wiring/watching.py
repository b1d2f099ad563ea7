"""What a watch works with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from citeloom.application.ingest import Ingest
from citeloom.application.watching import Watch, WatchPolicy
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.filesystem.watched_folders import WatchedFolders
from citeloom.infrastructure.wiring.conversion import readable_suffixes

if TYPE_CHECKING:
    from pathlib import Path

    from citeloom.application.ports.source_files import SourceFiles
    from citeloom.infrastructure.wiring.opened_project import OpenedProject


def open_watch(project: OpenedProject, sources: tuple[str, ...], policy: WatchPolicy) -> Watch:
    """The watch of a project's sources. Raises `ConfigError` if there is none."""
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
