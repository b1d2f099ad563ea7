"""The views that are drawn: evaluation runs side by side, and the map of the works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from citeloom.application.evaluate.saved_runs import SavedRun
from citeloom.application.retrieval.work_map import MappedWork
from citeloom.domain.evaluation.comparison import (
    ModeComparison,
    QuestionChange,
    RunComparison,
)
from citeloom.domain.evaluation.measures import Summary
from citeloom.domain.policies import Mode
from citeloom.infrastructure.interfaces.http.served_library import VALIDATION_SECONDS
from citeloom.infrastructure.interfaces.web.views import Visiting, view

router = APIRouter()
FileName = Annotated[str, Query(max_length=300)]

# Evaluation runs.

_DRAWN_RUNS = 6
_EXAMPLES = 5


@router.get("/evaluation")
@view("evaluation.html", reading=True)
def evaluation(
    visit: Visiting, mode: Mode | None = None, before: FileName = "", after: FileName = ""
) -> Mapping[str, object]:
    """The saved runs in a mode, and the comparison of two of them."""
    saved = visit.project.saved_runs()
    modes = [each for each in Mode if any(_summary(run, each) for run in saved.runs)]
    chosen = mode if mode in modes else Mode.HYBRID if Mode.HYBRID in modes else (*modes, None)[0]
    shown = [(run, summary) for run in saved.runs if (summary := _summary(run, chosen))]
    comparison = visit.project.compare_runs(before, after) if before and after else None
    return {
        "saved": saved,
        "modes": modes,
        "mode": chosen,
        "shown": shown,
        "measures": list(dict.fromkeys(name for _, summary in shown for name in summary.means)),
        "drawn": shown[:_DRAWN_RUNS],
        "before": before,
        "after": after,
        "comparison": comparison,
        "compared": _compared(comparison, chosen) if comparison else None,
    }


def _summary(saved: SavedRun, mode: Mode | None) -> Summary | None:
    return next((result.overall for result in saved.run.modes if result.mode is mode), None)


def _compared(
    comparison: RunComparison, mode: Mode | None
) -> tuple[ModeComparison, list[QuestionChange]]:
    """The comparison in a mode, or the first that both runs have, with the questions that gained
    and that lost most in its first measure.
    """
    compared = next((each for each in comparison.modes if each.mode is mode), comparison.modes[0])
    changes = compared.differences[0].changes
    gains = [change for change in changes if change.after > change.before]
    losses = [change for change in reversed(changes) if change.after < change.before]
    return compared, [*gains[:_EXAMPLES], *losses[:_EXAMPLES]]


# The map.

_MOST_WORKS = 2_000
_GROUPS = 6
_OTHER, _NONE = _GROUPS + 1, _GROUPS + 2
_HEIGHT = 75.0
"""Of the picture, where its width is 100."""
_MARGIN = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedWork:
    """A work on the picture: where it is, in percent from the left and the top."""

    doc_id: str
    title: str
    year: int | None
    left: float
    top: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkGroup:
    """Works that have one colour and one sign; without a name those of other groups, or of none."""

    sign: int
    name: str
    works: tuple[PlacedWork, ...]

    @property
    def is_rest(self) -> bool:
        return self.sign == _OTHER


@router.get("/map")
@view("map.html", seconds=lambda _: VALIDATION_SECONDS, reading=True)
def work_map(
    visit: Visiting, by: Literal["year", "collection"] | None = None
) -> Mapping[str, object]:
    """The works of the project by the similarity of their texts."""
    found = visit.project.work_map()
    works = found.works[:_MOST_WORKS]
    has_collections = any(work.document.collections for work in works)
    by = by or ("collection" if has_collections else "year")
    signs, names = by_collection(works) if by == "collection" else by_year(works)
    placed = _placed(works)
    groups = [
        WorkGroup(
            sign=sign,
            name=names.get(sign, ""),
            works=tuple(work for work, each in zip(placed, signs) if each == sign),
        )
        for sign in sorted(set(signs))
    ]
    return {
        "groups": groups,
        "by": by,
        "has_collections": has_collections,
        "shown": len(works),
        "total": len(found.works),
        "without": [(each.doc_id, _title(each.title, each.path)) for each in found.without_vectors],
    }


def _title(title: str, path: str) -> str:
    return title or PurePath(path).name


def _placed(works: Sequence[MappedWork]) -> list[PlacedWork]:
    """The works on the picture: both axes have one scale, and everything is within the margins."""
    horizontal, vertical = _extent(work.x for work in works), _extent(work.y for work in works)
    room = ((100 - 2 * _MARGIN, horizontal[1]), (_HEIGHT - 2 * _MARGIN, vertical[1]))
    scale = min((space / extent for space, extent in room if extent), default=1.0)
    return [
        PlacedWork(
            doc_id=work.document.doc_id,
            title=_title(work.document.title, work.document.path),
            year=work.document.year,
            left=round(50 + (work.x - horizontal[0]) * scale, 2),
            top=round(50 - (work.y - vertical[0]) * scale * 100 / _HEIGHT, 2),
        )
        for work in works
    ]


def _extent(values: Iterable[float]) -> tuple[float, float]:
    """The middle between the least and the greatest value, and the distance of these."""
    known = list(values) or [0.0]
    return (min(known) + max(known)) / 2, max(known) - min(known)


def by_year(works: Sequence[MappedWork]) -> tuple[list[int], dict[int, str]]:
    """The group of each work, and the names of the groups: spans of years with about as many works
    each.
    """
    known = sorted(work.document.year for work in works if work.document.year is not None)
    group_of: dict[int, int] = {}
    for place, each in enumerate(known):
        group_of.setdefault(each, 1 + place * _GROUPS // len(known))
    spans: dict[int, list[int]] = {}
    for each, sign in group_of.items():
        spans.setdefault(sign, []).append(each)
    names = {
        sign: "\N{EN DASH}".join(map(str, dict.fromkeys((span[0], span[-1]))))
        for sign, span in spans.items()
    }
    years = [work.document.year for work in works]
    return [_NONE if year is None else group_of[year] for year in years], names


def by_collection(works: Sequence[MappedWork]) -> tuple[list[int], dict[int, str]]:
    """Likewise: the collections with most works. A work of several is of the largest of them."""
    counts = Counter(name for work in works for name in set(work.document.collections))
    largest = sorted(counts, key=lambda name: (-counts[name], name))[:_GROUPS]
    names = dict(enumerate(largest, start=1))

    def sign(work: MappedWork) -> int:
        own = work.document.collections
        rest = _OTHER if own else _NONE
        return next((number for number, name in names.items() if name in own), rest)

    return [sign(work) for work in works], names
