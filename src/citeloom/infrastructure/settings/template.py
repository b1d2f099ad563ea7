"""The citeloom.toml that `citeloom init` writes, generated from the tables."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from citeloom.domain.project import Project
from citeloom.infrastructure.settings.keys import Key, keys_of, toml_value
from citeloom.infrastructure.settings.layers import variable_for
from citeloom.infrastructure.settings.remote_models import EXAMPLE, RemoteModelTable
from citeloom.infrastructure.settings.tables import SECTIONS, ProjectTable

_HEAD = """\
# The configuration of citeloom for this folder and those below it. It has every key with its
# default; keys without one, or whose default depends on the machine or model, are commented out.
# CITELOOM_SECTION__KEY in the environment, or in .env beside this file, overrides the file.
"""


def default_toml(
    project_id: str,
    references: str | None,
    sources: Sequence[str],
    given: Mapping[str, Mapping[str, object]] | None = None,
) -> str:
    """The text of a configuration with one project, and every key at its default except those
    `given` by table.

    Raises `InvalidProject` for an invalid id.
    """
    project = Project(id=project_id, references=references, sources=tuple(sources))
    return "\n".join(
        [_HEAD, *_project(project)]
        + [
            _table(name, keys_of(table), (given or {}).get(name, {}))
            for name, table in SECTIONS.items()
        ]
        + [_remote_model()]
    )


def _project(project: Project) -> list[str]:
    name = f"project.{toml_value(project.id)}"
    given = {
        "collection": project.collection,
        "references": project.references,
        "sources": project.sources or None,
    }
    keys = keys_of(ProjectTable)
    simple = _table(name, [key for key in keys if not key.is_table], given)
    return [simple, *(_own_table(name, key) for key in keys if key.is_table)]


def _table(name: str, keys: Sequence[Key], given: Mapping[str, object]) -> str:
    lines = [f"[{name}]\n"]
    for key in keys:
        value = given.get(key.name) or key.default
        lines.append(_comment(key.description))
        if key.is_secret:
            lines.append(_comment(f"{key.name}: {variable_for(name, key.name)}"))
        elif value is None:
            lines.append(f"#{key.name} = {toml_value(key.example)}\n")
        else:
            lines.append(f"{key.name} = {toml_value(value)}\n")
    return "".join(lines)


def _remote_model() -> str:
    """The table of a remote model, commented out."""
    text = "A model that a service runs, for embedding_model: the projects' texts are sent there."
    lines = [_comment(text), f'#[models."{EXAMPLE}"]\n']
    keys = (key for key in keys_of(RemoteModelTable) if key.example is not None)
    return "".join([*lines, *(f"#{key.name} = {toml_value(key.example)}\n" for key in keys)])


def _own_table(name: str, key: Key) -> str:
    lines = [_comment(key.description), f"#[{name}.{key.name}]\n"]
    if isinstance(key.example, Mapping):
        lines += [f"#{toml_value(k)} = {toml_value(v)}\n" for k, v in key.example.items()]
    return "".join(lines)


def _comment(text: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, 96, break_on_hyphens=False))
