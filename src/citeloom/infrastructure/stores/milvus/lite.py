"""Milvus Lite within this process, for as long as something uses it."""

from __future__ import annotations

import logging
from collections import Counter
from importlib import import_module
from pathlib import Path
from threading import Lock

from pymilvus import MilvusClient
from pymilvus.exceptions import ConnectionConfigException

from citeloom.domain.errors import IndexLocked

_users: Counter[Path] = Counter()
_guard = Lock()

logging.getLogger("milvus_lite").setLevel(logging.CRITICAL)  # it logs what it also raises


def open_lite(folder: Path) -> MilvusClient:
    """A client of the folder. Raises `IndexLocked` if another process has it open."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        client = MilvusClient(str(folder))
    except ConnectionConfigException as error:
        raise IndexLocked(
            f"Milvus Lite cannot open {folder}: another process may have it open",
            "Wait until it is done, or run a Milvus server, which serves many processes.",
        ) from error
    with _guard:
        _users[folder.absolute()] += 1
    return client


def release_lite(folder: Path) -> None:
    """Let other processes have the folder once its last user here is done with it."""
    with _guard:
        _users[folder.absolute()] -= 1
        if _users[folder.absolute()] == 0:
            servers = import_module("milvus_lite.server_manager")
            servers.server_manager_instance.release_server(str(folder))
