"""`citeloom zotero …`: browse Zotero, check it, download its files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from citeloom.application.requests.ingest import (
    CollectionsRequest,
    LibrariesRequest,
    SelectionRequest,
)
from citeloom.application.zotero.doctor import Diagnosis, Symptom
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.references.bibliography import plain
from citeloom.domain.validation import ZOTERO_CHECKS
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment
from citeloom.domain.zotero.selection import ZoteroSelection
from citeloom.infrastructure.answers.headlines import in_short
from citeloom.infrastructure.answers.text import counted, one_line, tally
from citeloom.infrastructure.answers.zotero import (
    CollectionEntry,
    DownloadAnswer,
    ItemEntry,
    TagEntry,
)
from citeloom.infrastructure.interfaces.cli.console import (
    by_severity,
    note,
    out,
    out_json,
    out_json_rows,
    out_table,
    severity_mark,
    verdict,
)
from citeloom.infrastructure.interfaces.cli.context import opened_library
from citeloom.infrastructure.interfaces.cli.options import (
    Given,
    JsonOption,
    ProjectOption,
    family,
)
from citeloom.infrastructure.interfaces.error_codes import FINDINGS, SOME_FAILED

if TYPE_CHECKING:
    from citeloom.application.zotero.browse import (
        ItemOrder,
        ListedCollection,
        ListedItem,
    )
    from citeloom.application.zotero.snapshot import DownloadReport
    from citeloom.infrastructure.library.library import Library


LimitOption = Annotated[int | None, typer.Option("--limit", min=1, help="Show at most this many.")]


@contextmanager
def browsing(context: typer.Context) -> Iterator[Library]:
    """A library to look through Zotero with; how Zotero is read, and what should be known of
    that, is said on stderr.
    """
    with opened_library(context) as library:
        zotero = library.zotero().reach()
        note(f"reading Zotero: {zotero.source}")
        yield library
        for warning in zotero.warnings:
            note(f"warning: {warning}")


# `citeloom zotero collections`.


def collections(
    context: typer.Context, *, options: Given[LibrariesRequest], as_json: JsonOption = False
) -> None:
    """List Zotero's collections as a tree, with the number of items in each.

    Example: citeloom zotero collections --library all
    """
    with browsing(context) as opened:
        selection = LibrariesRequest(**options).selection or ZoteroSelection()
        listed = opened.zotero().collections(selection)
    if as_json:
        out_json_rows(map(CollectionEntry.of, listed))
    else:
        out_table(_tree(listed), ("key", "items", "with subcollections", "collection"))


def _tree(listed: Sequence[ListedCollection]) -> Iterator[tuple[str, ...]]:
    several = len({entry.collection.library for entry in listed}) > 1
    shown = None
    for entry in listed:
        collection, library = entry.collection, entry.collection.library
        if several and library != shown:
            yield "", "", "", f"{library.name or library.path} ({library.path})"
            shown = library
        name = f"{'  ' * (len(collection.path) - 1 + several)}{collection.name}"
        yield collection.key, str(entry.items), str(entry.items_below), name


# `citeloom zotero tags`.


def tags(
    context: typer.Context,
    *,
    options: Given[CollectionsRequest],
    search: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only tags that contain this text.")
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tags by number of items, and say which were added automatically.

    Example: citeloom zotero tags --collection Papers/Julia --limit 20
    """
    with browsing(context) as opened:
        selection = CollectionsRequest(**options).selection or ZoteroSelection()
        listed = opened.zotero().tags(selection, search=search, limit=limit)
    if as_json:
        out_json_rows(map(TagEntry.of, listed))
    elif listed:
        rows = []
        for tag in listed:
            some = "yes" if tag.automatic == tag.items else f"on {tag.automatic}"
            automatic = some if tag.automatic else "-"
            rows.append((str(tag.items), automatic, tag.library.path, plain(tag.name)))
        out_table(rows, ("items", "automatic", "library", "tag"))
    else:
        note("no tags")


# Items of Zotero as a table or as JSON.

_KINDS = {
    "application/pdf": "PDF",
    "application/epub+zip": "EPUB",
    "text/html": "HTML",
    "application/xhtml+xml": "HTML",
    "text/plain": "text",
}
_HEADS = ("key", "citekey", "year", "creators", "files", "title")


def _note_below(opened: Library, selection: ZoteroSelection, found: Sequence[object]) -> None:
    """Where nothing was found, say which collections have all their items below them."""
    for hint in () if found else opened.zotero().hints_below(selection):
        note(hint)


def show_items(
    listed: Sequence[ListedItem], *, as_json: bool, dated: ItemOrder | None = None
) -> None:
    """Print items; the table begins with the day that `dated` names, if any."""
    if as_json:
        out_json_rows(map(ItemEntry.of, listed))
        return
    if not listed:
        note("no items")
        return
    several = len({entry.item.library for entry in listed}) > 1
    rows = []
    for entry in listed:
        item = entry.item
        row = [item.library.path] if several else []
        if dated:
            moment = item.added if dated.value == "added" else item.modified
            row.append(moment.date().isoformat() if moment else "-")
        creators = in_short([plain(creator.family) for creator in entry.creators])
        row += [item.key, item.citekey or "-", str(entry.year or "-"), creators or "-"]
        row += [", ".join(map(_file, entry.attachments)) or "-", plain(item.title) or "-"]
        rows.append(row)
    heads = [*(["library"] if several else []), *([dated.value] if dated else []), *_HEADS]
    out_table(rows, heads)


def _file(attachment: ZoteroAttachment) -> str:
    """What kind of file it is, and whether it is missing."""
    if attachment.link_mode is LinkMode.LINKED_URL:
        return "link"
    kind = _KINDS.get(attachment.content_type)
    kind = kind or Path(attachment.stored_path).suffix[1:].upper() or "file"
    return kind if attachment.exists else f"{kind} missing"


# `citeloom zotero items` and `citeloom zotero recent`.


def items(
    context: typer.Context,
    *,
    options: Given[SelectionRequest],
    search: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Only items with this text in title, creators or citekey."
        ),
    ] = None,
    limit: LimitOption = None,
    as_json: JsonOption = False,
) -> None:
    """List items by citekey, with their files and whether these are missing.

    Example: citeloom zotero items --collection Papers --subcollections --search tides
    """
    with browsing(context) as opened:
        selection = SelectionRequest(**options).selection or ZoteroSelection()
        listed = opened.zotero().items(selection, search=search)[:limit]
        _note_below(opened, selection, listed)
    show_items(listed, as_json=as_json)


def recent(
    context: typer.Context,
    *,
    options: Given[SelectionRequest],
    by: Annotated[
        Literal["added", "modified"], typer.Option(help="By date added or date modified.")
    ] = "added",
    limit: LimitOption = 20,
    as_json: JsonOption = False,
) -> None:
    """List the items added or modified most recently.

    Example: citeloom zotero recent --by modified --limit 5
    """
    from citeloom.application.zotero.browse import ItemOrder

    order = ItemOrder(by)
    with browsing(context) as opened:
        selection = SelectionRequest(**options).selection or ZoteroSelection()
        listed = opened.zotero().items(selection, order=order)[:limit]
        _note_below(opened, selection, listed)
    show_items(listed, as_json=as_json, dated=order)


def show_diagnosis(diagnosis: Diagnosis, limit: int) -> None:
    """Print the findings check by check, at most `limit` of each, with what mends them."""
    for check, group in groupby(diagnosis.symptoms, key=lambda symptom: symptom.check):
        symptoms = [*group]
        mark = severity_mark(ZOTERO_CHECKS[check].severity)
        promise = ZOTERO_CHECKS[check].promise
        out(f"{mark}  {check}: {len(symptoms)} found; expected that {promise}")
        out("\n".join(_lines(symptoms, limit)))
        if hint := diagnosis.hint(check):
            out(f"    {hint}")
    if diagnosis.sends_text_to:
        out(f"text is sent to {diagnosis.sends_text_to}")
    counts = Counter(symptom.severity for symptom in diagnosis.symptoms)
    out(
        f"{diagnosis.project or 'Zotero'}: {verdict(diagnosis.passed)}; "
        f"{counted(diagnosis.items, 'item')} with {counted(diagnosis.documents, 'document')}, "
        f"{by_severity(counts)}"
    )


def _lines(symptoms: list[Symptom], limit: int) -> Iterator[str]:
    for symptom in symptoms[:limit]:
        key = symptom.item_key or symptom.attachment_key or ""
        name = symptom.citekey or plain(symptom.title)
        line = "  ".join(filter(None, ("   ", key, name))) + f": {plain(symptom.message)}"
        yield one_line(line)
    if len(symptoms) > limit:
        yield f"     and {len(symptoms) - limit} more (--limit {len(symptoms)} shows them)"


# `citeloom zotero doctor`.


def doctor(
    context: typer.Context,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            "-p",
            metavar="[NS/]NAME",
            envvar="CITELOOM_PROJECT",
            help="Compare with the index of this project; without it, check Zotero alone.",
        ),
    ] = None,
    *,
    options: Given[SelectionRequest],
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings as well.")] = False,
    limit: Annotated[
        int, typer.Option(min=1, help="Show at most this many findings per check.")
    ] = 20,
    as_json: JsonOption = False,
) -> None:
    """Report what is missing, unreadable or out of date, and how to fix it; exit 4 on errors.

    Without a selection, the project's own selection is checked.

    Example: citeloom zotero doctor --project citeloom/clean-arch
    """
    from citeloom.infrastructure.answers.zotero import DiagnosisAnswer

    with browsing(context) as opened:
        selection = SelectionRequest(**options).selection
        diagnosis = opened.diagnose_zotero(selection, project_id=project, strict=strict)
    if as_json:
        out_json(DiagnosisAnswer.of(diagnosis))
    else:
        show_diagnosis(diagnosis, limit)
    if not diagnosis.passed:
        raise typer.Exit(FINDINGS)


# `citeloom zotero export`, `annotations` and `citekeys`.


def export(
    context: typer.Context,
    *,
    options: Given[SelectionRequest],
    form: Annotated[
        Literal["biblatex", "bibtex", "csl-json", "ris"],
        typer.Option("--format", help="What the references are written as."),
    ] = "biblatex",
    citekey: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Only the work with this citekey; of several, each."),
    ] = None,
    cited_in: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="Only works that this text cites as [@key], e.g. an answer; - is standard input.",
        ),
    ] = None,
) -> None:
    """Print the references of Zotero's items, by the citekeys that passages show.

    A generated citekey has the keyword citekey-generated, so that every draft compiles.

    Example: citeloom ask "How are loggers kept clean?" | citeloom zotero export --cited-in -
    """
    text = _text_of(cited_in) if cited_in else None
    with browsing(context) as opened:
        selection = SelectionRequest(**options).selection or ZoteroSelection()
        references, exported = opened.export_zotero(selection, citekey or (), form, cited_in=text)
        _note_below(opened, selection, exported.items)
    if references:
        out(references)
    if not exported.items:
        note("no items")
    if exported.generated:
        note(f"without a citekey in Zotero, generated: {', '.join(exported.generated)}")
    for repeated in exported.repeated:
        note(f"warning: several items have the citekey {repeated}; the first is exported")


def _text_of(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFilter(f"{name} cannot be read: {error}", "Name a text in UTF-8.") from error


def list_annotations(
    context: typer.Context,
    *,
    options: Given[SelectionRequest],
    item: Annotated[
        str | None, typer.Option(metavar="KEY", help="Only those of this item.")
    ] = None,
    color: Annotated[
        list[str] | None,
        typer.Option(metavar="COLOR", help="Only of this colour, e.g. yellow; any may match."),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Only with this text, or a comment with it."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one annotation a line, not Markdown.")
    ] = False,
) -> None:
    """Print annotations by item, in the order of their pages, with links into Zotero's reader.

    Example: citeloom zotero annotations --collection Papers --color yellow > highlights.md
    """
    from citeloom.infrastructure.answers.zotero import AnnotationEntry, annotations_markdown

    with browsing(context) as opened:
        selection = SelectionRequest(**options).selection or ZoteroSelection()
        marks = opened.zotero().annotations(selection, search=search, item=item, colors=color or ())
    entries = [*map(AnnotationEntry.of, marks)]
    if not entries:
        note("no annotations")
    elif as_json:
        out_json_rows(entries)
    else:
        out(annotations_markdown(entries))


def citekeys(
    context: typer.Context,
    prefix: Annotated[str, typer.Argument(help="What they begin with, in any case.")] = "",
    *,
    options: Given[SelectionRequest],
) -> None:
    """List the citekeys of items, generated ones included; for the completion of a shell.

    Example: citeloom zotero citekeys okafor
    """
    with opened_library(context) as opened:
        found = opened.zotero_citekeys(prefix, SelectionRequest(**options).selection)
    if found:
        out("\n".join(found))


# `citeloom zotero download`.


def download(
    context: typer.Context,
    project: ProjectOption = None,
    *,
    options: Given[SelectionRequest],
    as_json: JsonOption = False,
) -> None:
    """Download the files of Zotero items from zotero.org; the API key is in ZOTERO_API_KEY.

    The items are those the options select, else the project's own selection, else all of your
    library. Unchanged files are not downloaded again. Ingest them with access = "web".

    Example: citeloom zotero download --collection Papers/Tides --subcollections
    """
    from citeloom.infrastructure.interfaces.cli.progress_display import progress_for

    with opened_library(context) as opened:
        selection = SelectionRequest(**options).selection
        if selection is None and project is not None:
            selection = opened.last_zotero_selection(project)
        run = opened.zotero_download(progress_for())
        note(f"reading Zotero: {run.zotero.source}")
        report = run(selection or ZoteroSelection())
    if as_json:
        out_json(DownloadAnswer.of(report))
    else:
        out(download_text(report))
    if report.unfetched:
        raise typer.Exit(SOME_FAILED)


def download_text(report: DownloadReport) -> str:
    counts = tally(dict(sorted(Counter(file.outcome.value for file in report.files).items())))
    files = counted(len(report.files), "file")
    lines = [f"{files}: {counts}" if counts else "no files are stored there"]
    for file in report.unfetched:
        name = file.attachment.stored_path.removeprefix("storage:")
        lines.append(one_line(f"  {file.outcome.value}: {name}  ({file.attachment.key})"))
    return "\n".join(lines)


app = family("zotero", help="Browse Zotero; nothing is ever written to it.")
for _command in (collections, items, recent, tags, citekeys, export, doctor, download):
    app.command(_command.__name__)(_command)
app.command("annotations")(list_annotations)
