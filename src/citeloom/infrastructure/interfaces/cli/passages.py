"""Passages on a terminal, and in every other form that is asked for."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.show import Shown
from citeloom.domain.retrieval.passage import AddedContext, Passage, StoredChunk
from citeloom.domain.retrieval.words import Strength
from citeloom.domain.text.word_lists import word_list
from citeloom.infrastructure.answers.headlines import (
    cited_place,
    comments,
    doubts_on,
    headline,
    metadata_text,
    neighbours_once,
    place,
    without_reference,
)
from citeloom.infrastructure.answers.json import Shape, json_lines, json_rows, json_text, shaped
from citeloom.infrastructure.answers.markdown import markdown, pandoc
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.answers.passages import FoundPassage, QueryAnswer
from citeloom.infrastructure.answers.text import (
    counted,
    is_pdf,
    link_to_file,
    link_to_reader,
    one_line,
    printable,
)
from citeloom.infrastructure.interfaces.cli.console import linker, note, painter
from citeloom.infrastructure.interfaces.cli.options import PassageOutput

if TYPE_CHECKING:
    from citeloom.infrastructure.library.project import ProjectLibrary

_WIDTH = 92
_LEAST_LETTERS = 3
_WORD = re.compile(r"\w[\w'\u2019-]*\w")
_NOT_LETTERS = re.compile(r"[\W\d_]+")


def render(result: QueryResult, form: str, base_dir: Path, shape: Shape | None = None) -> str:
    """The result in the asked form, or shape; relative sources lie in `base_dir`."""
    door = Door(base_dir=base_dir)
    if shape is not None:
        return json_rows(shaped(shape, FoundPassage.of(each), door) for each in result.passages)
    if form == "json":
        return json_text(QueryAnswer.of(result), door)
    if form == "jsonl":
        return json_lines(map(FoundPassage.of, result.passages), door)
    if form == "markdown":
        return markdown(result.passages, base_dir, without_reference(result))
    if form == "pandoc":
        return pandoc(result.passages)
    mark = _marker(result.query)
    listed = enumerate(neighbours_once(result.passages), start=1)
    without = without_reference(result)
    texts = [_text(rank, passage, base_dir, mark, without) for rank, passage in listed]
    if 0 < result.works_shown < result.works_found:
        texts.append(
            f"{result.works_shown} of the {result.works_found} works among the passages compared; "
            "more with -k, each once with --group-by document"
        )
    if (fit := result.fit) is not None and fit.strength is not Strength.STRONG:
        texts.append(one_line(f"fit: {fit.strength.value}; {'; '.join(fit.reasons)}"))
    return "\n\n".join(texts)


def shown_text(shown: Shown) -> str:
    """What `show` shows: the work, then passage after passage in full."""
    first = shown.chunks[0]
    lines = [one_line(headline(first))]
    if first.citation is not None:
        work = first.citation
        tags = ", ".join(work.tags)
        facts = (first.citekey_remark, work.container, work.doi, work.url, tags)
        lines.append("  " + one_line(" · ".join(fact for fact in facts if fact)))
    if first.metadata:
        lines.append("  " + one_line(metadata_text(first.metadata)))
    for stored in (*shown.before, *shown.chunks, *shown.after):
        here = "*" if len(shown.chunks) == 1 and stored in shown.chunks else " "
        where = f"{place(stored)}{doubts_on(stored)}  {stored.chunk.heading_chain}"
        lines += [f"\n{here} {stored.chunk.id}  {one_line(where)}", quoted(stored.chunk.text)]
        lines += [f"Comment: {comment}" for comment in comments(stored)]
    return "\n".join(lines)


def stages_text(result: QueryResult) -> str:
    """What each stage of retrieval did, a line each."""
    return "\n".join(
        f"{stage.name.value}: {stage.hits_in} -> {stage.hits_out}, {stage.detail}"
        for stage in result.stages
    )


def _text(
    rank: int, passage: Passage, base_dir: Path, mark: Callable[[str], str], without: str
) -> str:
    paint, link = painter(sys.stdout), linker(sys.stdout)
    stored = passage.stored
    exact = " · word for word" if passage.verbatim else ""
    opens = link_to_reader(stored) or link_to_file(stored, base_dir)
    score = f"score {passage.score:.4f}"
    fit = f"fit {passage.fit.strength.value}" if passage.fit else score
    lines = [
        f"{rank}. {link(paint(one_line(cited_place(stored)), 'bold'), opens)}  "
        f"{one_line(headline(stored, without))}",
        paint(f"   {one_line(_stands_in(stored))}", "cyan"),
        *(_neighbour("before it", neighbour) for neighbour in passage.context_before),
        *([f"   {one_line(passage.citation_label)}"] if passage.citation_label else []),
        mark(quoted(_without_heading(passage))),
        *(quoted(f"Comment: {comment}") for comment in comments(stored)),
        *(_neighbour("behind it", neighbour) for neighbour in passage.context_after),
        paint(f"   {one_line(_source(stored))}{stored.chunk.id} · {fit}{exact}", "dim"),
    ]
    lines += [f"   nearly the same text: {place(stored)}" for stored in passage.duplicates]
    if passage.why:
        lines += [f"   - {one_line(reason)}" for reason in (*passage.why, score)]
    return "\n".join(lines)


def _neighbour(where: str, neighbour: AddedContext) -> str:
    """What a chunk beside a passage adds, under its own place."""
    place = neighbour.citation or str(neighbour.locator) or neighbour.stored.source_path
    text = textwrap.indent(quoted(neighbour.text, dim=True), "  ")
    return f"   [{where}: {one_line(place)}]\n{text}"


def _stands_in(stored: StoredChunk) -> str:
    """The headings above, or what an annotation looks like."""
    mark = stored.chunk.mark
    if mark is None or stored.chunk.heading_chain:
        return stored.chunk.heading_chain or "(no section)"
    tagged = f"tagged {', '.join(mark.tags)}" if mark.tags else ""
    facts = (stored.chunk.kind.value, mark.color_name or mark.color, tagged)
    return " · ".join(filter(None, facts))


def _source(stored: StoredChunk) -> str:
    """The file, with the physical pages of a PDF."""
    if not stored.source_path:
        return ""
    span, pages = stored.chunk.page_span, ""
    if span is not None and is_pdf(stored.source_path):
        first, last = span
        pages = f", PDF p. {first}" if first == last else f", PDF pp. {first}-{last}"
    return f"{stored.source_path}{pages} · "


def quoted(text: str, *, dim: bool = False) -> str:
    wrapped = "\n".join(
        textwrap.fill(line, _WIDTH, initial_indent="   ", subsequent_indent="   ")
        for line in printable(text).split("\n")
        if line.strip()
    )
    return painter(sys.stdout)(wrapped, "dim") if dim else wrapped


def _without_heading(passage: Passage) -> str:
    """The text without the headings it begins with, which stand above it already."""
    titles = passage.stored.chunk.titles
    headings, text = {_letters(title) for title in titles} - {""}, passage.text
    first, _, rest = text.lstrip().partition("\n")
    while rest.strip() and _letters(first) in headings:
        text = rest
        first, _, rest = text.lstrip().partition("\n")
    return text


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()


def _marker(query: str) -> Callable[[str], str]:
    """A function that makes the words of the query stand out, on a terminal only."""
    paint = painter(sys.stdout)
    forms = {word.casefold() for word in _WORD.findall(query)}
    words = {word for word in forms if len(word) >= _LEAST_LETTERS} - word_list("question")

    def stand_out(match: re.Match[str]) -> str:
        return paint(match[0], "underline") if match[0].casefold() in words else match[0]

    return lambda text: _WORD.sub(stand_out, text)


# Passages as quotations, and as the works that they are of.


def cited_passages(
    library: ProjectLibrary, passages: Sequence[Passage], output: PassageOutput
) -> str:
    """The passages as LaTeX and Typst quote them, or their works as `citeloom cite` prints them.
    Those without a reference are named on stderr and left out.
    """
    if left_out := [passage.stored for passage in passages if passage.stored.citation is None]:
        files = sorted({one_line(stored.source_path or stored.chunk.doc_id) for stored in left_out})
        note(
            f"{counted(len(left_out), 'passage')} left out, without a reference: "
            f"{', '.join(files)}; `citeloom match` chooses one"
        )
    if output.quotes:
        return printable(library.quote(*passages, form=output.form))
    names = [passage.stored.chunk.id for passage in passages if passage.stored.citation is not None]
    if not names:
        return "[]" if output.form == "csl-json" else ""
    style = output.style or "apa"
    return library.cite(names, style=style, form=output.form, locale=output.locale)
