"""Where the files of attachments are, where Zotero keeps them, and positions within them."""

from __future__ import annotations

import configparser
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import SourceUnavailable
from citeloom.domain.zotero.items import LinkMode

# Where the files of attachments are.

_OUTSIDE = re.compile(r"^[\\/]|^[A-Za-z]:|(^|[\\/])\.\.([\\/]|$)")
_KEY = re.compile(r"[A-Za-z0-9]{1,32}")
_ELSEWHERE = re.compile(r"[A-Za-z]:[\\/]|\\\\|/")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLocations:
    """Where Zotero keeps files: its data directory, and the base of relative links."""

    data_dir: Path
    base_dir: Path | None = None

    def path_of(self, key: str, mode: LinkMode, stored: str) -> Path | None:
        """Where a file should be, or None for a link to the web and a place unknown here."""
        if not has_file(mode) or not stored:
            return None
        linked = mode is LinkMode.LINKED_FILE
        path = self._linked(stored) if linked else self._in_storage(key, stored)
        return None if path is None else _as_spelled(path)

    def _in_storage(self, key: str, stored: str) -> Path | None:
        name = stored.removeprefix("storage:")
        if is_outside(name) or not is_key(key):
            return None
        return self.data_dir.joinpath("storage", key, name)

    def _linked(self, stored: str) -> Path | None:
        if stored.startswith("attachments:"):
            relative = stored.removeprefix("attachments:")
            known = self.base_dir is not None and not is_outside(relative)
            return self.base_dir / relative if self.base_dir and known else None
        path = Path(stored)
        return path if path.is_absolute() else None

    def flaw_of(self, stored: str) -> str:
        """Why a file's place cannot be known."""
        if not stored:
            return "names no file"
        kind, _, name = stored.partition(":")
        if kind == "storage" or (kind == "attachments" and is_outside(name)):
            return f"names a file outside its folder: {stored}"
        if stored.startswith("attachments:") and self.base_dir is None:
            return "is linked below a base directory that is not known: set base_dir in [zotero]"
        if _ELSEWHERE.match(stored):
            return f"is linked to a path of another system: {stored}"
        return f"is linked to a path that says not where it begins: {stored}"


def is_outside(name: str) -> bool:
    """Whether a name would lead out of its folder, on this system or another."""
    return "\0" in name or _OUTSIDE.search(name) is not None


def is_key(key: str) -> bool:
    """Whether Zotero could have given the key, so that it may name a folder."""
    return _KEY.fullmatch(key) is not None


def has_file(mode: LinkMode) -> bool:
    """Whether an attachment of this mode is a file that can be read by itself."""
    return mode not in (LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE)


def is_there(path: Path | None) -> bool:
    """Whether the file exists; one that may not be accessed counts as missing."""
    try:
        return path is not None and path.is_file()
    except OSError:
        return False


def _as_spelled(path: Path) -> Path:
    """The path as the disk has it: accents may be composed there, or decomposed as on macOS."""
    if path.name.isascii() or is_there(path):
        return path
    forms = (path.with_name(unicodedata.normalize(form, path.name)) for form in ("NFC", "NFD"))
    return next(filter(is_there, forms), path)


# Positions of annotations.

Rects = tuple[tuple[float, float, float, float], ...]


def position_of(place: str) -> tuple[int | None, Rects]:
    """The page (from 0) and the rectangles of an annotation; EPUBs and web pages have neither."""
    try:
        position = json.loads(place)
    except ValueError:
        return None, ()
    if not isinstance(position, dict) or not isinstance(position.get("pageIndex"), int):
        return None, ()
    rects = position.get("rects", ())
    whole = (rect for rect in rects if isinstance(rect, list) and len(rect) == 4)
    return position["pageIndex"], tuple((left, low, right, top) for left, low, right, top in whole)


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
    profiles = [_preferences(file) for file in _preference_files(machine, data_dir)]
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
    own = [profile for profile in profiles if _data_dir(profile) in (data_folder, None)]
    return FileLocations(
        data_dir=data_folder, base_dir=base_dir or next(filter(None, map(_base_dir, own)), None)
    )


def _data_dir(preferences: Mapping[str, object]) -> Path | None:
    folder = preferences.get("dataDir")
    in_use = preferences.get("useDataDir", True)
    return Path(folder) if isinstance(folder, str) and folder and in_use else None


def _base_dir(preferences: Mapping[str, object]) -> Path | None:
    folder = preferences.get("baseAttachmentPath")
    return Path(folder) if isinstance(folder, str) and folder else None


def _preference_files(machine: Machine, data_dir: Path | None) -> Iterator[Path]:
    """The candidates for prefs.js: beside the database, in the default profile, in others."""
    if data_dir is not None:
        yield data_dir / "prefs.js"
    for folder in _folders(machine):
        for profile in _profiles(folder):
            yield profile / "prefs.js"


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
