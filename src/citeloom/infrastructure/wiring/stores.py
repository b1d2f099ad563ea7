"""Vector stores by the scheme of their address, and the manifest beside them."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from citeloom.domain.errors import CiteloomError, ConfigError
from citeloom.infrastructure.extensions import MANIFESTS, STORES

if TYPE_CHECKING:
    from citeloom.application.ports.records import ManifestStore
    from citeloom.application.ports.vector_index import StoreState, VectorIndex
    from citeloom.infrastructure.settings import Settings

EMBEDDED = "embedded"
_SECONDS_A_MINUTE = 60.0


def open_store(settings: Settings) -> VectorIndex:
    """The configured store: the embedded one unless there is a url."""
    return STORES[_scheme(settings)](settings)


def _scheme(settings: Settings) -> str:
    return urlsplit(settings.store_url).scheme if settings.store_url else EMBEDDED


def failed_store(settings: Settings, error: CiteloomError) -> StoreState:
    """The state of a store that cannot be opened. Raises the error where that is not the store's
    fault, such as a library that is not installed.
    """
    from citeloom.application.ports.vector_index import StoreAddress, StoreState

    if isinstance(error, ConfigError):
        raise error
    scheme = _scheme(settings)
    address = StoreAddress(address=settings.store.url or scheme, error=error.message)
    return StoreState(
        kind=scheme,
        remote=machine_of(settings) is not None,
        addresses=(address,),
        problems=(f"{error.message} ({error.hint})",),
    )


def machine_of(settings: Settings, *, make: bool = False) -> str | None:
    """The id of the data folder, with which documents are stored where several machines may share
    the store; None where the store is in the folder itself: nothing stands behind its scheme.

    It is made once, if asked for; without one nothing was ingested from here, and it is empty. A
    copy of a folder that is still in its place gets an id of its own.
    """
    if settings.store_url is None or settings.store_url.endswith(":"):
        return None
    path = settings.data_dir / "machine"
    place = f"{platform.node()}:{path.parent.resolve()}"
    name, made_in = _machine_in(path)
    is_copy = bool(name) and made_in != place and _is_copied(path, name, made_in)
    if not make:
        return "" if is_copy else name
    if not name or is_copy:
        host = re.sub(r"[^A-Za-z0-9]+", "-", platform.node()).strip("-").lower()[:40]
        _write_machine(path, f"{host or 'machine'}-{os.urandom(4).hex()}", place)
    elif made_in not in ("", place):
        _write_machine(path, name, place)
    return _machine_in(path)[0]


def _machine_in(path: Path) -> tuple[str, str]:
    """The id in a file, and the place that it was made in; empty where they are not there."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return "", ""
    name, place, *_ = (*(line.strip() for line in lines), "", "")
    return name, place


def _is_copied(path: Path, name: str, made_in: str) -> bool:
    """Whether another data folder of this computer has the id, too."""
    host, _, folder = made_in.partition(":")
    first = Path(folder) / path.name
    return host == platform.node() and _machine_in(first)[0] == name and not first.samefile(path)


def _write_machine(path: Path, name: str, place: str) -> None:
    """Write the id at once; of two processes that make the first one, one makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
    written.write_text(f"{name}\n{place}\n", "utf-8")
    try:
        if path.exists():
            written.replace(path)
        else:
            os.link(written, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def embedded(settings: Settings) -> VectorIndex:
    """Qdrant Edge in the data folder, shared with this user's other processes; a copy of it where
    that folder may not be written.
    """
    from citeloom.infrastructure.filesystem.source_files import FolderDiskSpace
    from citeloom.infrastructure.stores.qdrant.edge.folder import is_read_only
    from citeloom.infrastructure.stores.qdrant.edge.open_shards import OpenShards
    from citeloom.infrastructure.stores.qdrant.edge.owner_index import SharedIndex, embedded_index

    projects, server = settings.data_dir / "projects", settings.server
    open_shards = OpenShards(
        most=server.open_projects, idle_seconds=server.idle_minutes * _SECONDS_A_MINUTE
    )
    if not is_read_only(projects):
        space = FolderDiskSpace(projects)
        return SharedIndex(
            projects,
            open_embedded=lambda: embedded_index(projects, space=space, open_shards=open_shards),
        )
    from citeloom.infrastructure.stores.qdrant.edge.read_only_copy import open_copy

    return open_copy(projects, open_shards=open_shards)


def open_manifest(settings: Settings, index: Callable[[], VectorIndex]) -> ManifestStore:
    """The manifest in the data folder, repeated elsewhere where a table of an extension says so."""
    from citeloom.infrastructure.sqlite_manifest import SqliteManifest

    manifest: ManifestStore = SqliteManifest(settings.data_dir / "manifest.sqlite")
    for table in settings.added.values():
        if name := table.manifest(settings):
            manifest = MANIFESTS[name](settings, index, manifest)
    return manifest
