"""Conversion in worker processes, ahead of the consumer and in the order of the sources."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future

from citeloom.application.ports.document_converter import Converted, DocumentConverter, Source
from citeloom.domain.errors import UnsupportedFormat
from citeloom.infrastructure.conversion.file_converter import ConverterFactory
from citeloom.infrastructure.conversion.workers.worker_pool import WorkerPool
from citeloom.infrastructure.conversion.workers.worker_process import WorkerLimits

# Outcomes that may wait for the consumer beside those the workers have in hand.
_AHEAD = 2


class ConversionPool(DocumentConverter):
    """Converts each file in one of `workers` processes, so that a file can hang, crash or exhaust
    memory and the next one is converted all the same.

    Processes start when the first file needs them and end with the generator, or with this
    process. Raises `CiteloomError` when none can be started at all.
    """

    def __init__(
        self,
        *,
        factory: ConverterFactory,
        version: str,
        suffixes: frozenset[str] = frozenset({".pdf"}),
        workers: int = 1,
        limits: WorkerLimits | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, not {workers}")
        self._factory = factory
        self._version = version
        self._suffixes = suffixes
        self._workers = workers
        self._limits = limits or WorkerLimits()

    @property
    def version(self) -> str:
        return self._version

    @property
    def suffixes(self) -> frozenset[str]:
        return self._suffixes

    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        crew = WorkerPool(self._factory, self._limits, self._workers)
        waiting: deque[Future[Converted]] = deque()
        try:
            for source in sources:
                waiting.append(self._begin(crew, source))
                while waiting and (len(waiting) >= self._workers + _AHEAD or waiting[0].done()):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            crew.shutdown()

    def _begin(self, crew: WorkerPool, source: Source) -> Future[Converted]:
        if source.path.suffix.lower() in self._suffixes:
            return crew.submit(source)
        refused: Future[Converted] = Future()
        refused.set_result(Converted(source=source, error=self._unsupported(source)))
        return refused

    def _unsupported(self, source: Source) -> UnsupportedFormat:
        return UnsupportedFormat(
            f"{source.path.name} is of a kind that cannot be read",
            f"Readable are: {', '.join(sorted(self._suffixes))}.",
        )
