"""Options of the commands that ingest."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import agreed
from citeloom.infrastructure.interfaces.cli.counting import counted
from citeloom.infrastructure.interfaces.cli.options import WaitOption, waiting_if

if TYPE_CHECKING:
    from citeloom.application.ingest_options import IngestOptions
    from citeloom.application.reports import WithheldRemoval


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
YesOption = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Remove documents without asking even if they are many."),
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


def confirm_removal(removal: WithheldRemoval) -> bool:
    """Whether the user agrees to a removal; False where there is nobody to ask."""
    if not sys.stdin.isatty():
        return False
    return agreed(
        f"{removal.source}: {removal.reason}. "
        f"Remove {counted(len(removal.documents), 'document')} from the project?"
    )


def ingest_options(  # noqa: PLR0913, PLR0917 - one parameter an option
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    limit: LimitOption = None,
    rebuild: RebuildOption = False,
    prune: PruneOption = False,
    yes: YesOption = False,
    restore: RestoreOption = False,
    retry_failed: RetryFailedOption = False,
    wait: WaitOption = False,
) -> IngestOptions:
    """What a run does with the documents it finds."""
    return {
        "force": force,
        "dry_run": dry_run,
        "limit": limit,
        "rebuild": rebuild,
        "prune": prune,
        "yes": yes,
        "confirm": confirm_removal,
        "restore": restore,
        "retry_failed": retry_failed,
        "waiting": waiting_if(wait),
    }


def conversion_options(
    workers: WorkersOption = None,
    page_window: PageWindowOption = None,
    ocr: OcrOption = None,
    ocr_lang: OcrLanguageOption = None,
    follow_links: FollowLinksOption = None,
) -> dict[str, object]:
    """Values of the table [conversion] for this run; None where the table stands."""
    return {
        "workers": workers,
        "page_window": page_window,
        "ocr": ocr,
        "ocr_languages": ocr_lang or None,
        "follow_links": follow_links,
    }
