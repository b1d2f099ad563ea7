"""Options that several commands share."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import typer
from annotated_types import Ge, Le

from citeloom.application.requests.fields import Flag, For, Parser, Request, RequestField, fields_of
from citeloom.application.requests.manuscript import CitationForm, CitationUse
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.cli.console import note

if TYPE_CHECKING:
    from citeloom.infrastructure.library.library import Library

# What a shell completes, read from the configuration and the manifest alone.


def project_ids(context: typer.Context, incomplete: str) -> list[str]:
    """The configured projects that begin so; none where the configuration cannot be read."""
    ids = _names(context, lambda library: library.project_ids())
    return [name for name in ids if name.startswith(incomplete)]


def citekeys(context: typer.Context, incomplete: str) -> list[str]:
    """The citekeys of the project that begin so, with an `@` or without."""
    at, begun = ("@", incomplete[1:]) if incomplete.startswith("@") else ("", incomplete)
    keys = _names(context, lambda library: library.citekeys(context.params.get("project")))
    return [f"{at}{key}" for key in keys if key.startswith(begun)]


def _names(context: typer.Context, read: Callable[[Library], Sequence[str]]) -> Sequence[str]:
    from citeloom.infrastructure.library.library import open_library

    config = context.find_root().params.get("config")
    with suppress(CiteloomError, OSError), open_library(config) as library:
        return read(library)
    return ()


# Single options.

ProjectOption = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="[NS/]NAME",
        envvar="CITELOOM_PROJECT",
        autocompletion=project_ids,
        help="The project; optional if citeloom.toml has only one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
AsOption = Annotated[
    str | None,
    typer.Option("--as", metavar="SHAPE", help="Print JSON in this shape of the configuration."),
]
WaitOption = Annotated[
    bool,
    typer.Option(
        "--wait", help="If another process is changing the project, wait until it has finished."
    ),
]


def waiting_if(wait: bool) -> Callable[[str], None] | None:
    """Says on stderr who is waited for, where that is wanted."""
    return (lambda who: note(f"waiting for {who}")) if wait else None


# Options that belong together: a class has them, and commands name it as the type of a parameter.


class OutputFormat(StrEnum):
    """The formats of a command, `TEXT` and `JSON` among them: `--format` names one, text unless it
    does, and `--json` is short for that of JSON.
    """


Form = TypeVar("Form", bound=str)
R = TypeVar("R", bound=Request)


def format_of(form: Form, *, as_json: bool) -> Form:
    """The format that `--format` names, or JSON, which may also be asked for as `--json`."""
    if as_json and form not in {"text", "json"}:
        raise typer.BadParameter(f"--json and --format {form} are two formats")
    return type(form)("json") if as_json else form


class Given(dict[str, Any], Generic[R]):
    """The options of a request that are given on the command line."""


def family(name: str, **settings: Any) -> typer.Typer:
    """A command with subcommands, in which `help` says what they are for: it is printed where none
    is named. One without `help` has a callback that runs then.
    """
    return typer.Typer(
        name=name,
        no_args_is_help="help" in settings,
        invoke_without_command="help" not in settings,
        add_completion=False,
        rich_markup_mode=None,
        **settings,
    )


def expand_options(app: typer.Typer) -> typer.Typer:
    """The app, with single options in place of each parameter of its commands that stands for
    several: `Given` of a request for its fields without a position, a dataclass for its fields, an
    `OutputFormat` for `--format` and `--json`.
    """
    begin, commands = app.registered_callback, app.registered_commands
    if begin is not None and begin.callback is not None:
        begin.callback = _with_single_options(begin.callback)
    for info in commands:
        info.callback = _with_single_options(info.callback) if info.callback else None
    return app


def _with_single_options(command: Callable[..., object]) -> Callable[..., object]:
    hints = get_type_hints(command, include_extras=True)
    groups = {name: group for name, hint in hints.items() if (group := _group(hint))}
    if not groups:
        return command
    options = [
        option.replace(kind=Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(command).parameters.items()
        for option in (
            groups[name][1] if name in groups else [parameter.replace(annotation=hints[name])]
        )
    ]

    @wraps(command)
    def call(**given: object) -> object:
        values = {
            name: make(**{parameter.name: given.pop(parameter.name) for parameter in parameters})
            for name, (make, parameters) in groups.items()
        }
        return command(**given, **values)

    call.__annotations__ = {option.name: option.annotation for option in options}
    vars(call)["__signature__"] = inspect.Signature(options)
    return call


def _group(kind: Any) -> tuple[Callable[..., object], list[Parameter]] | None:
    """What makes a value of this type, and the options that it is made of; None for the type of a
    single option.
    """
    if get_origin(kind) is Given:
        [request] = get_args(kind)
        shown = (field for field in fields_of(request).values() if _is_option(field))
        options = [_parameter(field.name, None, option_of(field)) for field in shown]
        return lambda **given: {n: v for n, v in given.items() if v is not None}, options
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind, include_extras=True)
        return kind, [
            _parameter(field.name, field.default, hints[field.name]) for field in fields(kind)
        ]
    if isinstance(kind, type) and issubclass(kind, OutputFormat):
        named = Annotated[kind, typer.Option("--format", help="Output format.")]
        form = _parameter("form", kind("text"), named)
        return format_of, [form, _parameter("as_json", False, JsonOption)]
    return None


def _parameter(name: str, default: object, annotation: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


# Options of requests.

_COMPLETIONS = {"citekey": citekeys, "works": citekeys}


def _is_option(field: RequestField) -> bool:
    named = field.get(Flag)
    elsewhere = field.positional or named == Flag()
    return not elsewhere and {For.CALLERS, For.PROGRAMS}.isdisjoint(field.markers)


def option_of(field: RequestField) -> Any:
    """The option of a field, as Typer has it: None unless it is given."""
    given = field.get(Flag) or Flag()
    kind: Any = field.kind
    names = list(given.names) or [f"--{field.name.replace('_', '-')}"]
    if kind is bool and field.optional:
        names = [f"{names[0]}/--no-{names[0][2:]}"]
    reads, least, most = field.get(Parser), field.get(Ge), field.get(Le)
    many = field.many and not (reads and reads.text)
    if reads and not many:
        kind = str
    option = typer.Option(
        *names,
        metavar=given.metavar,
        help=f"{field.help} Repeatable." if many else field.help,
        autocompletion=_COMPLETIONS.get(field.name),
        min=least.ge if least else None,  # type: ignore[arg-type]
        max=most.le if most else None,  # type: ignore[arg-type]
    )
    return Annotated[list[kind], option] if many else Annotated[kind, option]


# The question.

_LONGEST_QUESTION = 100_000

QuestionArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TEXT", help="The question, with or without quotation marks; - reads it from stdin."
    ),
]


def question_of(words: Sequence[str]) -> str:
    """The question of one argument or of several, read from stdin for `-`."""
    text = " ".join(words)
    question = (sys.stdin.read(_LONGEST_QUESTION + 1) if text == "-" else text).strip()
    if len(question) > _LONGEST_QUESTION:
        raise typer.BadParameter(f"the question is longer than {_LONGEST_QUESTION:,} characters")
    if not question:
        raise typer.BadParameter("the question is empty")
    return question


# How passages are printed.


_QUOTED = [name for name in CitationForm.names(CitationUse.WRITING) if name != "pandoc"]
_OF_WORKS = ["html", *CitationForm.names(CitationUse.IMPORT)]

if TYPE_CHECKING:
    PassageFormat = str
    ReferenceFormat = str
else:
    _PRINTED = ["text", "json", "jsonl", "markdown", "pandoc", *_QUOTED, *_OF_WORKS]
    PassageFormat = OutputFormat("PassageFormat", [(name, name) for name in _PRINTED])
    ReferenceFormat = StrEnum("ReferenceFormat", [(name, name) for name in _OF_WORKS[1:]])


@dataclass(frozen=True, slots=True)
class PassageOutput:
    """How passages are printed, and in which style their works are cited, if in one."""

    named: Annotated[
        PassageFormat,
        typer.Option(
            "--format",
            help=f"Output format. {', '.join(_QUOTED[:-1])} and {_QUOTED[-1]} quote the passages; "
            f"{', '.join(_OF_WORKS[:-1])} and {_OF_WORKS[-1]} print the references of their works.",
        ),
    ] = "text"
    as_json: JsonOption = False
    style: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE.csl",
            help="Print citations and references in this style, as text, html or markdown.",
        ),
    ] = None
    locale: Annotated[
        str | None, typer.Option(metavar="LANG", help="The language of the style, such as de-DE.")
    ] = None

    def __post_init__(self) -> None:
        if self.style is not None and self.form not in CitationForm.names(CitationUse.READING):
            raise typer.BadParameter("--style needs --format text, html or markdown")
        if self.locale is not None and self.style is None and self.form != "html":
            raise typer.BadParameter("--locale needs --style or --format html")

    @property
    def form(self) -> PassageFormat:
        return format_of(self.named, as_json=self.as_json)

    @property
    def quotes(self) -> bool:
        """Whether passages are printed as quotations of a draft that Pandoc does not read."""
        return self.form in _QUOTED

    @property
    def cites(self) -> bool:
        """Whether the works are printed in place of the passages, as `citeloom cite` does."""
        return self.style is not None or self.form in _OF_WORKS
