"""Gets a service ready: indexes held for other processes, models loaded."""

from __future__ import annotations

from collections.abc import Callable

from citeloom.application.library_parts import Serving
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import CiteloomError, ConfigError, IndexLocked
from citeloom.infrastructure.interfaces.http.service import Service


def warm(service: Service, tell: Callable[[str], object]) -> list[Serving]:
    """Hold the index of each project where no other process does, load the models, and set
    `service.ready`. What cannot be had is told, and tried again by the first request.
    """
    servings = [held for name in service.projects if (held := _held(service.project(name), tell))]
    service.ready.set()
    return servings


def _held(project: ProjectLibrary, tell: Callable[[str], object]) -> Serving | None:
    name = project.project.id
    try:
        return project.serve()
    except IndexLocked as error:
        tell(f"project {name}: {error.message}; it answers through that process")
    except ConfigError:
        pass  # an index that is not in the data folder needs no holder
    except CiteloomError as error:
        tell(f"project {name}: {error.message}")
        return None
    _load_models(project, tell)
    return None


def _load_models(project: ProjectLibrary, tell: Callable[[str], object]) -> None:
    try:
        project.load_models()
    except CiteloomError as error:
        tell(f"project {project.project.id}: {error.message}")
