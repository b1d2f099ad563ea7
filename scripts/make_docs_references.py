"""Write docs/references.json: the reference of each page that citeloom.toml names as a source.

With `--check` nothing is written; a file that no longer agrees with the pages fails.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import tomli

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "citeloom/clean-arch"
FILE = "docs/references.json"
TITLE = re.compile(r"# (.+)")
COPYRIGHT = re.compile(r"^Copyright \(c\) (?P<year>\d{4}) (?P<holder>.+)$", re.MULTILINE)


def sources(root: Path) -> Iterator[Path]:
    """The pages of the library, relative to `root`."""
    configured = tomli.loads((root / "citeloom.toml").read_text(encoding="utf-8"))
    for source in configured["project"][PROJECT]["sources"]:
        below = sorted((root / source).rglob("*.md"))
        yield from (page.relative_to(root) for page in below or [root / source])


def citekey(page: Path) -> str:
    """`adr19DeletionNeedsProof` for docs/adr/0019-deletion-needs-proof.md."""
    *folders, name = page.with_suffix("").parts
    decision = re.fullmatch(r"(\d+)-(.+)", name)
    if decision:
        return f"adr{int(decision[1])}{_camel(decision[2])}"
    return "citeloom" + "".join(_camel(part) for part in (*folders[1:], name))


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def reference(root: Path, page: Path) -> dict[str, object]:
    """The page as an item of CSL-JSON, by its title and the holder of the copyright."""
    title = TITLE.match((root / page).read_text(encoding="utf-8"))
    licence = COPYRIGHT.search((root / "LICENSE").read_text(encoding="utf-8"))
    if title is None or licence is None:
        raise SystemExit(f"{page} has no title in its first line, or LICENSE no holder")
    return {
        "id": citekey(page),
        "type": "document",
        "title": title[1],
        "author": [{"literal": licence["holder"]}],
        "issued": {"date-parts": [[int(licence["year"])]]},
        "language": "en",
        "file": page.as_posix(),
    }


def references(root: Path) -> str:
    """The text of docs/references.json, one reference a line."""
    items = [json.dumps(reference(root, page), ensure_ascii=False) for page in sources(root)]
    return "[\n" + ",\n".join(items) + "\n]\n"


def main(arguments: list[str]) -> int:
    text = references(ROOT)
    if arguments != ["--check"]:
        (ROOT / FILE).write_text(text, encoding="utf-8")
    elif not (ROOT / FILE).is_file() or (ROOT / FILE).read_text(encoding="utf-8") != text:
        print(f"{FILE} does not agree with the pages; `make docs` writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
