"""Types of values in citeloom.toml."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr

from citeloom.domain.documents.language import is_known_language, language_code

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
