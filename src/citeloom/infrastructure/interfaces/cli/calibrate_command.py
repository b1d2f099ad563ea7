"""`citeloom calibrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.evaluation.options import progress_bar
from citeloom.infrastructure.interfaces.cli.evaluation.tables import rate
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened

if TYPE_CHECKING:
    from citeloom.domain.answers.calibration import Calibration


def calibrate(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Find from which similarity on the library is about a question, and how often that errs.

    Example: citeloom calibrate --project citeloom/clean-arch
    """
    from citeloom.infrastructure.serialisation.answers import calibration_json

    with opened(context, project) as library:
        found = library.calibrate(progress=progress_bar())
    if as_json:
        out_json(calibration_json(found))
    else:
        out(_text(found))


def _text(found: Calibration) -> str:
    limits = found.thresholds
    lines = [
        f"{found.collection}: {found.chunks:,} chunks, {found.model}",
        f"floor {limits.floor:.4f}: below it the library is not about the question",
        f"  unrelated questions above it: {rate(found.passed)}",
        f"  the library's own sentences below it: {rate(found.refused)}",
        f"weak {limits.weak:.4f}: below it the evidence is weak",
        f"  the library's own sentences below it: {rate(found.weak)}",
        f"weak, too, where unknown words have more than {limits.unknown_share:.0%} of the weight",
    ]
    if found.related_fields:
        fields = ", ".join(found.related_fields)
        lines.append(f"left out, since the library seems to be about them: {fields}")
    return "\n".join(lines)
