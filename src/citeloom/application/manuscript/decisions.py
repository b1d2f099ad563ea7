"""The use case `decide`: what a reader has decided on the findings of a draft, kept beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from citeloom.application.ports.records import DecisionFiles
from citeloom.application.ports.runtime import Clock
from citeloom.domain.errors import ConfigError, InvalidFilter
from citeloom.domain.manuscript.verdicts import CitationCheck, CitationVerdict
from citeloom.domain.text.normal_form import letters_of

LONGEST_NOTE, MOST_DECISIONS = 5_000, 5_000
_VERSION = 1
_KEY_LENGTH = 12


class Decision(StrEnum):
    """What a reader has decided on a quotation or a citation."""

    ACCEPTED = "accepted"
    TO_MEND = "to_mend"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftDecision:
    """A decision on a quotation, or on a citation without one: what it says and cites, and the
    verdict on it then; `decided` is the time in ISO 8601.
    """

    citekey: str
    quote: str | None
    page: str | None
    verdict: CitationVerdict
    decision: Decision
    note: str = ""
    decided: str = ""

    @property
    def key(self) -> str:
        return _key(self.citekey, self.quote, self.page)

    @classmethod
    def read(cls, fields: dict[str, Any]) -> Self:
        """One as it is kept. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""
        texts = {name: fields.get(name) for name in ("quote", "page")}
        note, decided = fields.get("note", ""), fields.get("decided", "")
        citekey = fields["citekey"]
        if not all(isinstance(text, str) for text in (citekey, note, decided)) or not all(
            isinstance(text, str | None) for text in texts.values()
        ):
            raise ValueError("a field is no text")
        return cls(
            citekey=citekey,
            verdict=CitationVerdict(fields["verdict"]),
            decision=Decision(fields["decision"]),
            note=note,
            decided=decided,
            **texts,
        )


def key_of(check: CitationCheck) -> str:
    """The key of a check: what it says and cites, whatever stands around it."""
    return _key(check.citekey, check.quote, check.page)


def _key(citekey: str, quote: str | None, page: str | None) -> str:
    said = "" if quote is None else f"“{letters_of(quote)}"
    digest = hashlib.sha256("\0".join((citekey, said, page or "")).encode())
    return digest.hexdigest()[:_KEY_LENGTH]


# Which decision is of which check.


@dataclass(frozen=True, slots=True, kw_only=True)
class OutdatedDecision:
    """A decision on a quotation that the draft has otherwise by now, or that has another verdict:
    the number of its check; without one the draft has nothing like it any more.
    """

    decision: DraftDecision
    check: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedChecks:
    """The decisions on the checks of a draft, by their numbers, and those that are outdated."""

    by_check: dict[int, DraftDecision]
    outdated: tuple[OutdatedDecision, ...]

    def outdated_on(self, check: int) -> DraftDecision | None:
        """What was decided on the earlier form of a check."""
        return next((one.decision for one in self.outdated if one.check == check), None)


def decided(checks: Sequence[CitationCheck], decisions: Iterable[DraftDecision]) -> DecidedChecks:
    """The decisions on checks. One whose quotation has another wording, citation or verdict by now
    is outdated; it is told at the check of the same work that begins or ends likewise, of several
    at one with the same verdict.
    """
    by_key = {decision.key: decision for decision in decisions}
    by_check, numbers = dict[int, DraftDecision](), dict[str, int]()
    for number, check in enumerate(checks):
        decision = by_key.get(key_of(check))
        numbers.setdefault(key_of(check), number)
        if decision is not None and decision.verdict is check.verdict:
            by_check[number] = decision
    likely: dict[tuple[str, ...], int] = {}
    for number, check in enumerate(checks):
        if number not in by_check:
            for likeness in _likenesses(check):
                likely.setdefault(likeness, number)
    current = {decision.key for decision in by_check.values()}
    outdated = []
    for key, decision in by_key.items():
        if key not in current:
            alike = map(likely.get, _likenesses(decision))
            found = numbers.get(key, next((at for at in alike if at is not None), None))
            outdated.append(OutdatedDecision(decision=decision, check=found))
    return DecidedChecks(by_check=by_check, outdated=tuple(outdated))


_ALIKE = 16
"""How many letters quotations have in common that may be the same one before and after an edit."""


def _likenesses(one: CitationCheck | DraftDecision) -> Iterator[tuple[str, ...]]:
    if one.quote is None:
        return
    letters = letters_of(one.quote)
    for verdict in (one.verdict.value, ""):
        yield one.citekey, verdict, "is", letters
        yield one.citekey, verdict, "begins", letters[:_ALIKE]
        yield one.citekey, verdict, "ends", letters[-_ALIKE:]


# Keeping them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The decisions on drafts, each in a file beside its draft."""

    files: DecisionFiles
    clock: Clock

    def of(self, draft: Path) -> tuple[DraftDecision, ...]:
        """The decisions on a draft; none without a file of them. Raises `ConfigError` for a file
        that holds anything else.
        """
        return _read(self.files.read(draft), self.files.path(draft))

    def decide(
        self, draft: Path, check: CitationCheck, decision: Decision, note: str = ""
    ) -> DraftDecision:
        """Keep a decision on a check, in place of an earlier one on the same words and citation.

        Raises `InvalidFilter` for a note that is too long and for too many decisions, `ConfigError`
        where the file cannot be written or holds anything else.
        """
        if len(note) > LONGEST_NOTE:
            raise InvalidFilter(
                f"the note is longer than {LONGEST_NOTE:,} characters", "Shorten it."
            )
        made = DraftDecision(
            citekey=check.citekey,
            quote=check.quote,
            page=check.page,
            verdict=check.verdict,
            decision=decision,
            note=note.strip(),
            decided=self.clock.now().isoformat(timespec="seconds"),
        )
        self._change(draft, lambda before: [*before, made], made.key)
        return made

    def forget(self, draft: Path, key: str) -> None:
        """Take back the decision of that key, if there is one. Raises as `decide`."""
        self._change(draft, lambda before: before, key)

    def _change(
        self,
        draft: Path,
        change: Callable[[list[DraftDecision]], list[DraftDecision]],
        without: str,
    ) -> None:
        path = self.files.path(draft)

        def changed(text: str | None) -> str:
            others = [one for one in _read(text, path) if one.key != without]
            decisions = change(others)
            if len(decisions) > MOST_DECISIONS:
                raise InvalidFilter(
                    f"there are more than {MOST_DECISIONS:,} decisions in {path.name}",
                    "Divide the draft into chapters, each a file of its own.",
                )
            content = {"version": _VERSION, "decisions": [asdict(one) for one in decisions]}
            return f"{json.dumps(content, ensure_ascii=False, indent=2)}\n"

        self.files.change(draft, changed)


def _read(text: str | None, path: Path) -> tuple[DraftDecision, ...]:
    if text is None or not text.strip():
        return ()
    try:
        content = json.loads(text)
        version, found = content["version"], content["decisions"]
        decisions = tuple(DraftDecision.read(fields) for fields in found)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{path} holds no decisions that can be read: {error}", _HINT) from error
    if version != _VERSION:
        raise ConfigError(f"{path} is of version {version!r}, not {_VERSION}", _HINT)
    return decisions


_HINT = "Mend the file or move it away; what cannot be read is never overwritten."
