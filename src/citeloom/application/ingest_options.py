"""The options of ingests and watches, as callers from Python name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from citeloom.application.ingest import IngestRequest
    from citeloom.application.reports import WithheldRemoval


class IngestOptions(TypedDict, total=False):
    """The options of an ingest, all off by default.

    `force` processes unchanged documents too, `dry_run` changes nothing, `rebuild` fills a new
    collection, `prune` removes documents whose file is gone; many at once only with `yes`, or
    if `confirm` returns True. `limit` is a maximum number of documents, `restore` indexes deleted
    documents again, `retry_failed` tries unchanged documents again that failed before. While
    another process changes the project, `waiting` is called with it and the ingest waits.
    """

    force: bool
    dry_run: bool
    rebuild: bool
    prune: bool
    yes: bool
    confirm: Callable[[WithheldRemoval], bool] | None
    restore: bool
    retry_failed: bool
    limit: int | None
    waiting: Callable[[str], None] | None


class WatchOptions(TypedDict, total=False):
    """The options of a watch: those of the same name of an ingest."""

    restore: bool
    retry_failed: bool
    waiting: Callable[[str], None] | None


def ingest_request(
    options: IngestOptions | WatchOptions,
    *sources: str | Path,
    stop: Callable[[], bool] | None = None,
) -> IngestRequest:
    """The request of an ingest with its options; relative sources are of the current folder."""
    from citeloom.application.ingest.parts import IngestRequest, never

    return IngestRequest(sources=absolute(sources), stop=stop or never, **options)


def absolute(sources: Sequence[str | Path]) -> tuple[str, ...]:
    """The absolute paths of files and folders."""
    return tuple(str(Path(source).absolute()) for source in sources)
