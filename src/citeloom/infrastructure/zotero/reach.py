"""Finding Zotero, and the ways to read it: its database, the running program, or the account on the
web.
"""

from __future__ import annotations

import configparser
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.domain.zotero.items import EVERYTHING, ContentScope, ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.places import FileLocations

if TYPE_CHECKING:
    from citeloom.infrastructure.zotero.web_api import WebZotero

AccessName = Literal["auto", "local", "api", "web"]

# Locating a Zotero library by Zotero's own preferences.

DATABASE = "zotero.sqlite"
_PREFERENCE = re.compile(r'^user_pref\("extensions\.zotero\.(\w+)", (.+)\);\s*$', re.MULTILINE)
_PROFILE_FOLDERS = {
    "linux": ".zotero/zotero",
    "darwin": "Library/Application Support/Zotero",
    "win32": "AppData/Roaming/Zotero/Zotero",
}
_SANDBOXES = ("snap/zotero-snap/common", ".var/app/org.zotero.Zotero")
"""The possible home folders of a Zotero in a snap or a flatpak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the places of files depend on: `sys.platform`, home folder and environment."""

    platform: str
    home: Path
    environment: Mapping[str, str]


def locate(
    machine: Machine, data_dir: Path | None = None, base_dir: Path | None = None
) -> FileLocations:
    """The places of the Zotero at `data_dir`, or of the one whose preferences are found.

    `base_dir` overrides the preferences' base directory of linked files. Raises
    `SourceUnavailable` if no usual place has a Zotero database.
    """
    beside = [data_dir] if data_dir else []
    profiles = [
        _preferences(folder / "prefs.js")
        for folder in (*beside, *(p for folder in _folders(machine) for p in _profiles(folder)))
    ]
    candidates = (
        [data_dir]
        if data_dir
        else [*filter(None, map(_data_dir, profiles)), *(h / "Zotero" for h in _homes(machine))]
    )
    data_folder = next((folder for folder in candidates if (folder / DATABASE).is_file()), None)
    if data_folder is None:
        looked = ", ".join(str(folder) for folder in dict.fromkeys(candidates))
        raise SourceUnavailable(
            f"no Zotero library was found in {looked}",
            "Set data_dir in [zotero] to the folder that holds zotero.sqlite (in Zotero: "
            "Settings, Advanced, Files and Folders).",
        )
    bases = (
        _folder(profile, "baseAttachmentPath")
        for profile in profiles
        if _data_dir(profile) in (data_folder, None)
    )
    return FileLocations(data_dir=data_folder, base_dir=base_dir or next(filter(None, bases), None))


def _data_dir(preferences: Mapping[str, object]) -> Path | None:
    return _folder(preferences, "dataDir") if preferences.get("useDataDir", True) else None


def _folder(preferences: Mapping[str, object], name: str) -> Path | None:
    folder = preferences.get(name)
    return Path(folder) if isinstance(folder, str) and folder else None


def _homes(machine: Machine) -> list[Path]:
    """The possible home folders of Zotero: on Linux also those of sandboxes."""
    sandboxes = () if machine.platform in ("darwin", "win32") else _SANDBOXES
    return [machine.home, *(machine.home / sandbox for sandbox in sandboxes)]


def _folders(machine: Machine) -> list[Path]:
    if machine.platform == "win32" and (roaming := machine.environment.get("APPDATA")):
        return [Path(roaming) / "Zotero" / "Zotero"]
    folder = _PROFILE_FOLDERS.get(machine.platform, _PROFILE_FOLDERS["linux"])
    return [home / folder for home in _homes(machine)]


def _profiles(folder: Path) -> list[Path]:
    """The profiles of profiles.ini, the default one first; without it, all existing ones."""
    listed = configparser.ConfigParser(interpolation=None)
    try:
        listed.read(folder / "profiles.ini", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        listed.clear()
    sections = [listed[name] for name in listed.sections() if "Path" in listed[name]]
    if not sections:
        return sorted((folder / "Profiles").glob("*"))
    sections.sort(key=lambda section: section.get("Default") != "1")
    return [folder / section["Path"] for section in sections]


def _preferences(file: Path) -> Mapping[str, object]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    preferences: dict[str, object] = {}
    for name, value in _PREFERENCE.findall(text):
        try:
            preferences[name] = json.loads(value)
        except ValueError:
            continue
    return preferences


# The ways to read it.


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroAccess:
    """Where Zotero is looked for; what is read from the web is kept in `folder`."""

    data_dir: Path | None
    base_dir: Path | None
    key: str
    timeout: float
    folder: Path
    most_bytes: int
    local_url: str
    web_url: str
    webdav_url: str = ""
    webdav_user: str = ""
    webdav_password: str = ""

    def places(self) -> FileLocations:
        try:
            home = Path.home()
        except RuntimeError as error:
            raise SourceUnavailable(
                "nothing says where the home folder with Zotero is",
                "Set HOME, or data_dir under [zotero].",
            ) from error
        machine = Machine(platform=sys.platform, home=home, environment=os.environ)
        return locate(machine, self.data_dir, self.base_dir)

    def database(self) -> ZoteroLibrary:
        places = self.places()
        return LocalZotero(places.data_dir, base_dir=places.base_dir)

    def program(self) -> ZoteroLibrary:
        from citeloom.infrastructure.zotero.local_api import LocalApiZotero

        return LocalApiZotero(self.local_url, timeout=self.timeout)

    def account(self) -> WebZotero:
        """The account on the web. Raises `SourceUnavailable` without a key."""
        from citeloom.infrastructure.zotero.web_api import WebZotero
        from citeloom.infrastructure.zotero.webdav import WebDavAccount, WebDavStorage

        if not self.key:
            raise SourceUnavailable(
                "the web API of Zotero needs a key, and there is none",
                "Make one at https://www.zotero.org/settings/keys and set ZOTERO_API_KEY to it.",
            )
        webdav = None
        if self.webdav_url:
            account = WebDavAccount(
                url=self.webdav_url, user=self.webdav_user, password=self.webdav_password
            )
            webdav = WebDavStorage(account, timeout=self.timeout, most_bytes=self.most_bytes)
        return WebZotero(
            self.key,
            self.folder,
            base_dir=self.base_dir,
            webdav=webdav,
            url=self.web_url,
            timeout=self.timeout,
            most_bytes=self.most_bytes,
        )


def reached(name: AccessName, access: ZoteroAccess) -> ZoteroLibrary:
    """Zotero by the way named, or by the first that works; the web is tried only with a key."""
    if name == "local":
        return access.database()
    if name == "api":
        return access.program()
    if name == "web":
        return access.account()
    ways = {"local database": access.database, "local API": access.program}
    return first_reached(ways | {"web API": access.account} if access.key else ways)


def first_reached(ways: Mapping[str, Callable[[], ZoteroLibrary]]) -> ZoteroLibrary:
    """Zotero by the first way on which its libraries can be listed; earlier ones are warned of.

    Raises `SourceUnavailable` with what is wrong with each when there is none.
    """
    failures: dict[str, SourceUnavailable | LibraryLocked] = {}
    for name, open_ in ways.items():
        try:
            zotero = open_()
            zotero.libraries()
        except (SourceUnavailable, LibraryLocked) as error:
            failures[name] = error
            continue
        if not failures:
            return zotero
        notices = [f"Zotero's {failed} cannot be read: {why}." for failed, why in failures.items()]
        return FallbackZotero(zotero, (*notices, f"Its {name} is read instead."))
    reasons = "; ".join(f"{name}: {error}" for name, error in failures.items())
    hints = " ".join(error.hint for error in failures.values())
    raise SourceUnavailable(f"Zotero cannot be reached. {reasons}", hints)


class FallbackZotero(ZoteroLibrary):
    """A Zotero that was not the first choice, which its warnings say."""

    def __init__(self, zotero: ZoteroLibrary, notices: tuple[str, ...]) -> None:
        self._zotero = zotero
        self._notices = notices

    @property
    def source(self) -> str:
        return self._zotero.source

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self._notices, *self._zotero.warnings)

    @property
    def has_stamps(self) -> bool:
        return self._zotero.has_stamps

    def fingerprint(self) -> str:
        return self._zotero.fingerprint()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._zotero.libraries()

    def read(self, library: ZoteroLibraryRef, scope: ContentScope = EVERYTHING) -> ZoteroContent:
        return self._zotero.read(library, scope)
