"""Zotero libraries of any size."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from citeloom.domain.zotero.items import (
    CitekeySource,
    Creator,
    LinkMode,
    ZoteroAttachment,
    ZoteroCollection,
    ZoteroContent,
    ZoteroItem,
    ZoteroLibraryRef,
    ZoteroTag,
)

OWN = ZoteroLibraryRef(name="My Library")
_DIGITS = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
_TOPICS = ("tides", "salt marshes", "turbidity", "sediment", "storm surges", "seagrass", "dunes")


def key(prefix: str, number: int) -> str:
    """A Zotero key: the prefix, then the number in Zotero's own digits."""
    digits = ""
    for _ in range(8 - len(prefix)):
        number, rest = divmod(number, len(_DIGITS))
        digits = _DIGITS[rest] + digits
    return prefix + digits


def many_items(count: int) -> ZoteroContent:
    """A library of `count` articles, each with a stored PDF, spread over twenty collections."""
    collections = tuple(
        ZoteroCollection(library=OWN, key=key("CLL", n), path=(f"Shelf {n:02d}",))
        for n in range(20)
    )
    return ZoteroContent(
        library=OWN,
        collections=collections,
        items=tuple(_article(n) for n in range(count)),
        attachments=tuple(_stored_pdf(n) for n in range(count)),
    )


def _article(n: int) -> ZoteroItem:
    topic, citekey = _TOPICS[n % len(_TOPICS)], f"fenn{1980 + n % 45}n{n}"
    return ZoteroItem(
        library=OWN,
        key=key("ART", n),
        item_type="journalArticle",
        fields={
            "title": f"On {topic}, part {n}",
            "date": f"{1980 + n % 45}",
            "DOI": f"10.5555/coast.{n}",
            "publicationTitle": "Coastal letters",
            "citationKey": citekey,
        },
        creators=(
            Creator(role="author", family="Fenn", given=f"Cleo {n % 90}"),
            Creator(role="author", family=f"Quint{n % 400}", given="Ben"),
        ),
        tags=(ZoteroTag(name=f"batch {n % 50}", automatic=True), ZoteroTag(name=topic)),
        collections=(key("CLL", n % 20),),
        citekey=citekey,
        citekey_source=CitekeySource.FIELD,
        added=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=n),
        modified=datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=n),
    )


def _stored_pdf(n: int) -> ZoteroAttachment:
    return ZoteroAttachment(
        library=OWN,
        key=key("PDF", n),
        parent=key("ART", n),
        link_mode=LinkMode.IMPORTED_FILE,
        title="Full text",
        content_type="application/pdf",
        stored_path=f"storage:article {n}.pdf",
    )
