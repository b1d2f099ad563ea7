"""Downloads of Zotero attachments, as a port."""

from __future__ import annotations

from abc import abstractmethod
from enum import StrEnum
from typing import Protocol

from citeloom.domain.zotero import ZoteroAttachment


class FileOutcome(StrEnum):
    """The result of a download."""

    FETCHED = "fetched"
    KEPT = "kept"
    ABSENT = "absent"
    DAMAGED = "damaged"
    TOO_LARGE = "too large"


class ZoteroFiles(Protocol):
    """Downloads attachments to the paths that the Zotero library has for them."""

    @abstractmethod
    def fetch(self, attachment: ZoteroAttachment) -> FileOutcome:
        """Download the file unless an unchanged copy exists.

        The file is absent if Zotero does not store it, too large if it exceeds the size limit, and
        damaged if its checksum repeatedly does not match; an existing copy is then kept. Raises
        `SourceUnavailable` if Zotero cannot be reached or denies access.
        """
        ...
