"""Builds what reads Zotero, apart from `bootstrap`: a look into Zotero loads nothing else."""

from __future__ import annotations

from citeloom.application.ports.progress import Progress
from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.application.zotero.download import Download
from citeloom.infrastructure.settings import Settings
from citeloom.infrastructure.zotero.places import Places
from citeloom.infrastructure.zotero.reach import ZoteroAccess, reached


def zotero(settings: Settings) -> ZoteroLibrary:
    """The researcher's Zotero, reached as `[zotero]` says."""
    return reached(settings.zotero.access, _access(settings))


def zotero_download(settings: Settings, progress: Progress) -> Download:
    """Downloads from the Zotero account whose key is in the environment."""
    account = _access(settings).account()
    return Download(zotero=account, files=account, progress=progress)


def zotero_places(settings: Settings) -> Places:
    """Where this machine's Zotero keeps its files, as `[zotero]` or its own preferences say.

    Raises `SourceUnavailable` when there is none.
    """
    return _access(settings).places()


def _access(settings: Settings) -> ZoteroAccess:
    zotero, key = settings.zotero, settings.zotero.api_key
    return ZoteroAccess(
        data_dir=zotero.data_dir,
        base_dir=zotero.base_dir,
        key=key.get_secret_value() if key else "",
        timeout=zotero.timeout,
        folder=settings.data_dir / "zotero",
        local_url=zotero.local_url,
        web_url=zotero.web_url,
    )
