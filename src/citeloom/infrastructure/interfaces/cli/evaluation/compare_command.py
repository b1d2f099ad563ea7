"""`citeloom eval compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.options import Format, result_format
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.serialisation.reports import comparison_json


@with_options(form=result_format)
def compare(
    before: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The first run.")],
    after: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The second run.")],
    measure: Annotated[
        str, typer.Option(help="The measure whose changed questions are shown.")
    ] = "nDCG@10",
    examples: Annotated[
        int, typer.Option(min=0, help="Show so many questions that gained, and lost.")
    ] = 5,
    *,
    form: Format,
) -> None:
    """Say whether a run is better than another by more than chance, and on which questions.

    Example: citeloom eval compare before.json after.json
    """
    from citeloom.domain.comparison import compare as compared
    from citeloom.infrastructure.interfaces.cli.evaluation.comparison_table import comparison_text
    from citeloom.infrastructure.serialisation.run_file import read_run

    comparison = compared(read_run(before), read_run(after))
    known = [found.measure for found in comparison.modes[0].differences]
    if measure not in known:
        raise typer.BadParameter(f"'{measure}' is none of {', '.join(known)}")
    if form is Format.JSON:
        out_json(comparison_json(comparison))
    else:
        out(comparison_text(comparison, measure, examples))
