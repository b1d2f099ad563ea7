"""Files of folders that were matched to one reference: its printed pages are those of one alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from citeloom.application.ingest.plan import PlannedDocument
from citeloom.application.ports.source_files import SourceFiles
from citeloom.domain.manifest import ManifestEntry, Status

_NO_SUFFIXES: frozenset[str] = frozenset()


def contesting(entries: Iterable[ManifestEntry], files: SourceFiles) -> list[PlannedDocument]:
    """The documents of folders that have the page range of a reference which another document has,
    too: which one it belongs to is not known, so none of them is to have it.
    """
    having: dict[str, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        if entry.citekey and entry.citation_pages and entry.status is Status.INDEXED:
            having[entry.citekey].append(entry)
    contested = [
        entry
        for sharing in having.values()
        if len({entry.doc_id for entry in sharing}) > 1
        for entry in sharing
        if entry.origin is None
    ]
    return [document for entry in contested for document in _planned(entry, files)]


def _planned(entry: ManifestEntry, files: SourceFiles) -> Iterable[PlannedDocument]:
    for file in files.find([entry.path], _NO_SUFFIXES).files:
        if (file.size, file.modified_ns) == (entry.size, entry.modified_ns):
            yield PlannedDocument(
                file=file, content_hash=entry.content_hash, previous=entry, shares_reference=True
            )
