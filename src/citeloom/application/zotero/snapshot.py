"""A snapshot of the documents of a Zotero selection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.application.zotero.browse import Browse
from citeloom.domain.citation import CitationMeta
from citeloom.domain.main_attachment import attachment_name, main_attachment
from citeloom.domain.zotero import LinkMode, ZoteroAttachment, ZoteroContent, ZoteroItem
from citeloom.domain.zotero_citation import citation_of
from citeloom.domain.zotero_selection import ZoteroSelection, chosen_collections, is_selected

_NO_DOCUMENT = (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroDocument:
    """An attached file with its item and citation; a standalone attachment has neither."""

    attachment: ZoteroAttachment
    item: ZoteroItem | None = None
    citation: CitationMeta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroSnapshot:
    """The selected documents by path, each path once, and what was left out.

    Documents with an item come before those without. Of attachments that share a file the first by
    library and key represents all; `sharing` has the others under the path. `missing` are documents
    whose file does not exist, `without_file` items that have none. `flaws` has a sentence for
    each fault of an item.
    """

    source: str
    warnings: tuple[str, ...] = ()
    documents: Mapping[Path, ZoteroDocument] = field(default_factory=dict)
    sharing: Mapping[Path, tuple[ZoteroDocument, ...]] = field(default_factory=dict)
    missing: tuple[ZoteroDocument, ...] = ()
    without_file: tuple[ZoteroItem, ...] = ()
    flaws: tuple[str, ...] = ()
    contents: tuple[ZoteroContent, ...] = ()


def take_snapshot(zotero: ZoteroLibrary, selection: ZoteroSelection) -> ZoteroSnapshot:
    """Read the selected libraries once.

    Raises `NotFound` for an unknown library or collection, and what `ZoteroLibrary` raises.
    """
    contents = Browse(lambda: zotero).contents(selection)
    by_path: dict[Path, list[ZoteroDocument]] = defaultdict(list)
    every: list[ZoteroDocument] = []
    missing: list[ZoteroDocument] = []
    bare: list[ZoteroItem] = []
    flaws: list[str] = []
    for content in contents:
        documents, items, found = _documents(content, selection)
        every += documents
        bare += items
        flaws += found
    for document in sorted(every, key=lambda one: one.item is None):
        path = document.attachment.path
        if path is not None and document.attachment.exists:
            by_path[path].append(document)
        else:
            missing.append(document)
    return ZoteroSnapshot(
        source=zotero.source,
        warnings=zotero.warnings,
        documents={path: documents[0] for path, documents in by_path.items()},
        sharing={path: tuple(others) for path, (_, *others) in by_path.items() if others},
        missing=tuple(missing),
        without_file=tuple(bare),
        flaws=tuple(flaws),
        contents=contents,
    )


def _documents(
    content: ZoteroContent, selection: ZoteroSelection
) -> tuple[list[ZoteroDocument], list[ZoteroItem], list[str]]:
    """A library's selected documents, the selected items without one, and the flaws."""
    chosen = chosen_collections(selection, content)
    collections = {collection.key: collection for collection in content.collections}
    attached: dict[str | None, list[ZoteroAttachment]] = defaultdict(list)
    for attachment in content.attachments:
        if attachment.link_mode not in _NO_DOCUMENT:
            attached[attachment.parent].append(attachment)
    documents = [
        ZoteroDocument(attachment=attachment)
        for attachment in attached[None]
        if is_selected(selection, chosen, attachment.tags, attachment.collections)
    ]
    bare, flaws = [], list(content.flaws)
    for item in content.items:
        if not is_selected(selection, chosen, item.tags, item.collections):
            continue
        citation, found = citation_of(item, collections)
        flaws += found
        if item.key not in attached:
            bare.append(item)
        documents += _of_item(item, citation, attached.get(item.key, ()))
    return documents, bare, flaws


def _of_item(
    item: ZoteroItem, citation: CitationMeta, attachments: Sequence[ZoteroAttachment]
) -> Iterator[ZoteroDocument]:
    """The documents of an item; only the main one has the printed pages of the reference."""
    main = main_attachment(item, attachments)
    for attachment in attachments:
        cited = replace(
            citation,
            pages=citation.pages if attachment is main else None,
            attachment=attachment_name(attachment, attachments),
        )
        yield ZoteroDocument(attachment=attachment, item=item, citation=cited)
