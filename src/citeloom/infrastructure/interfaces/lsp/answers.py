"""What is known of a draft, in the protocol's words: diagnostics, suggestions, hovers, actions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import PositionCodec

from citeloom.application.manuscript.writing_aid import ANY_OTHER
from citeloom.domain.manuscript.corrections import corrections_of
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, Reason
from citeloom.infrastructure.answers.draft_checks import cited, explained
from citeloom.infrastructure.answers.draft_support import citation_of
from citeloom.infrastructure.answers.markdown import escaped_markdown
from citeloom.infrastructure.answers.text import one_line, printable

if TYPE_CHECKING:
    from citeloom.application.manuscript.writing_aid import Suggestion
    from citeloom.application.retrieval.show import Shown
    from citeloom.domain.manuscript.draft import Draft
    from citeloom.domain.manuscript.sentence_support import SupportReport
    from citeloom.domain.references.citation import CitationMeta


SOURCE = "citeloom"
_MOST_ACTIONS = 5
_SHORT = 60


def diagnostics(checks: Sequence[CitationCheck], positions: Positions) -> list[types.Diagnostic]:
    """What has to be changed, and what cannot be verified; nothing for what is right."""
    return [
        types.Diagnostic(
            range=positions.range(check.place.start, max(check.place.end, check.place.start + 1)),
            severity=_severity(check),
            code=check.verdict.value,
            source=SOURCE,
            message=printable(f"{cited(check)}: {explained(check)}"),
        )
        for check in checks
        if check.fails or check.verdict is CitationVerdict.UNVERIFIABLE
    ]


def _severity(check: CitationCheck) -> types.DiagnosticSeverity:
    if check.fails:
        return types.DiagnosticSeverity.Error
    return types.DiagnosticSeverity.Information


def completions(
    suggestions: Sequence[Suggestion], offset: int, positions: Positions
) -> types.CompletionList:
    """Suggestions as items; an editor finds a work by its key, authors, year and title."""
    items = [_item(suggestion, offset, positions) for suggestion in suggestions]
    return types.CompletionList(is_incomplete=False, items=items)


def _item(suggestion: Suggestion, offset: int, positions: Positions) -> types.CompletionItem:
    edit = types.TextEdit(
        range=positions.range(offset - suggestion.length, offset), new_text=suggestion.text
    )
    work = suggestion.work
    if work is None:
        return types.CompletionItem(
            label=f"p. {suggestion.text}",
            detail="the page of the quotation",
            kind=types.CompletionItemKind.Value,
            filter_text=suggestion.text,
            text_edit=edit,
            preselect=True,
        )
    page = f", p. {suggestion.page}" if suggestion.page else ""
    why = "has the quotation" if suggestion.rank == 0 else "has words of the sentence"
    why = "" if suggestion.rank == ANY_OTHER else why
    return types.CompletionItem(
        label=suggestion.text,
        label_details=types.CompletionItemLabelDetails(description=f"{why}{page}" or None),
        detail=printable(_in_short(work)),
        kind=types.CompletionItemKind.Reference,
        sort_text=f"{suggestion.rank} {suggestion.text}",
        filter_text=printable(f"{suggestion.text} {_in_short(work)}"),
        text_edit=edit,
    )


def _in_short(work: CitationMeta) -> str:
    authors = ", ".join(author.partition(",")[0] for author in work.authors[:3])
    year = str(work.year) if work.year else ""
    return " ".join(filter(None, (authors, year, one_line(work.title))))


def hover(check: CitationCheck | None, work: CitationMeta | None, shown: Shown | None) -> str:
    """The verdict, the work, and the passage with its neighbours, as Markdown."""
    parts = []
    if check is not None:
        parts.append(
            escaped_markdown(f"{check.verdict.value.replace('_', ' ')}: {explained(check)}")
        )
    if work is not None:
        parts.append(f"**{escaped_markdown(_in_short(work))}**")
    if shown is not None:
        for stored in (*shown.before, *shown.chunks, *shown.after):
            facts = ", ".join(filter(None, (str(stored.locator), stored.doubts)))
            where = f" ({facts})" if facts else ""
            quoted = escaped_markdown(stored.chunk.text).replace("\n", "\n> ")
            parts.append(f"> {quoted}{escaped_markdown(where)}")
    return "\n\n".join(parts)


def corrections(
    draft: Draft, checks: Sequence[CitationCheck], uri: str, positions: Positions
) -> Iterator[types.CodeAction]:
    """Actions that correct a page, words of a quotation, or an unknown citekey."""
    for check in checks:
        edits = [
            types.TextEdit(range=positions.range(fix.start, fix.end), new_text=fix.text)
            for fix in corrections_of(draft, check)
        ]
        if edits:
            yield _action(f"Correct to {', '.join(edit.new_text for edit in edits)}", uri, edits)
        if check.reason is Reason.UNKNOWN_CITEKEY and check.citation is not None:
            place = check.citation.place
            for key in check.near_citekeys:
                edit = types.TextEdit(range=positions.range(place.start, place.end), new_text=key)
                yield _action(f"Cite {key}", uri, [edit])


def supporting(
    report: SupportReport, suffix: str, uri: str, source: str, positions: Positions
) -> Iterator[types.CodeAction]:
    """Actions that put a supporting citation behind a sentence, before its full stop."""
    for supported in report.sentences:
        end = supported.sentence.place.end
        at = end - 1 if source[end - 1 : end] in (".", "!", "?") else end
        for passage in supported.passages[:_MOST_ACTIONS]:
            if passage.stored.citation is None:
                continue
            citation = citation_of(passage, suffix)
            quote = one_line(printable(passage.quote))
            quote = quote if len(quote) <= _SHORT else f"{quote[:_SHORT].rstrip()} …"
            edit = types.TextEdit(range=positions.range(at, at), new_text=f" {citation}")
            yield _action(f"{supported.support.value}: {citation} “{quote}”", uri, [edit])


def _action(title: str, uri: str, edits: list[types.TextEdit]) -> types.CodeAction:
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        edit=types.WorkspaceEdit(changes={uri: edits}),
    )


# Places of a draft as the protocol counts them: lines from 0, columns in the units of the client.


class Positions:
    """Converts offsets in a source, in code points, to positions and back."""

    def __init__(self, source: str, codec: PositionCodec) -> None:
        self._lines: Sequence[str] = source.split("\n")
        self._codec = codec
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def position(self, offset: int) -> types.Position:
        """The position of a character."""
        line = bisect_right(self._starts, offset, 0, len(self._lines)) - 1
        before = self._lines[line][: offset - self._starts[line]]
        return types.Position(line=line, character=self._codec.client_num_units(before))

    def range(self, start: int, end: int) -> types.Range:
        """The range of the characters `[start, end)`."""
        return types.Range(start=self.position(start), end=self.position(end))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; of one behind the last line, that of the end."""
        if position.line >= len(self._lines):
            return self._starts[-1] - 1
        at = self._codec.position_from_client_units(self._lines, position)
        return self._starts[position.line] + min(at.character, len(self._lines[position.line]))
