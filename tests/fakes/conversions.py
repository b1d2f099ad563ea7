"""Many files converted in worker processes, as an ingest has them prepared."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias

from citeloom.application.ports.conversion import DocumentConverter, FileConverter, SourceFile
from citeloom.application.ports.runtime import EmitEvent, Outcome
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.infrastructure.conversion.file_conversion import FileConversion
from citeloom.infrastructure.conversion.workers.processes import ProcessExecutor
from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

ConverterFactory: TypeAlias = Callable[[], FileConverter]


@dataclass(frozen=True)
class ConversionTask:
    """A file to convert."""

    source: SourceFile

    @property
    def name(self) -> str:
        return self.source.path.name


@dataclass(frozen=True)
class RetriedConversionTask(ConversionTask):
    """A file to convert, with pages read plainly once they have stopped the work."""

    def after_failure(self, page: int, *, rest: bool) -> RetriedConversionTask | None:
        plain = self.source.plain_pages.after_failure(page, rest=rest)
        if plain is None:
            return None
        return RetriedConversionTask(replace(self.source, plain_pages=plain))


ConversionOutcome: TypeAlias = Outcome[ConversionTask, ConversionResult]


def convert(
    task: ConversionTask, converter: DocumentConverter, emit: EmitEvent
) -> ConversionResult:
    """The work on one file."""
    return converter.convert(task.source, emit).result


@dataclass(frozen=True)
class ConverterStart:
    """Builds a converter, and what it converts with, where it is called."""

    factory: ConverterFactory
    suffixes: frozenset[str] = frozenset({".pdf"})

    def __call__(self) -> DocumentConverter:
        built = self.factory()
        return FileConversion(lambda _: built, dict.fromkeys(self.suffixes, "1"))


class Conversions:
    """Converts files in processes that end with the generator."""

    def __init__(
        self,
        factory: ConverterFactory,
        *,
        suffixes: frozenset[str] = frozenset({".pdf"}),
        workers: int = 1,
        limits: WorkerLimits | None = None,
        retries: bool = False,
    ) -> None:
        self._task = RetriedConversionTask if retries else ConversionTask
        start = ConverterStart(factory, suffixes)
        self._executor = ProcessExecutor(start, workers=workers, limits=limits)

    def convert(self, sources: Iterable[SourceFile]) -> Generator[ConversionOutcome, None, None]:
        """Each source's outcome, in order."""
        tasks = map(self._task, sources)
        with closing(self._executor), closing(self._executor.run(convert, tasks)) as updates:
            for update in updates:
                if isinstance(update, Outcome):
                    yield update
