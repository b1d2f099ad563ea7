"""`lsp`: an editor's client over stdin and stdout, against the cited papers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.e2e.command import COMMAND, Desk
from tests.e2e.processes import wait_until
from tests.fakes.costly_drafts import ENDLESS, endless_program_of, is_running

SENTENCE = "it is a promise"
DRAFT = f"""# Waiting

As @okoro2019 [p. 1] says, "{SENTENCE}". Others disagree [@ruiz2012].

Half of the heat of a firing was still in the wall in the morning.

Bridges 🌉 were weighed: "nobody ever wrote any of this down" [@ruiz2021].
"""


class Editor:
    """A client with one draft open."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client = client
        self.uri = path.as_uri()
        self.text = path.read_text(encoding="utf-8")
        self.version = 1
        self.language = "markdown"
        self.shown: list[str] = []
        self._news: asyncio.Queue[list[types.Diagnostic]] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def on_diagnostics(params: types.PublishDiagnosticsParams) -> None:
            self._news.put_nowait(list(params.diagnostics))

        @client.feature(types.WINDOW_SHOW_DOCUMENT)  # type: ignore[untyped-decorator]
        def on_show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(params.uri)
            return types.ShowDocumentResult(success=True)

    async def diagnostics(self) -> list[types.Diagnostic]:
        return await asyncio.wait_for(self._news.get(), 30)

    async def open(self) -> list[types.Diagnostic]:
        window = types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(support=True)
        )
        capabilities = types.ClientCapabilities(window=window)
        await self.client.initialize_async(types.InitializeParams(capabilities=capabilities))
        self.client.initialized(types.InitializedParams())
        item = types.TextDocumentItem(
            uri=self.uri, language_id=self.language, version=1, text=self.text
        )
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        return await self.diagnostics()

    def change(self, old: str, new: str) -> None:
        """Type over a part of the draft."""
        start = self.text.index(old)
        self.version += 1
        change = types.TextDocumentContentChangePartial(
            range=types.Range(start=self.position(start), end=self.position(start + len(old))),
            text=new,
        )
        self.text = self.text.replace(old, new, 1)
        document = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )

    def position(self, offset: int) -> types.Position:
        before = self.text[:offset]
        column = before.rpartition("\n")[2]
        units = len(column.encode("utf-16-le")) // 2
        return types.Position(line=before.count("\n"), character=units)

    def offset(self, position: types.Position) -> int:
        """The character at a position."""
        lines = self.text.split("\n")
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        before = sum(len(line) + 1 for line in lines[: position.line])
        return before + len(units.decode("utf-16-le"))

    def at(self, words: str) -> dict[str, Any]:
        """The draft and the position behind some words, as parameters."""
        offset = self.text.index(words) + len(words)
        document = types.TextDocumentIdentifier(uri=self.uri)
        return {"text_document": document, "position": self.position(offset)}

    async def actions(self, words: str) -> list[types.CodeAction]:
        at = self.at(words)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                text_document=at["text_document"],
                range=types.Range(start=at["position"], end=at["position"]),
                context=types.CodeActionContext(
                    diagnostics=[], trigger_kind=types.CodeActionTriggerKind.Invoked
                ),
            )
        )
        return [one for one in found or [] if isinstance(one, types.CodeAction)]


Session = Callable[[Editor], Awaitable[None]]


@pytest.fixture
def edit(ingested: Desk, tmp_path: Path) -> Callable[[Session], None]:
    """Runs a session in an editor whose server is the command itself."""
    path = tmp_path / "my thèse.md"  # its address has escapes
    path.write_text(DRAFT, encoding="utf-8")

    async def run(session: Session) -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, path)
        command = [str(word) for word in COMMAND]
        await client.start_io(
            command[0], *command[1:], "lsp", cwd=ingested.folder, env=ingested.environment
        )
        try:
            await session(editor)
        finally:
            await asyncio.wait_for(client.shutdown_async(None), 30)
            client.exit(None)
            await client.stop()  # type: ignore[no-untyped-call]

    return lambda session: asyncio.run(run(session))


def test_what_is_wrong_is_underlined_and_goes_when_it_is_mended(
    edit: Callable[[Session], None],
) -> None:
    async def session(editor: Editor) -> None:
        found = await editor.open()
        assert [one.code for one in found] == ["wrong_page", "unverifiable", "absent"]
        assert found[-1].range.start == editor.position(editor.text.index("nobody"))
        assert "it is on p. 2" in found[0].message
        editor.change("[p. 1]", "[p. 2]")
        assert (await editor.diagnostics())[0].code == "unverifiable"
        editor.change("# Waiting", "# Waiting long\n\nIndeed.")
        moved = await editor.diagnostics()
        assert moved[-1].range.start == editor.position(editor.text.index("nobody"))

    edit(session)


def test_a_draft_without_a_name_is_read_by_its_language(edit: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        editor.uri = "untitled:Untitled-1"
        assert [one.code for one in await editor.open()] == ["wrong_page", "unverifiable", "absent"]

    edit(session)


def test_citekeys_and_the_page_of_a_quotation_are_suggested(
    edit: Callable[[Session], None],
) -> None:
    async def session(editor: Editor) -> None:
        await editor.open()
        editor.change("Others disagree [@ruiz2012].", f'So "{SENTENCE}" [@ok')
        await editor.diagnostics()
        params = types.CompletionParams(**editor.at(f'"{SENTENCE}" [@ok'))
        keys = await editor.client.text_document_completion_async(params)
        assert isinstance(keys, types.CompletionList)
        first = min(keys.items, key=lambda item: item.sort_text or "")
        assert first.label == "okoro2019"
        assert "Okoro" in (first.filter_text or "")
        assert first.label_details is not None
        assert first.label_details.description == "has the quotation, p. 2"
        editor.change("[@ok", "[@okoro2019, p. ")
        await editor.diagnostics()
        params = types.CompletionParams(**editor.at("[@okoro2019, p. "))
        pages = await editor.client.text_document_completion_async(params)
        assert isinstance(pages, types.CompletionList)
        [page] = pages.items
        assert isinstance(page.text_edit, types.TextEdit)
        assert page.text_edit.new_text == "2"
        params = types.CompletionParams(**editor.at("Half of the heat"))
        assert await editor.client.text_document_completion_async(params) is None

    edit(session)


def test_hover_shows_the_passage_and_definition_opens_the_page(
    edit: Callable[[Session], None],
) -> None:
    async def session(editor: Editor) -> None:
        await editor.open()
        hover = await editor.client.text_document_hover_async(
            types.HoverParams(**editor.at("it is a pro"))
        )
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "wrong page" in hover.contents.value
        assert SENTENCE in hover.contents.value
        place = await editor.client.text_document_definition_async(
            types.DefinitionParams(**editor.at("it is a pro"))
        )
        assert isinstance(place, types.Location)
        assert place.uri.endswith(".pdf")
        async with asyncio.timeout(30):
            while not editor.shown:
                await asyncio.sleep(0.01)
        assert editor.shown[0].endswith(".pdf#page=2")

    edit(session)


def test_actions_correct_a_page_a_key_and_cite_support(edit: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        await editor.open()
        titles = [one.title for one in await editor.actions(SENTENCE)]
        assert titles[0] == "Correct to 2"
        assert "Cite ruiz2021" in [one.title for one in await editor.actions("[@ruiz2012")]
        supported = await editor.actions("Half of the heat")
        assert "[@haddad2022, p. 1]" in supported[0].title
        assert supported[0].edit is not None
        [edits] = (supported[0].edit.changes or {}).values()
        assert edits[0].new_text == " [@haddad2022, p. 1]"
        assert edits[0].range.start == editor.position(editor.text.index("morning.") + 7)

    edit(session)


def test_actions_are_offered_wherever_the_diagnosis_is_and_at_its_citation(
    edit: Callable[[Session], None],
) -> None:
    async def session(editor: Editor) -> None:
        shown = await editor.open()
        assert shown
        for diagnostic in shown:
            for position in (diagnostic.range.start, diagnostic.range.end):
                offset = editor.offset(position)
                titles = [one.title for one in await editor.actions(editor.text[:offset])]
                has_none = "stands in no work" in diagnostic.message
                assert (titles == []) is has_none, diagnostic.message
        for words in ("As @okoro", "[p. 1", SENTENCE[:4], SENTENCE):
            titles = [one.title for one in await editor.actions(words)]
            assert "Correct to 2" in titles, words

    edit(session)


def test_an_editor_is_told_what_is_wrong(edit: Callable[[Session], None]) -> None:
    async def session(editor: Editor) -> None:
        told: asyncio.Queue[str] = asyncio.Queue()

        @editor.client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def on_message(params: types.ShowMessageParams) -> None:
            told.put_nowait(params.message)

        editor.uri, editor.language = editor.uri.replace(".md", ".rst"), "restructuredtext"
        opening = asyncio.create_task(editor.open())
        assert "no draft that can be read" in await asyncio.wait_for(told.get(), 60)
        opening.cancel()

    edit(session)


@pytest.mark.parametrize("how", ["exit", "closed", "killed"])
def test_pandoc_ends_with_the_server(ingested: Desk, tmp_path: Path, how: str) -> None:
    path = tmp_path / "endless.md"
    path.write_text(ENDLESS, encoding="utf-8")

    async def session() -> None:
        client = LanguageClient("test", "1")
        editor = Editor(client, path)
        command = [str(word) for word in COMMAND]
        await client.start_io(
            command[0], *command[1:], "lsp", cwd=ingested.folder, env=ingested.environment
        )
        server = client._server
        assert server is not None
        opening = asyncio.create_task(editor.open())
        pid = await asyncio.to_thread(endless_program_of, server.pid)
        opening.cancel()
        if how == "exit":
            await asyncio.wait_for(client.shutdown_async(None), 30)
            client.exit(None)
        elif how == "closed":
            assert server.stdin is not None
            server.stdin.close()
        else:
            server.kill()
        await asyncio.wait_for(server.wait(), 60)
        await asyncio.to_thread(wait_until, lambda: not is_running(pid))
        await client.stop()  # type: ignore[no-untyped-call]

    asyncio.run(session())
