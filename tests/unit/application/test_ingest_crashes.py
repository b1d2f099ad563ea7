"""A power cut at every step: the next run ends where an undisturbed one would have ended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from citeloom.application.requests.ingest import IngestRequest
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import NOISE, PROJECT, RYE, Library, paper

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
@pytest.mark.no_cover
def test_after_a_power_cut_at_any_step_the_next_run_mends_everything(scene: Scene) -> None:
    undisturbed = scene()
    undisturbed.ingest(PRUNE)
    step = 0
    while (library := scene()).ingest_until(step, PRUNE):
        library.ingest(PRUNE)
        assert library.stored() == undisturbed.stored(), f"cut before step {step}"
        assert library.entries() == undisturbed.entries(), f"cut before step {step}"
        assert library.manifest.intents(PROJECT.id) == [], f"cut before step {step}"
        step += 1
    assert step >= 3


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.no_cover
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


@pytest.mark.no_cover
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


@pytest.mark.no_cover
def test_a_new_file_that_changes_after_a_power_cut_leaves_nothing_behind() -> None:
    expected = Library({A: paper("rye")})
    expected.ingest()
    step = 0
    while (library := Library({A: paper("wheat", sections=5)})).ingest_until(step):
        library.files.write(A, paper("rye"))
        library.ingest()
        assert library.stored() == expected.stored(), f"cut before step {step}"
        assert library.manifest.intents(PROJECT.id) == []
        step += 1
    assert step > 10


@pytest.mark.no_cover
def test_a_change_taken_back_after_a_power_cut_leaves_nothing_behind() -> None:
    expected = first_run()
    expected.ingest()
    step = 0
    while (library := changed_file()).ingest_until(step):
        library.files.write(A, paper("wheat"))
        library.ingest()
        assert library.stored() == expected.stored(), f"cut before step {step}"
        step += 1
    assert step > 10


def half_stored() -> Library:
    """A changed file whose new content was stored when the power went."""
    library = changed_file()
    library.ingest()
    steps = library.fuse.journal.index("flush")
    library = changed_file()
    library.ingest_until(steps)
    assert len(library.stored()) > len(first_run_stored())
    return library


def first_run_stored() -> dict[str, object]:
    library = first_run()
    library.ingest()
    return dict(library.stored())


def test_what_another_machine_stores_of_the_same_content_is_not_taken_for_a_leftover() -> None:
    here, there = half_stored(), Library({C: paper("oats", sections=4)})
    there.index = here.index
    there.ingest()
    here.files.write(A, paper("rye"))
    here.ingest()
    assert here.sources() == {A: 3, B: 3, C: 4}


def test_an_intent_of_a_collection_that_is_gone_is_forgotten() -> None:
    library = half_stored()
    library.index.drop(PROJECT.collection)
    library.ingest()
    assert library.sources() == {A: 4, B: 3}
    assert library.manifest.intents(PROJECT.id) == []


def test_an_intent_of_a_rebuild_waits_for_it() -> None:
    library = first_run()
    library.ingest()
    rebuild = IngestRequest(rebuild=True)
    step = 0
    while not library.manifest.intents(PROJECT.id):
        library = first_run()
        library.ingest()
        assert library.ingest_until(step, rebuild)
        step += 1
    intents = library.manifest.intents(PROJECT.id)
    library.ingest()
    assert library.manifest.intents(PROJECT.id) == intents
    library.files.write(A, paper("rye"))
    assert library.ingest(rebuild).promoted
    assert library.manifest.intents(PROJECT.id) == []
    assert library.sources() == {A: 3, B: 3}


def test_what_a_cut_run_called_indexed_is_there() -> None:
    step = 0
    while (library := first_run()).ingest_until(step):
        done = [path for path, e in library.entries().items() if e.status.value == "indexed"]
        if done:
            assert library.sources().keys() >= set(done)
        step += 1
    assert step > 10
