"""Vector stores by the scheme of their address, and the manifest beside them."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from citeloom.domain.errors import CiteloomError, ConfigError, extra_missing
from citeloom.infrastructure import extensions
from citeloom.infrastructure.extensions import Registry

if TYPE_CHECKING:
    from citeloom.application.ports.records import ManifestStore
    from citeloom.application.ports.vector_index import StoreState, VectorIndex
    from citeloom.infrastructure.settings import Settings
    from citeloom.infrastructure.store_options import MilvusOptions
    from citeloom.infrastructure.stores.milvus.index import MilvusIndex

_HERE = "citeloom.infrastructure.wiring.stores"
EMBEDDED = "embedded"
_SECONDS_A_MINUTE = 60.0

STORES: Registry[VectorIndex] = Registry(
    "vector store",
    {
        EMBEDDED: f"{_HERE}:embedded",
        "http": f"{_HERE}:qdrant_server",
        "https": f"{_HERE}:qdrant_server",
        "postgresql": f"{_HERE}:postgres",
        "postgres": f"{_HERE}:postgres",
        "milvus": f"{_HERE}:milvus_server",
        "milvus+https": f"{_HERE}:milvus_server",
        "milvus-lite": f"{_HERE}:milvus_lite",
    },
    group=extensions.STORES,
)


def open_store(settings: Settings) -> VectorIndex:
    """The configured store: the embedded one unless there is a url."""
    return STORES[_scheme(settings)](settings)


def _scheme(settings: Settings) -> str:
    url = settings.store.url or next(iter(settings.qdrant.url or ()), None)
    return urlsplit(url).scheme if url else EMBEDDED


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
    the store; None where the store is in the folder itself.

    It is made once, if asked for; without one nothing was ingested from here, and it is empty. A
    copy of a folder that is still in its place gets an id of its own.
    """
    if _scheme(settings) in (EMBEDDED, "milvus-lite"):
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
    from citeloom.infrastructure.filesystem.disk_space import FolderDiskSpace
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


def qdrant_server(settings: Settings) -> VectorIndex:
    """A Qdrant server or cluster."""
    from citeloom.infrastructure.stores.qdrant.server.index import QdrantServerIndex

    qdrant, options = settings.qdrant, settings.qdrant.value()
    return QdrantServerIndex.connect(
        *(qdrant.url or ()),
        api_key=qdrant.api_key.get_secret_value() if qdrant.api_key else None,
        timeout=options.timeout,
        retry_for=options.retry_for,
        cluster=options.cluster,
        machine=lambda: machine_of(settings, make=True) or "",
    )


def postgres(settings: Settings) -> VectorIndex:
    """A PostgreSQL database with pgvector."""
    try:
        from citeloom.infrastructure.stores.postgres.connections import Database
        from citeloom.infrastructure.stores.postgres.index import PostgresIndex
    except ImportError as error:
        raise extra_missing(
            f"[store] url needs psycopg, which cannot be loaded: {error}", "postgres"
        ) from error
    store = settings.store
    password = store.password.get_secret_value() if store.password else None
    return PostgresIndex(Database(store.url or "", password=password, timeout=store.timeout))


def milvus_server(settings: Settings) -> VectorIndex:
    """A Milvus server or cluster."""
    index, options = _milvus(settings)
    store = settings.store
    scheme, _, rest = (store.url or "").partition("://")
    return index.connect(
        f"{'https' if scheme.endswith('https') else 'http'}://{rest}",
        token=store.password.get_secret_value() if store.password else "",
        timeout=store.timeout,
        options=options,
    )


def milvus_lite(settings: Settings) -> VectorIndex:
    """Milvus within this process, in the data folder."""
    index, options = _milvus(settings)
    return index.embedded(settings.data_dir / "milvus.db", options=options)


def _milvus(settings: Settings) -> tuple[type[MilvusIndex], MilvusOptions]:
    try:
        from citeloom.infrastructure.stores.milvus.index import MilvusIndex
    except ImportError as error:
        raise extra_missing(
            f"[store] url needs pymilvus, which cannot be loaded: {error}", "milvus"
        ) from error
    return MilvusIndex, settings.milvus.value()


# The manifest of a library.

_MIRROR = "milvus-documents"


def open_manifest(settings: Settings, index: Callable[[], VectorIndex]) -> ManifestStore:
    """The manifest in the data folder, repeated in Milvus if that is configured and installed."""
    from citeloom.infrastructure.manifest import SqliteManifest

    manifest = SqliteManifest(settings.data_dir / "manifest.sqlite")
    name = settings.milvus.documents
    if name is None or not (settings.store.url or "").startswith("milvus"):
        return manifest
    mirror = extensions.extensions(extensions.MANIFESTS).get(_MIRROR)
    if mirror is None:
        raise extensions.not_installed(_MIRROR, "[milvus] documents")
    return cast("ManifestStore", mirror.load()(settings, index, manifest))
