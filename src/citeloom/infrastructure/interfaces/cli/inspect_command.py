"""`citeloom inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.infrastructure.interfaces.cli.console import out, out_json
from citeloom.infrastructure.interfaces.cli.options import JsonOption, ProjectOption
from citeloom.infrastructure.interfaces.cli.session import opened
from citeloom.infrastructure.serialisation.reports import inspection_json

if TYPE_CHECKING:
    from citeloom.application.inspect import Inspection
    from citeloom.application.library_parts import (
        AnswerModelInfo,
        EntailmentInfo,
        LibraryInfo,
        RerankerInfo,
    )
    from citeloom.domain.passage import StoredChunk
    from citeloom.domain.project import Collection

_MEGABYTE = 1_000_000


def inspect(
    context: typer.Context,
    project: ProjectOption = None,
    sample: Annotated[int, typer.Option(min=0, help="Show so many chunks.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show what a project holds: size, models, indexes, documents by status.

    Example: citeloom inspect --project citeloom/clean-arch --sample 3
    """
    with opened(context, project) as library:
        inspection, info = library.inspect(sample=sample), library.info
    if as_json:
        out_json(inspection_json(inspection, info))
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
    lines += [f"problem     {one}" for one in description.problems]
    lines += _elsewhere(inspection)
    if inspection.staged is not None:
        lines.append("rebuild     unfinished; ingest --rebuild goes on with it")
    return "\n".join([*lines, *map(_sampled, inspection.sample)])


def _size(disk_bytes: int) -> str:
    return f"{disk_bytes / _MEGABYTE:.1f} MB" if disk_bytes else "unknown: the store does not say"


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
    remark = f" ({stored.citekey_remark})" if stored.citekey_remark else ""
    return f"\n{stored.chunk.id}  {citekey}{remark}, {stored.locator}\n{stored.chunk.text}"
