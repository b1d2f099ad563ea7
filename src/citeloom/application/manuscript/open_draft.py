"""A draft open in an editor: checked whole once, and after an edit only where it has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from citeloom.domain.manuscript.draft import Draft, DraftLocation
from citeloom.domain.manuscript.verdicts import CitationCheck, DraftReport


@dataclass(slots=True)
class OpenDraft:
    """The checks of a draft by block, with places relative to it.

    `read` makes a draft of a source; `check` checks one. Both may raise what they raise.
    """

    name: str
    read: Callable[[str], Draft]
    check: Callable[[Draft], DraftReport]
    source: str = ""
    _blocks: list[SourceBlock] = field(default_factory=list)
    _checks: list[tuple[CitationCheck, ...]] = field(default_factory=list)

    def check_all(self, source: str) -> tuple[CitationCheck, ...]:
        """The checks of the whole source, in its order."""
        report = self.check(self.read(source))
        self.source, self._blocks = source, blocks_of(source)
        self._checks = [_checks_within(report, block) for block in self._blocks]
        return self.checks()

    def check_edit(self, source: str) -> tuple[CitationCheck, ...]:
        """The checks of an edited source: only its changed blocks are read and checked."""
        blocks = blocks_of(source)
        head, tail = changed_blocks(self._blocks, blocks)
        changed = blocks[head : len(blocks) - tail]
        checks = [self._check_block(block, source) for block in changed]
        self._checks[head : len(self._checks) - tail] = checks
        self.source, self._blocks = source, blocks
        return self.checks()

    def checks(self) -> tuple[CitationCheck, ...]:
        """The checks as they are known, with their places in the source."""
        whole = Draft(name=self.name, text=self.source, paragraphs=())

        def moved(place: DraftLocation, by: int) -> DraftLocation:
            return whole.place(place.start + by, place.end + by)

        return tuple(
            _moved(check, block.start, moved)
            for block, checks in zip(self._blocks, self._checks)
            for check in checks
        )

    def _check_block(self, block: SourceBlock, source: str) -> tuple[CitationCheck, ...]:
        if not block.text.strip():
            return ()
        report = self.check(self.read(with_its_notes(block.text, source)))
        return _checks_within(report, SourceBlock(0, len(block.text), block.text))


def _checks_within(report: DraftReport, block: SourceBlock) -> tuple[CitationCheck, ...]:
    """The checks of a report that are in a block, with places relative to it."""
    return tuple(
        _moved(check, -block.start, _shifted)
        for check in report.checks
        if block.start <= check.place.start < block.end
    )


def _shifted(place: DraftLocation, by: int) -> DraftLocation:
    return replace(place, start=place.start + by, end=place.end + by)


def _moved(
    check: CitationCheck, by: int, moved: Callable[[DraftLocation, int], DraftLocation]
) -> CitationCheck:
    citation = check.citation
    if citation is not None:
        pages = citation.pages_place
        citation = replace(
            citation,
            place=moved(citation.place, by),
            pages_place=moved(pages, by) if pages else None,
        )
    return replace(check, place=moved(check.place, by), citation=citation)


# The blocks of a source that can be read apart, and those that an edit has changed.

_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_BEGIN = re.compile(r"\\begin\{(?!document\})")
_END = re.compile(r"\\end\{(?!document\})")
_QUOTATION = re.compile(
    r"[ \t]*(?:>|\\begin\{(?:quote|quotation|display\w*quote)\*?\}|#quote\b|#\+begin_quote)",
    re.IGNORECASE,
)
_NOTE_MARK = re.compile(r"\[\^([^\]\s]+)\]")


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """The characters `[start, end)` of a source, and the text there."""

    start: int
    end: int
    text: str


def blocks_of(source: str) -> list[SourceBlock]:
    """The source cut at blank lines; listings and environments stay whole, and a block quotation
    stays with the paragraphs beside it, where its citation may stand.
    """
    blocks: list[SourceBlock] = []
    start = 0
    cuts = [match.end() for match in _BLANK.finditer(source)]
    for end in [*cuts, len(source)]:
        text = source[start:end]
        is_open = len(_FENCE.findall(text)) % 2 or len(_BEGIN.findall(text)) > len(
            _END.findall(text)
        )
        if text and not is_open:
            blocks.append(SourceBlock(start, end, text))
            start = end
    if start < len(source):
        blocks.append(SourceBlock(start, len(source), source[start:]))
    joined: list[SourceBlock] = []
    was_quotation = False
    for block in blocks:
        is_quotation = _QUOTATION.match(block.text) is not None
        if joined and (is_quotation or was_quotation):
            before = joined.pop()
            joined.append(SourceBlock(before.start, block.end, before.text + block.text))
        else:
            joined.append(block)
        was_quotation = is_quotation
    return joined


def changed_blocks(before: Sequence[SourceBlock], after: Sequence[SourceBlock]) -> tuple[int, int]:
    """How many blocks at the beginning and at the end have the same text in both."""
    shorter = min(len(before), len(after))
    same = (first.text == second.text for first, second in zip(before, after))
    head = next((at for at, equal in enumerate(same) if not equal), shorter)
    rest = shorter - head
    ends = (first.text == second.text for first, second in zip(before[::-1], after[::-1]))
    tail = next((at for at, equal in enumerate(ends) if at >= rest or not equal), rest)
    return head, min(tail, rest)


def with_its_notes(block: str, source: str) -> str:
    """A block of Markdown followed by the footnotes that it refers to."""
    notes = []
    for name in dict.fromkeys(_NOTE_MARK.findall(block)):
        definition = re.search(
            rf"^\[\^{re.escape(name)}\]:.*(?:\n(?!\s*\n|\[\^).*)*", source, re.MULTILINE
        )
        if definition and definition[0] not in block:
            notes.append(definition[0].rstrip())
    return "\n\n".join([block.rstrip("\n"), *notes]) if notes else block
