"""The blocks of a Markdown text, each with its place in it.

markdown-it says on which lines a block stands, and leaves the text of a line as it is but for its
indentation and its marks, so that each line of a block is found again in the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.tree import SyntaxTreeNode

from citeloom.domain.documents.conversion import BlockKind
from citeloom.infrastructure.conversion.hidden_passages import HiddenPassage
from citeloom.infrastructure.conversion.markdown.inline import (
    PositionedInline,
    Unseen,
    add_inline,
    end_of_formula,
    formula,
    html_blocks,
)
from citeloom.infrastructure.conversion.markdown.placed_text import DraftBlock, Lines, PlacedText

# Footnotes of Markdown: `[^1]: A note.`, which CommonMark takes for the target of a link.

_LABEL = re.compile(r"\[\^[^\]\s]+\]:")


def footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A footnote up to the next blank line or the next footnote, with its label."""
    if state.is_code_block(start) or not _LABEL.match(_text(state, start)):
        return False
    if silent:
        return True
    last = start + 1
    while last < end and not state.isEmpty(last) and not _LABEL.match(_text(state, last)):
        last += 1
    state.push("footnote_open", "p", 1).map = [start, last]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, last, state.blkIndent, False).strip()
    inline.map, inline.children = [start, last], []
    state.push("footnote_close", "p", -1)
    state.line = last
    return True


def displayed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula that stands apart, with a label behind it, so that no line of it is a list."""
    at = state.bMarks[start] + state.tShift[start]
    if state.is_code_block(start) or not state.src.startswith(("$$", "\\begin{"), at):
        return False
    behind = end_of_formula(state.src, at)
    last = start + state.src.count("\n", at, behind)
    if not behind or last >= end or any(map(state.isEmpty, range(start, last))):
        return False
    if not _BEHIND_FORMULA.fullmatch(state.src, behind, state.eMarks[last]):
        return False
    if silent:
        return True
    state.push("formula_open", "p", 1).map = [start, last + 1]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(start, last + 1, state.blkIndent, False).strip()
    inline.map, inline.children = [start, last + 1], []
    state.push("formula_close", "p", -1)
    state.line = last + 1
    return True


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


_BEHIND_FORMULA = re.compile(r"\s*(?:\{#[^{}]*\}\s*)?")  # a label of Quarto
_DEEPEST = 100
_HASHES = re.compile(r"#{1,6}(?=[ \t])")
_CELL_SEPARATOR = " | "
_INDENT = "  "
_CODE = ("fence", "code_block")
_KINDS = {
    "footnote": BlockKind.FOOTNOTE,
    "formula": BlockKind.FORMULA,
    "paragraph": BlockKind.PARAGRAPH,
}
_LISTS = ("bullet_list", "ordered_list")


@dataclass(frozen=True, slots=True)
class ListItem:
    """A list item: its bullet or number, and how deep its list is."""

    marker: str
    depth: int


class MarkdownReader:
    """Reads one text whose line ends are LF; without `indented_code`, as in MDX, indentation makes
    no code. Raises `RecursionError` for blocks that lie too deep in one another.
    """

    def __init__(self, text: str, *, start: int = 0, indented_code: bool = True) -> None:
        self.hidden: list[HiddenPassage] = []
        """Text that is styled not to be seen; complete once the blocks were read."""
        self._unseen = Unseen(self.hidden)
        self._lines = text[start:].split("\n")
        self._starts = [start]
        for line in self._lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)
        tokens = _parser(indented_code).parse(text[start:])
        if any(token.level >= _DEEPEST - 1 for token in tokens):  # what lies deeper was left out
            raise RecursionError(f"blocks lie more than {_DEEPEST} deep")
        self._tree = SyntaxTreeNode(tokens)

    @property
    def cells(self) -> int:
        return sum(node.type in ("th", "td") for node in self._tree.walk())

    def blocks(self) -> Iterator[DraftBlock]:
        """The blocks in reading order."""
        return self._within(self._tree.children, depth=0)

    def _within(self, nodes: Sequence[SyntaxTreeNode], depth: int) -> Iterator[DraftBlock]:
        for node in nodes:
            if self._unseen and node.type != "html_block":
                first, last = node.map or (0, 0)
                self._unseen.pass_text("\n".join(self._lines[first:last]))
            elif node.type in _LISTS:
                number = int(node.attrs.get("start", 1))
                for index, item in enumerate(node.children):
                    marker = "-" if node.type == "bullet_list" else f"{number + index}."
                    yield from self._item(item, ListItem(marker, depth))
            elif node.type == "heading":
                yield self._block(node, BlockKind.HEADING, level=int(node.tag[1]))
            elif node.type == "table":
                yield self._block(node, BlockKind.TABLE)
            elif node.type in _CODE:
                yield self._block(node, BlockKind.CODE)
            elif node.type == "html_block":
                yield from html_blocks(
                    node.content, self._content_lines(node), self._span(node), self._unseen
                )
                behind = "\n".join(self._lines[(node.map or (0, 1))[1] :])
                if self._unseen and f"</{self._unseen.tag}" not in behind.lower():
                    self._unseen.close()
            elif node.type in _KINDS:
                yield self._block(node, _KINDS[node.type])
            else:
                yield from self._within(node.children, depth)

    def _item(self, node: SyntaxTreeNode, item: ListItem) -> Iterator[DraftBlock]:
        """The item's own text as one block, and each nested list, table or heading after it."""
        nodes: list[SyntaxTreeNode] = []
        for child in node.children:
            if child.type in (*_CODE, "paragraph", "formula", "html_block"):
                nodes.append(child)
                continue
            if nodes:
                yield self._item_block(nodes, item)
                nodes, item = [], ListItem("", item.depth)
            yield from self._within([child], item.depth + 1)
        if nodes:
            yield self._item_block(nodes, item)

    def _item_block(self, nodes: Sequence[SyntaxTreeNode], item: ListItem) -> DraftBlock:
        start, end = self._span(nodes[0])[0], self._span(nodes[-1])[1]
        body = PlacedText()
        for node in nodes:
            body.add_space("\n", self._span(node)[0] - 1, self._span(node)[0])
            self._add(body, node)
        text = PlacedText()
        if body.finish().parts:
            lead = _INDENT * item.depth + (f"{item.marker} " if item.marker else "")
            text.add(lead, start, max(body.parts[0].start, start + 1))
            text.parts += body.parts
        return DraftBlock(kind=BlockKind.LIST_ITEM, text=text, start=start, end=end)

    def _block(self, node: SyntaxTreeNode, kind: BlockKind, level: int = 0) -> DraftBlock:
        text = PlacedText()
        self._add(text, node)
        start, end = self._span(node)
        return DraftBlock(kind=kind, text=text, start=start, end=end, level=level)

    def _add(self, text: PlacedText, node: SyntaxTreeNode) -> None:
        if node.type in _CODE:
            lines = self._content_lines(node)
            code = node.content.rstrip()
            for number, line in enumerate(code.split("\n")):
                start = lines.place_in(number, 0)
                if number:
                    text.add("\n", start - 1, start)
                text.add(line, start, start + len(line))
        elif node.type == "html_block":
            for block in html_blocks(
                node.content, self._content_lines(node), self._span(node), Unseen(self.hidden)
            ):
                text.add_space("\n", block.start - 1, block.start)
                text.parts += block.text.finish().parts
        elif node.type == "table":
            self._add_rows(text, node)
        else:
            for inline in node.children:
                self._add_inline(text, inline, self._places(node, inline))

    def _add_rows(self, text: PlacedText, table: SyntaxTreeNode) -> None:
        """A line for each row, the cells separated by bars."""
        for row in (row for part in table.children for row in part.children):
            line = self._line_of(row)
            text.add_space("\n", self._starts[line] - 1, self._starts[line])
            column = 0
            for index, cell in enumerate(row.children):
                (inline,) = cell.children
                raw = inline.content.replace("|", "\\|")
                start = max(self._lines[line].find(raw, column), column)
                if index:
                    text.add(
                        _CELL_SEPARATOR,
                        self._starts[line] + column,
                        max(self._starts[line] + start, self._starts[line] + column + 1),
                    )
                self._add_inline(text, inline, _cell_places(raw, self._starts[line] + start))
                column = start + len(raw)

    def _add_inline(
        self, text: PlacedText, inline: SyntaxTreeNode, place: Callable[[int], int]
    ) -> None:
        tokens = inline.token.children if inline.token else None
        add_inline(text, inline.content, tokens or [], place, self.hidden)

    def _places(self, node: SyntaxTreeNode, inline: SyntaxTreeNode) -> Callable[[int], int]:
        """Where the characters of a paragraph's or a heading's content stand."""
        if node.type == "heading" and "\n" not in inline.content:
            line = self._line_of(node)
            hashes = _HASHES.search(self._lines[line])
            column = self._lines[line].find(inline.content, hashes.end() if hashes else 0)
            start = self._starts[line] + max(column, 0)
            return lambda position: start + position
        return self._content_lines(inline).place

    def _content_lines(self, node: SyntaxTreeNode) -> Lines:
        """Where each line of a block's content begins in the file."""
        first = self._line_of(node) + (node.type == "fence")
        starts = [
            self._aligned(first + number, line)
            for number, line in enumerate(node.content.split("\n"))
        ]
        return Lines(node.content, starts)

    def _aligned(self, number: int, content: str) -> int:
        """Where a line of content begins, which is the end of a line of the file."""
        if number >= len(self._lines):
            return self._starts[-1] + len(self._lines[-1])
        line = self._lines[number]
        if line.endswith(content):
            return self._starts[number] + len(line) - len(content)
        return self._starts[number] + max(len(line.rstrip()) - len(content.rstrip()), 0)

    def _span(self, node: SyntaxTreeNode) -> tuple[int, int]:
        """The characters of a block from its first mark to the end of its last line."""
        first, end = node.map or (0, 1)
        while end > first + 1 and not self._lines[end - 1].strip():
            end -= 1
        lead = self._lines[first]
        indent = 0 if node.type == "code_block" else len(lead) - len(lead.lstrip(" \t"))
        return self._starts[first] + indent, self._starts[end - 1] + len(
            self._lines[end - 1].rstrip()
        )

    def _line_of(self, node: SyntaxTreeNode) -> int:
        return (node.map or (0, 1))[0]


def _cell_places(raw: str, start: int) -> Callable[[int], int]:
    """Where the characters of a cell stand, in which a bar has a backslash before it."""
    bars = [match.start() - index for index, match in enumerate(re.finditer(r"\\\|", raw))]
    return lambda position: start + position + sum(bar <= position for bar in bars)


@cache
def _parser(indented_code: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.inline = PositionedInline()
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler2.disable("fragments_join")
    parser.disable(["text_join", *([] if indented_code else ["code"])])
    ends: RuleOptionsType = {"alt": ["paragraph", "reference"]}
    parser.block.ruler.before("reference", "footnote", footnote, ends)
    parser.block.ruler.before("fence", "formula", displayed, ends)
    parser.inline.ruler.before("escape", "formula", formula)
    return parser
