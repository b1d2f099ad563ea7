"""The port to the files of Zotero's attachments on the web."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import Protocol

from citeloom.domain.zotero import ZoteroAttachment


class FileOutcome(StrEnum):
    """What became of an attachment's file."""

    FETCHED = "fetched"
    KEPT = "kept"
    ABSENT = "absent"
    DAMAGED = "damaged"
    TOO_LARGE = "too large"


class ZoteroFiles(Protocol):
    """Brings the files of attachments to where the library says they are."""

    @abstractmethod
    def fetch(self, attachment: ZoteroAttachment) -> FileOutcome:
        """Download the file unless it is there and unchanged.

        It is absent where Zotero does not store it, too large where it has more bytes than may be
        downloaded, and damaged when it repeatedly differs from
        its checksum; what was there before is then left alone. Raises `SourceUnavailable` when
        Zotero cannot be reached or refuses.
        """
        ...
