"""The shape that a command prints its result in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.infrastructure.serialisation.shapes import Shape, shape_named

if TYPE_CHECKING:
    from citeloom.application.project_library import ProjectLibrary


def shape_of(library: ProjectLibrary, name: str | None) -> Shape | None:
    """The project's shape of that name, None for no name. Raises `ConfigError` if it has none."""
    shapes = library.info.shapes.get(library.project.id, {})
    return None if name is None else shape_named(name, shapes)
