"""Finding Zotero on each system, from folders laid out as that system has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import SourceUnavailable
from citeloom.infrastructure.zotero.reach import Machine, locate


def _library(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "zotero.sqlite").touch()
    return folder


def _profile(folder: Path, **preferences: object) -> None:
    folder.mkdir(parents=True)
    lines = ["// Mozilla User Preferences", 'user_pref("app.update.auto", false);']
    lines += [
        f'user_pref("extensions.zotero.{name}", {json.dumps(value)});'
        for name, value in preferences.items()
    ]
    (folder / "prefs.js").write_text("\n".join(lines), encoding="utf-8")


def _machine(home: Path, platform: str = "linux") -> Machine:
    environment = {"APPDATA": str(home / "AppData/Roaming")} if platform == "win32" else {}
    return Machine(platform=platform, home=home, environment=environment)


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".zotero/zotero"),
        ("linux", "snap/zotero-snap/common/.zotero/zotero"),
        ("linux", ".var/app/org.zotero.Zotero/.zotero/zotero"),
        ("darwin", "Library/Application Support/Zotero"),
        ("win32", "AppData/Roaming/Zotero/Zotero"),
    ],
)
def test_the_profile_of_each_system_names_the_library(
    tmp_path: Path, platform: str, folder: str
) -> None:
    library = _library(tmp_path / "elsewhere" / "Bücher")
    profile = tmp_path / folder / "Profiles" / "ab12.default"
    base = tmp_path / "pdf"
    _profile(profile, useDataDir=True, dataDir=str(library), baseAttachmentPath=str(base))
    places = locate(_machine(tmp_path, platform))
    assert (places.data_dir, places.base_dir) == (library, base)


def test_the_default_profile_comes_first(tmp_path: Path) -> None:
    first, second = _library(tmp_path / "one"), _library(tmp_path / "two")
    folder = tmp_path / ".zotero/zotero"
    _profile(folder / "Profiles/old", useDataDir=True, dataDir=str(first))
    _profile(folder / "Profiles/now", useDataDir=True, dataDir=str(second))
    (folder / "profiles.ini").write_text(
        "[General]\nStartWithLastProfile=1\n"
        "[Profile0]\nName=old\nIsRelative=1\nPath=Profiles/old\n"
        "[Profile1]\nName=now\nIsRelative=1\nPath=Profiles/now\nDefault=1\n"
    )
    assert locate(_machine(tmp_path)).data_dir == second


def test_without_preferences_it_is_the_folder_in_home(tmp_path: Path) -> None:
    library = _library(tmp_path / "Zotero")
    _profile(tmp_path / ".zotero/zotero/Profiles/x", useDataDir=False, dataDir="/nowhere")
    assert locate(_machine(tmp_path)).data_dir == library


def test_a_configured_folder_goes_before_preferences_and_keeps_its_base(tmp_path: Path) -> None:
    _library(tmp_path / "Zotero")
    library = _library(tmp_path / "backup")
    _profile(
        tmp_path / ".zotero/zotero/Profiles/x",
        useDataDir=True,
        dataDir=str(library),
        baseAttachmentPath=str(tmp_path / "pdf"),
    )
    _profile(
        tmp_path / ".zotero/zotero/Profiles/a",
        useDataDir=True,
        dataDir=str(tmp_path / "Zotero"),
        baseAttachmentPath=str(tmp_path / "other"),
    )
    places = locate(_machine(tmp_path), library)
    assert (places.data_dir, places.base_dir) == (library, tmp_path / "pdf")
    assert locate(_machine(tmp_path), library, tmp_path).base_dir == tmp_path


def test_no_library_anywhere_says_where_was_looked(tmp_path: Path) -> None:
    _profile(tmp_path / ".zotero/zotero/Profiles/x", useDataDir=True, dataDir="/gone/library")
    with pytest.raises(SourceUnavailable, match=r"/gone/library, .*Zotero"):
        locate(_machine(tmp_path))


def test_unreadable_preferences_are_passed_over(tmp_path: Path) -> None:
    library = _library(tmp_path / "Zotero")
    folder = tmp_path / ".zotero/zotero"
    _profile(folder / "Profiles/x")
    (folder / "Profiles/x/prefs.js").write_bytes(b'user_pref("extensions.zotero.dataDir", \xff);')
    (folder / "profiles.ini").write_bytes(b"\xff\xfe not an ini")
    assert locate(_machine(tmp_path)).data_dir == library
