"""How often a follow-up question finds the page that answers it.

python benchmarks/bench_follow_ups.py FOLDER QUESTIONS [--cases FILE] [--half chosen|other]

FOLDER holds an ingested library with the papers that QUESTIONS is about: questions with known
evidence as JSON Lines. Each case continues a conversation about the evidence of one of them; its
last question is asked as it stands, with what is carried over, and as a person wrote it out. The
method was chosen on the half of the cases whose hash is even. As changes of topic, the first
questions of the cases and QUESTIONS themselves are asked behind a question about something else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from citeloom import ProjectLibrary, open_library
from citeloom.application.collection import selection_of
from citeloom.application.retrieval.question import question_words
from citeloom.application.retrieval.search import search_in
from citeloom.domain.answers.session import carried_terms, is_follow_up, with_terms
from citeloom.domain.evaluation.significance import Rate
from citeloom.domain.retrieval.filters import Filters
from citeloom.domain.retrieval.words import WordCoverage

TOP = 5
CASES = Path(__file__).parent / "data" / "follow_ups.jsonl"


@dataclass(frozen=True)
class Case:
    """A conversation whose last question has its evidence on one of these pages of a work."""

    turns: tuple[str, ...]
    follow_up: str
    self_contained: str
    citekey: str
    pages: tuple[int, ...]
    language: str


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("questions", type=Path)
    options.add_argument("--cases", type=Path, default=CASES)
    options.add_argument("--half", choices=("chosen", "other"), default="other")
    asked = options.parse_args()
    known = {str(row["id"]): row for row in _rows(asked.questions)}
    chosen = asked.half == "chosen"
    cases = [one for one in map(_case(known), _rows(asked.cases)) if _is_even(one) is chosen]
    report_topics(cases, [str(row["question"]) for row in known.values()])
    with open_library(asked.folder) as library:
        report_pages(cases, library.project())


def report_topics(cases: list[Case], questions: list[str]) -> None:
    """How many follow-ups are taken for one, and how many changes of topic."""
    print("follow-ups noticed:", _told([is_follow_up(case.follow_up) for case in cases]))
    firsts = sorted({case.turns[0] for case in cases})
    print("first questions taken for follow-ups:", _told(list(map(is_follow_up, firsts))))
    half = [text for text in questions if _even(text) is _is_even(cases[0])]
    print("whole questions taken for follow-ups:", _told(list(map(is_follow_up, half))))


def report_pages(cases: list[Case], project: ProjectLibrary) -> None:
    """How often the page with the evidence is among the first five passages."""
    opened = project.opened
    selection = selection_of(opened, Filters())
    words = question_words(opened, search_in(opened, opened.bound_collection()))
    assert words is not None, "the project needs a sparse model"
    held: frozenset[int] = frozenset()
    ways: dict[str, Callable[[Case], str]] = {
        "as it stands": lambda case: case.follow_up,
        "carried over": lambda case: carried(
            case, lambda text: words(text, selection).wording([held])
        ),
        "written out": lambda case: case.self_contained,
    }
    for language in sorted({case.language for case in cases}):
        own = [case for case in cases if case.language == language]
        for name, way in ways.items():
            found = [is_found(project, way(case), case) for case in own]
            missed = [case.follow_up for case, hit in zip(own, found, strict=True) if not hit]
            print(language, name, _told(found), missed, flush=True)


def carried(case: Case, wording_of: Callable[[str], WordCoverage]) -> str:
    """The last question of a case with what is carried over from turn to turn."""
    first, *rest = (*case.turns, case.follow_up)
    asked = first
    for question in rest:
        before, asked = asked, question
        if is_follow_up(question):
            asked = with_terms(question, carried_terms(question, before, wording_of(before)))
    return asked


def is_found(project: ProjectLibrary, question: str, case: Case) -> bool:
    """Whether a page with the evidence is among the first passages."""
    for passage in project.query(question, top_k=TOP).passages:
        work, span = passage.stored.citation, passage.stored.chunk.page_span
        same = work is not None and work.citekey == case.citekey
        if same and span and any(span[0] <= page <= span[1] for page in case.pages):
            return True
    return False


def _case(known: dict[str, dict[str, object]]) -> Callable[[dict[str, object]], Case]:
    def made(row: dict[str, object]) -> Case:
        evidence = known[str(row["evidence"])]
        return Case(
            turns=tuple(map(str, _list(row["turns"]))),
            follow_up=str(row["follow_up"]),
            self_contained=str(row["self_contained"]),
            citekey=str(evidence["citekey"]),
            pages=tuple(int(str(page)) for page in _list(evidence["pages"])),
            language=str(row.get("language", "en")),
        )

    return made


def _list(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _is_even(case: Case) -> bool:
    return _even(case.follow_up)


def _even(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


def _told(found: list[bool]) -> str:
    rate = Rate(sum(found), len(found))
    interval = rate.interval
    return f"{rate.count} of {rate.of} ({rate.share:.3f} [{interval.low:.2f}, {interval.high:.2f}])"


if __name__ == "__main__":
    main()
