"""How long the language server takes from a keystroke to the diagnosis, beside the whole check.

    python -m benchmarks.bench_lsp FOLDER [--paragraphs 150]

FOLDER has a citeloom.toml whose project is ingested. The draft is made of sentences quoted from its
works, 100 words a paragraph.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from lsprotocol import types
from pygls.lsp.client import LanguageClient

import citeloom
from citeloom.domain.text.tokens import sentence_spans

FILLER = "The reader who comes to this passage has seen what the chapter before it had to say. "


def made_draft(folder: Path, project: str | None, paragraphs: int) -> str:
    """A draft with a quotation and its citation in each paragraph."""
    made: list[str] = []
    with citeloom.open_library(folder) as library:
        opened = library.project(project)
        for stored in opened.inspect(sample=20 * paragraphs).sample:
            sentences = [
                stored.chunk.text[slice(*span)] for span in sentence_spans(stored.chunk.text)
            ]
            plain = [one for one in sentences if 8 <= len(one.split()) <= 30 and '"' not in one]
            if plain and stored.cited and len(made) < paragraphs:
                made.append(f'{FILLER * 5}It says: "{plain[0]}" {stored.cited}.')
    return "# A draft\n\n" + "\n\n".join(made) + "\n"


async def measure(folder: Path, project: str | None, text: str) -> tuple[float, list[float]]:
    """Seconds until the whole draft is checked, and from each of 20 keystrokes to its diagnosis."""
    news: asyncio.Queue[int] = asyncio.Queue()
    client = LanguageClient("bench", "1")

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
    def on_diagnostics(params: types.PublishDiagnosticsParams) -> None:
        news.put_nowait(len(params.diagnostics))

    chosen = ["--project", project] if project else []
    command = ["-m", "citeloom", "lsp", *chosen]
    await client.start_io(sys.executable, *command, cwd=folder, env=dict(os.environ))
    await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
    client.initialized(types.InitializedParams())
    with tempfile.TemporaryDirectory() as scratch:
        uri = (Path(scratch) / "draft.md").as_uri()
        item = types.TextDocumentItem(uri=uri, language_id="markdown", version=1, text=text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        began = time.perf_counter()
        await news.get()
        whole = time.perf_counter() - began
        client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        began = time.perf_counter()
        await news.get()
        warm = time.perf_counter() - began
        lines = text.split("\n")
        times = []
        for number in range(20):
            line = 2 + 2 * (number * 7 % ((len(lines) - 3) // 2))
            at = types.Position(line=line, character=10)
            change = types.TextDocumentContentChangePartial(
                range=types.Range(start=at, end=at), text="x"
            )
            document = types.VersionedTextDocumentIdentifier(uri=uri, version=number + 2)
            began = time.perf_counter()
            client.text_document_did_change(
                types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
            )
            await news.get()
            times.append(time.perf_counter() - began)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]
    print(f"opened {whole:.2f} s, saved {warm:.2f} s")
    return warm, times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--project")
    parser.add_argument("--paragraphs", type=int, default=150)
    options = parser.parse_args()
    text = made_draft(options.folder, options.project, options.paragraphs)
    print(f"{len(text.split()):,} words, {text.count('[@')} citations")
    warm, times = asyncio.run(measure(options.folder, options.project, text))
    print(
        f"keystroke to diagnosis: median {median(times) * 1000:.0f} ms, worst "
        f"{max(times) * 1000:.0f} ms (50 ms of it waiting for a pause); "
        f"{warm / median(times):.1f} times as fast as the whole draft"
    )


if __name__ == "__main__":
    main()
