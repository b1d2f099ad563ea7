"""`citeloom find`."""

from __future__ import annotations

from enum import StrEnum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.options import (
    ProjectOption,
    format_options,
    with_options,
)
from citeloom.infrastructure.interfaces.cli.query_commands import filter_options
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.application.options import FilterOptions

_LEAST_WIDTH, _MOST_WIDTH, _MARGIN = 24, 70, 24


class ConcordanceFormat(StrEnum):
    """How a concordance is printed."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


concordance_format = format_options(ConcordanceFormat)
"""How a concordance is to be printed."""


@with_options(filters=filter_options, output=concordance_format)
def find(
    context: typer.Context,
    word: Annotated[
        list[str],
        typer.Argument(
            metavar="WORD", help="The word, or several in a row in quotes; passages have all."
        ),
    ],
    project: ProjectOption = None,
    *,
    filters: FilterOptions,
    exact: Annotated[
        bool, typer.Option("--exact", help="Only as it is written, but for capitals.")
    ] = False,
    output: ConcordanceFormat,
) -> None:
    """Find every place of a word, with the words around it and its page.

    Other forms of the word count, unless it is to be exact. Counts are by work and by year; -k
    limits the places that are printed. A word that is empty is an error (exit 2).

    Example: citeloom find preregistration --project citeloom/clean-arch --year 2019..
    """
    from citeloom.infrastructure.serialisation.concordance import (
        concordance_csv,
        concordance_json,
        concordance_text,
        incomplete_note,
    )

    limit = filters["top_k"]
    with opened(context, project) as library:
        found = library.find(*word, exact=exact, **filters)
    if output is ConcordanceFormat.JSON:
        out_json(concordance_json(found, limit))
    elif output is ConcordanceFormat.CSV:
        out(concordance_csv(found, limit))
    else:
        side = (get_terminal_size((100, 24)).columns - _MARGIN) // 2
        width = min(max(side, _LEAST_WIDTH), _MOST_WIDTH)
        out("\n".join(concordance_text(found, limit, width)))
    for text in incomplete_note(found):
        note(text)
    if not found.occurrences:
        note("nothing found; --kind reference looks into reference lists")
