"""`citeloom validate`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from citeloom.infrastructure.cli.console import out
from citeloom.infrastructure.cli.exit_codes import FINDINGS
from citeloom.infrastructure.cli.options import ProjectOption
from citeloom.infrastructure.cli.session import opened


class Format(str, Enum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def validate(
    context: typer.Context,
    project: ProjectOption = None,
    min_body_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Least share of the text in chunks.")
    ] = None,
    require_citekey: Annotated[
        bool | None, typer.Option(help="Whether every document must have a reference.")
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
) -> None:
    """Check models, store, references and every chunk; exit 4 on findings.

    Example: citeloom validate --project citeloom/clean-arch --format junit > citeloom.xml
    """
    from citeloom.infrastructure.cli.findings import render

    overrides = {"validate": {"min_body_share": min_body_share, "require_citekey": require_citekey}}
    with opened(context, project, overrides=overrides) as app:
        report = app.validate()
    out(render(report, output.value))
    if not report.passed:
        raise typer.Exit(FINDINGS)
