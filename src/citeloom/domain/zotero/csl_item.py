"""Zotero's items as CSL items, which every style and every exporter of references reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from citeloom.domain.references.bibliography import names_in
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.item_types import ITEM_TYPES
from citeloom.domain.zotero.items import Creator, ZoteroItem, leading_creators, primary_roles

GENERATED = "citekey-generated"
"""The keyword of references whose citekey Zotero does not know."""

_FIELDS: Mapping[str, str] = {
    "title-short": "shortTitle",
    "container-title-short": "journalAbbreviation",
    "collection-title": "series seriesTitle",
    "collection-number": "seriesNumber",
    "publisher": "publisher university institution company label network studio distributor",
    "publisher-place": "place",
    "volume": "volume codeVolume reporterVolume",
    "issue": "issue priorityNumbers",
    "edition": "edition",
    "number": "number reportNumber patentNumber billNumber publicLawNumber docketNumber archiveID",
    "number-of-pages": "numPages",
    "number-of-volumes": "numberOfVolumes",
    "version": "versionNumber",
    "genre": "thesisType reportType type manuscriptType letterType mapType presentationType",
    "medium": "medium artworkMedium audioRecordingFormat videoRecordingFormat",
    "event-title": "conferenceName meetingName",
    "authority": "court legislativeBody issuingAuthority committee repository",
    "archive": "archive",
    "archive_location": "archiveLocation",
    "call-number": "callNumber",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "abstract": "abstractNote",
}
"""CSL's variables beside those of `TEXT_FIELDS`, and the fields of Zotero, the first of which that
has a text counts.
"""
_ROLES: Mapping[str, str] = {
    "editor": "editor",
    "translator": "translator",
    "seriesEditor": "collection-editor",
    "bookAuthor": "container-author",
    "director": "director",
    "interviewer": "interviewer",
    "recipient": "recipient",
    "reviewedAuthor": "reviewed-author",
    "composer": "composer",
    "contributor": "contributor",
    "producer": "producer",
    "scriptwriter": "script-writer",
    "castMember": "performer",
    "performer": "performer",
    "guest": "guest",
}
"""CSL's variables of creators who do not lead; it has none for others, such as attorneys."""
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ISO = re.compile(r"(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?!\d)")
_NAMED = re.compile(
    rf"(?:(\d{{1,2}})\.?\s+)?\b({'|'.join(_MONTHS)})[a-z]*\.?\s+(?:(\d{{1,2}}),?\s+)?\d{{4}}"
)


def csl_item(item: ZoteroItem, citation: CitationMeta) -> dict[str, Any]:
    """The item named by its citekey, with all that CSL has a variable for."""
    names = ITEM_TYPES.get(item.item_type)
    texts = {
        names_in("csl", field)[0]: item.first(*names_in("zotero", field))
        for field in ("title", "doi", "url", "pages", "language", "container")
    }
    texts |= {variable: item.first(*fields.split()) for variable, fields in _FIELDS.items()}
    people: dict[str, list[dict[str, str]]] = {}
    leading = leading_creators(item)
    for creator in item.creators:
        is_author = creator in leading and creator.role in primary_roles(item.item_type)
        if role := "author" if is_author else _ROLES.get(creator.role):
            people.setdefault(role, []).append(_name(creator))
    written: dict[str, Any] = {
        "id": citation.citekey,
        "type": names.csl if names else "document",
        **{variable: text for variable, text in texts.items() if text},
        **people,
    }
    if citation.year is not None:
        date = item.first(*names_in("zotero", "date"))
        written["issued"] = {"date-parts": [[citation.year, *_month_and_day(date)]]}
    if citation.citekey_generated:
        written["keyword"] = GENERATED
    return written


def _name(creator: Creator) -> dict[str, str]:
    if creator.single or not creator.given:
        return {"literal": creator.family}
    return {"family": creator.family, "given": creator.given}


def _month_and_day(date: str) -> tuple[int, ...]:
    """The month and the day of a date in figures, or with the English name of the month."""
    if match := _ISO.match(date.strip()):
        month, day = int(match[2]), int(match[3] or 0)
    elif match := _NAMED.search(date.casefold()):
        month, day = _MONTHS.index(match[2]) + 1, int(match[1] or match[3] or 0)
    else:
        return ()
    if not 1 <= month <= 12:
        return ()
    return (month, day) if 1 <= day <= 31 else (month,)
