"""A power cut at every step: the next run ends where an undisturbed one would have ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citeloom.application.ingest import IngestRequest
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import NOISE, RYE, Library, paper

A, B, C, D = "papers/a.txt", "papers/b.txt", "papers/c.txt", "papers/d.txt"
Scene = Callable[[], Library]
PRUNE = IngestRequest(prune=True)


def first_run() -> Library:
    return Library({A: paper("wheat"), B: paper("barley")})


def changed_file() -> Library:
    library = first_run()
    library.ingest()
    library.files.write(A, paper("oats", sections=4))
    return library


def gone_file() -> Library:
    library = first_run()
    library.ingest()
    library.files.remove(A)
    return library


def moved_file() -> Library:
    library = first_run()
    library.ingest()
    library.files.move(A, D)
    return library


def changed_references() -> Library:
    library = first_run()
    library.ingest()
    library.references = MemoryReferenceLibrary(RYE, mapping={"b.txt": "rye2001"})
    return library


def duplicate_file() -> Library:
    library = first_run()
    library.ingest()
    library.files.write(B, paper("wheat"))
    return library


def failing_file() -> Library:
    library = first_run()
    library.ingest()
    library.files.write(A, NOISE)
    return library


def everything_at_once() -> Library:
    library = changed_references()
    library.files.write(D, paper("oats"))
    library.files.write(C, NOISE)
    library.files.remove(A)
    return library


SCENES = (
    first_run,
    changed_file,
    gone_file,
    moved_file,
    changed_references,
    duplicate_file,
    failing_file,
    everything_at_once,
)


@pytest.mark.parametrize("scene", SCENES)
def test_after_a_power_cut_at_any_step_the_next_run_mends_everything(scene: Scene) -> None:
    undisturbed = scene()
    undisturbed.ingest(PRUNE)
    step = 0
    while (library := scene()).ingest_until(step, PRUNE):
        library.ingest(PRUNE)
        assert library.stored() == undisturbed.stored(), f"cut before step {step}"
        assert library.entries() == undisturbed.entries(), f"cut before step {step}"
        step += 1
    assert step >= 3


@pytest.mark.parametrize("scene", SCENES)
def test_two_power_cuts_are_no_worse_than_one(scene: Scene) -> None:
    undisturbed = scene()
    undisturbed.ingest(PRUNE)
    step = 0
    while (library := scene()).ingest_until(step, PRUNE):
        library.ingest_until(step // 2 + 1, PRUNE)
        library.ingest(PRUNE)
        assert library.stored() == undisturbed.stored(), f"cut before step {step}"
        step += 1
    assert step >= 3


def test_a_file_that_changes_between_two_power_cuts_leaves_nothing_behind() -> None:
    expected = Library({A: paper("rye"), B: paper("barley")})
    expected.ingest()
    for step in range(20):
        library = Library({A: paper("wheat"), B: paper("barley")})
        library.ingest()
        library.files.write(A, paper("oats"))
        library.ingest_until(step)
        library.files.write(A, paper("rye"))
        library.ingest()
        assert library.stored() == expected.stored(), f"cut before step {step}"


def test_what_a_cut_run_called_indexed_is_there() -> None:
    step = 0
    while (library := first_run()).ingest_until(step):
        done = [path for path, e in library.entries().items() if e.status.value == "indexed"]
        if done:
            assert library.sources().keys() >= set(done)
        step += 1
    assert step > 10
