"""Fail when a pinned package that is installed here may only be used under the GPL or AGPL.

A package under a choice of licences passes when one of them is neither. The lesser GPL passes,
since it asks nothing of those who merely import the package.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PINNED = re.compile(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;]+)", re.MULTILINE)
"""The name and the version of a package, whose extras may be between."""
COPYLEFT = re.compile(r"\bA?GPL|(?<!Lesser )General Public Licen[sc]e|Affero", re.IGNORECASE)


def pinned(requirements: str) -> list[str]:
    """The names of the packages that a requirements file pins."""
    return sorted({name for name, _ in PINNED.findall(requirements)})


def licence(package: Distribution) -> str:
    """What a package says of its licence, in the most exact of the places it may say it."""
    classifiers = [
        line.split(" :: ")[-1]
        for line in package.metadata.get_all("Classifier", [])
        if line.startswith("License :: ")
    ]
    return (
        first_line(package, "License-Expression")
        or " OR ".join(classifiers)
        or first_line(package, "License")
        or title_of_licence_file(package)
    )


def title_of_licence_file(package: Distribution) -> str:
    """The first line of the first licence file that comes with the package."""
    names = package.metadata.get_all("License-File", [])
    texts = (package.read_text(f"licenses/{name}") for name in names)
    return next((text.strip().splitlines()[0] for text in texts if text), "")


def first_line(package: Distribution, field: str) -> str:
    """The first line of a field of the package's metadata, empty where it has none."""
    lines = "\n".join(package.metadata.get_all(field, [])).strip().splitlines()
    return lines[0] if lines else ""


def is_copyleft(stated: str) -> bool:
    """Whether every licence offered is the GPL or AGPL."""
    offered = re.split(r"\bOR\b", stated)
    return all(COPYLEFT.search(one) for one in offered)


def findings(names: list[str]) -> Iterator[str]:
    """A sentence for each installed package that is copyleft or does not name its licence."""
    for name in names:
        try:
            stated = licence(distribution(name))
        except PackageNotFoundError:
            continue  # pinned for another platform or Python
        if not stated:
            yield f"{name} names no licence"
        elif is_copyleft(stated):
            yield f"{name} is under {stated}"


def main(arguments: list[str]) -> int:
    names = [name for path in arguments for name in pinned(Path(path).read_text(encoding="utf-8"))]
    found = list(findings(names))
    for finding in found:
        print(finding)
    print(f"{len(names)} pinned packages, {len(found)} findings")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
