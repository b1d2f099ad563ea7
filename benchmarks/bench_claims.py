"""How often the check of written sentences errs, on claims made for the purpose.

`python -m benchmarks.bench_claims [FILE]`: a line of FILE is one of `citeloom eval claims` with
`held_back`, which is false where rules may be decided on the claim; its quotes are their own
passages. Instead of quotes it may have a `source`: `document`, `page`, and the words `first` to
`end` of that page, in a folder of PDFs that `CITELOOM_CORPUS` names.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.domain.answers.answer import Agreement
from citeloom.domain.answers.claim_check import check_claim

QUESTIONS = Path(__file__).parent / "questions"
CLAIMS = QUESTIONS / "claims.jsonl"
FRESH = QUESTIONS / "fresh_claims.jsonl"


def main() -> None:
    """Print how many claims of each kind agree and are shown, those held back first."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else CLAIMS
    counts: Counter[tuple[bool, str, bool, Agreement | None]] = Counter()
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        agreement = check_claim(row["claim"], quotes_of(row)).agreement
        for kind in (row["kind"], "all"):
            counts[row["supported"], kind, row["held_back"], agreement] += 1
    print(
        "| claims | agree, held back | shown | agree, decided on | shown |\n|---|---|---|---|---|"
    )
    for supported, kind in sorted({key[:2] for key in counts}, key=lambda key: (not key[0], key)):
        cells = []
        for held_back in (True, False):
            agree, compare, contradict = (
                counts[supported, kind, held_back, agreement] for agreement in Agreement
            )
            of = agree + compare + contradict
            cells += [_cell(agree, of), _cell(agree + compare, of)]
        print(f"| {'true' if supported else 'false'}: {kind} | {' | '.join(cells)} |")


def quotes_of(row: Mapping[str, Any]) -> Sequence[str]:
    """The quotes of a claim, those of a `source` read from its page."""
    if "source" not in row:
        return list(row["quotes"])
    import pypdfium2  # noqa: PLC0415 - only for claims whose quotes are in a corpus

    source = row["source"]
    path = Path(os.environ["CITELOOM_CORPUS"]) / "corpus" / "library" / source["document"]
    page = pypdfium2.PdfDocument(path)[source["page"] - 1].get_textpage().get_text_range()
    words = page.replace("\ufffe", "").replace("\x02", "").split()
    return [" ".join(words[source["first"] : source["end"]])]


def _cell(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.0%})" if of else "-"


if __name__ == "__main__":
    main()
