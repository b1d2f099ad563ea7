"""`citeloom chat` and `citeloom chat list`, `export` and `delete`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from citeloom.application.requests.passages import ChatRequest
from citeloom.domain.errors import CiteloomError, NotFound
from citeloom.infrastructure.answers.ask import SessionAnswer, SessionEntry, TurnAnswer
from citeloom.infrastructure.answers.ask_text import (
    answer_markdown,
    conversation_markdown,
    really_asked,
    rewriting_sent,
    sent,
)
from citeloom.infrastructure.answers.json import Shape, shaped_answer
from citeloom.infrastructure.answers.markdown import escaped_markdown
from citeloom.infrastructure.answers.model import Door
from citeloom.infrastructure.interfaces.cli.answer_commands import (
    AnswerFormat,
    AnswerStream,
    reasons_apart,
    source_text,
)
from citeloom.infrastructure.interfaces.cli.console import (
    note,
    out,
    out_json,
    out_json_line,
    out_table,
    print_error,
    shown,
)
from citeloom.infrastructure.interfaces.cli.context import note_destination, opened, shape_of
from citeloom.infrastructure.interfaces.cli.options import (
    AsOption,
    Given,
    JsonOption,
    ProjectOption,
    family,
)

if TYPE_CHECKING:
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.session import Turn
    from citeloom.infrastructure.library.project import ProjectLibrary


# `citeloom chat list`, `export` and `delete`.

SessionArgument = Annotated[str, typer.Argument(metavar="ID", help="The id of the session.")]


class ExportFormat(StrEnum):
    MARKDOWN = "markdown"
    JSON = "json"


def list_sessions(
    context: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """List the sessions of a project, the last used first.

    Example: citeloom chat list --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        sessions = library.sessions.listed()
    if as_json:
        out_json([*map(SessionEntry.of, sessions)])
    elif sessions:
        rows = ((s.id, str(s.asked), f"{s.updated_at:%Y-%m-%d %H:%M}", s.title) for s in sessions)
        out_table(rows, ("session", "asked", "last used", "first question"))
    else:
        note("there are no sessions yet; `citeloom chat` starts one")


def export(
    context: typer.Context,
    session: SessionArgument,
    project: ProjectOption = None,
    output: Annotated[
        ExportFormat, typer.Option("--format", help="Output format.")
    ] = ExportFormat.MARKDOWN,
    as_json: JsonOption = False,
) -> None:
    """Print a session as Markdown with citations for Pandoc and its sources, or as JSON.

    Example: citeloom chat export 3f2a9c4b1d07 --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        conversation = library.sessions.conversation(session)
        if as_json or output is ExportFormat.JSON:
            out_json(SessionAnswer.of_conversation(conversation), library.info.base_dir)
        else:
            out(conversation_markdown(conversation).rstrip("\n"))


def delete(context: typer.Context, session: SessionArgument, project: ProjectOption = None) -> None:
    """Delete a session with all its questions and answers.

    Example: citeloom chat delete 3f2a9c4b1d07 --project citeloom/clean-arch
    """
    with opened(context, project) as library:
        library.sessions.delete(session)
    out(f"session {session} deleted")


app = family("chat")
app.command("list")(list_sessions)
app.command("export")(export)
app.command("delete")(delete)


@app.callback()
def chat(
    context: typer.Context,
    project: ProjectOption = None,
    resume: Annotated[str | None, typer.Option(metavar="ID", help="Resume this session.")] = None,
    *,
    options: Given[ChatRequest],
    output: AnswerFormat,
    shape: AsOption = None,
) -> None:
    """Hold a conversation: questions at a prompt, or one per line from stdin.

    Example: citeloom chat --project citeloom/clean-arch
    """
    if context.invoked_subcommand is not None:
        return

    with opened(context, project) as library:
        chosen_shape = shape_of(library, shape)
        hold(Dialogue(library, output, options, shape=chosen_shape, session=resume))


# Where the questions of a chat come from: a prompt with history, or lines of stdin.

PROMPT = "? "
_MORE = "… "
_LONGEST_LINE = 100_000


class Listener(Protocol):
    """Answers what is asked, and follows commands."""

    def begin(self) -> Iterable[str]:
        """Say what there is to say first; the questions asked before, oldest first."""
        ...

    def ask(self, question: str) -> None:
        """Answer a question."""
        ...

    def command(self, line: str) -> bool:
        """Follow a command; whether to go on."""
        ...


def hold(listener: Listener) -> None:
    """Ask and answer until the questions end.

    At a prompt an error is printed and the chat goes on; Ctrl-C stops an answer, Ctrl-D ends it.
    From a pipe, the first error ends it.
    """
    if sys.stdin.isatty():
        _at_the_prompt(listener)
        return
    for _ in listener.begin():
        pass
    for line in iter(partial(sys.stdin.readline, _LONGEST_LINE), ""):
        if line.strip():
            listener.ask(line.strip())


def _at_the_prompt(listener: Listener) -> None:
    for text in _typed_entries([*listener.begin()]):
        try:
            if not text.startswith("/"):
                listener.ask(text)
            elif not listener.command(text):
                return
        except CiteloomError as error:
            print_error(error)
        except KeyboardInterrupt:
            note("stopped")
        sys.stdout.flush()
        note()


def _typed_entries(history: Iterable[str]) -> Iterator[str]:
    """Entries from a terminal until Ctrl-D, with the line editing and history of readline if it is
    there; Ctrl-C drops what is being typed. A line that ends in a backslash goes on in the next
    one. What is pasted is one entry.
    """
    with suppress(ImportError):
        import readline

        for line in history:
            readline.add_history(" ".join(shown(line).split()))
    while True:
        try:
            text = _line(PROMPT)
            while text.endswith("\\"):
                text = text.removesuffix("\\") + "\n" + _line(_MORE)
        except EOFError:
            note()
            return
        except KeyboardInterrupt:
            note()
            continue
        if text.strip():
            yield text.strip()


def _line(prompt: str) -> str:
    """A line of the terminal; the prompt is no part of the result where that goes elsewhere."""
    if sys.stdout.isatty():
        return input(prompt)
    note(prompt, end="")
    sys.stderr.flush()
    line = sys.stdin.readline(_LONGEST_LINE)
    if not line:
        raise EOFError
    return line.rstrip("\n")


# A chat of the command line: questions, answers, and commands about them.

_HELP = """\
/sources      the sources of the last answer, numbered
/open N       open source N at its page
/export FILE  write the conversation as Markdown with citations
/sessions     the sessions of the project
/help         these commands
/quit         end the chat, as Ctrl-D does
A line that ends in \\ goes on in the next. Ctrl-C stops an answer."""


class Dialogue(Listener):
    """Asks a project, prints what it answers in the form chosen, and follows commands."""

    def __init__(
        self,
        library: ProjectLibrary,
        output: AnswerFormat,
        options: Given[ChatRequest],
        *,
        shape: Shape | None = None,
        session: str | None = None,
    ) -> None:
        self._library = library
        self._output = output
        self._options = options
        self._shape = shape
        self._session = session
        self._last: Turn | None = None
        self._printed_notes: set[str] = set()

    def begin(self) -> Iterable[str]:
        """Where questions go; of a session that is resumed, its questions.

        Raises `IndexUnavailable` if the session could not be kept.
        """
        self._library.sessions.check_writable()
        if (model := self._library.answer_model) is not None and model.destination is not None:
            note(
                f"questions, earlier turns and passages are sent to {model.destination} "
                f"({model.model_id})"
            )
        note_destination("sentences and quotes", self._library.info.entailment)
        if self._session is None:
            return ()
        conversation = self._library.sessions.conversation(self._session)
        self._last = conversation.turns[-1] if conversation.turns else None
        note(f"resuming '{conversation.session.title}'")
        return [turn.question for turn in conversation.turns]

    def ask(self, question: str) -> None:
        stream = AnswerStream(question)
        streams = self._output is AnswerFormat.TEXT and self._shape is None
        at_once = streams and not self._options.get("quote_first")
        turn = self._library.chat(
            question,
            session_id=self._session,
            events=stream if at_once else None,
            **self._options,
        )
        if streams:
            if not at_once:
                stream.found(turn.answer)
            stream.end(turn.answer)
        if self._session is None:
            note(f"session {turn.session_id}")
        self._session, self._last = turn.session_id, turn
        self._print(turn)

    def command(self, line: str) -> bool:
        name, _, argument = line.partition(" ")
        match name:
            case "/sources":
                answer = self._cited()
                for number, citation in enumerate(answer.citations, start=1):
                    out(f"[{number}] {source_text(citation, answer)}")
            case "/open":
                self._open(argument.strip())
            case "/export":
                self._export(argument.strip())
            case "/sessions":
                sessions = self._library.sessions.listed()
                rows = [(session.id, str(session.asked), session.title) for session in sessions]
                out_table(rows, ("session", "asked", "first question"))
            case "/help":
                out(_HELP)
            case "/quit":
                pass
            case _:
                raise CiteloomError(f"there is no command {name}", "/help shows the commands.")
        return name != "/quit"

    def _print(self, turn: Turn) -> None:
        base_dir = self._library.info.base_dir
        if self._shape is not None:
            door = Door(base_dir=base_dir)
            out_json_line(shaped_answer(self._shape, TurnAnswer.of_turn(turn), door))
        elif self._output is AnswerFormat.JSON:
            out_json_line(TurnAnswer.of_turn(turn), base_dir)
        elif self._output is AnswerFormat.MARKDOWN:
            question = really_asked(turn)
            asked = f"*{escaped_markdown(question)}*\n\n" if question else ""
            out(f"{asked}{answer_markdown(turn.answer, base_dir)}")
        answer = turn.answer
        printed = self._shape is None and self._output is not AnswerFormat.JSON
        reasons = reasons_apart(answer) if printed else ()
        new = (text for text in answer.notes if text not in self._printed_notes)
        for text in (*reasons, rewriting_sent(turn), *turn.follow_up.notes, *sent(answer), *new):
            if text:
                note(text)
        self._printed_notes.update(answer.notes)

    def _cited(self) -> Answer:
        """The last answer with citations. Raises `NotFound` where there are none."""
        if self._last is None or not self._last.answer.citations:
            raise NotFound("there is no source yet", "Ask a question first.")
        return self._last.answer

    def _open(self, argument: str) -> None:
        from citeloom.infrastructure.interfaces.cli.passage_commands import open_link, reading_link

        cited = self._cited().citations
        if not argument.isdecimal() or not 1 <= int(argument) <= len(cited):
            raise NotFound(
                f"there is no source '{argument}'", f"/open takes a number from 1 to {len(cited)}."
            )
        stored = cited[int(argument) - 1].place
        link = reading_link(stored, self._library.info.base_dir, must_exist=True)
        open_link(link)
        note(f"opened {link}")

    def _export(self, argument: str) -> None:
        if not argument:
            raise CiteloomError("/export needs the name of a file", "For example /export rye.md")
        if self._session is None:
            raise NotFound("there is nothing to export yet", "Ask a question first.")
        path = Path(argument).expanduser()
        text = conversation_markdown(self._library.sessions.conversation(self._session))
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise CiteloomError(
                f"{path} cannot be written: {error.strerror}", "Name another file."
            ) from error
        note(f"exported to {path}")
