"""`citeloom calibrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.tables import grid, progress_bar, rate
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Calibration


def calibrate(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Calibrate the relevance thresholds and report their error rates.

    Example: citeloom calibrate --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.answers import calibration_json

    with opened(context, project) as library:
        found = library.calibrate(progress=progress_bar())
    if as_json:
        out_json(calibration_json(found))
    else:
        out(_text(found))


_KINDS = {
    "unrelated": "questions of other fields",
    "absent": "its own, with their document left out",
    "present": "made from the library's sentences",
    "short": "short: What is NAME?",
}


def _text(found: Calibration) -> str:
    limits = found.thresholds
    rows = [
        [_KINDS.get(kind, kind), *map(rate, (those.nothing, those.related, those.answered))]
        for kind, those in found.verdicts.items()
    ]
    lines = [
        f"{found.collection}: {found.chunks:,} chunks, {found.model}",
        f"related from evidence {limits.related:.4f}, answered from {limits.answered:.4f} with at "
        f"most {limits.unknown_share:.0%} of the weight on words not found in the library",
        "evidence: similarity of the nearest passage + 0.5 x coverage of the question's words",
        "how often each verdict was given, on questions not used to set the thresholds:",
        grid(["questions", "nothing", "related", "answered"], rows),
    ]
    if found.related_fields:
        fields = ", ".join(found.related_fields)
        lines.append(f"fields left out, since the library seems to cover them: {fields}")
    return "\n".join(lines)
