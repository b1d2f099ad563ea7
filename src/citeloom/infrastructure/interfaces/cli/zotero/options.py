"""Options that the commands of `citeloom zotero` share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.domain.retrieval.filters import LEAVE_OUT, check_text
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.interfaces.cli.console import note
from citeloom.infrastructure.interfaces.cli.session import opened_library

if TYPE_CHECKING:
    from citeloom.infrastructure.library.library import Library

LibraryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="NAME",
        help="`library` (your own, the default), a group's name, `groups/ID`, or `all`.",
    ),
]
CollectionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        metavar="PATH|KEY",
        help="Only items in this collection, e.g. `Papers/Julia`; repeatable, any may match.",
    ),
]
SubcollectionsOption = Annotated[
    bool, typer.Option("--subcollections", help="Include subcollections.")
]
TagOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", metavar="TAG", help="Only items with this tag; repeatable, all must match."
    ),
]
ExcludeTagOption = Annotated[
    list[str] | None,
    typer.Option("--exclude-tag", metavar="TAG", help="No items with this tag; repeatable."),
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Show at most this many.")]

AnnotationsOption = Annotated[
    bool | None,
    typer.Option(
        "--annotations/--no-annotations",
        help="Ingest annotations as passages of their own; by default as in the "
        "project's selection.",
    ),
]
NotesOption = Annotated[
    bool | None,
    typer.Option(
        "--notes/--no-notes",
        help="Ingest notes as passages of their own; by default as in the project's selection.",
    ),
]


def selection_of(
    library: LibraryOption = None,
    collection: CollectionOption = None,
    subcollections: SubcollectionsOption = False,
    tag: TagOption = None,
    exclude_tag: ExcludeTagOption = None,
) -> ZoteroSelection:
    """The selection of the options. Raises `InvalidFilter` for one that is empty."""
    for what, values in (
        ("library", library),
        ("collection", collection),
        ("tag", tag),
        ("tag to exclude", exclude_tag),
    ):
        for value in values or ():
            check_text(what, value, LEAVE_OUT)
    return ZoteroSelection(
        libraries=tuple(library or ()),
        collections=tuple(collection or ()),
        subcollections=subcollections,
        tags=tuple(tag or ()),
        exclude_tags=tuple(exclude_tag or ()),
    )


@contextmanager
def browsing(context: typer.Context) -> Iterator[Library]:
    """A library to look through Zotero with; how Zotero is read, and what should be known of
    that, is said on stderr.
    """
    with opened_library(context) as library:
        zotero = library.zotero().zotero
        note(f"reading Zotero: {zotero.source}")
        yield library
        for warning in zotero.warnings:
            note(f"warning: {warning}")
