"""`citeloom bundle` and `citeloom bundle verify`: the evidence for a draft's citations."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import as_line, note, out, out_json
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.manuscript_commands import DraftsArgument, verdict_line
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.error_codes import FINDINGS

if TYPE_CHECKING:
    from citeloom.domain.manuscript.evidence_bundle import EvidenceBundle

_MAKE = "make"


class _MakesByDefault(TyperGroup):
    """A group in which drafts alone mean `make`: a file that is called `verify` is no draft."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = [_MAKE, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="bundle",
    cls=_MakesByDefault,
    help="Write the evidence for a draft's citations to an archive, and verify it later. "
    "DRAFT... alone means make.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command(_MAKE)
def make(
    context: typer.Context,
    drafts: DraftsArgument,
    file: Annotated[
        Path,
        typer.Option("--out", metavar="FILE.zip", help="The archive to write.", show_default=False),
    ],
    project: ProjectOption = None,
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Draw the pages of the passages.")
    ] = True,
    seconds: Annotated[
        int | None,
        typer.Option(
            "--date",
            metavar="SECONDS",
            envvar="SOURCE_DATE_EPOCH",
            min=0,
            max=253_402_300_799,
            help="The date in the archive, in seconds since 1970; by default that of the newest "
            "source.",
        ),
    ] = None,
) -> None:
    """Write the evidence for every citation of a draft to an archive; `make` may be left out.

    For each the words of the work, a picture of their page, and the hash of the work's file.

    Example: citeloom bundle thesis.md --out evidence.zip
    """
    if file.suffix.lower() != ".zip":
        raise typer.BadParameter(f"--out {file} does not end in .zip")
    date = None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    with opened(context, project) as library:
        bundle = library.bundle_drafts(*drafts, out=file, date=date, pictures=pictures)
    out(_summary(bundle))
    note(f"written: {file}")


def _summary(bundle: EvidenceBundle) -> str:
    quoted = sum(1 for one in bundle.evidence if one.words is not None)
    drawn = {picture.file for one in bundle.evidence for picture in one.pictures}
    without = len(bundle.evidence) - quoted
    return (
        f"{counted(len(bundle.evidence), 'citation')}: {quoted} with a passage, {without} without "
        f"one; {counted(len(drawn), 'page')}, {counted(len(bundle.sources), 'source')}"
    )


@app.command()
def verify(
    context: typer.Context,
    bundle: Annotated[
        Path, typer.Argument(metavar="FILE.zip", help="The archive.", show_default=False)
    ],
    project: ProjectOption = None,
    everything: Annotated[bool, typer.Option("--all", help="List what is unchanged, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what has changed of the evidence in an archive; exit 4 on changes.

    Looks up each passage in the library as it is now, and checks the hashes of the works' files and
    of the archive's own.

    Example: citeloom bundle verify evidence.zip
    """
    from citeloom.infrastructure.answers.ro_crate import BundleReplayAnswer, replay_text

    with opened(context, project) as library:
        replay = library.verify_bundle(bundle)
    if as_json:
        out_json(BundleReplayAnswer.of(replay))
    else:
        for line in replay_text(replay, everything=everything):
            out(as_line(line))
        out(verdict_line(replay.counts, len(replay.citations), passed=replay.passed))
    if not replay.passed:
        raise typer.Exit(FINDINGS)
