"""The reference page of the configuration, generated from the tables."""

from __future__ import annotations

from inspect import getdoc

from citeloom.infrastructure.settings.front_matter_table import FrontMatterFieldTable
from citeloom.infrastructure.settings.keys import Key, keys_of, toml_value
from citeloom.infrastructure.settings.layers import KEY_VARIABLES, variable_for
from citeloom.infrastructure.settings.remote_models import EXAMPLE, RemoteModelTable
from citeloom.infrastructure.settings.selection_table import ZoteroSelectionTable
from citeloom.infrastructure.settings.tables import SECTIONS, ProjectTable
from citeloom.infrastructure.settings.values import Table

_HEAD = """\
# Configuration

citeloom reads the `citeloom.toml` of the current folder or of the nearest one above it, or the
file that `--config` names. Relative paths in it start at its folder. Values come from, in order of
precedence: the command line, `CITELOOM_*` in the environment, `.env` beside the file, the file, the
defaults. In a variable, a list is its entries with commas between, or JSON: `["a", "b, c"]`. An
unknown key or an invalid value is an error (exit code 14).
"""


def settings_reference() -> str:
    """Every key with its default, its name in the environment and what it does, as Markdown."""
    parts = [_HEAD, _section("project", '[project."namespace/name"]', ProjectTable)]
    parts += [_section("", '[project."namespace/name".zotero]', ZoteroSelectionTable)]
    field = '[project."namespace/name".front_matter.FIELD]'
    parts += [_section("", field, FrontMatterFieldTable)]
    parts += [_section(name, f"[{name}]", table) for name, table in SECTIONS.items()]
    parts += [_section("", f'[models."{EXAMPLE}"]', RemoteModelTable)]
    return "\n".join(parts)


def _section(name: str, title: str, table: type[Table]) -> str:
    in_environment = name in SECTIONS
    heads = ["key", "default", *(["environment"] if in_environment else []), "what it does"]
    rows = [heads, ["---"] * len(heads)]
    for key in keys_of(table):
        variables = [_variables(name, key)] if in_environment else []
        rows.append([f"`{key.name}`", _default(key), *variables, key.description])
    listed = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"## `{title}`\n\n{getdoc(table)}\n\n{listed}\n"


def _default(key: Key) -> str:
    if key.default is None:
        example = f"; e.g. `{toml_value(key.example)}`" if key.example is not None else ""
        return ("required" if key.is_required else "unset") + example
    return f"`{toml_value(key.default)}`"


def _variables(section: str, key: Key) -> str:
    aliases = [name for name, path in KEY_VARIABLES.items() if path == (section, key.name)]
    return " or ".join(f"`{name}`" for name in [*aliases, variable_for(section, key.name)])
