from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.infrastructure.interfaces.calls import LibraryService
from citeloom.infrastructure.library.library import Library
from tests.fakes.two_projects import two_projects


@pytest.fixture(scope="module")
def library(module_folder: Path) -> Iterator[Library]:
    """Two projects, not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        library = two_projects(module_folder, patch)
        yield library
        library.close()


@pytest.fixture
def state(library: Library) -> Iterator[LibraryService]:
    """What a server of the two projects shares; its library stays open."""
    state = LibraryService.of(library)
    yield state
    state.jobs.close(10)
