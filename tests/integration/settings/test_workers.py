"""How the machine is shared between the workers."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.settings import tables
from citeloom.infrastructure.settings.tables import ConversionTable

MEGABYTE = 1 << 20


def on_a_machine(patch: pytest.MonkeyPatch, *, processors: int, megabytes: int) -> None:
    patch.setattr(tables, "processors", lambda: processors)
    patch.setattr(tables, "machine_memory", lambda: megabytes)


@pytest.mark.parametrize(
    ("processors", "megabytes", "workers", "memory"),
    [
        (1, 1024, 1, 1536),
        (2, 24_000, 2, 4096),
        (4, 16_000, 4, 3200),
        (8, 8_000, 4, 1600),
        (64, 64_000, 33, 1551),
    ],
)
def test_unset_all_workers_together_fit_the_machine(
    monkeypatch: pytest.MonkeyPatch, processors: int, megabytes: int, workers: int, memory: int
) -> None:
    on_a_machine(monkeypatch, processors=processors, megabytes=megabytes)
    table = ConversionTable()
    assert (table.worker_count, table.worker_memory_bytes) == (workers, memory * MEGABYTE)


def test_either_may_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_machine(monkeypatch, processors=8, megabytes=10_000)
    few = ConversionTable(workers=2)
    assert (few.worker_count, few.worker_memory_bytes) == (2, 4000 * MEGABYTE)
    large = ConversionTable(worker_memory_mb=4000)
    assert (large.worker_count, large.worker_memory_bytes) == (2, 4000 * MEGABYTE)


def test_models_share_the_processors_but_have_no_more_threads_than_wished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_a_machine(monkeypatch, processors=8, megabytes=64_000)
    assert ConversionTable().threads_of_worker(8) == 1
    assert ConversionTable(workers=2).threads_of_worker(8) == 4
    assert ConversionTable(workers=2).threads_of_worker(1) == 1
    assert ConversionTable(workers=99).threads_of_worker(8) == 1


def test_the_machine_says_how_much_memory_it_has() -> None:
    assert tables.machine_memory() > 128
