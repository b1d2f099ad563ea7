"""Types of values in citeloom.toml, and a table of it read as the value that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from types import GenericAlias
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from citeloom.domain.documents.language import is_known_language, language_code
from citeloom.domain.fields import keys_of

if TYPE_CHECKING:
    from citeloom.infrastructure.settings.resolved import Settings


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


class AddedTable(BaseModel):
    """A table that comes with an extension, an entry point of `citeloom.settings` by its name. Of
    one with a `url`, secret keys are sent there.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,
    )

    @property
    def store_url(self) -> str | None:
        """The address of the store that the table chooses, in the place of `[store] url`."""
        return None

    def manifest(self, settings: Settings) -> str | None:  # noqa: ARG002 - a table may look at it
        """The extension that is to repeat the manifest, if the table asks for one."""
        return None


def secret_keys(table: type[AddedTable]) -> list[str]:
    """The keys of a table that come from the environment only."""
    fields = table.model_fields.items()
    return [name for name, field in fields if SecretStr in get_args(field.annotation)]


# A table of the file as the value that it describes, and what is wrong with it.

Place = tuple[str, ...]


def table_keys(kind: Any) -> dict[str, tuple[str, ...]]:
    """The keys of a table, each with where its value stands in what the table becomes."""
    return keys_of(kind) if is_dataclass(kind) else {name: (name,) for name in kind.model_fields}


def fault(kind: str, place: Place, written: object, reason: str = "") -> ErrorDetails:
    """An error as pydantic describes it."""
    detail = ErrorDetails(type=kind, loc=place, msg=reason, input=written)
    return {**detail, "ctx": {"error": reason}} if reason else detail


def read_table(
    kind: Any, written: object, place: Place, faults: list[ErrorDetails], **given: object
) -> Any:
    """The value of a table, with fields `given` that are no keys. What is wrong with it is added to
    the `faults`, and there is None.
    """
    if not isinstance(written, Mapping):
        faults.append(fault("dict_type", place, written))
        return None
    keys, values = table_keys(kind), dict[str, Any](given)
    for key in written.keys() & keys.keys():
        *parts, name = keys[key]
        node = values
        for part in parts:
            node = node.setdefault(part, {})
        node[name] = written[key]
    before, value = len(faults), None
    try:
        (value,) = _adapter(kind).validate_python((values,))
    except ValidationError as error:
        at = {path: key for key, path in keys.items()}
        for detail in error.errors(include_url=False):
            _, *loc = detail["loc"]
            depth = next((n for n in (1, 2) if tuple(loc[:n]) in at), 0)
            named = [at[tuple(map(str, loc[:depth]))]] if depth else []
            faults.append({**detail, "loc": (*place, *named, *loc[depth:])})
    faults += [
        fault("extra_forbidden", (*place, key), written[key]) for key in written if key not in keys
    ]
    return value if len(faults) == before else None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The validator of a table, built for the first file that has it: building all would take
    longer than a question. A dataclass has no configuration of its own, so that of the tuple holds.
    """
    tuple_of: Any = GenericAlias(tuple, (kind,))
    return TypeAdapter(tuple_of, config=ConfigDict(allow_inf_nan=False))
