"""Errors in a configuration in plain words, and addresses that would send a key elsewhere."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import ErrorDetails

from citeloom.domain.answers.messages import AnswerWording
from citeloom.domain.documents.metadata import MetadataField
from citeloom.domain.errors import ConfigError
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.extensions import TABLES
from citeloom.infrastructure.remote.endpoint import ServiceEndpoint
from citeloom.infrastructure.settings.layers import (
    KeyPath,
    Layer,
    merged,
    secret_variables,
    variable_for,
)
from citeloom.infrastructure.settings.service_tables import RemoteModelTable
from citeloom.infrastructure.settings.tables import CORE_TABLES, ProjectTable, all_tables
from citeloom.infrastructure.settings.values import AddedTable, secret_keys, table_keys

# Configuration errors and warnings in plain words.

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_RULES = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "string_too_short": "must not be empty",
    "finite_number": "must be a finite number",
    "value_error": "{error}",
    "missing": "must be given",
}
_IN_ADDRESSES = re.compile(r"(?<=://)[^/@\s]+(?=@)|(?<=\?)[^\s\"]+(?=\"$)")
"""Where an address may hold a key or a password."""
_FORMER: Sequence[KeyPath] = (("chunking", "tokenizer_id"), ("qdrant", "prefix_index"))
"""Keys without an effect that `init` of 0.1.0 wrote, and that 0.2.0 does not have."""
_TABLE = "must be a table"
_KINDS = {
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
    "string": "must be text",
    "tuple": "must be a list",
    "path": "must be a path",
    "model": _TABLE,
    "dataclass": _TABLE,
    "dict": _TABLE,
}


def refusal(complaints: Sequence[str]) -> ConfigError:
    """One error with all complaints."""
    hint = "docs/reference/configuration.md lists every key with its default."
    if len(complaints) == 1:
        return ConfigError(complaints[0], hint)
    listed = "\n".join(f"- {complaint}" for complaint in complaints)
    return ConfigError(f"{len(complaints)} errors in the configuration:\n{listed}", hint)


def about_keys_in_files(layers: Sequence[Layer]) -> list[str]:
    """A complaint for each secret that a layer other than the environment has."""
    return [
        f"{layer.place}: {dotted((section, key))} must not be set here; keys come from the "
        f"environment only: set {variables[-1]}"
        for layer in layers
        for section, table in layer.tree.items()
        for key in (table if isinstance(table, Mapping) else ())
        if (variables := secret_variables((section, key)))
    ]


def about(faults: Iterable[ErrorDetails], layers: Sequence[Layer]) -> list[str]:
    """A sentence for each fault: its place, the key, its value and what is allowed."""
    tree, wrong = merged(layers), dict[tuple[KeyPath, str], list[ErrorDetails]]()
    for detail in faults:
        path = _path(detail, tree)
        if not secret_variables(path):
            wrong.setdefault((path, repr(detail["input"])), []).append(detail)
    return [_sentence(path, details, layers) for (path, _), details in wrong.items()]


def without_former_keys(layers: Sequence[Layer]) -> tuple[list[Layer], list[str]]:
    """The layers without keys of 0.1.0, and a warning for each."""
    cleaned, warnings = [], []
    for layer in layers:
        tree = deepcopy(layer.tree)
        projects = tree.get("project")
        ids = projects if isinstance(projects, Mapping) else ()
        for prefix in ((), *(("project", str(project_id)) for project_id in ids)):
            for path in [(*prefix, *former) for former in _FORMER]:
                if not layer.holds(path):
                    continue
                table: Any = tree
                for part in path[:-1]:
                    table = table[part]
                del table[path[-1]]
                warnings.append(
                    f"{layer.place}: {layer.variable(path) or dotted(path)} was removed in 0.2.0 "
                    "and never had an effect: delete the line"
                )
        cleaned.append(replace(layer, tree=tree))
    return cleaned, warnings


def origin(path: KeyPath, layers: Sequence[Layer]) -> Layer:
    """The layer a value comes from: the last one that has it."""
    return next((layer for layer in reversed(layers) if layer.holds(path)), layers[0])


def dotted(path: KeyPath) -> str:
    """A key as written in the file: `project."a/b".top_k`."""
    return ".".join(
        part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in path
    )


def _path(detail: ErrorDetails, tree: object) -> KeyPath:
    """The keys in the file where an error is, and the one that is missing."""
    path: list[str] = []
    for part in detail["loc"]:
        if isinstance(part, int):
            continue
        if isinstance(tree, Mapping) and part in tree:
            tree = tree[part]
            path.append(part)
        elif detail["type"] == "missing":
            path.append(part)
    return tuple(path)


def _sentence(path: KeyPath, details: Sequence[ErrorDetails], layers: Sequence[Layer]) -> str:
    """What is wrong with a value, which may break the rule of each type that it could have."""
    layer, value = origin(path, layers), details[0]["input"]
    variable = layer.variable(path)
    if details[0]["type"] != "extra_forbidden":
        first, *others = dict.fromkeys(map(_rule, details))
        rule = " or ".join([first, *(other.removeprefix("must be ") for other in others)])
        is_project = path[:1] == ("project",) and len(path) == 2
        example = ' such as [project."namespace/name"]' if is_project and rule == _TABLE else ""
        shown = ": "
        if not isinstance(value, Mapping):
            text = json.dumps(value, ensure_ascii=False, default=str)
            shown = f" is {_IN_ADDRESSES.sub('…', text)}, but "
        return f"{layer.place}: {variable or dotted(path)}{shown}{rule}{example}"
    all_keys = [(name, key) for name, kind in all_tables().items() for key in table_keys(kind)]
    if variable:
        names = [variable_for(section, key) for section, key in all_keys]
        return f"{layer.place}: there is no setting {variable}{_suggestion(variable, names)}"
    *above, key = path
    known = _keys_at(tuple(above))
    if isinstance(value, Mapping) and not above:
        nearest = _suggestion(f"[{key}]", [f"[{name}]" for name in known])
        return f"{layer.place}: the file has no table [{key}]{nearest}"
    where = f"[{dotted(tuple(above))}]" if above else "the file"
    elsewhere = [f"[{section}] {name}" for section, name in all_keys if name == key]
    guess = _suggestion(key, known) or (
        f"; did you mean {elsewhere[0]}?" if elsewhere else f"; its keys are {', '.join(known)}"
    )
    return f"{layer.place}: {where} has no key {dotted((key,))}{guess}"


def _suggestion(word: str, known: Sequence[str]) -> str:
    nearest = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def _keys_at(path: KeyPath) -> list[str]:
    """The keys of the table at a path, which is the file itself when empty."""
    if not path:
        return [*CORE_TABLES, *TABLES]
    if path[0] == "models" and len(path) == 2:
        return [*table_keys(RemoteModelTable)]
    if path[0] == "project" and len(path) == 2:
        return [*table_keys(ProjectTable)]
    if path[0] == "project":
        of_project = {"zotero": ZoteroSelection, "answers": AnswerWording}
        kind = MetadataField if path[-2] == "front_matter" else of_project.get(path[-1])
        return [*table_keys(kind or all_tables()[path[-1]])]
    return [*table_keys(all_tables()[path[-1]])]


def _rule(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind in _RULES:
        return _RULES[kind].format(**detail.get("ctx", {}))
    return _KINDS.get(kind.partition("_")[0], detail["msg"])


# A file that happens to lie here must not send a key from the environment to another host.

_LOOPBACK = r"https?://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])"
_END = r"(?::\d+)?(?:/[\w./~%-]*)?"
_LOCAL = re.compile(f"{_LOOPBACK}{_END}", re.IGNORECASE)
_OWN = re.compile(f"(?:{_LOOPBACK}|https://api\\.zotero\\.org){_END}", re.IGNORECASE)
_OWN_DATABASE = re.compile(
    r"postgres(?:ql)?(?:\+\w+)?://(?:[\w.~-]+@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])?(?::\d+)?"
    r"/[\w.~-]*(?:\?host=(?:/|%2F)(?:[\w./-]|%2F)*)?"
    r"|milvus(?:\+https)?://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?/?|milvus-lite:",
    re.IGNORECASE,
)
"""A database on this machine, by its name, by its folder or by that of its socket."""
_KEYS: dict[KeyPath, tuple[str, ...]] = {
    ("zotero", "api_key"): ("web_url", "local_url"),
    ("zotero", "webdav_password"): ("webdav_url",),
    ("store", "password"): ("url",),
}


def refuse_redirects(
    tables: Mapping[str, Any],
    values: Sequence[Layer],
    named: Sequence[Layer],
) -> None:
    """Raise `ConfigError` when a place that was merely `found` decides where a key is sent that
    was `named`, as in the environment. This machine and Zotero's own host may always have it.
    """
    layers = [*values, *named]
    of_added: dict[KeyPath, tuple[str, ...]] = {
        (section, key): ("url",)
        for section, table in tables.items()
        if isinstance(table, AddedTable)
        for key in secret_keys(type(table))
    }
    for key, addresses in {**_KEYS, **of_added}.items():
        section, _ = key
        if not any(layer.holds(key) for layer in named):
            continue
        for name in addresses:
            place = origin((section, name), layers)
            value = getattr(tables[section], name)
            for address in value if isinstance(value, tuple) else (value,):
                if place not in values or not place.holds((section, name)):
                    continue
                if not (_OWN.fullmatch(address) or _OWN_DATABASE.fullmatch(address)):
                    raise ConfigError(
                        f"{place.place}: {dotted((section, name))} would send the key of the "
                        f"environment to {_host(address)}, and this file was found here, not named",
                        "If you trust it, name the file: --config citeloom.toml, or "
                        "CITELOOM_CONFIG. Or set the address beside the key: "
                        f"{variable_for(section, name)}.",
                    )


def refuse_model_redirects(
    services: Iterable[ServiceEndpoint],
    values: Sequence[Layer],
    named: Sequence[Layer],
    environment: Mapping[str, str],
) -> None:
    """Raise `ConfigError` when a place that was merely `found` chooses where a key of the
    `environment` is sent, or which. This machine may have any, a family's own host its own.
    """
    layers = [*values, *named]
    for service in services:
        keys = ("base_url", "api_key_env")
        places = [origin((*service.place, key), layers) for key in keys]
        place = next((layer for layer in places if layer in values), None)
        if place is None:
            continue
        address, provider = service.base_url, service.provider
        to_itself = service.variable == provider.variable and re.fullmatch(
            f"https://{re.escape(provider.host)}{_END}", address, re.IGNORECASE
        )
        if environment.get(service.variable) and not (to_itself or _LOCAL.fullmatch(address)):
            raise ConfigError(
                f"{place.place}: {dotted((*service.place, 'base_url'))} would send "
                f"{service.variable} of the "
                f"environment to {_host(address)}, and this file was found here, not named",
                "If you trust it, name the file: --config citeloom.toml, or CITELOOM_CONFIG.",
            )


def _host(address: str) -> str:
    """The host of an address, without what may stand before it; the whole where there is none."""
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address
