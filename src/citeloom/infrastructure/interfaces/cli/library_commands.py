"""`citeloom list`, `show`, `inspect` and `projects`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.application.documents import ListedDocument
from citeloom.application.requests.passages import DocumentsRequest
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.errors import nearest
from citeloom.infrastructure.answers.headlines import remark_on
from citeloom.infrastructure.answers.json import json_lines, shaped
from citeloom.infrastructure.answers.library import (
    InspectAnswer,
    ManifestAnswer,
    languages_found,
    recommended_steps,
)
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.answers.text import counted, one_line, tally
from citeloom.infrastructure.interfaces.cli.console import (
    note,
    out,
    out_json,
    out_json_rows,
    out_table,
    table,
)
from citeloom.infrastructure.interfaces.cli.context import opened, opened_library, shape_of
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    JsonOption,
    PassageOutput,
    ProjectOption,
    citekeys,
)

if TYPE_CHECKING:
    from citeloom.application.library_info import ConfiguredModel, LibraryInfo
    from citeloom.domain.documents.manifest import ManifestEntry


# `citeloom list`.


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
        hint = "" if documents else _nearest_citekeys(options.get("citekey"), library.documents())
    if as_manifest:
        out_json(ManifestAnswer.of(documents))
    elif chosen_shape is not None:
        out_json_rows(shaped(chosen_shape, document) for document in documents)
    elif as_json:
        out_json_rows(documents)
    elif documents:
        rows = (
            (
                f"@{document.citekey}{' (generated)' * document.citekey_generated}"
                if document.citekey
                else "-",
                *(str(document.pages), str(document.chunks)),
                "copy"
                if document.copy_of and document.state is DocumentState.INDEXED
                else document.state.value,
                document.title or document.path or document.doc_id,
            )
            for document in documents
        )
        out_table(rows, ("citekey", "pages", "chunks", "state", "title"))
    else:
        note(f"no documents{hint}")


def _nearest_citekeys(citekey: str | None, documents: Iterable[ListedDocument]) -> str:
    """The nearest citekeys to one that no document has."""
    keys = {document.citekey for document in documents if document.citekey}
    key = (citekey or "").removeprefix("@")
    near = () if key in keys else nearest(key, keys)
    return f"; nearest citekeys: {', '.join(near)}" if near else ""


# `citeloom show`.


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
    from citeloom.infrastructure.answers.markdown import markdown, pandoc
    from citeloom.infrastructure.answers.passages import shown_passages
    from citeloom.infrastructure.interfaces.cli.passages import cited_passages, shown_text

    with opened(context, project) as library:
        shown, base_dir = library.show(name, context=neighbours), library.info.base_dir
        if output.quotes or output.cites:
            out(cited_passages(library, shown.passages, output))
            return
    match output.form:
        case "json":
            out_json(shown_passages(shown), base_dir)
        case "jsonl":
            out(json_lines(shown_passages(shown), Door(base_dir=base_dir)))
        case "markdown":
            out(markdown(shown.passages, base_dir))
        case "pandoc":
            out(pandoc(shown.passages))
        case _:
            out(shown_text(shown))


# `citeloom inspect`.

_MEGABYTE = 1_000_000
_SHOWN = 300  # characters of a text that is left out


def inspect(
    context: typer.Context,
    project: ProjectOption = None,
    sample: Annotated[int, typer.Option(min=0, help="Number of sample chunks to show.")] = 0,
    *,
    left_out: Annotated[
        bool,
        typer.Option("--left-out", help="List by page the text that is in no passage on purpose."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a project's size, models, indexes and documents by status.

    Example: citeloom inspect --project citeloom/clean-arch --sample 3

    Example: citeloom inspect --left-out
    """
    with opened(context, project) as library:
        inspection, models = library.inspect(sample=sample), library.recommended_models()
        answer = InspectAnswer.of(inspection, library.info, models)
    if as_json:
        out_json(answer)
    else:
        out(_text(answer, library.info, names_left_out=left_out))


def _text(inspection: InspectAnswer, info: LibraryInfo, *, names_left_out: bool = False) -> str:
    project, description = inspection.project, inspection.description
    bound, disk_bytes = description.collection, description.disk_bytes
    arithmetic = f", by {bound.dense_arithmetic}" if bound.dense_arithmetic else ""
    statuses = tally(dict(sorted(inspection.by_status.items()))) or "none"
    copies = f", {counted(inspection.copies, 'file')} more with the content of one of them"
    copies = copies if inspection.copies else ""
    kinds = tally(dict(sorted(inspection.by_kind.items()))) or "none"
    answers = "sentences of the passages; nothing is sent to a language model"
    entailment, reranks = "rules alone", "nothing"
    if info.answer_model:
        answers = _model(info.answer_model, "questions and passages")
    if info.entailment:
        entailment = f"rules, then {_model(info.entailment, 'sentences and quotes')}"
    if info.reranker and project.retrieval.rerank:
        reranks = _model(info.reranker, "questions and passages")
    lines = [
        f"project     {project.id}",
        f"collection  {bound.name} (schema {bound.schema_version}, {description.storage})",
        f"models      dense {bound.dense_model} ({bound.dimension} dimensions{arithmetic}), "
        f"sparse {bound.sparse_model or 'none'}",
        f"sends text  {f'to {project.sends_text_to}' if project.remote else 'nowhere'}",
        f"answers     {answers}",
        f"entailment  {entailment}",
        f"reranks     {reranks}",
        f"documents   {sum(inspection.by_status.values())} ({statuses}){copies}",
        f"chunks      {description.points} ({kinds})",
        f"languages   {languages_found(inspection.recommended)}",
        *(
            f"recommended {step} ({reason})"
            for step, reason in recommended_steps(inspection.recommended)
        ),
        f"disk        {disk_bytes / _MEGABYTE:.1f} MB"
        if disk_bytes
        else "disk        unknown; the store does not report it",
        f"indexes     {', '.join(sorted(description.indexed_fields))}",
        f"payload     {', '.join(description.payload_keys)}",
    ]
    lines += [f"{key:<11} {value}" for key, value in description.details.items()]
    lines += [f"problem     {problem}" for problem in description.problems]
    if machines := [f"{n} of {name}" for name, n in sorted(inspection.other_machines.items())]:
        lines.append(f"elsewhere   documents of other machines: {', '.join(machines)}")
    lines += [
        f"lost words  {page.lost_words} of page {page.page}: {page.path}"
        for page in inspection.lossy_pages
    ]
    lines += _left_out(inspection.documents, by_page=names_left_out)
    if inspection.staged is not None:
        lines.append("rebuild     unfinished; ingest --rebuild continues it")
    for stored in inspection.sample:
        work = stored.citation.citekey if stored.citation else stored.source_path
        lines += ["", f"{stored.chunk.id}  {work}{remark_on(stored)}, {stored.locator}"]
        lines.append(stored.chunk.text)
    return "\n".join(lines)


def _left_out(documents: Iterable[ManifestEntry], *, by_page: bool) -> Iterator[str]:
    """What is in no passage on purpose: each text with its page, or how many words."""
    pages = [(entry.path, *page) for entry in documents for page in sorted(entry.left_out.items())]
    if by_page:
        for path, page, texts in pages:
            place = f"{path}, p. {page}" if page else path
            for text in texts:
                shown = text.text if len(text.text) <= _SHOWN else f"{text.text[:_SHOWN]}…"
                yield one_line(f"left out    {place}, {text.kind.value}: {shown}")
    elif pages:
        words = sum(text.count for _, _, texts in pages for text in texts)
        yield f"left out    {counted(words, 'word')} on purpose; --left-out lists them"


def _model(model: ConfiguredModel, texts: str) -> str:
    return (
        f"{model.name}, {f'which sends {texts} to {model.sends_to}' if model.sends_to else 'here'}"
    )


# `citeloom projects`.


def projects(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the configured projects.

    Example: citeloom projects
    """
    with opened_library(context) as library:
        summaries = library.projects()
    if as_json:
        out_json(summaries)
    elif summaries:
        rows = (
            (s.id, str(s.documents), s.collection, s.embedding_model, s.references or "-")
            for s in summaries
        )
        out(table(rows, ("project", "documents", "collection", "model", "references")))
    else:
        note("no projects are configured; `citeloom init` writes a citeloom.toml")
