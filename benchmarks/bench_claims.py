"""How often the check of written sentences errs, on claims made for the purpose.

`python -m benchmarks.bench_claims [FILE] [--rules]`: a line of FILE is one of `citeloom eval
claims` with `held_back`, which is false where rules may be decided on the claim. No project is
needed: the quotes are their own passages. Words that these lack are judged by the default model,
with `--rules` by the rules alone.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from citeloom.domain.answers.claim_check import check_claim
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.minilm import INT8_ID

CLAIMS = Path(__file__).parent / "questions" / "claims.jsonl"


def main() -> None:
    """Print how many claims of each kind are shown, those held back first."""
    files = [Path(each) for each in sys.argv[1:] if each != "--rules"]
    path = files[0] if files else CLAIMS
    embed = None if "--rules" in sys.argv else FastEmbedDense(INT8_ID).embed_passages
    counted: Counter[tuple[bool, str, bool]] = Counter()
    shown: Counter[tuple[bool, str, bool]] = Counter()
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        passes = not check_claim(row["claim"], row["quotes"], (), embed)
        for kind in (row["kind"], "all"):
            key = (row["supported"], kind, row["held_back"])
            counted[key] += 1
            shown[key] += passes
    print("| claims | shown, held back | shown, decided on |\n|---|---|---|")
    for supported, kind in sorted({key[:2] for key in counted}, key=lambda key: (not key[0], key)):
        keys = [(supported, kind, held_back) for held_back in (True, False)]
        cells = " | ".join(_cell(shown[key], counted[key]) for key in keys)
        print(f"| {'true' if supported else 'false'}: {kind} | {cells} |")


def _cell(count: int, of: int) -> str:
    return f"{count} of {of} ({count / of:.0%})" if of else "-"


if __name__ == "__main__":
    main()
