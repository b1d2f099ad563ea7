"""A chat of the command line: questions, answers, and commands about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import CiteloomError, NotFound
from citeloom.infrastructure.interfaces.cli.answer_text import (
    AnswerFormat,
    AnswerStream,
    reasons_apart,
    source_text,
)
from citeloom.infrastructure.interfaces.cli.chat.questions import Listener
from citeloom.infrastructure.interfaces.cli.console import (
    note,
    out,
    out_json_line,
    out_table,
)

if TYPE_CHECKING:
    from citeloom.application.project_library import ProjectLibrary
    from citeloom.application.query_options import AskOptions
    from citeloom.domain.answers.answer import Answer
    from citeloom.domain.answers.session import Turn
    from citeloom.infrastructure.serialisation.shapes import Shape

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
        options: AskOptions,
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
        self._told: set[str] = set()

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
        if (judge := self._library.info.entailment) is not None and judge.sends_to is not None:
            note(f"sentences and quotes are sent to {judge.sends_to} ({judge.name})")
        if self._session is None:
            return ()
        conversation = self._library.sessions.conversation(self._session)
        self._last = conversation.turns[-1] if conversation.turns else None
        note(f"going on with '{conversation.session.title}'")
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
        commands: dict[str, Callable[[str], object]] = {
            "/sources": self._sources,
            "/open": self._open,
            "/export": self._export,
            "/sessions": self._sessions,
            "/help": lambda _: out(_HELP),
        }
        if name == "/quit":
            return False
        if name not in commands:
            raise CiteloomError(f"there is no command {name}", "/help shows the commands.")
        commands[name](argument.strip())
        return True

    def _print(self, turn: Turn) -> None:
        from citeloom.infrastructure.serialisation.answers import answer_markdown, sent
        from citeloom.infrastructure.serialisation.conversations import (
            rewriting_sent,
            turn_json,
        )
        from citeloom.infrastructure.serialisation.shapes import shaped_answer

        base_dir = self._library.info.base_dir
        if self._shape is not None:
            out_json_line(shaped_answer(self._shape, turn_json(turn, base_dir)))
        elif self._output is AnswerFormat.JSON:
            out_json_line(turn_json(turn, base_dir))
        elif self._output is AnswerFormat.MARKDOWN:
            out(_paragraphs(_asked(turn), answer_markdown(turn.answer, base_dir)))
        follow_up, answer = turn.follow_up, turn.answer
        printed = self._shape is None and self._output is not AnswerFormat.JSON
        for one in reasons_apart(answer) if printed else ():
            note(one)
        for one in filter(None, (rewriting_sent(turn), *follow_up.notes, *sent(answer))):
            note(one)
        for one in answer.notes:
            if one not in self._told:
                note(one)
        self._told.update(answer.notes)

    def _cited(self) -> Answer:
        """The last answer with citations. Raises `NotFound` where there are none."""
        if self._last is None or not self._last.answer.citations:
            raise NotFound("there is no source yet", "Ask a question first.")
        return self._last.answer

    def _sources(self, _: str) -> None:
        answer = self._cited()
        numbered = enumerate(answer.citations, start=1)
        out("\n".join(f"[{number}] {source_text(one, answer)}" for number, one in numbered))

    def _open(self, argument: str) -> None:
        from citeloom.infrastructure.interfaces.cli.open_command import reading_link
        from citeloom.infrastructure.interfaces.cli.opener import open_link

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
        from citeloom.infrastructure.serialisation.conversations import conversation_markdown

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

    def _sessions(self, _: str) -> None:
        sessions = self._library.sessions.listed()
        rows = [(one.id, str(one.asked), one.title) for one in sessions]
        out_table(rows, ("session", "asked", "begun with"))


def _asked(turn: Turn) -> str:
    from citeloom.infrastructure.serialisation.conversations import really_asked
    from citeloom.infrastructure.serialisation.markdown import escaped_markdown

    told = really_asked(turn)
    return f"*{escaped_markdown(told)}*" if told else ""


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))
