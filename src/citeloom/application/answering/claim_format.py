"""The form of a model's reply, and reading it without trusting it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from citeloom.domain.answers.claims import Claim, ClaimedQuote

LONGEST_REPLY = 64_000
MOST_SENTENCES = 40
MOST_QUOTES = 6
_LONGEST_SENTENCE = 2_000
_SHOWN = 80
_OPENING = re.compile(r'\{\s*"sentences"\s*:\s*\[')
_NOT_WHOLE = "the model's reply is not whole, or not in the form asked for"
_DECODER = json.JSONDecoder()

CLAIM_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "quotes": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "passage": {"type": "string"},
                                "quote": {"type": "string"},
                            },
                            "required": ["passage", "quote"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["text", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}
"""The JSON schema of a reply: sentences, each with quotes by passage id; none if not answered."""


class ReplyReader:
    """Reads a reply while it is written, each claim once; what is no claim is left out and noted.

    The object may stand within other text, such as a fence; of one that is cut off the sentences
    before the cut are read. A quote named twice counts once. `fault` says of a reply that has ended
    without a claim why it is neither an answer nor an honest empty one. A claim without a text is
    one only if quotes may be `bare`.
    """

    def __init__(self, *, bare: bool = False) -> None:
        self._bare = bare
        self._text = ""
        self._at = -1
        self._rows: list[object] = []
        self._closed = False
        self.claims: tuple[Claim, ...] = ()
        self.fault: str | None = None

    def read(self, piece: str) -> tuple[Claim, ...]:
        """The claims that are whole with the next piece of the reply."""
        self._text = (self._text + piece)[:LONGEST_REPLY]
        if self._at < 0 and "[" in piece and (opening := _OPENING.search(self._text)):
            self._at = opening.end()
        return self._taken(self._whole_rows()) if self._at >= 0 and "}" in piece else ()

    def finish(self) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
        """The claims that are left once the reply has ended, and what was wrong with it."""
        left, notes = self._finish()
        if not self.claims and not self._text.strip():
            self.fault = "it is empty"
        elif not self.claims and notes:
            self.fault = "it is not in the form asked for"
        return left, notes

    @property
    def beginning(self) -> str:
        """The first words of the reply, on one line."""
        line = " ".join(self._text[: 4 * _SHOWN].split())
        return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()}…"

    def _finish(self) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
        later = list(self._whole_rows()) if self._at >= 0 else []
        if self._closed:
            return self._taken(later), self._notes()
        rest = list(_objects(self._text[max(self._at, 0) :]))
        listed = next((one["sentences"] for one in rest if "sentences" in one), None)
        if self._at >= 0 or listed is None:
            later += [one for one in rest if "text" in one and "quotes" in one]
            return self._taken(later), (_NOT_WHOLE, *self._notes())
        if not isinstance(listed, list):
            return (), ("the model's reply has no list of sentences",)
        return self._taken(listed), self._notes()

    def _whole_rows(self) -> Iterator[object]:
        """What has ended since in the list of sentences."""
        while not self._closed:
            self._at = _behind_spaces(self._text, self._at)
            if self._text.startswith("]", self._at):
                self._closed = True
                return
            try:
                row, end = _DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                return
            if end == len(self._text) and not isinstance(row, dict):
                return  # a number may go on
            self._at = end
            yield row

    def _taken(self, rows: Iterable[object]) -> tuple[Claim, ...]:
        found: list[Claim] = []
        for row in rows:
            if len(self._rows) < MOST_SENTENCES:
                found += _claims(row, bare=self._bare)
            self._rows.append(row)
        self.claims += tuple(found)
        return tuple(found)

    def _notes(self) -> tuple[str, ...]:
        left_out = len(self._rows) - len(self.claims)
        if not left_out:
            return ()
        return (f"entries of the model's reply that are no sentences, or too many: {left_out}",)


def _behind_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _objects(reply: str) -> Iterator[Mapping[str, object]]:
    start, tries = reply.find("{"), 0
    while start >= 0 and tries < 2 * MOST_SENTENCES:
        try:
            value, end = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict):
                yield value
        tries += 1
        start = reply.find("{", end)


def _claims(row: object, *, bare: bool) -> Iterator[Claim]:
    """The claim of a row, if it is one; `bare` quotes need no text."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return
    text = row["text"].strip()
    quotes = row.get("quotes")
    listed = quotes if isinstance(quotes, list) else []
    if not (text or (listed and bare)) or len(text) > _LONGEST_SENTENCE:
        return
    known = dict.fromkeys(quote for entry in listed[: 4 * MOST_QUOTES] for quote in _quotes(entry))
    yield Claim(text, tuple(known)[:MOST_QUOTES])


def _quotes(entry: object) -> Iterator[ClaimedQuote]:
    if not isinstance(entry, dict):
        return
    passage, quote = entry.get("passage"), entry.get("quote")
    if isinstance(passage, str) and isinstance(quote, str) and quote.strip():
        yield ClaimedQuote(passage.strip(), quote.strip())
