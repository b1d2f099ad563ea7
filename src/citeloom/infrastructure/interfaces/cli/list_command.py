"""`citeloom list`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.listing import ListedDocument
from citeloom.domain.manifest import DocumentState
from citeloom.domain.nearest import nearest
from citeloom.infrastructure.interfaces.cli.completion import citekeys
from citeloom.infrastructure.interfaces.cli.console import note, out_json, out_json_rows, out_table
from citeloom.infrastructure.interfaces.cli.option_groups import with_options
from citeloom.infrastructure.interfaces.cli.options import AsOption, JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.query_options import TagOption, WhereOption, YearOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.interfaces.cli.shapes import shape_of
from citeloom.infrastructure.serialisation.documents import manifest_json
from citeloom.infrastructure.serialisation.shapes import shaped

if TYPE_CHECKING:
    from citeloom.application.query_options import DocumentOptions


def document_options(
    text: Annotated[
        list[str] | None,
        typer.Argument(
            help="Those with these words in title, authors, citekey or path.", show_default=False
        ),
    ] = None,
    status: Annotated[DocumentState | None, typer.Option(help="Those in this state.")] = None,
    citekey: Annotated[
        str | None, typer.Option(autocompletion=citekeys, help="Those of this work.")
    ] = None,
    tag: TagOption = None,
    year: YearOption = None,
    where: WhereOption = None,
    missing_reference: Annotated[
        bool, typer.Option("--missing-reference", help="Those without a reference.")
    ] = False,
) -> DocumentOptions:
    """Which documents are listed."""
    return {
        "text": " ".join(text) if text else None,
        "state": status,
        "citekey": citekey,
        "tags": tag or (),
        "years": year or (None, None),
        "where": where or (),
        "missing_reference": missing_reference,
    }


@with_options(options=document_options)
def list_documents(
    context: typer.Context,
    project: ProjectOption = None,
    *,
    options: DocumentOptions,
    as_manifest: Annotated[
        bool,
        typer.Option("--manifest", help="Print the hash, time and chunks of each indexed file."),
    ] = False,
    as_json: JsonOption = False,
    shape: AsOption = None,
) -> None:
    """List a project's documents: citekey, pages, chunks, state and title.

    Example: citeloom list --project citeloom/clean-arch --missing-reference

    Example: citeloom list turbidity --year 2019..2023
    """
    with opened(context, project) as library:
        wanted = shape_of(library, shape)
        documents = library.documents(**options)
        known = () if documents else library.documents()
    if as_manifest:
        out_json(manifest_json(documents))
    elif wanted is not None:
        out_json_rows(shaped(wanted, one) for one in documents)
    elif as_json:
        out_json_rows(documents)
    elif documents:
        out_table(map(_row, documents), ("citekey", "pages", "chunks", "state", "title"))
    else:
        note(_nothing(options.get("citekey"), known))


def _row(one: ListedDocument) -> tuple[str, ...]:
    name = one.title or one.path or one.doc_id
    return (_key(one), str(one.pages), str(one.chunks), one.state.value, name)


def _nothing(citekey: str | None, known: Iterable[ListedDocument]) -> str:
    """That nothing is listed, and the nearest citekeys to one that no document has."""
    citekeys_known = {one.citekey for one in known if one.citekey}
    wanted = (citekey or "").removeprefix("@")
    near = () if wanted in citekeys_known else nearest(wanted, citekeys_known)
    return "no documents" + (f"; nearest citekeys: {', '.join(near)}" if near else "")


def _key(one: ListedDocument) -> str:
    """The citekey, and whether it was made up."""
    return f"@{one.citekey}{' (made up)' if one.citekey_made_up else ''}" if one.citekey else "-"
