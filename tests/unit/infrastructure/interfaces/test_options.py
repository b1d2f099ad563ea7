"""Options are declared once, by the names that the library has for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

import pytest
import typer
from typer.testing import CliRunner

from citeloom.application import options as library
from citeloom.infrastructure.interfaces.cli.ingest_commands import IngestFlags, SyncFlags
from citeloom.infrastructure.interfaces.cli.library_commands import DocumentFlags
from citeloom.infrastructure.interfaces.cli.options import (
    FilterFlags,
    OutputFormat,
    with_options,
)
from citeloom.infrastructure.interfaces.cli.query_commands import QueryFlags
from citeloom.infrastructure.interfaces.http import requests as http
from citeloom.infrastructure.interfaces.mcp import tool_call as mcp
from citeloom.infrastructure.interfaces.requests import Request


class Form(OutputFormat):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"


class Flags(TypedDict, total=False):
    top_k: Annotated[int, typer.Option("-k", min=1)]
    tags: Annotated[list[str], typer.Option("--tag")]
    explain: Annotated[bool, typer.Option("--explain")]
    floor: Annotated[bool, typer.Option("--floor/--no-floor")]


@dataclass
class Place:
    host: Annotated[str, typer.Option()] = "here"


@with_options
def command(word: str, *, flags: Flags, place: Place, form: Form) -> None:
    typer.echo(f"{word} {dict(flags)} {place.host} {form.value}")


app = typer.Typer()
app.command()(command)


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "{} here text"),
        (["-k", "3", "--no-floor"], "{'top_k': 3, 'floor': False} here text"),
        (["--tag", "a", "--tag", "b"], "{'tags': ['a', 'b']} here text"),
        (["--explain", "--host", "there"], "{'explain': True} there text"),
        (["--json"], "{} here json"),
        (["--format", "csv"], "{} here csv"),
    ],
)
def test_a_command_gets_the_options_that_are_given(arguments: list[str], printed: str) -> None:
    assert CliRunner().invoke(app, ["rye", *arguments]).stdout == f"rye {printed}\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-k", "0"], "Invalid value for '-k'"),
        (["--json", "--format", "csv"], "--json and --format csv are two formats"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(arguments: list[str], reason: str) -> None:
    refused = CliRunner().invoke(app, ["rye", *arguments])
    assert refused.exit_code == 2
    assert reason in refused.output


def test_the_command_line_has_the_options_of_the_library() -> None:
    assert FilterFlags.__annotations__.keys() == library.FilterOptions.__annotations__.keys()
    queries = library.QueryOptions.__annotations__.keys()
    assert QueryFlags.__annotations__.keys() == queries - {"by_document"}  # it is --group-by
    documents = library.DocumentOptions.__annotations__.keys()
    assert DocumentFlags.__annotations__.keys() == documents - {"doc_id", "text"}
    ingests = library.IngestOptions.__annotations__.keys()
    assert IngestFlags.__annotations__.keys() == ingests - {"confirm", "waiting"}
    marks = {"annotations", "notes"}
    assert SyncFlags.__annotations__.keys() - marks < IngestFlags.__annotations__.keys()


@pytest.mark.parametrize(
    ("request_type", "options", "missing"),
    [
        (http.QueryBody, library.QueryOptions, set()),
        (http.AskBody, library.AskOptions, set()),
        (http.FindBody, library.FilterOptions, set()),
        (http.SupportBody, library.FilterOptions, set()),
        (http.MatrixBody, library.FilterOptions, {"top_k"}),
        (http.DocumentFilter, library.DocumentOptions, {"doc_id"}),
        (http.IngestBody, library.IngestOptions, {"rebuild", "confirm", "waiting"}),
        (mcp.AskArguments, library.AskOptions, {"doc_id", "kinds"}),
        (mcp.QueryArguments, library.FilterOptions, {"doc_id", "kinds"}),
        (mcp.FindArguments, library.FilterOptions, {"doc_id", "kinds", "top_k"}),
        (mcp.DocumentArguments, library.DocumentOptions, {"doc_id", "citekey"}),
    ],
)
def test_a_request_has_the_options_of_the_library(
    request_type: type[Request], options: type[object], missing: set[str]
) -> None:
    fields = {*request_type.model_fields, "years"}
    assert options.__annotations__.keys() - fields == missing


def test_a_request_gives_the_options_that_it_has() -> None:
    body = http.QueryBody.model_validate(
        {"project": "a/b", "text": "rye?", "tags": ["x"], "year_from": 2019, "top_k": 3}
    )
    options = body.options(library.FilterOptions, top_k=7)
    assert options["tags"] == ["x"]
    assert options["years"] == (2019, None)
    assert options["top_k"] == 7
    assert "citekey" not in options
    assert "text" not in options
