"""A draft open in an editor: checked whole once, and after an edit only where it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from citeloom.domain.manuscript.blocks import Block, blocks_of, changed_blocks, with_its_notes
from citeloom.domain.manuscript.draft import Draft, Place
from citeloom.domain.manuscript.verdicts import Check, DraftReport


@dataclass(slots=True)
class OpenDraft:
    """The checks of a draft by block, with places relative to it.

    `read` makes a draft of a source; `check` checks one. Both may raise what they raise.
    """

    name: str
    read: Callable[[str], Draft]
    check: Callable[[Draft], DraftReport]
    source: str = ""
    _blocks: list[Block] = field(default_factory=list)
    _checks: list[tuple[Check, ...]] = field(default_factory=list)

    def check_all(self, source: str) -> tuple[Check, ...]:
        """The checks of the whole source, in its order."""
        report = self.check(self.read(source))
        self.source, self._blocks = source, blocks_of(source)
        self._checks = [
            tuple(_moved(check, -block.start) for check in _within(report.checks, block))
            for block in self._blocks
        ]
        return self.checks()

    def check_edit(self, source: str) -> tuple[Check, ...]:
        """The checks of an edited source: only its changed blocks are read and checked."""
        blocks = blocks_of(source)
        head, tail = changed_blocks(self._blocks, blocks)
        changed = blocks[head : len(blocks) - tail]
        own = [self._of_block(block, source) for block in changed]
        kept = self._checks[len(self._checks) - tail :] if tail else []
        self._checks = [*self._checks[:head], *own, *kept]
        self.source, self._blocks = source, blocks
        return self.checks()

    def checks(self) -> tuple[Check, ...]:
        """The checks as they are known, with their places in the source."""
        whole = Draft(name=self.name, text=self.source, paragraphs=())
        return tuple(
            _placed(_moved(check, block.start), whole)
            for block, checks in zip(self._blocks, self._checks)
            for check in checks
        )

    def _of_block(self, block: Block, source: str) -> tuple[Check, ...]:
        if not block.text.strip():
            return ()
        report = self.check(self.read(with_its_notes(block.text, source)))
        own = Block(0, len(block.text), block.text)
        return tuple(_within(report.checks, own))


def _within(checks: Iterable[Check], block: Block) -> Iterator[Check]:
    return (check for check in checks if block.start <= check.place.start < block.end)


def _moved(check: Check, by: int) -> Check:
    citation = check.citation
    if citation is not None:
        citation = replace(citation, place=_shifted(citation.place, by))
    return replace(check, place=_shifted(check.place, by), citation=citation)


def _shifted(place: Place, by: int) -> Place:
    return replace(place, start=place.start + by, end=place.end + by)


def _placed(check: Check, whole: Draft) -> Check:
    """The check with lines and columns of the whole draft."""
    citation = check.citation
    if citation is not None:
        at = citation.place
        citation = replace(citation, place=whole.place(at.start, at.end))
    at = check.place
    return replace(check, place=whole.place(at.start, at.end), citation=citation)
