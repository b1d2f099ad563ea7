"""How often the check of drafts errs, by verdict and format, and what it costs.

`CITELOOM_CORPUS=… python -m benchmarks.bench_manuscript LIBRARY [FOLDER]`: LIBRARY is a folder with
a citeloom.toml whose project has ingested the corpus; drafts are written to FOLDER. Rules may be
decided on the first half of the works; the second half is what is reported.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.made_drafts import Made, made_quotations, write_drafts

import citeloom
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict

VERDICTS = [verdict.value for verdict in CitationVerdict]


def main() -> None:
    """Make the drafts, check them, and print the figures as Markdown."""
    corpus = Path(os.environ["CITELOOM_CORPUS"])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp())
    library = corpus / "corpus" / "library"
    foreign = list(foreign_sentences(corpus / "ir" / "cranfield"))
    made = made_quotations(library, foreign, seed=int(os.environ.get("SEED", "7")))
    references = json.loads((library / "references.csl.json").read_text(encoding="utf-8"))
    paths = write_drafts(folder, made, references)
    print(f"{len(made)} quotations, {len({one.citekey for one in made})} works\n")
    with citeloom.open_library(sys.argv[1]) as opened:
        project = opened.project()
        for path in paths:
            started = time.process_time()
            [report] = project.check_drafts(path)
            print(f"## {path.name}: {time.process_time() - started:.1f} s of processor time\n")
            pairs = list(paired(made, report.checks))
            for half, name in ((1, "reported"), (0, "decided on")):
                print_verdicts(name, [pair for pair in pairs if pair[0].half == half])
            print_errors(pairs)


def foreign_sentences(collection: Path) -> Iterator[str]:
    """Sentences of no work of the library."""
    with (collection / "corpus.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            for sentence in row["text"].split(" . ")[1:3]:
                if 12 <= len(sentence.split()) <= 35:
                    yield sentence[0].upper() + sentence[1:].strip(" .") + "."


def paired(
    made: Sequence[Made], checks: Sequence[CitationCheck]
) -> Iterator[tuple[Made, CitationCheck | None]]:
    """Each quotation with its check; None where it was not seen."""
    by_start: dict[str, list[CitationCheck]] = {}
    for check in checks:
        if check.quote is not None:
            by_start.setdefault(letters(check.quote), []).append(check)
    for one in made:
        its = by_start.get(letters(one.text), [])
        fits = [check for check in its if check.citekey == one.citekey]
        same = [check for check in fits if check.page == one.page]
        yield one, next(iter(same or fits or its), None)


def _said(check: CitationCheck | None) -> str:
    if check is None:
        return "not seen"
    found = f"p. {check.found.pages} {check.found.text!r}" if check.found else ""
    changes = "; ".join(f"{one.quote} / {one.work}" for one in check.difference)
    return f"{check.verdict.value} {check.reason} {check.share} {found} {changes}"


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def print_verdicts(name: str, pairs: Sequence[tuple[Made, CitationCheck | None]]) -> None:
    """Precision and recall of each verdict."""
    given = Counter(check.verdict.value for _, check in pairs if check)
    right = Counter(one.verdict for one, check in pairs if check and check.verdict == one.verdict)
    wanted = Counter(one.verdict for one, _ in pairs)
    missed = sum(check is None for _, check in pairs)
    print(f"{name}: {len(pairs)} quotations, {missed} not seen\n")
    print("| verdict | precision | recall |\n|---|---|---|")
    for verdict in VERDICTS:
        if wanted[verdict] or given[verdict]:
            print(
                f"| {verdict} | {share(right[verdict], given[verdict])} "
                f"| {share(right[verdict], wanted[verdict])} |"
            )
    altered = [(one, check) for one, check in pairs if one.remark and check]
    named = sum(one.remark in check.remarks for one, check in altered)
    exact = sum(check.verdict == CitationVerdict.EXACT for _, check in altered)
    print(
        f"\naltered numbers and negations: {len(altered)}, called exact {exact}, "
        f"named {share(named, len(altered))}\n"
    )


def share(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.1%})" if of else "-"


def print_errors(pairs: Sequence[tuple[Made, CitationCheck | None]]) -> None:
    """Each kind with its errors; of the half to decide on, the errors themselves."""
    kinds = Counter(one.kind for one, _ in pairs)
    wrong = [(one, check) for one, check in pairs if not check or check.verdict != one.verdict]
    errors = Counter(one.kind for one, _ in wrong)
    print("errors: " + ", ".join(f"{kind} {errors[kind]}/{kinds[kind]}" for kind in kinds) + "\n")
    for one, check in wrong:
        if one.half == 0 and "-v" in sys.argv:
            print(f"- {one.kind}, {one.context}: {one.text!r} [@{one.citekey}, p. {one.page}]")
            print(f"  {_said(check)}")


if __name__ == "__main__":
    main()
