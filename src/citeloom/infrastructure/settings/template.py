"""The citeloom.toml that `citeloom init` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from citeloom.domain.project import Project

_TEMPLATE_HEAD = """\
# The configuration of citeloom for this folder and those below it. Keys that are not set
# have their defaults: docs/reference/configuration.md lists every key. CITELOOM_SECTION__KEY in the
# environment, or in .env beside this file, overrides the file.

"""
_EXAMPLES = (
    ("references", "references.json", "CSL-JSON (a Better BibTeX export), BibTeX or RIS"),
    ("sources", ("papers/",), "what `citeloom ingest` reads when no files or folders are named"),
)


def default_toml(
    project_id: str,
    references: str | None,
    sources: Sequence[str],
    given: Mapping[str, Mapping[str, object]] | None = None,
) -> str:
    """The text of a configuration with one project and the tables `given`; everything else is left
    to its default.

    Raises `InvalidProject` for an invalid id.
    """
    project = Project(id=project_id, references=references, sources=tuple(sources))
    values = {"references": project.references, "sources": project.sources or None}
    lines = [f"[project.{toml_value(project.id)}]"]
    for name, example, said in _EXAMPLES:
        value = values[name]
        line = f"{name} = {toml_value(value or example)}"
        lines.append(line if value else f"#{line}  # {said}")
    for table, keys in (given or {}).items():
        lines += [
            "",
            f"[{table}]",
            *(f"{key} = {toml_value(value)}" for key, value in keys.items()),
        ]
    return _TEMPLATE_HEAD + "\n".join(lines) + "\n"


def toml_value(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        pairs = (f"{toml_value(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    raise TypeError(f"a setting cannot be a {type(value).__name__}")
