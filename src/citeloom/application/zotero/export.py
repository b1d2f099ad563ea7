"""The references of Zotero for other programs, named by the citekeys that passages show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.application.zotero.browse import read_selected
from citeloom.application.zotero.snapshot import CitedItem, cited_in
from citeloom.domain.errors import NotFound, nearest_hint
from citeloom.domain.zotero.csl_item import csl_item
from citeloom.domain.zotero.items import (
    CITED_FIELDS,
    WORKS,
    ZoteroLibraryRef,
)
from citeloom.domain.zotero.selection import ZoteroSelection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceExport:
    """References as CSL items in the order of their citekeys, each citekey once.

    `repeated` are the citekeys of further items, which are left out.
    """

    items: tuple[dict[str, Any], ...]
    generated: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


def cited_items(zotero: ZoteroLibrary, selection: ZoteroSelection) -> list[CitedItem]:
    """The selected items with their citations and the fields that these are made of, by citekey.

    Raises what `read_selected` raises.
    """
    contents = read_selected(zotero, selection, replace(WORKS, fields=CITED_FIELDS))
    cited = [each for content in contents for each in cited_in(content, selection)[0]]
    return sorted(cited, key=lambda each: each.citation.citekey.casefold())


def citekeys_from(
    zotero: ZoteroLibrary, selection: ZoteroSelection, prefix: str = ""
) -> tuple[str, ...]:
    """The citekeys of the selected items, generated ones included, that begin with `prefix` in any
    case. Raises what `read_selected` raises.
    """
    names = dict.fromkeys(each.citation.citekey for each in cited_items(zotero, selection))
    return tuple(name for name in names if name.casefold().startswith(prefix.casefold()))


def export_references(
    zotero: ZoteroLibrary, selection: ZoteroSelection, citekeys: Sequence[str] = ()
) -> ReferenceExport:
    """The references of the selected items, or of those with the `citekeys`, aliases included.

    A reference that is asked for by an alias is named by it, so that the draft that has it
    compiles. Raises `NotFound` for a citekey that no item has.
    """
    by_name: dict[str, CitedItem] = {}
    repeated = [
        cited.citation.citekey
        for cited in cited_items(zotero, selection)
        if by_name.setdefault(cited.citation.citekey, cited) is not cited
    ]
    names = {citekey: citekey for citekey in by_name}
    if citekeys:
        aliases = {a: key for key, cited in by_name.items() for a in cited.citation.aliases}
        requested = dict.fromkeys(citekey.removeprefix("@") for citekey in citekeys)
        known = aliases | names
        for citekey in requested:
            if citekey not in known:
                hint = nearest_hint(citekey, known, "See `citeloom zotero citekeys`.")
                raise NotFound(f"no selected item of Zotero has the citekey '{citekey}'", hint)
        names = {citekey: known[citekey] for citekey in requested}
    chosen = {name: by_name[citekey] for name, citekey in names.items()}
    keys: dict[ZoteroLibraryRef, set[str]] = defaultdict(set)
    for cited in chosen.values():
        keys[cited.item.library].add(cited.item.key)
    whole = {
        (library, item.key): item
        for library, needed in keys.items()
        for item in zotero.read(library, replace(WORKS, items=frozenset(needed))).items
    }
    return ReferenceExport(
        items=tuple(
            csl_item(whole.get((c.item.library, c.item.key), c.item), c.citation) | {"id": name}
            for name, c in chosen.items()
        ),
        generated=tuple(name for name, c in chosen.items() if c.citation.citekey_generated),
        repeated=tuple(dict.fromkeys(repeated)),
    )
