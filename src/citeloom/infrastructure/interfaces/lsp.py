"""The language server: checks drafts while they are written, over stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec

from citeloom.application.manuscript.writing_aid import ANY_OTHER, Suggestion, suggestions
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manuscript.cited_place import MARKUPS, Markup
from citeloom.domain.manuscript.corrections import corrections_of
from citeloom.domain.manuscript.draft import Draft, DraftLocation
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict, Reason
from citeloom.infrastructure.answers.draft_checks import cited, explained
from citeloom.infrastructure.answers.draft_support import citation_of
from citeloom.infrastructure.answers.markdown import escaped_markdown
from citeloom.infrastructure.answers.text import link_to_file, one_line, printable
from citeloom.infrastructure.interfaces.lsp_protocol import (
    AnsweringProtocol,
    AnsweringServer,
    open_document,
)

if TYPE_CHECKING:
    from citeloom.application.manuscript.open_draft import OpenDraft
    from citeloom.application.retrieval.show import Shown
    from citeloom.domain.manuscript.sentence_support import SupportReport
    from citeloom.domain.references.citation import CitationMeta
    from citeloom.infrastructure.library.project import ProjectLibrary

_PAUSE = 0.05
"""Seconds without a keystroke before what has changed is checked."""
_SUFFIXES = {suffix for markup in MARKUPS.values() for suffix in markup.suffixes}
_MARKUP_OF_LANGUAGE: Mapping[str, Markup] = {
    "markdown": "markdown",
    "quarto": "markdown",
    "rmd": "markdown",
    "latex": "latex",
    "tex": "latex",
    "typst": "typst",
    "org": "org",
}
"""What a draft is read as by what the editor calls its language, where its name does not say so."""
_WORD = re.compile(r"[^\s@{}\[\](),;<>\"'\\]+")
ResultT = TypeVar("ResultT")


def serve_editor(project: ProjectLibrary) -> None:
    """Serve the editor at the other end of stdin and stdout until it says goodbye.

    pygls closes the stream that it writes to: it gets one of its own.
    """
    ending = Cancellation()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stream:
        try:
            make_server(project, ending).start_io(stdout=stream)
        finally:
            ending.request()


def make_server(project: ProjectLibrary, ending: Cancellation) -> LanguageServer:
    """The server of one project's works; what it is doing ends once `ending` is requested."""
    server = AnsweringServer("citeloom", version("citeloom"), protocol_cls=AnsweringProtocol)
    session = EditorSession(server, project, ending)
    completion = types.CompletionOptions(trigger_characters=["@", "{", "[", "<", " "])
    for name, answer, options in (
        (types.TEXT_DOCUMENT_DID_OPEN, session.on_open, None),
        (types.TEXT_DOCUMENT_DID_SAVE, session.on_save, None),
        (types.TEXT_DOCUMENT_DID_CHANGE, session.on_change, None),
        (types.TEXT_DOCUMENT_DID_CLOSE, session.on_close, None),
        (types.TEXT_DOCUMENT_COMPLETION, session.on_completion, completion),
        (types.TEXT_DOCUMENT_HOVER, session.on_hover, None),
        (types.TEXT_DOCUMENT_DEFINITION, session.on_definition, None),
        (types.TEXT_DOCUMENT_CODE_ACTION, session.on_code_action, None),
    ):
        server.feature(name, options)(_function(answer))
    return server


def _function(answer: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    """A method as a function, which pygls marks as a feature."""

    async def answered(params: Any) -> Any:
        return await answer(params)

    return answered


class EditorSession:
    """The drafts that an editor has open. Each is checked in a thread of its own, and the library
    asked in another, so that the server hears the next keystroke, and no draft waits for another.
    """

    def __init__(
        self, server: LanguageServer, project: ProjectLibrary, ending: Cancellation
    ) -> None:
        self._server = server
        self._project = project
        self._ending = ending
        self._drafts: dict[str, OpenDraft] = {}
        self._latest: dict[str, int] = {}
        self._thread = _one_thread("library")
        self._checking: dict[str, ThreadPoolExecutor] = {}
        self._last_error = ""

    async def on_open(self, params: types.DidOpenTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = Path(to_fs_path(uri) or uri)
        markup = _MARKUP_OF_LANGUAGE.get(params.text_document.language_id)
        if path.suffix.lower() not in _SUFFIXES and markup:  # not saved yet, or called otherwise
            path = Path(f"{path}{MARKUPS[markup].suffixes[0]}")
        self._drafts[uri] = self._project.open_draft(path, cancellation=self._ending)
        if uri not in self._checking:
            self._checking[uri] = _one_thread("draft")
        await self._check(uri, whole=True)

    async def on_save(self, params: types.DidSaveTextDocumentParams) -> None:
        await self._check(params.text_document.uri, whole=True)

    async def on_change(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        self._latest[uri] = number = self._latest.get(uri, 0) + 1
        await asyncio.sleep(_PAUSE)
        if self._latest.get(uri) == number:
            await self._check(uri)

    async def on_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._drafts.pop(params.text_document.uri, None)
        self._latest.pop(params.text_document.uri, None)
        if thread := self._checking.pop(params.text_document.uri, None):
            thread.shutdown(wait=False, cancel_futures=True)

    async def on_completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Citekeys where one is begun, and the page where that of a quotation is."""
        uri = params.text_document.uri
        source, positions = self._source(uri), self._positions(uri)
        offset = positions.offset(params.position)
        works = self._project.cited_works
        suggested = await self._ask(lambda: suggestions(works, source[:offset], source[offset:]))
        return completions(suggested, offset, positions) if suggested else None

    async def on_hover(self, params: types.HoverParams) -> types.Hover | None:
        """The verdict on what is under the cursor, its work, and the passage."""
        uri = params.text_document.uri
        check, work = self._under(uri, params.position)
        quotation = check.found if check else None
        chunk_id = quotation.chunk_id if quotation else None
        shown = None
        if chunk_id is not None:
            shown = await self._ask(lambda: self._project.show(chunk_id, context=1))
        text = hover(check, work, shown)
        if not text:
            return None
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
        return types.Hover(contents=content)

    async def on_definition(self, params: types.DefinitionParams) -> types.Location | None:
        """The work's file, which the program for such files also opens, at the page, where the
        editor can ask for that.
        """
        check, work = self._under(params.text_document.uri, params.position)
        name = check.found.chunk_id if check and check.found else work.citekey if work else None
        if name is None:
            return None
        shown = await self._ask(lambda: self._project.show(name, context=0))
        base_dir = self._project.info.base_dir
        target = link_to_file(shown.chunks[0], base_dir) if shown else None
        if target is None:
            return None
        window = self._server.client_capabilities.window
        if window is not None and window.show_document and window.show_document.support:
            self._server.window_show_document(types.ShowDocumentParams(uri=target, external=True))
        start = types.Position(line=0, character=0)
        return types.Location(
            uri=target.partition("#")[0], range=types.Range(start=start, end=start)
        )

    async def on_code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Corrections of what is wrong there, and, when they are asked for, citations that support
        the sentence.
        """
        uri = params.text_document.uri
        draft = self._drafts.get(uri)
        if draft is None:
            return []
        source, positions = self._source(uri), self._positions(uri)
        start, end = positions.offset(params.range.start), positions.offset(params.range.end)
        as_it_is = Draft(name=draft.name, text=source, paragraphs=())
        checks = [
            check
            for check in draft.checks()
            if any(
                first <= end and start <= last
                for first, last in (
                    *((place.start, place.end) for place in _places(check)),
                    *((fix.start, fix.end) for fix in corrections_of(as_it_is, check)),
                )
            )
        ]
        actions = list(corrections(as_it_is, checks, uri, positions))
        if params.context.trigger_kind is types.CodeActionTriggerKind.Invoked and not checks:
            line = params.range.start.line + 1
            reports = await self._ask(
                lambda: self._project.support_drafts(
                    draft.read(source), lines=(line,), cancellation=self._ending
                )
            )
            suffix = Path(draft.name).suffix
            for report in reports or ():
                actions += supporting(report, suffix, uri, source, positions)
        return actions

    async def _check(self, uri: str, *, whole: bool = False) -> None:
        draft, source = self._drafts.get(uri), self._source(uri)
        if draft is None:
            return
        run = draft.check_all if whole else draft.check_edit
        thread = self._checking.get(uri)
        checks = await self._ask(lambda: run(source), thread=thread, is_shown=whole)
        if checks is None or source != self._source(uri):
            return
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri, diagnostics=diagnostics(checks, self._positions(uri))
            )
        )

    async def _ask(
        self,
        question: Callable[[], ResultT],
        *,
        thread: ThreadPoolExecutor | None = None,
        is_shown: bool = True,
    ) -> ResultT | None:
        """The library's answer; an error is shown to the author, once until there is another, but
        not while they type: what cannot be read yet keeps the diagnostics that it had.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(
                thread or self._thread, question
            )
        except CiteloomError as error:
            text = f"{error.message}. {error.hint}".strip()
            if is_shown and text != self._last_error:
                self._last_error = text
                message = types.ShowMessageParams(type=types.MessageType.Error, message=text)
                self._server.window_show_message(message)
            return None

    def _under(
        self, uri: str, position: types.Position
    ) -> tuple[CitationCheck | None, CitationMeta | None]:
        """The check and the work at a position: that of the citation, or of the citekey there."""
        source, positions = self._source(uri), self._positions(uri)
        offset = positions.offset(position)
        word = next((m[0] for m in _WORD.finditer(source) if m.start() <= offset <= m.end()), "")
        works = {work.citekey: work for work in self._project.cited_works.references}
        named = works.get(word) or works.get(word.rstrip(".:"))
        draft = self._drafts.get(uri)
        for check in draft.checks() if draft else ():
            if any(span.start <= offset <= span.end for span in _places(check)):
                return check, named or works.get(check.citekey)
        return None, named

    def _source(self, uri: str) -> str:
        """The text of a document; none of one that is not open."""
        document = open_document(self._server.workspace, uri)
        return document.source.replace("\r\n", "\n") if document else ""

    def _positions(self, uri: str) -> Positions:
        return Positions(self._source(uri), self._server.workspace.position_codec)


def _one_thread(name: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)


def _places(check: CitationCheck) -> tuple[DraftLocation, ...]:
    """Where a check is seen: at what is underlined, and at its citation."""
    return (check.place, check.citation.place) if check.citation else (check.place,)


# What is known of a draft, in the protocol's words: diagnostics, completions, hovers, actions.

_SOURCE = "citeloom"
_MOST_ACTIONS = 5
_SHORT = 60


def diagnostics(checks: Sequence[CitationCheck], positions: Positions) -> list[types.Diagnostic]:
    """What has to be changed, and what cannot be verified; nothing for what is right."""
    return [
        types.Diagnostic(
            range=positions.range(check.place.start, max(check.place.end, check.place.start + 1)),
            severity=(
                types.DiagnosticSeverity.Error
                if check.fails
                else types.DiagnosticSeverity.Information
            ),
            code=check.verdict.value,
            source=_SOURCE,
            message=printable(f"{cited(check)}: {explained(check)}"),
        )
        for check in checks
        if check.fails or check.verdict is CitationVerdict.UNVERIFIABLE
    ]


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
        line = bisect_right(self._starts, offset, 0, len(self._lines)) - 1
        before = self._lines[line][: offset - self._starts[line]]
        return types.Position(line=line, character=self._codec.client_num_units(before))

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(start=self.position(start), end=self.position(end))

    def offset(self, position: types.Position) -> int:
        """The offset of a position; of one behind the last line, that of the end."""
        if position.line >= len(self._lines):
            return self._starts[-1] - 1
        at = self._codec.position_from_client_units(self._lines, position)
        return self._starts[position.line] + min(at.character, len(self._lines[position.line]))
