"""A file that happens to lie here must not send a key from the environment to another host."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings.complaints import dotted, origin
from citeloom.infrastructure.settings.layers import KeyPath, Layer, variable_for
from citeloom.infrastructure.settings.remote_models import Provider
from citeloom.infrastructure.settings.tables import Configuration

_LOOPBACK = r"https?://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])"
_END = r"(?::\d+)?(?:/[\w./~%-]*)?"
_LOCAL = re.compile(f"{_LOOPBACK}{_END}", re.IGNORECASE)
_OWN = re.compile(f"(?:{_LOOPBACK}|https://api\\.zotero\\.org){_END}", re.IGNORECASE)
_OWN_DATABASE = re.compile(
    r"postgres(?:ql)?://(?:[\w.~-]+@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])?(?::\d+)?"
    r"/[\w.~-]*(?:\?host=(?:/|%2F)(?:[\w./-]|%2F)*)?"
    r"|milvus(?:\+https)?://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?/?|milvus-lite:",
    re.IGNORECASE,
)
"""A database on this machine, by its name, by its folder or by that of its socket."""
_KEYS: dict[KeyPath, tuple[str, ...]] = {
    ("zotero", "api_key"): ("web_url", "local_url"),
    ("qdrant", "api_key"): ("url",),
    ("store", "password"): ("url",),
}


class Service(Protocol):
    """A model at a service: who provides it, where that is, where this is written, and the variable
    that holds its key.
    """

    @property
    def provider(self) -> Provider: ...

    @property
    def base_url(self) -> str: ...

    @property
    def place(self) -> KeyPath: ...

    @property
    def variable(self) -> str: ...


def refuse_redirects(
    configuration: Configuration, found: Sequence[Layer], named: Sequence[Layer]
) -> None:
    """Raise `ConfigError` when a place that was merely `found` decides where a key is sent that
    was `named`, as in the environment. This machine and Zotero's own host may always have it.
    """
    layers = [*found, *named]
    for key, addresses in _KEYS.items():
        section, _ = key
        if not any(layer.holds(key) for layer in named):
            continue
        for name in addresses:
            place = origin((section, name), layers)
            value = getattr(getattr(configuration, section), name)
            for address in value if isinstance(value, tuple) else (value,):
                if place in found and place.holds((section, name)) and not _is_own(address):
                    raise _refusal(place, (section, name), address)


def refuse_model_redirects(
    models: Iterable[Service],
    found: Sequence[Layer],
    named: Sequence[Layer],
    environment: Mapping[str, str],
) -> None:
    """Raise `ConfigError` when a place that was merely `found` chooses where a key of the
    `environment` is sent, or which. This machine may have any, a family's own host its own.
    """
    layers = [*found, *named]
    for model in models:
        *table, _ = model.place
        places = [origin((*table, key), layers) for key in ("base_url", "api_key_env")]
        place = next((one for one in places if one in found), None)
        if place is None:
            continue
        address, own = model.base_url, model.provider
        to_itself = model.variable == own.variable and re.fullmatch(
            f"https://{re.escape(own.host)}{_END}", address, re.IGNORECASE
        )
        if environment.get(model.variable) and not (to_itself or _LOCAL.fullmatch(address)):
            raise ConfigError(
                f"{place.place}: {dotted(model.place)} would send {model.variable} of the "
                f"environment to {_host(address)}, and this file was found here, not named",
                "If you trust it, name the file: --config citeloom.toml, or CITELOOM_CONFIG.",
            )


def _is_own(address: str) -> bool:
    """Whether the address is this machine's, or Zotero's own."""
    return bool(_OWN.fullmatch(address) or _OWN_DATABASE.fullmatch(address))


def _refusal(place: Layer, path: KeyPath, address: str) -> ConfigError:
    return ConfigError(
        f"{place.place}: {dotted(path)} would send the key of the environment to "
        f"{_host(address)}, and this file was found here, not named",
        "If you trust it, name the file: --config citeloom.toml, or CITELOOM_CONFIG. Or set the "
        f"address beside the key: {variable_for(*path)}.",
    )


def _host(address: str) -> str:
    """The host of an address, without what may stand before it; the whole where there is none."""
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address
