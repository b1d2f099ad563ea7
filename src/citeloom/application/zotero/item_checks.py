"""What is missing or wrong in Zotero itself."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from citeloom.application.zotero.diagnosis import Symptom
from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.zotero import ZoteroContent, ZoteroItem
from citeloom.domain.zotero_citation import citation_of

_RELATIVE = "attachments:"
_WITH_DOI = frozenset({"journalArticle", "conferencePaper", "preprint"})
_KEY = re.compile(r"\b[A-Z0-9]{8}\b")


def item_symptoms(snapshot: ZoteroSnapshot, items: Iterable[ZoteroItem]) -> Iterator[Symptom]:
    """The faults of the selected items and their files, independent of any project."""
    items = tuple(items)
    reasons = _flaws_by_key(snapshot.contents)
    symptoms = [_missing(document, reasons) for document in snapshot.missing]
    symptoms += _clashes(items, snapshot.contents)
    yield from symptoms
    yield from _contradictions(snapshot.contents, symptoms)
    for item in items:
        yield from _incomplete(item)
    for item in snapshot.without_file:
        yield Symptom.of("attachment", "no document is attached", item=item)
    for document in selected_documents(snapshot):
        if document.item is None:
            yield Symptom.of("item", "belongs to no item", attachment=document.attachment)


def selected_documents(snapshot: ZoteroSnapshot) -> Iterator[ZoteroDocument]:
    """Every selected document, missing ones included, each of those that share a file."""
    yield from snapshot.documents.values()
    for others in snapshot.sharing.values():
        yield from others
    yield from snapshot.missing


def _flaws_by_key(contents: Iterable[ZoteroContent]) -> dict[tuple[str, str], str]:
    """The reader's complaints by library and by each key they name."""
    return {
        (content.library.path, key): flaw
        for content in contents
        for flaw in content.flaws
        for key in _KEY.findall(flaw)
    }


def _missing(document: ZoteroDocument, reasons: Mapping[tuple[str, str], str]) -> Symptom:
    attachment = document.attachment
    reason = (
        f"no file at {attachment.path.as_posix()}"
        if attachment.path
        else reasons.get(
            (attachment.library.path, attachment.key),
            f"cannot be located on this machine: {attachment.stored_path or attachment.title}",
        )
    )
    relative = attachment.path is None and attachment.stored_path.startswith(_RELATIVE)
    check = "base-dir" if relative else "file"
    return Symptom.of(check, reason, item=document.item, attachment=attachment)


def _clashes(items: Iterable[ZoteroItem], contents: Iterable[ZoteroContent]) -> Iterator[Symptom]:
    using: dict[str, list[ZoteroItem]] = defaultdict(list)
    for content in contents:
        for item in content.items:
            using[item.citekey].append(item)
    for item in items:
        others = [other for other in using[item.citekey] if other is not item]
        if item.citekey and others:
            places = ", ".join(f"{one.key} ({one.library.path})" for one in others)
            yield Symptom.of("citekey-clash", f"has the citekey of {places}, too", item=item)


def _contradictions(
    contents: Iterable[ZoteroContent], symptoms: Iterable[Symptom]
) -> Iterator[Symptom]:
    """The reader's complaints about items and attachments that have no symptom yet."""
    known = {(one.library, key) for one in symptoms for key in (one.item_key, one.attachment_key)}
    for content in contents:
        library = content.library.path
        for flaw in content.flaws:
            if not any((library, key) in known for key in _KEY.findall(flaw)):
                yield Symptom(check="reading", message=flaw, library=library)


def _incomplete(item: ZoteroItem) -> Iterator[Symptom]:
    citation, _ = citation_of(item, {})
    if not item.citekey:
        yield Symptom.of("citekey", f"no citekey; is cited as {citation.citekey}", item=item)
    if not citation.title:
        yield Symptom.of("title", "no title", item=item)
    if not citation.authors:
        yield Symptom.of("creator", "no creator", item=item)
    if citation.year is None:
        typed = item.fields.get("date", "")
        yield Symptom.of("year", f"no year in {typed!r}" if typed else "no date", item=item)
    if not citation.doi and item.item_type in _WITH_DOI:
        yield Symptom.of("doi", "no DOI", item=item)
