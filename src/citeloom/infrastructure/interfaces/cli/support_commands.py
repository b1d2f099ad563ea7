"""`citeloom support` and `citeloom matrix`: what the library has for a draft, and for a review."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.requests.manuscript import MatrixRequest, SupportRequest
from citeloom.infrastructure.answers.text import counted
from citeloom.infrastructure.interfaces.cli.console import as_line, note, out, out_json, painter
from citeloom.infrastructure.interfaces.cli.context import opened
from citeloom.infrastructure.interfaces.cli.eval_tables import rate
from citeloom.infrastructure.interfaces.cli.manuscript_commands import DraftsArgument
from citeloom.infrastructure.interfaces.cli.options import (
    Given,
    JsonOption,
    OutputFormat,
    ProjectOption,
    format_of,
)
from citeloom.infrastructure.interfaces.cli.progress_display import progress_bar

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Calibration
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.sentence_support import SupportReport

# `citeloom support`.


def lines_of(given: Sequence[str]) -> list[int]:
    """The lines that are named, such as 12 or 12-40."""
    lines: set[int] = set()
    for text in given:
        first, dash, last = text.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise typer.BadParameter(f"'{text}' is no line: write 12 or 12-40")
        if not 0 < int(first) <= int(last or first):
            raise typer.BadParameter(f"'{text}' has no line: lines are counted from 1 upwards")
        lines.update(range(int(first), int(last or first) + 1))
    return sorted(lines)


def support(
    context: typer.Context,
    drafts: DraftsArgument,
    project: ProjectOption = None,
    *,
    options: Given[SupportRequest],
    line: Annotated[
        list[str] | None,
        typer.Option(
            "--line", metavar="N|N-N", help="Only the sentences that begin on these lines."
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Write a copy, DRAFT.support.EXT, with citations as comments."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find passages that support the sentences of a draft without a citation.

    Each comes with the citation ready to paste, or with nothing where nothing is near enough.

    Example: citeloom support chapter.md

    Example: citeloom support thesis.tex --line 40-80 --write
    """
    from citeloom.infrastructure.answers.draft_support import SupportAnswer, support_text

    lines = lines_of(line or ())
    with opened(context, project) as library:
        progress = progress_bar()
        read = library.read_drafts(*drafts, progress=progress, included=not lines)
        reports = library.support_drafts(read, lines=lines, progress=progress, **options)
        calibration, base_dir = library.calibration, library.info.base_dir
    for warning in (warning for report in reports for warning in report.warnings):
        note(f"warning: {warning}")
    if write:
        _write_copies(read, reports)
    if as_json:
        out_json(SupportAnswer.of(reports), base_dir)
    else:
        for text in support_text(reports):
            out(as_line(text))
        out(_summary(reports, calibration))


def _write_copies(drafts: Sequence[Draft], reports: Sequence[SupportReport]) -> None:
    from citeloom.domain.errors import UnsupportedFormat
    from citeloom.infrastructure.answers.draft_support import with_comments

    for draft, report in zip(drafts, reports):
        path = Path(draft.name)
        if not draft.is_plain_text:
            raise UnsupportedFormat(
                f"comments cannot be written into {path.name}",
                "Leave out --write, or export the draft as Markdown first.",
            )
        copy = path.with_suffix(f".support{path.suffix}")
        copy.write_text(with_comments(draft, report), encoding="utf-8")
        note(f"written: {copy}")


def _summary(reports: Sequence[SupportReport], calibration: Calibration | None) -> str:
    paint = painter(sys.stdout)
    counts = {
        name: sum(report.counts[name] for report in reports)
        for name in ("supported", "likely", "related", "nothing")
    }
    total = counted(sum(counts.values()), "sentence")
    line = (
        f"{total}: {paint(str(counts['supported']), 'green')} supported, "
        f"{counts['likely']} likely, {counts['related']} related, "
        f"{counts['nothing']} without anything"
    )
    if calibration is None:
        return f"{line}\nnot calibrated; citeloom calibrate measures how often `likely` errs"
    absent, present = calibration.verdicts["absent"], calibration.verdicts["present"]
    return (
        f"{line}\nlikely, in this library: of its own sentences whose work was left out "
        f"{rate(absent.answered)} would be called so, of those whose work is there "
        f"{rate(present.answered)}"
    )


# `citeloom matrix`.


class MatrixFormat(OutputFormat):
    """How a matrix is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    CSV = "csv"
    XLSX = "xlsx"


@dataclass(frozen=True, slots=True)
class MatrixOutput:
    """How a matrix is printed, and the file that it goes to, if to one."""

    named: Annotated[MatrixFormat, typer.Option("--format", help="Output format.")] = (
        MatrixFormat.TEXT
    )
    as_json: JsonOption = False
    file: Annotated[
        Path | None, typer.Option("--out", help="Write it to this file instead of printing it.")
    ] = None

    def __post_init__(self) -> None:
        if self.form is MatrixFormat.XLSX and self.file is None:
            raise typer.BadParameter("--format xlsx needs --out FILE")

    @property
    def form(self) -> MatrixFormat:
        return format_of(self.named, as_json=self.as_json)


def matrix(
    context: typer.Context,
    questions: Annotated[
        list[str],
        typer.Argument(
            metavar="QUESTIONS...",
            help="Questions, or files (.txt, .md) with one a line; - reads stdin.",
        ),
    ],
    project: ProjectOption = None,
    *,
    options: Given[MatrixRequest],
    output: MatrixOutput,
) -> None:
    """Ask every work every question: works down, questions across, with the page of each passage.

    A cell is empty where no passage of the work is near enough; '?' marks those that may or may not
    answer.

    Example: citeloom matrix "Which sample?" "Which method?" --format markdown

    Example: citeloom matrix questions.txt --year 2015.. --format xlsx --out review.xlsx
    """
    from citeloom.infrastructure.answers.literature_matrix import written_matrix

    asked = _questions(questions)
    with opened(context, project) as library:
        progress = progress_bar()
        result = library.matrix(asked, progress=progress, **options)
        written = written_matrix(result, output.form.value, library.info.base_dir)
    for text in result.notes:
        note(text)
    if output.file is not None:
        output.file.write_bytes(written if isinstance(written, bytes) else f"{written}\n".encode())
        note(f"written: {output.file}")
    elif isinstance(written, str):
        out(written)
    if output.form is MatrixFormat.TEXT:
        cells = len(result.rows) * len(result.questions)
        note(
            f"{counted(len(result.rows), 'work')}; {result.filled:,} of "
            f"{counted(cells, 'cell')} filled"
        )


_FILE_NAME = re.compile(r"\S+\.(?:txt|md)", re.IGNORECASE)


def _questions(given: Sequence[str]) -> list[str]:
    """The questions that are named, and the lines of files."""
    questions: list[str] = []
    for text in given:
        if text == "-":
            questions += sys.stdin.read().splitlines()
        elif _FILE_NAME.fullmatch(text):
            try:
                questions += Path(text).read_text(encoding="utf-8-sig").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise typer.BadParameter(f"{text} cannot be read: {error}") from error
        else:
            questions.append(text)
    return [question.strip() for question in questions if question.strip()]
