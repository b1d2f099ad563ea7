"""Locating a Zotero library by Zotero's own preferences."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import SourceUnavailable
from citeloom.infrastructure.zotero.places import Places

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


def locate(machine: Machine, data_dir: Path | None = None, base_dir: Path | None = None) -> Places:
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
    found = next((folder for folder in candidates if (folder / DATABASE).is_file()), None)
    if found is None:
        looked = ", ".join(str(folder) for folder in dict.fromkeys(candidates))
        raise SourceUnavailable(
            f"no Zotero library was found in {looked}",
            "Set data_dir in [zotero] to the folder that holds zotero.sqlite (in Zotero: "
            "Settings, Advanced, Files and Folders).",
        )
    own = [one for one in profiles if _data_dir(one) in (found, None)]
    return Places(
        data_dir=found, base_dir=base_dir or next(filter(None, map(_base_dir, own)), None)
    )


def _data_dir(preferences: Mapping[str, object]) -> Path | None:
    folder = preferences.get("dataDir")
    wanted = preferences.get("useDataDir", True)
    return Path(folder) if isinstance(folder, str) and folder and wanted else None


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
    found: dict[str, object] = {}
    for name, value in _PREFERENCE.findall(text):
        try:
            found[name] = json.loads(value)
        except ValueError:
            continue
    return found
