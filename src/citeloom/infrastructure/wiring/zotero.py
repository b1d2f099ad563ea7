"""The researcher's Zotero, and the configuration of a new library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.disk_space import write_error
from citeloom.domain.errors import ConfigError
from citeloom.infrastructure.settings import Settings, load_settings

if TYPE_CHECKING:
    from citeloom.application.events import ReadEvent
    from citeloom.application.ports.sources import ZoteroLibrary
    from citeloom.application.zotero.snapshot import Download
    from citeloom.domain.project import Project
    from citeloom.infrastructure.zotero.places import FileLocations
    from citeloom.infrastructure.zotero.reach import ZoteroAccess


def open_zotero(settings: Settings) -> ZoteroLibrary:
    """Zotero, reached as `[zotero]` says."""
    from citeloom.infrastructure.zotero.reach import reached

    return reached(settings.zotero.access, _access(settings))


def open_download(settings: Settings, events: ReadEvent) -> Download:
    """Downloads from the Zotero account whose key is in the environment."""
    from citeloom.application.zotero.snapshot import Download

    account = _access(settings).account()
    return Download(zotero=account, files=account, events=events)


def zotero_places(settings: Settings) -> FileLocations:
    """Where this machine's Zotero keeps its files, as `[zotero]` or its own preferences say.

    Raises `SourceUnavailable` when there is none.
    """
    return _access(settings).places()


def _access(settings: Settings) -> ZoteroAccess:
    from citeloom.infrastructure.zotero.reach import ZoteroAccess

    zotero, key, password = (
        settings.zotero,
        settings.zotero.api_key,
        settings.zotero.webdav_password,
    )
    return ZoteroAccess(
        data_dir=zotero.data_dir,
        base_dir=zotero.base_dir,
        key=key.get_secret_value() if key else "",
        timeout=zotero.timeout,
        folder=settings.data_dir / "zotero",
        most_bytes=zotero.most_bytes,
        local_url=zotero.local_url,
        web_url=zotero.web_url,
        webdav_url=zotero.webdav_url or "",
        webdav_user=zotero.webdav_user,
        webdav_password=password.get_secret_value() if password else "",
    )


# Writing citeloom.toml: that of a new library, and the reference of a file into one there is.

_NAME = "citeloom.toml"


def found_zotero(config: Path | None) -> dict[str, object]:
    """The folders of this machine's Zotero, as keys of `[zotero]`.

    Raises `SourceUnavailable` if there is no Zotero.
    """
    places = zotero_places(load_settings(config=config))
    folders = {"data_dir": places.data_dir, "base_dir": places.base_dir}
    return {key: path.as_posix() for key, path in folders.items() if path}


def write_configuration(
    folder: Path,
    project: Project,
    *,
    references: str | None = None,
    sources: Sequence[str] = (),
    zotero: dict[str, object] | None = None,
    embedding_model: str | None = None,
) -> Path:
    """Write a citeloom.toml to the folder.

    Raises `ConfigError` if there already is one.
    """
    from citeloom.infrastructure.settings.toml_file import default_toml

    target = folder / _NAME
    given = {"zotero": zotero} if zotero else None
    text = default_toml(project.id, references, tuple(sources), given, embedding_model)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            "this folder already has a citeloom.toml, which was not changed",
            f'Add a table [project."{project.id}"] to it by hand.',
        ) from None
    except OSError as error:
        refused = ConfigError(
            f"{target} cannot be written: {error.strerror}",
            "Run the command in a folder you may write to.",
        )
        raise write_error(str(target), error, refused) from error
    return target


def configure_file(settings: Settings, project_id: str, path: str, citekey: str) -> Path:
    """Write into the configuration file which reference a file has, and return the file.

    Raises `ConfigError` if there is none, or it cannot be changed.
    """
    from citeloom.infrastructure.settings.toml_file import write_file_mapping

    file = settings.config_file
    if file is None:
        raise ConfigError(
            "there is no citeloom.toml to write the reference into", "`citeloom init` creates one."
        )
    write_file_mapping(file, project_id, path, citekey)
    return file
