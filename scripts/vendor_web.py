"""Bring the JavaScript that the reading room and its tests carry, each file with its licence.

    python scripts/vendor_web.py            # writes the files (needs npm)
    python scripts/vendor_web.py --check    # says which files are not those that were brought

A new version is a new line in `PACKAGES`; `npm view NAME dist.integrity` gives its digest.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "src/citeloom/infrastructure/interfaces/web/static/vendor"
TESTS = ROOT / "tests/browser/vendor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package of npm, and which files of it lie in which folder."""

    name: str
    version: str
    licence: str
    sha512: str
    """Of its archive, in Base64, as npm states it."""
    files: dict[str, str]
    """Where a file lies in the package, by the name that it has here."""
    folder: Path
    purpose: str


PACKAGES = (
    Package(
        name="htmx.org",
        version="4.0.1",
        licence="0BSD",
        sha512=(
            "oF7JgXhDW9UXCy/k1ZYFUQgzu/rm19ORWPSPNL91vPluB2PB9+MV55tyQdH/w7o2EAbTYUG5SDW1R60mdkdqGg=="
        ),
        files={"htmx.min.js": "dist/htmx.min.js", "htmx.LICENSE": "LICENSE"},
        folder=ROOM,
        purpose="loads parts of pages without a reload",
    ),
    Package(
        name="axe-core",
        version="4.14.1",
        licence="MPL-2.0",
        sha512=(
            "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
        ),
        files={
            "axe.min.js": "axe.min.js",
            "axe.LICENSE": "LICENSE",
            "axe.LICENSE-3RD-PARTY": "LICENSE-3RD-PARTY.txt",
        },
        folder=TESTS,
        purpose="finds in the tests what keeps people from using a page; in no distribution",
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    if not parser.parse_args().check:
        for package in PACKAGES:
            bring(package)
        for folder, text in lists(PACKAGES).items():
            (folder / "README.md").write_text(text, encoding="utf-8")
    faults = list(findings(PACKAGES))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def bring(package: Package) -> None:
    """Write a package's files. Raises `ValueError` where its archive is not the one it was."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = f"{package.name}@{package.version}"
        command = ["npm", "pack", "--silent", "--ignore-scripts", wanted]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (archive,) = Path(folder).iterdir()
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if digest != package.sha512:
            raise ValueError(f"the archive of {wanted} has another SHA-512: {digest}")
        package.folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as members:
            for name, path in package.files.items():
                member = members.extractfile(f"package/{path}")
                assert member is not None
                (package.folder / name).write_bytes(member.read())


def lists(packages: tuple[Package, ...]) -> dict[Path, str]:
    """What stands in the README of each folder: its packages, its files and their digests."""
    return {
        folder: _list([one for one in packages if one.folder == folder], folder)
        for folder in {package.folder for package in packages}
    }


def _list(packages: list[Package], folder: Path) -> str:
    lines = [
        "# Files of others",
        "",
        "Written by `scripts/vendor_web.py`; `--check` compares.",
        "",
        "| package | version | licence | what for |",
        "|---|---|---|---|",
        *(f"| {one.name} | {one.version} | {one.licence} | {one.purpose} |" for one in packages),
        "",
        "| file | SHA-512 |",
        "|---|---|",
        *(f"| `{name}` | `{_hex(folder / name)}` |" for one in packages for name in one.files),
    ]
    return "\n".join(lines) + "\n"


def _hex(path: Path) -> str:
    return hashlib.sha512(path.read_bytes()).hexdigest()


def findings(packages: tuple[Package, ...]) -> Iterator[str]:
    """A sentence for each file that is missing, that nobody brought, or that was changed."""
    for folder in {package.folder for package in packages}:
        brought = {name for one in packages if one.folder == folder for name in one.files}
        present = {path.name for path in folder.glob("*")} - {"README.md"}
        for name in sorted(brought - present):
            yield f"{folder.relative_to(ROOT)}/{name} is missing"
        for name in sorted(present - brought):
            yield f"{folder.relative_to(ROOT)}/{name} is of no package"
        if brought <= present:
            stated = (folder / "README.md").read_text(encoding="utf-8")
            if stated != lists(packages)[folder]:
                yield f"{folder.relative_to(ROOT)}/README.md states other files than there are"


if __name__ == "__main__":
    sys.exit(main())
