"""The language server: checks drafts while they are written, over stdin and stdout."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from citeloom.application.manuscript.writing_aid import suggestions
from citeloom.application.ports.runtime import Cancellation
from citeloom.domain.errors import CiteloomError
from citeloom.domain.manuscript.draft import Draft
from citeloom.infrastructure.answers.text import link_to_file
from citeloom.infrastructure.interfaces.lsp import answers
from citeloom.infrastructure.interfaces.lsp.answers import Positions

if TYPE_CHECKING:
    from citeloom.application.manuscript.open_draft import OpenDraft
    from citeloom.domain.manuscript.verdicts import CitationCheck
    from citeloom.domain.references.citation import CitationMeta
    from citeloom.domain.retrieval.passage import StoredChunk
    from citeloom.infrastructure.library.project import ProjectLibrary

_PAUSE = 0.05
"""Seconds without a keystroke before what has changed is checked."""
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
    server = LanguageServer("citeloom", version("citeloom"))
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
    """The drafts that an editor has open. The library is asked in one thread of its own, so that
    the server hears the next keystroke meanwhile.
    """

    def __init__(
        self, server: LanguageServer, project: ProjectLibrary, ending: Cancellation
    ) -> None:
        self._server = server
        self._project = project
        self._ending = ending
        self._drafts: dict[str, OpenDraft] = {}
        self._latest: dict[str, int] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="library")
        self._last_error = ""

    async def on_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Check the whole draft."""
        uri = params.text_document.uri
        path = to_fs_path(uri) or uri
        self._drafts[uri] = self._project.open_draft(Path(path), cancellation=self._ending)
        await self._check(uri, whole=True)

    async def on_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check the whole draft anew."""
        await self._check(params.text_document.uri, whole=True)

    async def on_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Check what has changed, once there is a pause."""
        uri = params.text_document.uri
        self._latest[uri] = number = self._latest.get(uri, 0) + 1
        await asyncio.sleep(_PAUSE)
        if self._latest.get(uri) == number:
            await self._check(uri)

    async def on_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget the draft."""
        self._drafts.pop(params.text_document.uri, None)
        self._latest.pop(params.text_document.uri, None)

    async def on_completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Citekeys where one is begun, and the page where that of a quotation is."""
        uri = params.text_document.uri
        source, positions = self._source(uri), self._positions(uri)
        offset = positions.offset(params.position)
        works = self._project.cited_works
        suggested = await self._ask(lambda: suggestions(works, source[:offset], source[offset:]))
        return answers.completions(suggested, offset, positions) if suggested else None

    async def on_hover(self, params: types.HoverParams) -> types.Hover | None:
        """The verdict on what is under the cursor, its work, and the passage."""
        uri = params.text_document.uri
        check, work = self._under(uri, params.position)
        quotation = check.found if check else None
        chunk_id = quotation.chunk_id if quotation else None
        shown = None
        if chunk_id is not None:
            shown = await self._ask(lambda: self._project.show(chunk_id, context=1))
        text = answers.hover(check, work, shown)
        if not text:
            return None
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
        return types.Hover(contents=content)

    async def on_definition(self, params: types.DefinitionParams) -> types.Location | None:
        """Open the work at the page: in the program for its files where the editor can ask for it,
        else in the editor.
        """
        check, work = self._under(params.text_document.uri, params.position)
        name = check.found.chunk_id if check and check.found else work.citekey if work else None
        if name is None:
            return None
        shown = await self._ask(lambda: self._project.show(name, context=0))
        target = self._target(shown.chunks[0]) if shown else None
        if target is None:
            return None
        window = self._server.client_capabilities.window
        if window is not None and window.show_document and window.show_document.support:
            self._server.window_show_document(types.ShowDocumentParams(uri=target, external=True))
            return None
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
        checks = [
            check
            for check in draft.checks()
            if check.place.start <= end and start <= check.place.end
        ]
        as_it_is = Draft(name=draft.name, text=source, paragraphs=())
        actions = list(answers.corrections(as_it_is, checks, uri, positions))
        if params.context.trigger_kind is types.CodeActionTriggerKind.Invoked and not checks:
            line = params.range.start.line + 1
            reports = await self._ask(
                lambda: self._project.support_drafts(
                    draft.read(source), lines=(line,), cancellation=self._ending
                )
            )
            suffix = Path(draft.name).suffix
            for report in reports or ():
                actions += answers.supporting(report, suffix, uri, source, positions)
        return actions

    async def _check(self, uri: str, *, whole: bool = False) -> None:
        draft, source = self._drafts.get(uri), self._source(uri)
        if draft is None:
            return
        run = draft.check_all if whole else draft.check_edit
        checks = await self._ask(lambda: run(source))
        if checks is None or source != self._source(uri):
            return
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri, diagnostics=answers.diagnostics(checks, self._positions(uri))
            )
        )

    async def _ask(self, question: Callable[[], ResultT]) -> ResultT | None:
        """The library's answer; an error is shown to the author, once until there is another."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question)
        except CiteloomError as error:
            text = f"{error.message}. {error.hint}".strip()
            if text != self._last_error:
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
            place = check.citation.place if check.citation else check.place
            spans = (check.place, place)
            if any(span.start <= offset <= span.end for span in spans):
                return check, named or works.get(check.citekey)
        return None, named

    def _target(self, stored: StoredChunk) -> str | None:
        return link_to_file(stored, self._project.info.base_dir)

    def _source(self, uri: str) -> str:
        return self._server.workspace.get_text_document(uri).source.replace("\r\n", "\n")

    def _positions(self, uri: str) -> Positions:
        document = self._server.workspace.get_text_document(uri)
        return Positions(self._source(uri), document.position_codec)
