"""Gets a service ready: indexes opened for other processes, models loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable

from citeloom.application.library_parts import Serving
from citeloom.application.project_library import ProjectLibrary
from citeloom.domain.errors import CiteloomError, ConfigError, IndexLocked
from citeloom.infrastructure.interfaces.http.service import Service

_FIRST_PAUSE, _LONGEST_PAUSE = 2.0, 60.0
_log = logging.getLogger(__name__)


def warm(
    service: Service,
    tell: Callable[[str], object],
    servings: list[Serving],
    *,
    first_pause: float = _FIRST_PAUSE,
) -> None:
    """Load the models of every project, and serve its index where no other process does, until all
    are loaded or the service ends. What cannot be loaded is reported once, and tried again.
    """
    reported: dict[str, str] = {}
    pause = first_pause
    while True:
        for name in service.readiness.missing:
            message = _warmed(service, name, servings)
            if message and reported.get(name) != message:
                tell(f"project {name}: {message}")
            reported[name] = message
        if service.readiness.is_ready or service.ending.wait(pause):
            return
        pause = min(2 * pause, _LONGEST_PAUSE)


def _warmed(service: Service, name: str, servings: list[Serving]) -> str:
    """Load a project; what there is to report."""
    try:
        message = _load(service.project(name), servings)
    except CiteloomError as error:
        service.readiness.failed(name, error.code)
        return f"{error.message}; it is tried again"
    except Exception as error:  # noqa: BLE001 - one project must not end the warming of the others
        _log.warning("warming failed", exc_info=error, extra={"project": name})
        service.readiness.failed(name, "UNEXPECTED")
        return f"it could not be loaded ({type(error).__name__}); it is tried again"
    service.readiness.loaded(name)
    return message


def _load(project: ProjectLibrary, servings: list[Serving]) -> str:
    """Serve the index, or at least load the models, and make sure that the store answers."""
    message = ""
    try:
        servings.append(project.serve())
    except IndexLocked as error:
        message = f"{error.message}; it answers through that process"
    except ConfigError:
        pass  # an index that is not in the data folder needs no owner
    else:
        return ""
    project.load_models()
    return message
