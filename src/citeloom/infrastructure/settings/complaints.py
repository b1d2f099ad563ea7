"""Configuration errors and warnings in plain words."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings.answers_table import AnswerWordingTable
from citeloom.infrastructure.settings.front_matter_table import FrontMatterFieldTable
from citeloom.infrastructure.settings.layers import (
    KEY_VARIABLES,
    KeyPath,
    Layer,
    Tree,
    variable_for,
)
from citeloom.infrastructure.settings.remote_models import RemoteModelTable
from citeloom.infrastructure.settings.selection_table import ZoteroSelectionTable
from citeloom.infrastructure.settings.tables import SECTIONS, Configuration, ProjectTable
from citeloom.infrastructure.settings.values import Table

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_RULES = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}",
    "string_too_short": "must not be empty",
    "finite_number": "must be a finite number",
    "value_error": "{error}",
    "missing": "must be given",
}
_IN_ADDRESSES = re.compile(r"(?<=://)[^/@\s]+(?=@)|(?<=\?)[^\s\"]+(?=\"$)")
"""Where an address may hold a key or a password."""
_REMOVED: Mapping[KeyPath, tuple[str, str | None]] = {
    ("chunking", "tokenizer_id"): ("0.2.0", None),
    ("qdrant", "prefix_index"): ("0.2.0", None),
    ("retrieval", "pages_in_turn"): ("0.2.0", "diversify_by_page"),
}
"""Keys of earlier versions: the version without them, and the key that has their value now."""
_KINDS = {
    "int": "must be a whole number",
    "float": "must be a number",
    "bool": "must be true or false",
    "string": "must be text",
    "tuple": "must be a list",
    "path": "must be a path",
    "model": "must be a table",
    "dict": "must be a table",
}


def refusal(complaints: Sequence[str]) -> ConfigError:
    """One error with all complaints."""
    hint = "docs/reference/configuration.md has every key with its default."
    if len(complaints) == 1:
        return ConfigError(complaints[0], hint)
    listed = "\n".join(f"- {complaint}" for complaint in complaints)
    return ConfigError(f"{len(complaints)} errors in the configuration:\n{listed}", hint)


def about_keys_in_files(layers: Sequence[Layer]) -> list[str]:
    """A complaint for each secret that a layer other than the environment has."""
    return [
        f"{layer.place}: {dotted(path)} must not be set here; keys come from the environment "
        f"only: set {variable}"
        for layer in layers
        for path, variable in {path: name for name, path in KEY_VARIABLES.items()}.items()
        if layer.holds(path)
    ]


def about(error: ValidationError, layers: Sequence[Layer]) -> list[str]:
    """A sentence for each error: its place, the key, its value and what is allowed."""
    details = [(_path(detail), detail) for detail in error.errors(include_url=False)]
    return [
        _sentence(path, detail, layers)
        for path, detail in details
        if path not in KEY_VARIABLES.values()
    ]


def without_removed(layers: Sequence[Layer]) -> tuple[list[Layer], list[str]]:
    """The layers without keys of earlier versions, whose values go to the keys of now, and a
    warning for each that names the version.
    """
    found = [_without_removed(layer) for layer in layers]
    return [layer for layer, _ in found], [said for _, warnings in found for said in warnings]


def _without_removed(layer: Layer) -> tuple[Layer, list[str]]:
    tree, warnings = deepcopy(layer.tree), []
    for path, (version, renamed) in _removed_keys(layer):
        table = _table_at(tree, path[:-1])
        value = table.pop(path[-1])
        name = layer.variable(path) or dotted(path)
        if renamed:
            table.setdefault(renamed, value)
            said = f"{name} is {renamed} since {version}: rename it"
        else:
            said = f"{name} was removed in {version} and never had an effect: delete the line"
        warnings.append(f"{layer.place}: {said}")
    return replace(layer, tree=tree), warnings


def _removed_keys(layer: Layer) -> Iterator[tuple[KeyPath, tuple[str, str | None]]]:
    """The removed keys that a layer has, among all projects' keys and those of each."""
    projects = layer.tree.get("project")
    ids = projects if isinstance(projects, Mapping) else ()
    for prefix in ((), *(("project", str(project_id)) for project_id in ids)):
        for path, fate in _REMOVED.items():
            if layer.holds((*prefix, *path)):
                yield (*prefix, *path), fate


def _table_at(tree: Tree, path: KeyPath) -> dict[str, object]:
    node: object = tree
    for part in path:
        node = node[part] if isinstance(node, dict) else {}
    return node if isinstance(node, dict) else {}


def origin(path: KeyPath, layers: Sequence[Layer]) -> Layer:
    """The layer a value comes from: the last one that has it."""
    return next((layer for layer in reversed(layers) if layer.holds(path)), layers[0])


def dotted(path: KeyPath) -> str:
    """A key as written in the file: `project."a/b".top_k`."""
    return ".".join(
        part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in path
    )


def _path(detail: ErrorDetails) -> KeyPath:
    return tuple(part for part in detail["loc"] if isinstance(part, str))


def _sentence(path: KeyPath, detail: ErrorDetails, layers: Sequence[Layer]) -> str:
    layer = origin(path, layers)
    variable = layer.variable(path)
    if not _is_unknown(path, detail):
        said = f"{variable or dotted(path)}{_shown(detail['input'])}{_rule(detail)}"
    elif variable:
        said = _about_unknown_variable(variable)
    else:
        said = _about_unknown_key(path)
    return f"{layer.place}: {said}"


def _is_unknown(path: KeyPath, detail: ErrorDetails) -> bool:
    """Whether there is no such key: under [models], what is no name of a remote model."""
    is_key_of_models = path[:1] == ("models",) and len(path) == 2 and "/" not in path[1]
    return detail["type"] == "extra_forbidden" or (
        is_key_of_models and detail["type"] == "model_type"
    )


def _about_unknown_variable(variable: str) -> str:
    known = [variable_for(section, key) for section, key in _all_keys()]
    return f"there is no setting {variable}{_nearest(variable, known)}"


def _about_unknown_key(path: KeyPath) -> str:
    *above, key = path
    known = _keys_at(tuple(above))
    where = f"[{dotted(tuple(above))}]" if above else "the file"
    elsewhere = [
        f"[{section}] {known_key}" for section, known_key in _all_keys() if known_key == key
    ]
    guess = _nearest(key, known) or _suggestion(elsewhere) or f"; its keys are {', '.join(known)}"
    return f"{where} has no key {dotted((key,))}{guess}"


def _all_keys() -> list[KeyPath]:
    return [(section, key) for section, table in SECTIONS.items() for key in _keys(table)]


def _nearest(word: str, known: Sequence[str]) -> str:
    return _suggestion(difflib.get_close_matches(word, known, n=1))


def _suggestion(found: Sequence[str]) -> str:
    return f"; did you mean {found[0]}?" if found else ""


def _keys(table: type[Table]) -> list[str]:
    return [field.alias or name for name, field in table.model_fields.items()]


def _keys_at(path: KeyPath) -> list[str]:
    """The keys of the table at a path, which is the file itself when empty."""
    if not path:
        return _keys(Configuration)
    if path[0] == "project":
        return _keys(_table_of_project(path))
    if path[0] == "models" and len(path) == 2:
        return _keys(RemoteModelTable)
    return _keys(SECTIONS[path[-1]])


def _table_of_project(path: KeyPath) -> type[Table]:
    if len(path) == 2:
        return ProjectTable
    if path[-2] == "front_matter":
        return FrontMatterFieldTable
    own: dict[str, type[Table]] = {
        "zotero": ZoteroSelectionTable,
        "answers": AnswerWordingTable,
    }
    return own.get(path[-1]) or SECTIONS[path[-1]]


def _rule(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind in _RULES:
        return _RULES[kind].format(**detail.get("ctx", {}))
    return _KINDS.get(kind.partition("_")[0], detail["msg"])


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ": "
    shown = json.dumps(value, ensure_ascii=False, default=str)
    return f" is {_IN_ADDRESSES.sub('…', shown)}, but "
