"""Conversions kept on disk, by the content they were made from and the converter's version."""

from __future__ import annotations

import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile

import structlog

from citeloom.application.ports.document_converter import Converted, DocumentConverter, Source
from citeloom.domain.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.cache.entry import InvalidEntry, decode, encode

# After so many kept results in a row, what is still being converted is waited for: this bounds
# how far ahead of the consumer the sources are looked at.
_LONGEST_RUN_OF_HITS = 32

_log = structlog.get_logger(__name__)


class CachedConverter(DocumentConverter):
    """Answers from `root` what was converted before, and has `converter` convert the rest.

    Of a document with pages that are images the result is kept under what `reading` calls the way
    they were read, or left unread. Errors are not kept. An entry that cannot be read counts as
    absent and is written anew; one that cannot be written is logged, and the run goes on.
    """

    def __init__(
        self,
        converter: DocumentConverter,
        root: Path,
        *,
        reading: Callable[[OcrOptions | None], str] = str,
    ) -> None:
        self._converter = converter
        self._root = root
        self._reading = reading
        self._version_key = hashlib.sha256(converter.version.encode()).hexdigest()[:16]

    @property
    def version(self) -> str:
        return self._converter.version

    @property
    def suffixes(self) -> frozenset[str]:
        return self._converter.suffixes

    def load(self, source: Source) -> ConversionResult | None:
        """The result kept for the source, or None; never converts."""
        path = self._path(source)
        try:
            return decode(path.read_bytes(), converter_version=self.version, doc_id=source.doc_id)
        except FileNotFoundError:
            return None
        except (OSError, InvalidEntry) as error:
            _log.warning("cached_conversion_unusable", path=str(path), reason=str(error))
            return None

    def convert(self, sources: Iterable[Source]) -> Generator[Converted, None, None]:
        remaining = iter(sources)
        for source in remaining:
            if self._is_kept(source):
                yield self._kept(source)
            else:
                yield from self._convert_from(source, remaining)

    def _convert_from(
        self, first: Source, remaining: Iterator[Source]
    ) -> Generator[Converted, None, None]:
        """Convert `first` and those behind it that are not kept, each in its turn, up to a long
        run of kept ones.
        """
        passed: deque[tuple[Source, bool]] = deque()
        misses = self._misses(first, remaining, passed)
        with closing(self._converter.convert(misses)) as outcomes:
            for outcome in outcomes:
                yield from self._kept_before_next_miss(passed)
                passed.popleft()
                self._keep(outcome)
                yield outcome
        yield from self._kept_before_next_miss(passed)

    def _misses(
        self, first: Source, remaining: Iterator[Source], passed: deque[tuple[Source, bool]]
    ) -> Iterator[Source]:
        """The sources to convert; `passed` gets all that went by, with whether they are kept."""
        passed.append((first, False))
        yield first
        run = 0
        for source in remaining:
            is_kept = self._is_kept(source)
            passed.append((source, is_kept))
            run = run + 1 if is_kept else 0
            if run == _LONGEST_RUN_OF_HITS:
                return
            if not is_kept:
                yield source

    def _kept_before_next_miss(self, passed: deque[tuple[Source, bool]]) -> Iterator[Converted]:
        while passed and passed[0][1]:
            yield self._kept(passed.popleft()[0])

    def _kept(self, source: Source) -> Converted:
        begun = time.monotonic()
        result = self.load(source)
        if result is None:
            return self._convert_one(source)
        return Converted(
            source=source, result=result, seconds=time.monotonic() - begun, cached=True
        )

    def _convert_one(self, source: Source) -> Converted:
        with closing(self._converter.convert([source])) as outcomes:
            outcome = next(outcomes)
        self._keep(outcome)
        return outcome

    def _is_kept(self, source: Source) -> bool:
        return self._path(source).exists()

    def _path(self, source: Source) -> Path:
        """Where the source's result is kept: as one without images if there is such a file."""
        plain = self._place(source, "")
        return plain if plain.exists() else self._place(source, self._reading(source.ocr))

    def _place(self, source: Source, reading: str) -> Path:
        key = f"-{hashlib.sha256(reading.encode()).hexdigest()[:8]}" if reading else ""
        name = f"{source.content_hash}-{self._version_key}{key}.json.gz"
        return self._root / source.content_hash[:2] / name

    def _keep(self, outcome: Converted) -> None:
        if outcome.result is None:
            return
        result, source = outcome.result, outcome.source
        reading = self._reading(source.ocr) if result.depends_on_ocr else ""
        path = self._place(source, reading)
        try:
            _write_whole(path, encode(outcome.result, self.version))
        except (OSError, InvalidEntry) as error:
            _log.warning("conversion_not_cached", path=str(path), reason=str(error))


def _write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path` so that a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        partial = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            partial.unlink()
            raise
    partial.replace(path)
