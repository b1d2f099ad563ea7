"""What is said when the database cannot be used."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest

pytest.importorskip("psycopg", reason="psycopg is not installed: citeloom[postgres]")

from citeloom.domain.errors import IndexUnavailable
from citeloom.testing.chunks import EVERYTHING, collection, embedded
from citeloom_postgres.connections import Database
from citeloom_postgres.index import PostgresIndex
from tests.fakes.postgres import as_user, connected, server

NAME = "tides"
SECRET = "sEcReT"


@pytest.fixture
def index(url: str) -> Iterator[PostgresIndex]:
    made = PostgresIndex(Database(url))
    made.create(collection(NAME))
    made.upsert(NAME, [embedded("a")])
    yield made
    made.close()


def others_ended(url: str) -> None:
    with connected(url) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def user(*, password: str | None = None) -> str:
    name = f"reader_{uuid.uuid4().hex[:8]}"
    with connected(server().url) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN".encode())
        if password:
            connection.execute(f"ALTER ROLE {name} PASSWORD '{password}'".encode())
    return name


def test_a_lost_connection_is_made_again(url: str, index: PostgresIndex) -> None:
    for _ in range(3):
        others_ended(url)
        assert index.count(NAME, EVERYTHING) == 1
        others_ended(url)
        index.upsert(NAME, [embedded("b")])
        index.delete(NAME, EVERYTHING, keep=frozenset({"a"}))


def test_a_database_that_is_gone_is_said_and_found_again(url: str, index: PostgresIndex) -> None:
    name = url.partition("?")[0].rpartition("/")[2]
    allow = "ALTER DATABASE {} ALLOW_CONNECTIONS {}"
    with connected(server().url) as connection:
        connection.execute(allow.format(name, "false").encode())
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
        )
        with pytest.raises(IndexUnavailable, match="not currently accepting") as lost:
            index.count(NAME, EVERYTHING)
        assert lost.value.hint
        connection.execute(allow.format(name, "true").encode())
    assert index.count(NAME, EVERYTHING) == 1


def test_no_server_is_said_with_its_address() -> None:
    index = PostgresIndex(Database("postgresql://me@127.0.0.1:9/db", password=SECRET, timeout=2))
    with pytest.raises(IndexUnavailable, match=r"postgresql://127\.0\.0\.1:9/db") as lost:
        index.binding(NAME)
    assert "[store] url" in lost.value.hint
    assert SECRET not in f"{lost.value.message} {lost.value.hint}"


def test_an_unknown_database_is_named(url: str) -> None:
    gone = url.partition("?")[0] + "_gone" + url[len(url.partition("?")[0]) :]
    with pytest.raises(IndexUnavailable, match="_gone"):
        PostgresIndex(Database(gone)).binding(NAME)


def test_a_wrong_password_is_told_and_not_shown(url: str) -> None:
    folder = server().folder
    if folder is None:
        pytest.skip("passwords are checked on a server of the tests' own")
    name = user(password="right")
    rules = folder / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all {name} scram-sha-256\nhost all {name} all scram-sha-256\n{before}")
    try:
        with connected(url) as connection:
            connection.execute("SELECT pg_reload_conf()")
            connection.execute(f"GRANT ALL ON DATABASE {url_name(url)} TO {name}".encode())
        for password in (SECRET, None):
            with pytest.raises(IndexUnavailable) as refused:
                PostgresIndex(Database(as_user(url, name), password=password)).binding(NAME)
            assert "PGPASSWORD" in refused.value.hint
            assert SECRET not in f"{refused.value.message} {refused.value.hint}"
        allowed = PostgresIndex(Database(as_user(url, name), password="right"))
        assert allowed.binding(NAME) is None
        allowed.close()
    finally:
        rules.write_text(before)
        with connected(url) as connection:
            connection.execute("SELECT pg_reload_conf()")


def url_name(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def test_without_privileges_the_statements_to_run_are_told(url: str) -> None:
    index = PostgresIndex(Database(as_user(url, user())))
    with pytest.raises(IndexUnavailable, match="permission denied") as refused:
        index.create(collection(NAME))
    assert "CREATE EXTENSION" in refused.value.hint
    assert "CREATE SCHEMA" in refused.value.hint
    assert index.binding(NAME) is None
    index.close()


def test_without_pgvector_its_installation_is_told(url: str) -> None:
    with connected(url) as connection:
        nowhere = f"ALTER DATABASE {url_name(url)} SET extension_control_path = '/nowhere'"
        connection.execute(nowhere.encode())
    index = PostgresIndex(Database(url))
    with pytest.raises(IndexUnavailable, match="vector") as refused:
        index.create(collection(NAME))
    assert "pgvector" in refused.value.hint
    index.close()


def test_a_reader_without_the_right_to_write_reads(url: str, index: PostgresIndex) -> None:
    name = user()
    with connected(url) as connection:
        for statement in (
            "GRANT USAGE ON SCHEMA citeloom TO {}",
            "GRANT SELECT ON ALL TABLES IN SCHEMA citeloom TO {}",
        ):
            connection.execute(statement.format(name).encode())
    reader = PostgresIndex(Database(as_user(url, name)))
    assert reader.count(NAME, EVERYTHING) == 1
    with pytest.raises(IndexUnavailable, match="permission denied"):
        reader.upsert(NAME, [embedded("b")])
    assert index.count(NAME, EVERYTHING) == 1
    reader.close()


def test_the_connection_says_which_process_it_is_of(url: str, index: PostgresIndex) -> None:
    assert index.count(NAME, EVERYTHING) == 1
    with connected(url) as connection:
        names = connection.execute(
            "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
        ).fetchall()
    assert any(f"process {os.getpid()} on" in name for (name,) in names)
