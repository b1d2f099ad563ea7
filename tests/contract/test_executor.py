"""What every `Executor` promises."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count

import pytest

from citeloom.application.ports.runtime import EmitEvent, Executor, Outcome, StageBegun, TaskEvent
from citeloom.domain.errors import CiteloomError, EmptyDocument, UnreadableDocument
from citeloom.infrastructure.conversion.workers.processes import (
    HereFirstExecutor,
    InlineExecutor,
    ProcessExecutor,
)


@dataclass(frozen=True)
class Sum:
    """Numbers to add; some are too much."""

    name: str
    numbers: tuple[int, ...] = ()
    seconds: float = 0.0


@dataclass
class Adder:
    """Adds, and counts how often it did."""

    added: int = 0


Sums = Outcome[Sum, int]


def add(task: Sum, adder: Adder, emit: EmitEvent) -> int:
    time.sleep(task.seconds)
    for number in task.numbers:
        emit(StageBegun("add", number))
    if not task.numbers:
        raise EmptyDocument(f"{task.name} holds nothing", "Add something.")
    adder.added += 1
    return sum(task.numbers) // (13 not in task.numbers)


def times(_task: Sum, adder: Adder, _emit: EmitEvent) -> int:
    return adder.added


def no_adder() -> Adder:
    raise ImportError("no module named adding")


def inline() -> Executor[Adder]:
    return InlineExecutor(Adder)


def processes() -> Executor[Adder]:
    return ProcessExecutor(Adder, workers=2)


def one_process() -> Executor[Adder]:
    return ProcessExecutor(Adder)


def here_first() -> Executor[Adder]:
    """Works on some of the tasks in this process, on the others in another."""
    adder = Adder()
    return HereFirstExecutor(
        lambda task: adder if task.name in {"slow", "empty", "a", "b", "0"} else None,
        ProcessExecutor(Adder),
    )


@pytest.fixture(params=[inline, one_process, processes, here_first])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor[Adder]]:
    make: Callable[[], Executor[Adder]] = request.param
    with closing(make()) as made:
        yield made


def outcomes(executor: Executor[Adder], tasks: Iterable[Sum]) -> list[Sums]:
    return [one for one in executor.run(add, tasks) if isinstance(one, Outcome)]


def sums(*numbers: int) -> list[Sum]:
    return [Sum(name=f"{number}", numbers=(number,)) for number in numbers]


def test_each_task_has_one_outcome_in_order_and_bad_ones_do_not_raise(
    executor: Executor[Adder],
) -> None:
    slow, empty, odd, last = Sum("slow", (1, 2), 0.3), Sum("empty"), Sum("odd", (13,)), *sums(4)
    tasks = [slow, empty, odd, last, slow]
    done = outcomes(executor, tasks)
    assert [one.task for one in done] == tasks
    assert [one.result for one in done] == [3, None, None, 4, 3]
    assert done[0].seconds >= 0.3
    empty_error, odd_error = done[1].error, done[2].error
    assert isinstance(empty_error, EmptyDocument)
    assert (empty_error.message, empty_error.hint) == ("empty holds nothing", "Add something.")
    assert isinstance(odd_error, UnreadableDocument)
    assert "ZeroDivisionError" in odd_error.message
    assert "report" in odd_error.hint


def test_what_a_task_tells_comes_before_its_outcome(executor: Executor[Adder]) -> None:
    tasks = [Sum("a", (1, 2), 0.1), Sum("b", (3, 4)), Sum("c", (13, 5))]
    seen: dict[str, list[object]] = {}
    for update in executor.run(add, tasks):
        what = update.event if isinstance(update, TaskEvent) else "done"
        seen.setdefault(update.task.name, []).append(what)
    assert seen == {
        task.name: [*(StageBegun("add", number) for number in task.numbers), "done"]
        for task in tasks
    }


def test_tasks_are_taken_as_they_are_needed_and_in_the_consumers_thread(
    executor: Executor[Adder],
) -> None:
    taken: list[int] = []
    threads: set[int] = set()

    def tasks() -> Iterator[Sum]:
        for number in range(50):
            taken.append(number)
            threads.add(threading.get_ident())
            yield Sum(name=f"{number}", numbers=(number,), seconds=0.02)

    with closing(executor.run(add, tasks())) as updates:
        while not isinstance(next(updates), Outcome):
            pass
        assert len(taken) < 25
    assert threads == {threading.get_ident()}


def test_tools_are_kept_from_run_to_run_until_they_are_let_go() -> None:
    for make in (inline, one_process):
        with closing(make()) as executor:
            assert len(outcomes(executor, sums(1, 2))) == 2
            assert [one.result for one in counted(executor)] == [2]
            executor.close()
            assert [one.result for one in counted(executor)] == [0]


def counted(executor: Executor[Adder]) -> list[Sums]:
    updates = executor.run(times, [Sum("how often")])
    return [one for one in updates if isinstance(one, Outcome)]


def test_closing_early_ends_it_and_another_run_may_follow(executor: Executor[Adder]) -> None:
    updates = executor.run(add, (replace(*sums(n), seconds=0.01) for n in count()))
    next(updates)
    updates.close()
    assert list(updates) == []
    assert [one.result for one in outcomes(executor, sums(4, 5))] == [4, 5]


def test_no_tasks_no_outcomes(executor: Executor[Adder]) -> None:
    assert list(executor.run(add, [])) == []


def test_it_may_be_closed_twice_and_before_it_was_used(executor: Executor[Adder]) -> None:
    executor.close()
    executor.close()
    assert [one.result for one in outcomes(executor, sums(4))] == [4]


def test_tasks_with_tools_here_start_no_process_and_follow_those_before_them() -> None:
    adder = Adder()
    here: dict[str, Adder] = {"1": adder, "2": adder, "4": adder}
    with closing(HereFirstExecutor(lambda t: here.get(t.name), ProcessExecutor(no_adder))) as first:
        assert [one.result for one in outcomes(first, sums(1, 2))] == [1, 2]
        with pytest.raises(CiteloomError, match="no module named"):
            outcomes(first, sums(2, 3, 4))
    assert adder.added == 3


@pytest.mark.parametrize("make", [InlineExecutor, ProcessExecutor])
def test_tools_that_cannot_be_built_are_no_fault_of_a_task(
    make: Callable[[Callable[[], Adder]], Executor[Adder]],
) -> None:
    with closing(make(no_adder)) as executor, pytest.raises(Exception, match="no module named"):
        list(executor.run(add, sums(1)))


def test_an_outcome_has_either_a_result_or_an_error() -> None:
    (task,) = sums(1)
    with pytest.raises(ValueError, match="either a result or an error"):
        Outcome(task=task)
    with pytest.raises(ValueError, match="either a result or an error"):
        Outcome(task=task, result=1, error=EmptyDocument("nothing"))
