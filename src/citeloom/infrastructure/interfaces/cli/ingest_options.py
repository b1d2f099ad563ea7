"""Options of the commands that ingest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SourcesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SOURCE]...", help="Files and folders; else the project's own sources."
    ),
]
ReferencesOption = Annotated[
    Path | None,
    typer.Option("--references", help="References for this run: CSL-JSON, BibTeX or RIS."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Process unchanged documents too.")]
FollowLinksOption = Annotated[
    bool | None,
    typer.Option("--follow-links", help="Follow symbolic links that lead out of a folder, too."),
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say what there is to do.")]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Process so many documents at most.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, help="Documents processed at once.")
]
PageWindowOption = Annotated[
    int | None, typer.Option("--page-window", min=1, help="Pages converted at a time.")
]
OcrOption = Annotated[
    bool | None, typer.Option("--ocr/--no-ocr", help="Read pages that are images.")
]
OcrLanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ocr-lang",
        metavar="CODE",
        help="Language of images whose reference names none; repeatable.",
    ),
]
RebuildOption = Annotated[
    bool,
    typer.Option(
        "--rebuild", help="Build the collection anew, for another model, then swap it in."
    ),
]
PruneOption = Annotated[
    bool,
    typer.Option(
        "--prune",
        help="Drop documents whose file is gone or, with --zotero, left the selection.",
    ),
]
RestoreOption = Annotated[
    bool,
    typer.Option("--restore", help="Take back what was deleted, where it is found."),
]
ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero", help="Ingest the selected Zotero items, each document cited as its item."
    ),
]
