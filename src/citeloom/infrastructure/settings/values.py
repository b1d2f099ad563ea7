"""Types of values in citeloom.toml."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    SecretStr,
    StringConstraints,
)
from pydantic_core.core_schema import CoreSchema, no_info_plain_validator_function

from citeloom.domain.documents.language import is_known_language, language_code
from citeloom.domain.validation import CHECKS, Severity

if TYPE_CHECKING:
    from citeloom.infrastructure.settings.resolved import Settings


class Variable(str):
    """The value of an environment variable, which has no type but text."""

    __slots__ = ()


def one_or_many(value: object) -> object:
    """A single text as a list of one, a variable as the list in it: of JSON, or with commas between
    its entries. Anything else unchanged.
    """
    if not isinstance(value, Variable):
        return (value,) if isinstance(value, str) else value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError("must be a JSON list, or entries separated by commas") from None
    return tuple(entry.strip() for entry in value.split(",") if entry.strip())


def lower(value: object) -> object:
    """A text in lower case; anything else unchanged."""
    return value.lower() if isinstance(value, str) else value


def language(value: str) -> str:
    """A BCP 47 language tag. Raises `ValueError` for anything else."""
    if not is_known_language(value):
        meant = language_code(value)
        advice = f"; write {meant}" if meant and is_known_language(meant) else ""
        raise ValueError(f"must be the code of a known language, such as en, de or en-GB{advice}")
    return value


def web_address(value: str) -> str:
    """A web address. Raises `ValueError` for anything else."""
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return with_possible_port(value)


def with_possible_port(value: str) -> str:
    """An address each of whose ports there can be. Raises `ValueError` for any other."""
    scheme, _, rest = value.partition("://")
    hosts = rest.partition("/")[0].rpartition("@")[2].split(",")
    with suppress(ValueError):
        if all(urlsplit(f"{scheme}://{host}").port != 0 for host in hosts):
            return value
    raise ValueError("must be a valid address, with a port from 1 to 65535 if it has one")


def _grading(value: str) -> str:
    check, separator, severity = value.partition("=")
    if not separator or severity not in set(Severity):
        raise ValueError("must be a check and its severity, such as headings=error")
    if check not in CHECKS:
        raise ValueError(f"must name one of the checks: {', '.join(CHECKS)}")
    return value


def _severities(gradings: tuple[str, ...]) -> dict[str, Severity]:
    parts = (grading.partition("=") for grading in gradings)
    return {check: Severity(severity) for check, _, severity in parts}


Severities = Annotated[
    tuple[Annotated[str, AfterValidator(_grading)], ...],
    BeforeValidator(one_or_many),
    AfterValidator(_severities),
]
"""Severities of checks, each written as `check=severity`."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(one_or_many)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
CountOrZero = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Table(BaseModel):
    """A table of the file; unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


def secret_keys(table: type[Table]) -> list[str]:
    """The keys of a table that come from the environment only."""
    fields = table.model_fields.items()
    return [name for name, field in fields if SecretStr in get_args(field.annotation)]


class AddedTable(Table):
    """A table that comes with an extension, an entry point of `citeloom.settings` by its name. Of
    one with a `url`, secret keys are sent there.
    """

    @property
    def store_url(self) -> str | None:
        """The address of the store that the table chooses, in the place of `[store] url`."""
        return None

    def manifest(self, settings: Settings) -> str | None:  # noqa: ARG002 - a table may look at it
        """The extension that is to repeat the manifest, if the table asks for one."""
        return None


class WhenWritten:
    """A table in another, whose validator is built for the first file that has the table: most
    files have few, and building all would take longer than the question.
    """

    def __get_pydantic_core_schema__(
        self, table: type[Table], _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_plain_validator_function(table.model_validate)
