"""The researcher's Zotero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeloom.application.ports.zotero_library import ZoteroLibrary

if TYPE_CHECKING:
    from citeloom.application.ports.progress import Progress
    from citeloom.application.zotero.download import Download
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.zotero.places import Places
    from citeloom.infrastructure.zotero.reach import ZoteroAccess


def open_zotero(settings: Settings) -> ZoteroLibrary:
    """Zotero, reached as `[zotero]` says."""
    from citeloom.infrastructure.zotero.reach import reached

    return reached(settings.zotero.access, _access(settings))


def open_download(settings: Settings, progress: Progress) -> Download:
    """Downloads from the Zotero account whose key is in the environment."""
    from citeloom.application.zotero.download import Download

    account = _access(settings).account()
    return Download(zotero=account, files=account, progress=progress)


def zotero_places(settings: Settings) -> Places:
    """Where this machine's Zotero keeps its files, as `[zotero]` or its own preferences say.

    Raises `SourceUnavailable` when there is none.
    """
    return _access(settings).places()


def _access(settings: Settings) -> ZoteroAccess:
    from citeloom.infrastructure.zotero.reach import ZoteroAccess

    zotero, key = settings.zotero, settings.zotero.api_key
    return ZoteroAccess(
        data_dir=zotero.data_dir,
        base_dir=zotero.base_dir,
        key=key.get_secret_value() if key else "",
        timeout=zotero.timeout,
        folder=settings.data_dir / "zotero",
        most_bytes=zotero.max_download_mb * 1_000_000,
        local_url=zotero.local_url,
        web_url=zotero.web_url,
    )
