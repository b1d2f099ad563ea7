"""`citeloom list`, `show`, `inspect` and `projects`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.documents import ListedDocument
from citeloom.application.requests.documents import DocumentsRequest
from citeloom.application.retrieval.show import Shown
from citeloom.domain.errors import nearest
from citeloom.infrastructure.answers.json import json_lines
from citeloom.infrastructure.answers.library import InspectAnswer, ManifestAnswer
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.answers.shapes import shaped
from citeloom.infrastructure.interfaces.cli.console import (
    note,
    out,
    out_json,
    out_json_rows,
    out_table,
    table,
)
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    JsonOption,
    PassageFormat,
    PassageOutput,
    ProjectOption,
    citekeys,
    with_options,
)
from citeloom.infrastructure.interfaces.cli.session import opened, opened_library, shape_of

if TYPE_CHECKING:
    from citeloom.application.documents import Inspection
    from citeloom.application.library_info import (
        AnswerModelInfo,
        EntailmentInfo,
        LibraryInfo,
        RerankerInfo,
    )
    from citeloom.domain.project import Collection
    from citeloom.domain.retrieval.passage import StoredChunk


# `citeloom list`.


@with_options
def list_documents(
    context: typer.Context,
    text: Annotated[
        list[str] | None,
        typer.Argument(
            help="Only documents with these words in title, authors, citekey or path.",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    *,
    options: Given[DocumentsRequest],
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
        chosen_shape = shape_of(library, shape)
        documents = library.documents(text=" ".join(text or ()) or None, **options)
        known = () if documents else library.documents()
    if as_manifest:
        out_json(ManifestAnswer.of(documents))
    elif chosen_shape is not None:
        out_json_rows(shaped(chosen_shape, document) for document in documents)
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
    key = (citekey or "").removeprefix("@")
    near = () if key in citekeys_known else nearest(key, citekeys_known)
    return "no documents" + (f"; nearest citekeys: {', '.join(near)}" if near else "")


def _key(one: ListedDocument) -> str:
    """The citekey, and whether it was generated."""
    return (
        f"@{one.citekey}{' (generated)' if one.citekey_generated else ''}" if one.citekey else "-"
    )


# `citeloom show`.


@with_options
def show(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="CHUNK_ID|CITEKEY|DOC_ID|PATH",
            autocompletion=citekeys,
            help="The passage, work or document to show.",
        ),
    ],
    project: ProjectOption = None,
    neighbours: Annotated[
        int,
        typer.Option(
            "--context", min=0, help="Number of neighbouring chunks to show on each side."
        ),
    ] = 1,
    *,
    output: PassageOutput,
) -> None:
    """Show a passage with its neighbours, or every passage of a work or document.

    Example: citeloom show rule2018 --project citeloom/clean-arch

    Example: citeloom show CHUNK_ID --context 0 --format typst
    """
    from citeloom.infrastructure.interfaces.cli.passages import cited_passages

    with opened(context, project) as library:
        shown = library.show(name, context=neighbours)
        if output.quotes or output.cites:
            out(cited_passages(library, shown.passages, output))
        else:
            _print_shown(shown, output.form, library.info.base_dir)


def _print_shown(shown: Shown, form: PassageFormat, base_dir: Path) -> None:
    from citeloom.infrastructure.answers.markdown import markdown, pandoc
    from citeloom.infrastructure.answers.passages import shown_passages
    from citeloom.infrastructure.interfaces.cli.passages import shown_text

    match form:
        case PassageFormat.JSON:
            out_json(shown_passages(shown), base_dir)
        case PassageFormat.JSONL:
            out(json_lines(shown_passages(shown), Door(base_dir=base_dir)))
        case PassageFormat.MARKDOWN:
            out(markdown(shown.passages, base_dir))
        case PassageFormat.PANDOC:
            out(pandoc(shown.passages))
        case _:
            out(shown_text(shown))


# `citeloom inspect`.

_MEGABYTE = 1_000_000


def inspect(
    context: typer.Context,
    project: ProjectOption = None,
    sample: Annotated[int, typer.Option(min=0, help="Number of sample chunks to show.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a project's size, models, indexes and documents by status.

    Example: citeloom inspect --project citeloom/clean-arch --sample 3
    """
    with opened(context, project) as library:
        inspection, info = library.inspect(sample=sample), library.info
    if as_json:
        out_json(InspectAnswer.of(inspection, info))
    else:
        out(_text(inspection, info))


def _text(inspection: Inspection, info: LibraryInfo) -> str:
    reranker = info.reranker if inspection.project.retrieval.rerank else None
    description = inspection.description
    bound = description.collection
    statuses = ", ".join(f"{n} {status}" for status, n in sorted(inspection.by_status.items()))
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(inspection.by_kind.items()))
    lines = [
        f"project     {inspection.project.id}",
        f"collection  {bound.name} (schema {bound.schema_version}, {description.storage})",
        f"models      dense {bound.dense_model} ({_vectors(bound)}), "
        f"sparse {bound.sparse_model or 'none'}",
        f"sends text  {_sent(inspection)}",
        f"answers     {_answers(info.answer_model)}",
        f"entailment  {_entails(info.entailment)}",
        f"reranks     {_reranks(reranker)}",
        f"documents   {len(inspection.documents)} ({statuses or 'none'})",
        f"chunks      {description.points} ({kinds or 'none'})",
        f"disk        {_size(description.disk_bytes)}",
        f"indexes     {', '.join(sorted(description.indexed_fields))}",
        f"payload     {', '.join(description.payload_keys)}",
    ]
    lines += [f"{key:<11} {value}" for key, value in description.details.items()]
    lines += [f"problem     {problem}" for problem in description.problems]
    lines += _elsewhere(inspection)
    if inspection.staged is not None:
        lines.append("rebuild     unfinished; ingest --rebuild continues it")
    return "\n".join([*lines, *map(_sampled, inspection.sample)])


def _size(disk_bytes: int) -> str:
    return (
        f"{disk_bytes / _MEGABYTE:.1f} MB"
        if disk_bytes
        else "unknown; the store does not report it"
    )


def _elsewhere(inspection: Inspection) -> list[str]:
    """How many documents other machines ingested."""
    machines = [f"{n} of {one}" for one, n in sorted(inspection.other_machines.items())]
    return [f"elsewhere   documents of other machines: {', '.join(machines)}"] if machines else []


def _vectors(bound: Collection) -> str:
    """What the dense vectors are."""
    made = f", by {bound.dense_arithmetic}" if bound.dense_arithmetic else ""
    return f"{bound.dimension} dimensions{made}"


def _sent(inspection: Inspection) -> str:
    """Where the project's texts and questions go."""
    return f"to {inspection.project.sends_text_to}" if inspection.project.remote else "nowhere"


def _reranks(reranker: RerankerInfo | None) -> str:
    """What puts the best passages of a query in order."""
    if reranker is None:
        return "nothing"
    if reranker.sends_to is None:
        return f"{reranker.name}, here"
    return f"{reranker.name}, which sends questions and passages to {reranker.sends_to}"


def _entails(model: EntailmentInfo | None) -> str:
    """What judges whether quotes entail the sentences that a model wrote."""
    if model is None:
        return "rules alone"
    where = f"which sends sentences and quotes to {model.sends_to}" if model.sends_to else "here"
    return f"rules, then {model.name}, {where}"


def _answers(writer: AnswerModelInfo | None) -> str:
    """Who writes the answers of `ask`."""
    if writer is None:
        return "sentences of the passages; nothing is sent to a language model"
    return f"{writer.name}, which sends questions and passages to {writer.sends_to}"


def _sampled(stored: StoredChunk) -> str:
    citekey = stored.citation.citekey if stored.citation else stored.source_path
    remark = f" ({stored.remark})" if stored.remark else ""
    return f"\n{stored.chunk.id}  {citekey}{remark}, {stored.locator}\n{stored.chunk.text}"


# `citeloom projects`.


def projects(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the configured projects.

    Example: citeloom projects
    """
    with opened_library(context) as library:
        summaries = library.projects()
    if as_json:
        out_json(summaries)
        return
    if not summaries:
        note("no projects are configured; `citeloom init` writes a citeloom.toml")
        return
    rows = [
        (
            summary.id,
            str(summary.documents),
            summary.collection,
            summary.embedding_model,
            summary.references or "-",
        )
        for summary in summaries
    ]
    out(table(rows, ("project", "documents", "collection", "model", "references")))
