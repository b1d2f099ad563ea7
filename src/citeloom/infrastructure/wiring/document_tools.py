"""The tools that prepare documents, in this process or in workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citeloom.application.ingest.tools import Tools
from citeloom.application.ports.executor import Executor
from citeloom.application.ports.reference_library import ReferenceLibrary
from citeloom.domain.project import Project
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.wiring.conversion import open_converter
from citeloom.infrastructure.wiring.embedders import open_embedders

if TYPE_CHECKING:
    from citeloom.infrastructure.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTools:
    """Builds the tools of a project in the calling process; models are loaded at first use."""

    settings: Settings
    project: Project
    references: ReferenceLibrary

    def __call__(self) -> Tools:
        models = open_embedders(self.settings, self.project)
        return Tools(
            converter=open_converter(self.settings),
            references=self.references,
            counter=models.counter,
            dense=models.dense,
            sparse=models.sparse,
            clock=SystemClock(),
        )


def open_executor(tools: DocumentTools) -> Executor[Tools]:
    """An executor with worker processes, whose models share the processors. They get no key of a
    remote model, which they do not use.
    """
    from citeloom.infrastructure.conversion.workers.processes import ProcessExecutor
    from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

    settings = tools.settings
    conversion, models = settings.conversion, settings.models
    threads = conversion.threads_of_worker(models.threads)
    shared = replace(
        settings.without_model_keys(), models=models.model_copy(update={"threads": threads})
    )
    return ProcessExecutor(
        replace(tools, settings=shared),
        workers=conversion.worker_count,
        limits=WorkerLimits(
            document_seconds=conversion.document_timeout_seconds,
            page_seconds=conversion.page_timeout_seconds,
            image_seconds=conversion.ocr_timeout_seconds,
            memory=conversion.worker_memory_bytes,
        ),
    )
