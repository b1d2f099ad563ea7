"""`citeloom store …`, and the line on the store with which long commands begin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from citeloom.infrastructure.interfaces.cli.console import counted, note, out, out_json
from citeloom.infrastructure.interfaces.cli.ending import EXIT_CODES, FINDINGS
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened_library
from citeloom.infrastructure.serialisation.reports import store_json

if TYPE_CHECKING:
    from citeloom.application.ports.vector_index import CollectionState, StoreAddress, StoreState
    from citeloom.infrastructure.library.library import Library
    from citeloom.infrastructure.library.project import ProjectLibrary

app = typer.Typer(
    name="store",
    help="Check the vector store.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def store() -> None:
    """Check the vector store."""


@app.command("check")
def check(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """Contact every address of the store; show versions, rights, latency and collections.

    Nothing is stored or changed. Exit code 13 if the store does not answer or may not be read, 4 if
    something else is wrong, such as a node that is down.

    Example: citeloom store check --json
    """
    with opened_library(context) as library:
        state = library.check_store(project)
    if as_json:
        out_json(store_json(state))
    else:
        out("\n".join(_text(state)))
    if not state.is_available:
        raise typer.Exit(EXIT_CODES["INDEX_UNAVAILABLE"])
    if state.problems:
        raise typer.Exit(FINDINGS)


def note_store(opened: Library | ProjectLibrary) -> None:
    """Say in a line on stderr how a store on a server is, before a command works with it."""
    if not opened.info.has_remote_store:
        return
    state = opened.check_store()
    if not state.remote:
        return
    if state.problems:
        note(f"store: {state.problems[0]}")
        return
    first = state.addresses[0]
    collections = "; ".join(f"{one.name}: {_collection(one)}" for one in state.collections)
    parts = (f"{state.kind} {_address(first)}", _rights(state), collections, *state.notes)
    note(f"store: {'; '.join(part for part in parts if part)}")


def _text(state: StoreState) -> Iterator[str]:
    yield f"store       {state.kind}"
    for address in state.addresses:
        yield f"address     {_address(address)}"
    yield f"rights      {_rights(state)}"
    for collection in state.collections:
        yield f"collection  {collection.name}: {_collection(collection)}"
    if state.peers:
        yield f"nodes       {', '.join(state.peers)}"
    yield from (f"note        {one}" for one in state.notes)
    yield from (f"problem     {one}" for one in state.problems)
    yield "no problems" if state.is_available and not state.problems else "there are problems"


def _address(one: StoreAddress) -> str:
    if one.error:
        return f"{one.address}  no answer"
    took = f", {one.milliseconds:g} ms" if one.milliseconds else ""
    return f"{one.version} at {one.address}{took}".strip()


def _rights(state: StoreState) -> str:
    if not state.may_read:
        return "it may not be read" if state.may_read is False else "unknown"
    if state.may_write is None:
        return "it may be read"
    return "it may be read and written" if state.may_write else "it may be read, not written"


def _collection(one: CollectionState) -> str:
    if not one.exists:
        return "nothing ingested yet"
    parts = [one.status] if one.status else []
    if one.points:
        parts.append(counted(one.points, "chunk"))
    if one.shards:
        parts.append(counted(one.shards, "shard"))
    if one.copies_configured:
        parts.append(f"{one.copies} of {one.copies_configured} copies active")
    return ", ".join(parts) or "there"
