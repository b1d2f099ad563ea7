"""Options of the commands that ingest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def given_path(text: str) -> Path:
    """The path, which is not empty: a variable that is not set does not mean this folder."""
    if not text.strip():
        raise typer.BadParameter("the path is empty; is a variable not set?")
    return Path(text)


SourcesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SOURCE]...",
        parser=given_path,
        help="Files and folders; else the project's own sources.",
    ),
]
ReferencesOption = Annotated[
    Path | None,
    typer.Option(
        "--references",
        metavar="PATH",
        parser=given_path,
        help="References for this run: CSL-JSON, BibTeX or RIS.",
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Process unchanged documents too.")]
FollowLinksOption = Annotated[
    bool | None,
    typer.Option("--follow-links", help="Follow symbolic links out of a source folder, too."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Change nothing; report what would be done.")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Process at most so many documents.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, help="Documents processed at once.")
]
PageWindowOption = Annotated[
    int | None, typer.Option("--page-window", min=1, help="Pages converted at a time.")
]
OcrOption = Annotated[bool | None, typer.Option("--ocr/--no-ocr", help="Read image pages by OCR.")]
OcrLanguageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ocr-lang",
        metavar="CODE",
        help="OCR language if the reference has none; repeatable.",
    ),
]
RebuildOption = Annotated[
    bool,
    typer.Option(
        "--rebuild", help="Fill a new collection, e.g. for another model, and swap it in."
    ),
]
PruneOption = Annotated[
    bool,
    typer.Option(
        "--prune",
        help="Remove documents whose file is gone or, with --zotero, no longer selected.",
    ),
]
RestoreOption = Annotated[
    bool,
    typer.Option("--restore", help="Index deleted documents again if their files are found."),
]
RetryFailedOption = Annotated[
    bool,
    typer.Option(
        "--retry-failed", help="Try documents again that failed before and are unchanged."
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Exit with 3 for documents that failed before, too."),
]
ZoteroOption = Annotated[
    bool,
    typer.Option(
        "--zotero", help="Ingest the selected Zotero items, each document cited as its item."
    ),
]
