"""Every door is made of the fields of a request."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, dataclass
from datetime import date
from typing import Annotated, Any, Literal

import pytest
import typer
from annotated_types import Ge, Le, MaxLen, MinLen, doc
from pydantic import Field, ValidationError
from typer.testing import CliRunner

from citeloom.application.requests.fields import (
    Brief,
    For,
    Request,
    Served,
    accepts,
    fields_of,
    flag,
)
from citeloom.application.requests.passages import QueryRequest, WorkFilters
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.cli.options import Given, OutputFormat, expand_options
from citeloom.infrastructure.interfaces.mcp.project_tools import ProjectList
from citeloom.infrastructure.interfaces.mcp.tool_call import Only, Tool, parsed
from citeloom.infrastructure.interfaces.request_models import (
    RequestBody,
    RequestModel,
    request_of,
)
from citeloom.infrastructure.library.project import ProjectLibrary


class Form(OutputFormat):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@dataclass(frozen=True)
class SowRequest(WorkFilters):
    """What is sown."""

    seeds: Annotated[str, MinLen(1), MaxLen(9), doc("The seed.")]
    _: KW_ONLY
    rows: Annotated[
        int | None, flag("-r", "--rows"), Ge(1), Le(9), Served(5), Brief("Rows to sow.")
    ] = None
    mode: Annotated[Mode | str | None, For.EXPERTS, doc("How.")] = None
    deep: bool = False
    water: bool | None = None
    plot: Annotated[str | None, flag(metavar="PLOT")] = None
    hour: Annotated[int | None, flag()] = None
    by_hand: Annotated[bool, For.PROGRAMS] = False
    stop: Annotated[object, For.CALLERS] = None


class Farm:
    @accepts(SowRequest)
    def sow(self, request: SowRequest) -> SowRequest:
        """Sow."""
        return request


@dataclass
class Place:
    host: Annotated[str, typer.Option()] = "here"


def command(word: str, *, options: Given[SowRequest], place: Place, form: Form) -> None:
    typer.echo(f"{word} {dict(options)} {place.host} {form.value}")


app = typer.Typer(rich_markup_mode=None)
app.command()(command)
expand_options(app)


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "{} here text"),
        (["-r", "3", "--no-water"], "{'rows': 3, 'water': False} here text"),
        (["--tag", "a", "--tag", "b"], "{'tags': ['a', 'b']} here text"),
        (["--year", "2019.."], "{'years': '2019..'} here text"),
        (["--mode", "dense"], f"{{'mode': {Mode.DENSE!r}}} here text"),
        (["--deep", "--host", "there"], "{'deep': True} there text"),
        (["--plot", "b"], "{'plot': 'b'} here text"),
        (["--json"], "{} here json"),
        (["--format", "csv"], "{} here csv"),
    ],
)
def test_a_command_gets_the_options_that_are_given(arguments: list[str], printed: str) -> None:
    assert CliRunner().invoke(app, ["rye", *arguments]).stdout == f"rye {printed}\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-r", "0"], "Invalid value for '-r'"),
        (["-r", "10"], "Invalid value for '-r'"),
        (["--by-hand"], "No such option"),
        (["--hour", "5"], "No such option"),
        (["--stop", "now"], "No such option"),
        (["--json", "--format", "csv"], "--json and --format csv are two formats"),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(arguments: list[str], reason: str) -> None:
    refused = CliRunner().invoke(app, ["rye", *arguments])
    assert refused.exit_code == 2
    assert reason in refused.output


def test_the_help_of_an_option_is_the_text_of_its_field() -> None:
    printed = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "--mode [hybrid|dense|sparse] How." in printed
    assert "of several, all must match. Repeatable." in printed


def test_a_method_takes_a_request_or_its_fields() -> None:
    farm = Farm()
    sow: Any = farm.sow
    request = farm.sow("rye", rows=2, tags="wet")
    assert (request.seeds, request.rows, request.tags) == ("rye", 2, ("wet",))
    assert farm.sow(request) is request
    assert sow("rye", rows=2, tags=["wet"]) == request
    with pytest.raises(InvalidFilter, match="there is no seeds"):
        sow()


def test_the_signature_of_a_method_is_that_of_its_request() -> None:
    parameters = inspect.signature(ProjectLibrary.query).parameters
    assert parameters.keys() == {"self", *fields_of(QueryRequest)}
    assert parameters["top_k"].annotation == int | None
    assert parameters["top_k"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seeds": ""}, "the seeds is empty"),
        ({"seeds": "much too long"}, "13 characters, more than 9"),
        ({"seeds": "rye", "rows": 10}, r"the rows must lie in 1\.\.9, not 10"),
        ({"seeds": "rye", "mode": "none"}, "there is no mode 'none'"),
        ({"seeds": "rye", "tags": " "}, "the tag is empty"),
        ({"seeds": "rye", "years": "soon"}, "'soon' is no span of years"),
    ],
)
def test_a_request_refuses_what_cannot_be_meant(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidFilter, match=message):
        SowRequest(**fields)


def sow(
    project: ProjectLibrary,
    request: SowRequest,
    spade: Annotated[Literal["small", "large"], Field(description="Which.")] = "small",
) -> ProjectList:
    return ProjectList(projects=())


def dig(project: ProjectLibrary, request: Annotated[SowRequest, Only(("rows",))]) -> ProjectList:
    return ProjectList(projects=())


def as_tool(call: Any) -> Tool:
    return Tool(call, title="Sow", limit="query_seconds")


def test_programs_see_the_fields_that_are_for_them() -> None:
    filters = {"tags", "year_from", "year_to", "citekey", "where"}
    scope = ["collections", "subcollections", "authors", "libraries", "item_types", "containers"]
    scope += ["languages", "added_since"]
    everything = {"seeds", "rows", "mode", "deep", "water", "plot", "hour", "by_hand"}
    every = {*filters, *scope, *everything, "doc_id"}
    assert {*RequestModel[SowRequest].model_fields} == every
    expected = {"project", *filters, *everything, "spade", "scope"} - {"mode", "by_hand"}
    properties = as_tool(sow).input_schema["properties"]
    assert properties.keys() == expected
    assert properties["scope"] == {"type": "object", "description": ", ".join(scope)}
    assert as_tool(dig).input_schema["properties"].keys() == {"project", "rows"}


def test_one_value_of_a_scope_may_stand_for_a_list_of_it() -> None:
    arguments = as_tool(sow).arguments
    given = {"project": "a/b", "seeds": "rye", "tags": ["wet"]}
    scope = {"authors": "Okafor, Ada", "libraries": ["library"], "added_since": "2024-05"}
    made: Any = parsed(arguments, {**given, "scope": {**scope, "subcollections": True}})
    assert request_of(SowRequest, made, made.scope) == SowRequest(
        "rye",
        tags="wet",
        authors="Okafor, Ada",
        libraries="library",
        subcollections=True,
        added_since=date(2024, 5, 1),
    )


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ({"author": "Okafor"}, "scope.author: Extra inputs are not permitted"),
        ({"authors": [""]}, "scope.authors.0: String should have at least 1 character"),
        ({"languages": 1}, "scope.languages: Input should be a valid list"),
        ("authors: Okafor", "scope: "),
    ],
)
def test_a_wrong_scope_is_refused_with_what_it_takes(scope: object, message: str) -> None:
    with pytest.raises(InvalidFilter, match=message) as refused:
        parsed(as_tool(sow).arguments, {"project": "a/b", "seeds": "rye", "scope": scope})
    assert refused.value.hint.startswith("Its scope takes: collections, subcollections, authors, ")
    with pytest.raises(InvalidFilter, match="wrong arguments: authors") as refused:
        parsed(as_tool(sow).arguments, {"project": "a/b", "seeds": "rye", "authors": ["Okafor"]})
    assert refused.value.hint.startswith("The tool takes: project, ")


def test_programs_may_give_a_month_for_a_day() -> None:
    model: Any = RequestModel[SowRequest]
    assert model(seeds="rye", added_since="2024-05").asked().added_since == date(2024, 5, 1)


def test_language_models_are_told_in_brief() -> None:
    properties = as_tool(sow).input_schema["properties"]
    assert "description" not in properties["seeds"]
    assert properties["rows"]["description"] == "Rows to sow."
    assert properties["spade"] == {
        "type": "string",
        "enum": ["small", "large"],
        "default": "small",
        "description": "Which.",
    }


def test_programs_give_a_request_within_their_bounds() -> None:
    model: Any = RequestBody[SowRequest]
    body = model(project="a/b", seeds="rye", tags=["x"], year_from=2019, rows=5)
    assert body.asked(stop=1) == SowRequest("rye", tags="x", years=(2019, None), rows=5, stop=1)
    assert model.model_json_schema()["properties"]["seeds"]["description"] == "The seed."
    for wrong in ({"rows": 6}, {"rows": 0}, {"tags": [""]}, {"year_to": 10_000}, {"stop": 1}):
        with pytest.raises(ValidationError):
            model(project="a/b", seeds="rye", **wrong)


def test_a_request_is_one_base() -> None:
    assert issubclass(SowRequest, Request)
    assert RequestModel[SowRequest] is RequestModel[SowRequest]
