"""`citeloom check`, `cite`, `bib`, `links`, `lsp` and `bundle`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from citeloom.application.requests.manuscript import CheckRequest, CiteRequest
from citeloom.infrastructure.answers.text import counted, tally
from citeloom.infrastructure.interfaces.cli.console import (
    as_line,
    note,
    out,
    out_json,
    print_error,
    verdict,
)
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.options import (
    Given,
    JsonOption,
    OutputFormat,
    ProjectOption,
    ReferenceFormat,
    citekeys,
    family,
)
from citeloom.infrastructure.interfaces.cli.progress_display import progress_bar
from citeloom.infrastructure.interfaces.error_codes import FINDINGS, SOME_FAILED

if TYPE_CHECKING:
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.evidence_bundle import EvidenceBundle
    from citeloom.domain.manuscript.verdicts import DraftReport

DraftsArgument = Annotated[
    list[Path], typer.Argument(metavar="DRAFT...", help="Files of the draft.", show_default=False)
]


class CheckFormat(OutputFormat):
    """How checks are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"


@dataclass(frozen=True, slots=True)
class CorrectionFlags:
    """Whether drafts are corrected, and where to."""

    fix: Annotated[
        bool,
        typer.Option("--fix", help="Print a diff that corrects pages and words of quotations."),
    ] = False
    write: Annotated[
        bool,
        typer.Option("--write", help="With --fix, write a corrected copy beside each draft."),
    ] = False

    def __post_init__(self) -> None:
        if self.write and not self.fix:
            raise typer.BadParameter("--write needs --fix")


def check(
    context: typer.Context,
    drafts: DraftsArgument,
    project: ProjectOption = None,
    everything: Annotated[bool, typer.Option("--all", help="List what is right, too.")] = False,
    *,
    correction: CorrectionFlags,
    options: Given[CheckRequest],
    output: CheckFormat,
) -> None:
    """Check every quotation and citation of a draft against the cited works; exit 4 on findings,
    also where less was read than --min-coverage, and 3 where a draft could not be read.

    Drafts are Markdown with Pandoc's citations, Quarto, R Markdown, LaTeX, Typst, Org, Word and
    OpenDocument. A quotation is looked up in the whole text of the work, character by character.

    Example: citeloom check chapters/*.md

    Example: citeloom check thesis.tex --format sarif > citeloom.sarif

    Example: citeloom check thesis.md --fix
    """
    with opened(context, project) as library:
        progress = progress_bar()
        read = library.read_drafts(*drafts, progress=progress, keep_unreadable=True)
        reports = library.check_drafts(read, progress=progress, **options)
    errors = [report.error for report in reports if report.error is not None]
    for error in errors:
        print_error(error)
    if correction.fix:
        _correct(read, reports, write=correction.write)
    else:
        _print(reports, output, everything=everything)
    if errors:
        raise typer.Exit(SOME_FAILED)
    if not all(report.passed for report in reports):
        raise typer.Exit(FINDINGS)


def _print(reports: Sequence[DraftReport], output: CheckFormat, *, everything: bool) -> None:
    from citeloom.infrastructure.answers.draft_checks import (
        checks_text,
        coverage_line,
        written_checks,
    )

    for report in reports:
        for warning in report.warnings:
            note(f"warning: {warning}")
    match output:
        case CheckFormat.TEXT:
            for line in checks_text(reports, everything=everything):
                out(as_line(line))
            counts: Counter[str] = Counter()
            for report in reports:
                counts.update(report.counts)
            citations = sum(report.citations for report in reports)
            unmatched = sum(len(report.coverage.unmatched) for report in reports)
            passed = all(report.passed for report in reports)
            out(verdict_line(counts, citations, passed=passed, unmatched=unmatched))
            out(coverage_line(reports))
        case _:
            out(written_checks(reports, output.value))


def _correct(drafts: Sequence[Draft], reports: Sequence[DraftReport], *, write: bool) -> None:
    """Print the corrections as a diff, or write each corrected draft to a new file."""
    from citeloom.domain.manuscript.corrections import corrected

    for draft, report in zip(drafts, reports):
        if draft.error is not None:
            continue
        result = corrected(draft, report)
        if not write:
            out(result.diff().rstrip("\n"))
        elif result.corrections:
            path = Path(draft.name)
            copy = path.with_name(f"{path.stem}.corrected{path.suffix}")
            with copy.open("x", encoding="utf-8") as file:
                file.write(result.text)
            out(copy.as_posix())
        note(
            f"{draft.name}: {counted(len(result.corrections), 'correction')}; "
            f"{counted(len(result.left), 'finding')} left to you"
        )


def verdict_line(
    counts: Mapping[str, int], citations: int, *, passed: bool, unmatched: int = 0
) -> str:
    """Whether drafts, or their evidence, passed, how many citations there are of each kind, and how
    many by author and year name no work.
    """
    listed = f": {tally(counts)}" if any(counts.values()) else ""
    others = (
        f", and {counted(unmatched, 'citation')} of no work in the library" if unmatched else ""
    )
    return f"{verdict(passed)}; {counted(citations, 'citation')}{listed}{others}"


def cite(
    context: typer.Context,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="CITEKEY|CHUNK_ID...",
            help="Citekeys, chunk ids, or citations with pages: '[@key, p. 45]'.",
            autocompletion=citekeys,
            show_default=False,
        ),
    ],
    project: ProjectOption = None,
    *,
    options: Given[CiteRequest],
) -> None:
    """Format citations of works and passages, with the entries of the bibliography.

    Example: citeloom cite okoro2019 --style chicago-author-date

    Example: citeloom cite '[@okoro2019, p. 2]' --format latex
    """
    with opened(context, project) as library:
        out(library.cite(names, **options))


def bib(
    context: typer.Context,
    drafts: DraftsArgument,
    project: ProjectOption = None,
    form: Annotated[ReferenceFormat, typer.Option("--format", help="Output format.")] = "bibtex",
) -> None:
    """Print the references of just the works that a draft cites; an unknown citekey is an error.

    Example: citeloom bib chapters/*.md --format biblatex > references.bib
    """
    with opened(context, project) as library:
        out(library.draft_bibliography(*drafts, form=form))


def links(context: typer.Context, drafts: DraftsArgument, project: ProjectOption = None) -> None:
    """Print a Lua filter for Pandoc that links citations to the cited pages of the works' files.

    Example: citeloom links thesis.md > links.lua
    """
    with opened(context, project) as library:
        out(library.draft_links(*drafts))


def lsp(context: typer.Context, project: ProjectOption = None) -> None:
    """Serve an editor as a language server: check citations as you write.

    The editor starts it and speaks to it over stdin and stdout.

    Example: citeloom lsp --project me/thesis
    """
    try:
        from citeloom.infrastructure.interfaces.lsp import serve_editor
    except ImportError as error:
        from citeloom.domain.errors import extra_missing

        raise extra_missing(
            f"pygls, which speaks to editors, cannot be loaded: {error}", "manuscript"
        ) from error

    with opened(context, project) as library:
        serve_editor(library)


# `citeloom bundle` and `citeloom bundle verify`.

_MAKE = "make"


class _MakesByDefault(TyperGroup):
    """A group in which drafts alone mean `make`: a file that is called `verify` is no draft."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = [_MAKE, *args]
        return super().parse_args(ctx, args)


bundle_app = family(
    "bundle",
    cls=_MakesByDefault,
    help="Write the evidence for a draft's citations to an archive, and verify it later. "
    "DRAFT... alone means make.",
)


@bundle_app.command(_MAKE)
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
    """How much evidence there is; what is `without evidence` is called so by `verify`, too."""
    evidence = bundle.evidence
    passages = sum(1 for one in evidence if one.words is not None)
    sources = sum(1 for one in evidence if one.words is None and one.doc_id is not None)
    drawn = {picture.file for one in evidence for picture in one.pictures}
    kinds = {
        "with a passage": passages,
        "with its source alone": sources,
        "without evidence": len(evidence) - passages - sources,
    }
    listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if number)
    return (
        f"{counted(len(evidence), 'citation')}: {listed or 'none'}; "
        f"{counted(len(drawn), 'page')}, {counted(len(bundle.sources), 'source')}"
    )


@bundle_app.command()
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
