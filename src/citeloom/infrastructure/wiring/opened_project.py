"""One project, and what its use cases are built of."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.wiring.precision import in_its_precision

if TYPE_CHECKING:
    from citeloom.application.ingest import IngestParts
    from citeloom.domain.project import Project
    from citeloom.infrastructure.wiring.embedders import Embedders
    from citeloom.infrastructure.wiring.shared_parts import SharedParts


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
        from citeloom.infrastructure.wiring.conversion import image_reading
        from citeloom.infrastructure.wiring.document_tools import DocumentTools, open_executor
        from citeloom.infrastructure.wiring.references import open_references

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
