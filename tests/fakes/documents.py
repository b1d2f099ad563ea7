"""Conversions built from their parts: headings, paragraphs, tables and the like, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    ConversionResult,
    Fragment,
    Heading,
)

PAGE_BREAK = "\f"


@dataclass(frozen=True)
class Part:
    """A block to be: its kind, its text with page breaks in it, the level of a heading."""

    kind: BlockKind
    text: str
    level: int = 0


def heading(title: str, level: int = 1) -> Part:
    return Part(BlockKind.HEADING, title, level)


def paragraph(text: str) -> Part:
    return Part(BlockKind.PARAGRAPH, text)


def caption(text: str) -> Part:
    return Part(BlockKind.CAPTION, text)


def table(*rows: str) -> Part:
    return Part(BlockKind.TABLE, "\n".join(rows))


def without_pages(result: ConversionResult) -> ConversionResult:
    """The same document in a format that has no pages."""
    return replace(
        result,
        blocks=tuple(
            replace(block, fragments=(Fragment(start=block.start, end=block.end),))
            for block in result.blocks
        ),
        headings=tuple(replace(heading, page=None) for heading in result.headings),
        page_map={},
        page_count=0,
    )


def document(
    *parts: Part, doc_id: str = "doc", page_labels: Mapping[int, str] | None = None
) -> ConversionResult:
    """The parts as a converted document; a page break in a part's text turns the page there."""
    typesetter = _Typesetter()
    for part in parts:
        typesetter.add(part)
    return ConversionResult(
        doc_id=doc_id,
        plain_text=typesetter.text,
        blocks=tuple(typesetter.blocks),
        headings=tuple(typesetter.headings),
        page_map=typesetter.page_map,
        page_count=typesetter.page,
        page_labels=page_labels or {},
        engine="fake",
    )


class _Typesetter:
    def __init__(self) -> None:
        self.text = ""
        self.page = 1
        self.page_map: dict[int, tuple[int, int]] = {}
        self.blocks: list[Block] = []
        self.headings: list[Heading] = []

    def add(self, part: Part) -> None:
        """Set one part, from where the last one ended."""
        if self.text:
            self.text += "\n\n"
        fragments = []
        for turn, stretch in enumerate(part.text.split(PAGE_BREAK)):
            self.page += bool(turn)
            if stretch:
                fragments.append(self._fragment(stretch))
        if part.kind is BlockKind.HEADING:
            self._open_section(part, fragments[0])
        section = len(self.headings) - 1 if self.headings else None
        self.blocks.append(Block(kind=part.kind, fragments=tuple(fragments), section=section))

    def _fragment(self, stretch: str) -> Fragment:
        start = len(self.text)
        self.text += stretch
        first, _ = self.page_map.get(self.page, (start, start))
        self.page_map[self.page] = first, len(self.text)
        top = float(start)
        box = Box(left=0.0, top=top, right=100.0, bottom=top + 10.0)
        return Fragment(page=self.page, box=box, start=start, end=len(self.text))

    def _open_section(self, part: Part, fragment: Fragment) -> None:
        above = [i for i, heading in enumerate(self.headings) if heading.level < part.level]
        parents = [
            i
            for i in above
            if all(h.level > self.headings[i].level for h in self.headings[i + 1 :])
        ]
        self.headings.append(
            Heading(
                level=part.level,
                title=part.text.replace(PAGE_BREAK, ""),
                page=fragment.page,
                start=fragment.start,
                parent=parents[-1] if parents else None,
            )
        )


def told(subject: str, sentences: int = 1) -> str:
    """Sentences of eight tokens each, as `PieceCounter` counts them."""
    return " ".join(f"{subject} {n} was seen on the field." for n in range(1, sentences + 1))
