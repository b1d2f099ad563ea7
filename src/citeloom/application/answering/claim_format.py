"""The form of a model's reply, and reading it without trusting it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citeloom.domain.answers.claims import Claim, ClaimedQuote

LONGEST_REPLY = 64_000
MOST_SENTENCES = 40
MOST_QUOTES = 6
_LONGEST_SENTENCE = 2_000

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


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The claims of a reply, and what was wrong with it."""

    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()


def read_reply(reply: str) -> ReadReply:
    """The claims in a reply; what is no claim is left out and noted.

    The object may stand within other text, such as a fence; of one that is cut off the sentences
    before the cut are read. A quote named twice counts once.
    """
    found = list(_objects(reply[:LONGEST_REPLY]))
    rows = next((one["sentences"] for one in found if "sentences" in one), None)
    notes: tuple[str, ...] = ()
    if rows is None:
        rows = [one for one in found if "text" in one and "quotes" in one]
        notes = ("the model's reply is not whole, or not in the form asked for",)
    if not isinstance(rows, list):
        return ReadReply((), ("the model's reply has no list of sentences",))
    claims = tuple(claim for row in rows[:MOST_SENTENCES] for claim in _claims(row))
    if left_out := len(rows) - len(claims):
        note = f"{left_out} entries of the model's reply are no sentences, or too many"
        notes = (*notes, note)
    return ReadReply(claims, notes)


def _objects(reply: str) -> Iterator[Mapping[str, object]]:
    decoder, start, tries = json.JSONDecoder(), reply.find("{"), 0
    while start >= 0 and tries < 2 * MOST_SENTENCES:
        try:
            value, end = decoder.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict):
                yield value
        tries += 1
        start = reply.find("{", end)


def _claims(row: object) -> Iterator[Claim]:
    """The claim of a row, if it is one."""
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return
    text = row["text"].strip()
    if not text or len(text) > _LONGEST_SENTENCE:
        return
    quotes = row.get("quotes")
    listed = quotes if isinstance(quotes, list) else []
    known = dict.fromkeys(quote for entry in listed[: 4 * MOST_QUOTES] for quote in _quotes(entry))
    yield Claim(text, tuple(known)[:MOST_QUOTES])


def _quotes(entry: object) -> Iterator[ClaimedQuote]:
    if not isinstance(entry, dict):
        return
    passage, quote = entry.get("passage"), entry.get("quote")
    if isinstance(passage, str) and isinstance(quote, str) and quote.strip():
        yield ClaimedQuote(passage.strip(), quote.strip())
