"""Where the HTML of a document begins a block, and what its passages do there.

A break is *missing* where a block of the HTML ends and its text goes on in the same line of a
passage, and *false* where a block goes on in another line. Between a term and its description, two
cells of a row, and where the HTML breaks a line by hand either will do. Such a pair is *apart* if
the description does not follow its term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from benchmarks.page_twins.alignment import Lettered, Run
from benchmarks.page_twins.html_text import ANY_BREAK, BLOCK, PAIR

_LEAST = 4  # letters that are alike on both sides of a break


@dataclass(frozen=True, slots=True)
class Break:
    """What a passage does before a letter of its text: where a block begins, and where none does,
    or between a label and its text.
    """

    kind: str
    is_right: bool
    around: str


def breaks(
    ours: Lettered, html: Lettered, runs: Sequence[Run], starts: Set[int]
) -> Iterator[Break]:
    """Each place of a run where the HTML or a passage begins a line, but for the first letters of
    the passages (`starts`).
    """
    for run in runs:
        shift, end = run.there - run.here, run.here + run.length
        apart = {*ours.apart_in(run.here, end)}
        apart |= {n - shift for n in html.apart_in(run.there, run.there + run.length)}
        for n in sorted(apart & {*range(run.here + _LEAST, end - _LEAST)}):
            mine, other = "\n" in ours.between(n), html.between(n + shift)
            if ANY_BREAK in other or PAIR in other:
                continue
            if BLOCK in other:
                yield Break("block", mine, ours.around(n, n))
            elif n not in starts:
                yield Break("within", not mine, ours.around(n, n))
    yield from _pairs(html, runs)


def _pairs(html: Lettered, runs: Sequence[Run]) -> Iterator[Break]:
    ended = {run.there + run.length for run in runs}
    begun = {run.there for run in runs}
    within = {n for run in runs for n in html.apart_in(run.there, run.there + run.length)}
    for n in html.apart:
        if PAIR in html.between(n) and (n in within or n in ended or n in begun):
            yield Break("pair", n in within, html.around(n, n))
