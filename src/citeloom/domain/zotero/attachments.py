"""Which of a work's files is the work itself, and may have its printed pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import PureWindowsPath

from citeloom.domain.references.titles import normalise_title
from citeloom.domain.zotero.items import ZoteroAttachment, ZoteroItem

_PDF = "application/pdf"
_SUPPLEMENT = re.compile(
    r"suppl|supp\d*$|supporting$|appendi(?:x|ces)$|annex$|esm\d*$|mmc\d*$|additional$|errat|corrig"
    r"|slides?$"
)
_LAST_WORD = re.compile(r"si\d*$|s\d{1,3}$")
"""Numbers of supplements, which elsewhere in a name may be a publisher's own."""
_WORD = re.compile(r"[^\W_]+")
_NEVER = datetime.max.replace(tzinfo=UTC)


def main_attachment(
    item: ZoteroItem, attachments: Sequence[ZoteroAttachment]
) -> ZoteroAttachment | None:
    """The item's best attachment as Zotero has it: a PDF, from the item's own address, the first
    that was added. One that is named as a supplement never is; None where two are alike.
    """

    def rank(attachment: ZoteroAttachment) -> tuple[bool, datetime]:
        address = item.fields.get("url")
        return not (address and attachment.url == address), attachment.added or _NEVER

    pdfs = [
        attachment
        for attachment in attachments
        if attachment.content_type == _PDF or file_name(attachment).lower().endswith(".pdf")
    ]
    named = [
        pdf
        for pdf in pdfs or attachments
        if not is_supplement((pdf.title, file_name(pdf)), item.title)
    ]
    ranked = sorted(named, key=rank)
    if len(ranked) > 1 and rank(ranked[0]) == rank(ranked[1]):
        return None
    return ranked[0] if ranked else None


def attachment_name(
    attachment: ZoteroAttachment, attachments: Sequence[ZoteroAttachment]
) -> str | None:
    """The name that distinguishes an attachment from the others of its item: its title, or else the
    name of its file; None where it is the only one.
    """
    if len(attachments) < 2:
        return None
    alike = sum(candidate.title == attachment.title for candidate in attachments) > 1
    title = "" if alike else attachment.title
    return title or file_name(attachment) or attachment.title or attachment.key


def is_supplement(names: Iterable[str], title: str) -> bool:
    """Whether a name of a file says that it goes with the work `title` rather than being it."""
    telling: list[str] = []
    for name in names:
        words = _WORD.findall(_stem(name).casefold())
        telling += filter(_SUPPLEMENT.match, words)
        telling += filter(_LAST_WORD.match, words[-1:])
    return bool(telling) and not set(normalise_title(title).split()).issuperset(telling)


def _stem(name: str) -> str:
    """The name of a file without its suffix, if it has one of up to four letters."""
    base = name.rpartition("/")[2]
    stem, _, suffix = base.rpartition(".")
    return stem if stem.strip(".") and 0 < len(suffix) <= 4 else name


def file_name(attachment: ZoteroAttachment) -> str:
    stored = attachment.stored_path.removeprefix("storage:").removeprefix("attachments:")
    return attachment.path.name if attachment.path else PureWindowsPath(stored).name
