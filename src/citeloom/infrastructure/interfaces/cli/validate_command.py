"""`citeloom validate`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

import typer

from citeloom.domain.validation import CHECKS
from citeloom.infrastructure.interfaces.cli.console import out
from citeloom.infrastructure.interfaces.cli.exit_codes import FINDINGS
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption, format_of
from citeloom.infrastructure.interfaces.cli.session import opened


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def findings_format(
    output: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
    as_json: JsonOption = False,
) -> Format:
    """How findings are to be printed."""
    return format_of(output, as_json=as_json)


@with_options(output=findings_format)
def validate(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    project: ProjectOption = None,
    check: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Run this check only; repeatable.")
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave this check out; repeatable.")
    ] = None,
    strict: Annotated[bool | None, typer.Option(help="Whether warnings fail, too.")] = None,
    min_body_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Least share of the text in chunks.")
    ] = None,
    require_citekey: Annotated[
        bool | None, typer.Option(help="Whether every document must have a reference.")
    ] = None,
    *,
    output: Format,
) -> None:
    """Check models, store, references and every chunk; exit 4 on findings.

    Example: citeloom validate --project citeloom/clean-arch --format junit > citeloom.xml
    """
    from citeloom.infrastructure.interfaces.cli.findings import render

    only, without = _checks("--check", check), _checks("--skip", skip)
    wanted = {
        "min_body_share": min_body_share,
        "require_citekey": require_citekey,
        "strict": strict,
    }
    with opened(context, project, overrides={"validate": wanted}) as library:
        report = library.validate(only=only, skip=without)
    out(render(report, output.value))
    if not report.passed:
        raise typer.Exit(FINDINGS)


def _checks(option: str, names: Iterable[str] | None) -> frozenset[str]:
    chosen = frozenset(names or ())
    if unknown := sorted(chosen - CHECKS.keys()):
        message = f"no check {', '.join(unknown)}; there are {', '.join(CHECKS)}"
        raise typer.BadParameter(message, param_hint=option)
    return chosen
