"""Fail when a layer's tests reach too few of its lines or branches.

usage: check_coverage.py COVERAGE.json PERCENT LAYER...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path


def share(files: Sequence[Mapping[str, int]], covered: str, of: str) -> float:
    """Percent covered in the files together; where nothing was measured, nothing is covered."""
    total = sum(file[of] for file in files)
    return 100.0 * sum(file[covered] for file in files) / total if total else 0.0


def summaries(report: Path, layer: str) -> list[Mapping[str, int]]:
    """Coverage's own summary of each file of a layer."""
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    part = f"citeloom/{layer}/"
    return [file["summary"] for path, file in files.items() if part in Path(path).as_posix()]


def main(arguments: list[str]) -> int:
    report, percent, *layers = arguments
    passed = True
    for layer in layers:
        files = summaries(Path(report), layer)
        lines = share(files, "covered_lines", "num_statements")
        branches = share(files, "covered_branches", "num_branches")
        passed = passed and min(lines, branches) >= float(percent)
        print(f"{layer}: {lines:.1f} % of lines, {branches:.1f} % of branches")
    if not passed:
        print(f"coverage is below {percent} %")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
