"""Genuine Zotero data directories of each schema, and what a reader finds of what is in them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.zotero.items import (
    LinkMode,
    ZoteroAnnotation,
    ZoteroAttachment,
    ZoteroContent,
    ZoteroItem,
)

SCHEMAS = (120, 123, 125, 129)
_SOURCES = {"better-bibtex.sqlite": "better-bibtex"}
_USER = 1
_NO_FILE = (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of the facts there are were found, and whether anything else was."""

    found: int
    facts: int
    other: int

    @property
    def complete(self) -> bool:
        """Whether what was found is just what there is."""
        return self.found == self.facts and self.facts > 0 and not self.other

    def __str__(self) -> str:
        return f"{self.found}/{self.facts}" + (f" +{self.other}" if self.other else "")


def built(corpus: Path, folder: Path, *, schema: int, wal: bool) -> Path:
    """A data directory made out of the corpus by its own tool; linked files lie beside it."""
    tool, out = corpus / "tools/make_zotero_library.py", folder / "zotero"
    command = [sys.executable, str(tool), "--library", str(corpus / "corpus/library")]
    command += ["--out", str(out), "--schema", str(schema), *(["--wal"] if wal else [])]
    subprocess.run(command, check=True, capture_output=True)
    return out


def agreements(zotero: ZoteroLibrary, data_dir: Path) -> dict[str, Agreement]:
    """How far a reader's findings agree with `truth.json`, fact by fact, by kind of fact."""
    truth = json.loads((data_dir / "truth.json").read_text(encoding="utf-8"))
    contents = [zotero.read(library) for library in zotero.libraries()]
    expected = Counter(_true_facts(truth, data_dir.resolve().parent))
    found = Counter(fact for content in contents for fact in _found_facts(content))
    kinds = dict.fromkeys(kind for kind, _ in (*expected, *found))
    return {
        kind: Agreement(
            found=_of(kind, expected & found),
            facts=_of(kind, expected),
            other=_of(kind, found - expected),
        )
        for kind in kinds
    }


Fact = tuple[str, tuple[Any, ...]]


def _of(kind: str, facts: Counter[Fact]) -> int:
    return sum(count for (of, _), count in facts.items() if of == kind)


def _true_facts(truth: Mapping[str, Any], root: Path) -> Iterator[Fact]:
    wal = truth.get("wal", {})
    living = {
        item["citekey"]: item
        for item in truth["items"]
        if item["citekey"] not in truth["trashed"]
        and item["item_key"] != wal.get("trashed_item_key")
    }
    for citekey, item in living.items():
        yield from _true_item(citekey, item, wal, root)
        for attachment in item["attachments"]:
            where = attachment["key"], _link_mode(attachment["mode"]), root / attachment["path"]
            yield "attachments", (item["item_key"], *where)
            if citekey in truth["missing_files"]:
                yield "missing files", (attachment["key"],)
    for mark in truth["annotations"]:
        if mark["citekey"] in living:
            said = (mark[name] for name in ("key", "page", "text", "comment", "color"))
            yield "annotations", (mark["citekey"], *said, *mark["tags"])
    for note in truth["notes"]:
        if note["citekey"] in living:
            yield "notes", (note["citekey"], note["key"])
    yield "standalone", (truth["standalone_attachment"],)


def _true_item(
    citekey: str, item: Mapping[str, Any], wal: Mapping[str, Any], root: Path
) -> Iterator[Fact]:
    key = item["item_key"]
    paths = [tuple(item["collection"])]
    if key == wal.get("member_item_key"):
        paths.append((wal["collection"],))
    yield "items", (key, item["library"] == _USER)
    yield "citekeys", (key, citekey, _SOURCES.get(item["citekey_in"], item["citekey_in"]))
    yield from (("collections", (key, path)) for path in paths)
    yield from (("tags", (key, tag, tag == "_auto")) for tag in item["tags"])
    yield "language", (key, item["language"] or "")
    yield "DOI", (key, item["doi"] or "")


def _link_mode(mode: int | str) -> int:
    return LinkMode.LINKED_FILE.value if mode == "base" else int(mode)


def _found_facts(content: ZoteroContent) -> Iterator[Fact]:
    citekeys = {item.key: item.citekey for item in content.items}
    paths = {collection.key: collection.path for collection in content.collections}
    files = [one for one in content.attachments if one.link_mode not in _NO_FILE]
    parents = {attachment.key: citekeys.get(attachment.parent or "") for attachment in files}
    for item in content.items:
        yield from _found_item(item, paths)
    yield from _found_files(files)
    for mark in content.annotations:
        yield "annotations", (parents[mark.attachment], *_mark(mark))
    yield from (("notes", (citekeys[note.parent or ""], note.key)) for note in content.notes)


def _found_item(item: ZoteroItem, paths: Mapping[str, tuple[str, ...]]) -> Iterator[Fact]:
    yield "items", (item.key, item.library.group_id == 0)
    yield "citekeys", (item.key, item.citekey, item.citekey_source.value)
    yield from (("collections", (item.key, paths[key])) for key in item.collections)
    yield from (("tags", (item.key, tag.name, tag.automatic)) for tag in item.tags)
    yield "language", (item.key, item.fields.get("language", ""))
    yield "DOI", (item.key, item.fields.get("DOI", ""))


def _found_files(files: Iterable[ZoteroAttachment]) -> Iterator[Fact]:
    for file in files:
        if file.parent is None:
            yield "standalone", (file.key,)
            continue
        yield "attachments", (file.parent, file.key, file.link_mode.value, file.path)
        if not file.exists:
            yield "missing files", (file.key,)


def _mark(mark: ZoteroAnnotation) -> tuple[Any, ...]:
    page = None if mark.page_index is None else mark.page_index + 1
    tags = (tag.name for tag in mark.tags)
    return mark.key, page, mark.text, mark.comment, mark.color, *tags
