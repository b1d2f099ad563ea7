"""An environment in which only the default installation can be imported: no extra, no tool."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.repository import ROOT, pyproject

_HIDING = """
import sys
from importlib.machinery import PathFinder


class DefaultInstallation(PathFinder):
    hidden = frozenset({hidden})

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname.partition(".")[0] in cls.hidden:
            return None
        return super().find_spec(fullname, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = DefaultInstallation
"""


def hide_others(site: Path) -> dict[str, str]:
    """Environment variables with which Python finds the modules of the default installation only,
    and no programs; `site` is a folder that they use.
    """
    hiding = _HIDING.format(hidden=sorted(hidden_modules()))
    (site / "sitecustomize.py").write_text(hiding, encoding="utf-8")
    return {"PYTHONPATH": str(site), "PATH": str(site)}


@cache
def hidden_modules() -> frozenset[str]:
    """The modules of every distribution here that citeloom does not require without extras."""
    weights = re.findall(r"^[\w-]+(?===)", (ROOT / "requirements/weights.txt").read_text(), re.M)
    kept = {"citeloom", *weights, *_required(pyproject()["project"]["dependencies"])}
    return frozenset(
        module
        for module, names in packages_distributions().items()
        if not {canonicalize_name(name) for name in names} & kept
    )


def _required(requirements: Iterable[str]) -> set[str]:
    """The names of the distributions that are required, and of those that they require."""
    pending, seen = [Requirement(text) for text in requirements], set[tuple[str, str]]()
    while pending:
        requirement = pending.pop()
        if requirement.marker and not requirement.marker.evaluate():
            continue
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras} - {of for known, of in seen if known == name}:
            seen.add((name, extra))
            for text in distribution(name).requires or ():
                below = Requirement(text)
                if below.marker is None or below.marker.evaluate({"extra": extra}):
                    below.marker = None
                    pending.append(below)
    return {name for name, _ in seen}
