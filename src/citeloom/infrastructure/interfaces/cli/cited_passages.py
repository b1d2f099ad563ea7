"""Passages as LaTeX and Typst quote them, and the references of their works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.interfaces.cli.console import counted, note
from citeloom.infrastructure.interfaces.cli.query_commands import PassageOutput
from citeloom.infrastructure.serialisation.text import one_line, printable

if TYPE_CHECKING:
    from citeloom.infrastructure.library.project import ProjectLibrary


def cited_passages(
    library: ProjectLibrary, passages: Sequence[Passage], output: PassageOutput
) -> str:
    """The passages as quotations, or their works as `citeloom cite` prints them. Those without a
    reference are named on stderr and left out.
    """
    cited = [passage for passage in passages if passage.stored.citation is not None]
    _tell_left_out([one.stored for one in passages if one.stored.citation is None])
    if output.quotes:
        return printable(library.quote(*cited, form=output.form.value))
    names = [passage.stored.chunk.id for passage in cited]
    style = output.style or "apa"
    return library.cite(*names, style=style, form=output.form.value, locale=output.locale)


def _tell_left_out(chunks: Sequence[StoredChunk]) -> None:
    if chunks:
        files = sorted({one_line(one.source_path or one.chunk.doc_id) for one in chunks})
        note(
            f"{counted(len(chunks), 'passage')} left out, without a reference: {', '.join(files)}; "
            "`citeloom match` chooses one"
        )
