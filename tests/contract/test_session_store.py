"""What every store of sessions promises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from citeloom.application.ports.records import SessionStore
from citeloom.domain.answers.answer import Sentence
from citeloom.domain.answers.session import Conversation, begun_with, excerpt
from citeloom.domain.errors import IndexUnavailable, NotFound
from citeloom.infrastructure.sessions import SqliteSessions
from tests.fakes.session_store import InMemorySessions
from tests.fakes.turns import answer, stored, turn

STORES: dict[str, Callable[[Path], SessionStore]] = {
    "memory": lambda _: InMemorySessions(),
    "sqlite": lambda folder: SqliteSessions(folder / "data" / "sessions.sqlite"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, memory_folder: Path) -> Iterator[SessionStore]:
    made = STORES[request.param](memory_folder)
    yield made
    made.close()


def kept(store: SessionStore, project: str = "lab/rye", session: str = "s1") -> Conversation:
    found = store.get(project, session)
    assert found is not None
    return found


def test_an_empty_store_has_nothing(store: SessionStore) -> None:
    assert store.get("lab/rye", "s1") is None
    assert store.sessions("lab/rye") == []
    assert not store.delete("lab/rye", "s1")
    with pytest.raises(NotFound, match="no session 's1'"):
        store.append("lab/rye", turn())


def test_a_store_says_beforehand_whether_it_can_be_written(
    store: SessionStore, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.check_writable()
    assert [*memory_folder.iterdir()] == []
    monkeypatch.setattr(os, "access", lambda *_: False)
    read_only = (InMemorySessions(read_only=True), STORES["sqlite"](memory_folder))
    for one in read_only:
        with pytest.raises(IndexUnavailable, match="cannot be written"):
            one.check_writable()


def test_a_session_is_kept_as_it_is(store: SessionStore) -> None:
    whole = begun_with("lab/rye", turn("When, and where?\n", carried=("rye", "plot")))
    store.begin(whole)
    assert kept(store) == whole
    store.begin(begun_with("lab/rye", turn(session="s2")))
    assert kept(store) == whole


def test_what_is_kept_of_an_answer_is_all_of_its_excerpt(store: SessionStore) -> None:
    first = replace(turn(), answer=excerpt(answer()))
    store.begin(begun_with("lab/rye", first))
    (found,) = kept(store).turns
    assert found == first
    assert [one.citation for one in found.answer.citations] == [
        "[@rye2001, p. iv]",
        "[@rye2001, p. v]",
        None,
    ]


def test_the_name_of_a_file_may_be_no_text(store: SessionStore) -> None:
    citation = replace(answer().citations[0], stored=replace(stored(), source_path="r\udce9.pdf"))
    sentence = Sentence(text="\udce9", citations=(citation,))
    odd = replace(turn(), answer=replace(answer(), sentences=(sentence,)))
    store.begin(begun_with("lab/rye", odd))
    assert kept(store).turns == (odd,)


def test_turns_stay_in_order(store: SessionStore) -> None:
    store.begin(begun_with("lab/rye", turn(number=1)))
    for number in (2, 3):
        store.append("lab/rye", turn(f"And in {number}?", number=number))
    found = kept(store)
    assert [one.id for one in found.turns] == ["s1-q1", "s1-q2", "s1-q3"]
    assert (found.session.asked, found.session.title) == (3, "When was rye sown?")
    assert found.session.updated_at == found.turns[-1].answered_at
    assert found.session.created_at == found.turns[0].asked_at


def test_the_last_turns_can_be_read_alone(store: SessionStore) -> None:
    store.begin(begun_with("lab/rye", turn(number=1)))
    store.append("lab/rye", turn(number=2))
    for last, ids in ((0, []), (1, ["s1-q2"]), (9, ["s1-q1", "s1-q2"])):
        found = store.get("lab/rye", "s1", last=last)
        assert found is not None
        assert [one.id for one in found.turns] == ids
        assert found.session.asked == 2


def test_of_a_long_session_the_last_turns_stay(store: SessionStore) -> None:
    store.begin(begun_with("lab/rye", turn(number=1)))
    for number in range(2, 7):
        store.append("lab/rye", turn(number=number), keep=3)
    found = kept(store)
    assert [one.id for one in found.turns] == ["s1-q4", "s1-q5", "s1-q6"]
    assert found.session.asked == 6


def test_projects_do_not_see_each_other(store: SessionStore) -> None:
    store.begin(begun_with("lab/rye", turn()))
    store.begin(begun_with("lab/oats", turn("What are oats?")))
    assert kept(store, "lab/oats").turns[0].question == "What are oats?"
    assert store.get("lab/oats2", "s1") is None
    with pytest.raises(NotFound):
        store.append("lab/barley", turn(number=2))
    assert not store.delete("lab/barley", "s1")
    assert store.delete("lab/rye", "s1")
    assert [one.title for one in store.sessions("lab/oats")] == ["What are oats?"]


def test_the_last_used_session_comes_first(store: SessionStore) -> None:
    for number, session in enumerate(("s1", "s2", "s3"), start=1):
        store.begin(begun_with("lab/rye", turn(session=session, number=number)))
    store.append("lab/rye", turn(session="s1", number=9))
    assert [one.id for one in store.sessions("lab/rye")] == ["s1", "s3", "s2"]


def test_a_deleted_session_is_gone_and_stays_so(store: SessionStore) -> None:
    store.begin(begun_with("lab/rye", turn(number=1)))
    store.begin(begun_with("lab/rye", turn(session="s2", number=2)))
    assert store.delete("lab/rye", "s1")
    assert not store.delete("lab/rye", "s1")
    assert store.get("lab/rye", "s1") is None
    with pytest.raises(NotFound):
        store.append("lab/rye", turn(number=3))
    store.begin(begun_with("lab/rye", turn(number=4)))
    assert [one.id for one in kept(store).turns] == ["s1-q4"]


def test_sessions_that_were_not_used_since_are_deleted(store: SessionStore) -> None:
    for number, session in enumerate(("s1", "s2", "s3"), start=1):
        store.begin(begun_with("lab/rye", turn(session=session, number=number)))
    store.begin(begun_with("lab/oats", turn(session="s1", number=1)))
    store.append("lab/rye", turn(session="s1", number=9))
    since = kept(store, session="s3").session.updated_at
    assert store.delete_unused("lab/rye", since=since) == 1
    assert [one.id for one in store.sessions("lab/rye")] == ["s1", "s3"]
    assert store.get("lab/rye", "s2") is None
    assert [one.id for one in store.sessions("lab/oats")] == ["s1"]
    assert store.delete_unused("lab/rye", since=since) == 0
    assert store.delete_unused("lab/barley", since=since) == 0


def test_a_store_that_cannot_be_written_keeps_old_sessions(
    memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for read_only, written in (
        (InMemorySessions(read_only=True), None),
        (STORES["sqlite"](memory_folder), STORES["sqlite"](memory_folder)),
    ):
        (written or read_only).begin(begun_with("lab/rye", turn()))
        since = kept(written or read_only).session.updated_at + timedelta(days=1)
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert read_only.delete_unused("lab/rye", since=since) == 0
        assert len(read_only.sessions("lab/rye")) == 1
        monkeypatch.undo()
