"""The program that reads a shard before the process that needs it opens it.

What is damaged in a shard can abort the engine, and with it the process. The arguments are the
shard's folder, its collection and the process that started this one; the status is 1 for an error
that the engine reports.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import IndexQuery, Selection
from citeloom.infrastructure.stores.qdrant.edge.optimize_shard import end_with_parent
from citeloom.infrastructure.stores.qdrant.edge.points import EdgePoints
from citeloom.infrastructure.stores.records.queries import Filter, search_for, selecting
from citeloom.infrastructure.stores.records.schema import from_json

_FAILED = 1
_PANIC = 3
_SEARCHES = 3
_PAGE = 512
_SECONDS = 20.0
"""So long at most the points are read; the rest of a large shard is not looked at."""


def main(shard: str, collection: str, parent: str) -> None:
    """Open the shard, search it, and read its points."""
    end_with_parent(int(parent))
    points = EdgePoints.load(Path(shard), from_json(json.loads(collection)))
    everything = Filter(())
    for project in points.facet("project_id", everything):
        points.facet("doc_id", selecting(Selection(project_id=project)))
    records, after = points.full_page(everything, _PAGE, None)
    for record in records[:_SEARCHES]:
        query = IndexQuery(
            mode=Mode.DENSE if record.sparse is None else Mode.HYBRID,
            selection=Selection(project_id=str(record.payload["project_id"])),
            limit=10,
            dense=record.dense,
            sparse=record.sparse,
        )
        if (search := search_for(query)) is not None:
            points.search(search, query.limit)
    ends = time.monotonic() + _SECONDS
    while after is not None and time.monotonic() < ends:
        _, after = points.full_page(everything, _PAGE, after)
    points.close()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception:  # noqa: BLE001 - the process that opens the shard next reports it
        sys.exit(_FAILED)
    except BaseException:  # noqa: BLE001 - the engine's panics are no `Exception`
        sys.exit(_PANIC)
