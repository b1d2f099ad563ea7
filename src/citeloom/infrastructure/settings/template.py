"""The citeloom.toml that `citeloom init` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citeloom.domain.project import Project
from citeloom.infrastructure.settings.keys import toml_value

_HEAD = """\
# The configuration of citeloom for this folder and those below it. What is not in it has its
# default: docs/reference/configuration.md has every key. CITELOOM_SECTION__KEY in the environment,
# or in .env beside this file, overrides the file.

"""
_EXAMPLES = (
    ("references", "references.json", "CSL-JSON (a Better BibTeX export), BibTeX or RIS"),
    ("sources", ("papers/",), "what `citeloom ingest` reads when nothing is named"),
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
        lines += ["", f"[{table}]", *(f"{key} = {toml_value(one)}" for key, one in keys.items())]
    return _HEAD + "\n".join(lines) + "\n"
