"""`citeloom eval claims`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import note, out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.options import (
    Format,
    progress_bar,
    result_format,
)
from citeloom.infrastructure.interfaces.cli.evaluation.tables import grid
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.answers.claim_evaluation import ClaimEvaluation, ShownCount


@with_options(form=result_format)
def claims(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSON lines.")],
    project: ProjectOption = None,
    *,
    form: Format,
) -> None:
    """Check sentences with quotes whose support is known, and count which of them are shown.

    Example: citeloom eval claims claims.jsonl --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.answers import claim_evaluation_json

    with opened(context, project) as library:
        if (judge := library.info.entailment) and judge.sends_to:
            note(f"claims and quotes are sent to {judge.sends_to} ({judge.name})")
        made = library.evaluate_claims(file, progress=progress_bar())
    if form is Format.JSON:
        out_json(claim_evaluation_json(made))
    else:
        out(_text(made))


def _text(made: ClaimEvaluation) -> str:
    rows = [
        _row("supported", made.supported),
        _row("not supported", made.unsupported),
        *(_row(kind, count) for kind, count in made.by_kind.items()),
    ]
    missing = sum("not_in_passage" in (one.reason or "") for one in made.claims)
    missing += sum("unknown_passage" in (one.reason or "") for one in made.claims)
    told = grid(["claims", "shown", "of", "share"], rows)
    return f"{told}\n\nwith a quote that is not in the project: {missing}" if missing else told


def _row(name: str, count: ShownCount) -> list[str]:
    share = f"{count.shown / count.of:.1%}" if count.of else "-"
    return [name, str(count.shown), str(count.of), share]
