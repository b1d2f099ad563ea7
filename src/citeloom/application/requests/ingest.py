"""Requests to ingest, from files and from Zotero: which documents are read, and what of the index
may change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias, cast

from annotated_types import Ge, doc

from citeloom.application.events import Progress, ReadEvent
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.fields import (
    Brief,
    Called,
    For,
    Parser,
    Request,
    Served,
    fields_of,
    flag,
    values_of,
)
from citeloom.domain.documents.manifest import WithheldRemoval
from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.domain.zotero.selection import ZoteroReading, ZoteroSelection

# Which items are meant; a command of collections or tags takes fewer options than one of items.


@dataclass(frozen=True, kw_only=True)
class LibrariesRequest(Request):
    """Which libraries of Zotero are meant."""

    libraries: Annotated[
        Sequence[str] | str,
        Called("library"),
        flag("--library", metavar="NAME"),
        Served(key="library"),
        doc("`library` (your own, the default), a group's name, `groups/ID`, or `all`."),
    ] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        kind: Any = type(self)
        for name, each in fields_of(kind).items():
            for value in getattr(self, name) if each.many else ():
                check_text(each.noun, value, LEAVE_OUT)

    @property
    def selection(self) -> ZoteroSelection | None:
        """The selection; None where nothing is said."""
        selection = ZoteroSelection(**values_of(self, type(self)))
        return None if selection == ZoteroSelection() else selection


@dataclass(frozen=True, kw_only=True)
class CollectionsRequest(LibrariesRequest):
    """Which collections of Zotero are meant."""

    collections: Annotated[
        Sequence[str] | str,
        flag("--collection", metavar="PATH|KEY"),
        Served(key="collection"),
        doc("Only items in this collection, e.g. `Papers/Julia`; of several, any may match."),
    ] = ()
    subcollections: Annotated[bool, doc("Include subcollections.")] = False


@dataclass(frozen=True, kw_only=True)
class SelectionRequest(CollectionsRequest):
    """Which items of Zotero are meant."""

    saved_searches: Annotated[
        Sequence[str] | str,
        For.EXPERTS,
        Called("saved search"),
        flag("--saved-search", metavar="NAME|KEY"),
        Served(key="saved_search"),
        doc("Only items that this saved search of Zotero finds; of several, any may."),
    ] = ()
    tags: Annotated[
        Sequence[str] | str,
        flag("--tag", metavar="TAG"),
        Served(key="tag"),
        doc("Only items with this tag; of several, all must match."),
    ] = ()
    exclude_tags: Annotated[
        Sequence[str] | str,
        Called("tag to exclude"),
        flag("--exclude-tag", metavar="TAG"),
        Served(key="exclude_tag"),
        doc("No items with this tag."),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class MarksRequest(Request):
    """Whether what readers wrote in Zotero is ingested."""

    annotations: Annotated[
        bool | None,
        doc(
            "Ingest annotations as passages of their own; by default as in the project's selection."
        ),
    ] = None
    notes: Annotated[
        bool | None,
        doc("Ingest notes as passages of their own; by default as in the project's selection."),
    ] = None


class ZoteroKind(StrEnum):
    """What can be looked for in Zotero."""

    ITEMS = "items"
    COLLECTIONS = "collections"
    TAGS = "tags"
    ANNOTATIONS = "annotations"


@dataclass(frozen=True, kw_only=True)
class ZoteroSearchRequest(Request):
    """What to look for among the items of a project's selection."""

    what: Annotated[ZoteroKind | str, doc("What to look for.")] = ZoteroKind.ITEMS
    text: Annotated[str, doc("Only what has this text.")] = ""
    collection: Annotated[
        str | None,
        Brief("Its path or key."),
        doc("Only what is in this collection, by its path or key."),
    ] = None
    item: Annotated[
        str | None, Brief("The key of one."), doc("Only the item with this key, or what is in it.")
    ] = None


# Ingests.

Stop: TypeAlias = Cancellation | Callable[[], bool] | None


def _cancellation(given: Cancellation | Callable[[], bool]) -> Cancellation:
    return given if isinstance(given, Cancellation) else Cancellation(given)


def absolute(sources: Sequence[str | Path] | str | Path) -> tuple[str, ...]:
    return tuple(str(Path(source).absolute()) for source in cast("Sequence[str | Path]", sources))


@dataclass(frozen=True, kw_only=True)
class StoppableRequest(Request):
    """What every run takes that changes the index of a project."""

    restore: Annotated[
        bool, flag("--restore"), doc("Index deleted documents again if their files are found.")
    ] = False
    retry_failed: Annotated[
        bool, doc("Try failed documents again although they are unchanged.")
    ] = False
    calibrate: Annotated[
        bool | None,
        For.EXPERTS,
        doc(
            "At the end, calibrate the verdicts of `ask` if the library has changed by more than a "
            "tenth; by default as configured, and only from 300 passages on."
        ),
    ] = None
    waiting: Annotated[
        Callable[[str], None] | None,
        For.CALLERS,
        doc(
            "Called with the owner while another process changes the project, and the run waits; "
            "without it the run is refused."
        ),
    ] = field(default=None, compare=False, repr=False)
    progress: Annotated[Progress | None, For.CALLERS, doc("Shows what is being done.")] = field(
        default=None, compare=False, repr=False
    )
    stop: Annotated[
        Stop,
        Parser(_cancellation),
        For.CALLERS,
        doc("Ends the run in good order: once requested, or once the function returns True."),
    ] = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stop is None:
            object.__setattr__(self, "stop", Cancellation())

    @property
    def cancellation(self) -> Cancellation:
        """Once it is requested the run ends in good order, between documents."""
        return cast("Cancellation", self.stop)


@dataclass(frozen=True, kw_only=True)
class RunRequest(StoppableRequest):
    """The options of an ingest, all off by default."""

    dry_run: Annotated[bool, doc("Change nothing; report what would be done.")] = False
    limit: Annotated[
        int | None, Ge(1), Served(1_000_000), doc("Process at most this many documents.")
    ] = None
    yes: Annotated[
        bool,
        flag("--yes", "-y"),
        doc("Remove documents without asking for confirmation, even if there are many."),
    ] = False
    confirm: Annotated[
        Callable[[WithheldRemoval], bool] | None,
        For.CALLERS,
        doc("Asked whether many documents may be removed at once."),
    ] = field(default=None, compare=False, repr=False)
    force: Annotated[
        bool, Brief("Unchanged documents, too."), doc("Process unchanged documents, too.")
    ] = False
    rebuild: Annotated[
        bool,
        For.PEOPLE,
        doc("Build a new collection, e.g. for another model, and replace the old one with it."),
    ] = False
    ocr_again: Annotated[
        bool,
        For.EXPERTS,
        doc(
            "Read scans that have a text of their own with OCR, too, and keep of each page the "
            "text that reads better."
        ),
    ] = False
    prune: Annotated[
        bool,
        doc(
            "Remove documents whose file no longer exists or, of an ingest from Zotero, is no "
            "longer selected."
        ),
    ] = False


@dataclass(frozen=True)
class IngestRequest(RunRequest):
    """What to ingest, and how; without sources and `zotero`, the project's configured sources."""

    sources: Annotated[
        Sequence[str | Path] | str | Path,
        Served(100),
        doc("Files and folders; by default the sources of the project."),
    ] = ()
    _: KW_ONLY
    references: Annotated[
        Path | None, For.CALLERS, doc("References for this run, in the place of the project's.")
    ] = None
    zotero: Annotated[
        ZoteroSelection | None, For.CALLERS, doc("The items of Zotero whose files are ingested.")
    ] = None
    events: Annotated[ReadEvent | None, For.CALLERS, doc("Reads what happens.")] = field(
        default=None, compare=False, repr=False
    )
    reading: Annotated[
        ZoteroReading | None,
        For.CALLERS,
        doc("The Zotero snapshot that documents among the files come from."),
    ] = None
    drop_left: Annotated[
        bool,
        For.CALLERS,
        doc("Delete documents that are no longer in the Zotero selection."),
    ] = False

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(map(str, cast("Sequence[str | Path]", self.sources)))


@dataclass(frozen=True, kw_only=True)
class SyncRequest(RunRequest, MarksRequest):
    """How a project is updated from its Zotero selection."""

    force: Annotated[bool, For.CALLERS, doc("Process unchanged documents, too.")] = False
    rebuild: Annotated[bool, For.CALLERS, doc("Fill a new collection.")] = False
    prune: Annotated[bool, For.CALLERS, doc("Remove documents without a file.")] = False

    def ingesting(self) -> IngestRequest:
        """The same run as an ingest."""
        return IngestRequest(**values_of(self, RunRequest))


@dataclass(frozen=True, kw_only=True)
class PaceRequest(Request):
    """How soon and how often a watch looks."""

    settle_seconds: Annotated[
        float,
        flag("--settle", metavar="SECONDS"),
        Ge(0.0),
        doc("Read what has changed once it has been quiet for this long; by default 2."),
    ] = 2.0
    sweep_seconds: Annotated[
        float,
        flag("--sweep", metavar="SECONDS"),
        Ge(1.0),
        doc("Check everything at least this often; by default 300."),
    ] = 300.0


@dataclass(frozen=True, kw_only=True)
class WatchingRequest(StoppableRequest, PaceRequest):
    """How an index is kept equal to what it is made from."""

    events: Annotated[ReadEvent, For.CALLERS, doc("Reads what happens.")]

    def ingesting(self) -> IngestRequest:
        """The ingest that each run of the watch is like."""
        return IngestRequest(**values_of(self, StoppableRequest))


@dataclass(frozen=True)
class WatchRequest(WatchingRequest):
    """Which files and folders the index is kept equal to, by default the configured sources."""

    sources: Annotated[
        Sequence[str | Path] | str | Path,
        doc("Files and folders; by default the sources of the project."),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class FollowRequest(WatchingRequest, MarksRequest):
    """How an index is kept equal to the project's Zotero selection."""
