"""The options of ingests and watches, as callers from Python name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict


class IngestOptions(TypedDict, total=False):
    """The options of an ingest, all off by default.

    `force` processes unchanged documents too, `dry_run` changes nothing, `rebuild` fills a new
    collection, `prune` removes documents whose file is gone, `limit` is a maximum number of
    documents, `restore` indexes deleted documents again, `retry_failed` tries unchanged
    documents again that failed before. While another process changes the project, `waiting` is
    called with it and the ingest waits.
    """

    force: bool
    dry_run: bool
    rebuild: bool
    prune: bool
    restore: bool
    retry_failed: bool
    limit: int | None
    waiting: Callable[[str], None] | None


class WatchOptions(TypedDict, total=False):
    """The options of a watch: those of the same name of an ingest."""

    restore: bool
    retry_failed: bool
    waiting: Callable[[str], None] | None
