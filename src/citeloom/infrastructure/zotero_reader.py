"""Builds what reads Zotero, apart from `bootstrap`: a look into Zotero loads nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from citeloom.application.ports.zotero_library import ZoteroLibrary
from citeloom.infrastructure.settings import Settings
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.locate import Machine, locate
from citeloom.infrastructure.zotero.places import Places


def zotero(settings: Settings) -> ZoteroLibrary:
    """The researcher's Zotero, reached as `[zotero]` says."""
    places = zotero_places(settings)
    return LocalZotero(places.data_dir, base_dir=places.base_dir)


def zotero_places(settings: Settings) -> Places:
    """Where this machine's Zotero keeps its files, as `[zotero]` or its own preferences say.

    Raises `SourceUnavailable` when there is none.
    """
    machine = Machine(platform=sys.platform, home=Path.home(), environment=os.environ)
    return locate(machine, settings.zotero.data_dir, settings.zotero.base_dir)
