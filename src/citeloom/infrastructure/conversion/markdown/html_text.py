"""What a reader sees of HTML in Markdown, with the place of each word."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from citeloom.domain.conversion import BlockKind
from citeloom.infrastructure.conversion.markdown.document import DraftBlock
from citeloom.infrastructure.conversion.markdown.placed_text import Lines, PlacedText
from citeloom.infrastructure.conversion.markdown.unseen import Unseen

_APART = frozenset(
    "address article aside blockquote caption details dd div dl dt figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table ul".split()
)
_KINDS = {
    "table": BlockKind.TABLE,
    "caption": BlockKind.CAPTION,
    "pre": BlockKind.CODE,
    "li": BlockKind.LIST_ITEM,
    **{f"h{level}": BlockKind.HEADING for level in range(1, 7)},
}
_AROUND_ROWS = ("table", "caption")


def html_blocks(
    content: str, lines: Lines, span: tuple[int, int], unseen: Unseen
) -> Iterator[DraftBlock]:
    """The blocks of a piece of HTML that takes up `span` in the file; `lines` are its own. What
    comes behind it is within the elements of `unseen` that it leaves open.
    """
    reader = _HtmlReader(lines, unseen)
    reader.feed(content)
    reader.close()
    reader.begin_block("")
    found = [one for one in reader.blocks if one[1].finish().parts]
    for index, (tag, text) in enumerate(found):
        yield DraftBlock(
            kind=_KINDS.get(tag, BlockKind.PARAGRAPH),
            text=text,
            start=text.parts[0].start if index else span[0],
            end=span[1] if index == len(found) - 1 else text.parts[-1].end,
            level=int(tag[1]) if _KINDS.get(tag) is BlockKind.HEADING else 0,
        )


class _HtmlReader(HTMLParser):
    """Collects the text of each block; a table is one, with a line for each row."""

    def __init__(self, lines: Lines, unseen: Unseen) -> None:
        super().__init__(convert_charrefs=False)
        self.blocks: list[tuple[str, PlacedText]] = []
        self._lines = lines
        self._text = PlacedText()
        self._tag = ""
        self._unseen = unseen
        self._tables = 0

    def begin_block(self, tag: str) -> None:
        """End the block and begin another."""
        self.blocks.append((self._tag, self._text))
        self._text, self._tag = PlacedText(), tag

    def handle_starttag(self, tag: str, _attrs: Sequence[tuple[str, str | None]]) -> None:
        self._unseen.pass_tag(self.get_starttag_text() or "")
        if self._unseen:
            return
        self._tables += tag == "table"
        if tag in _APART and (not self._tables or tag in _AROUND_ROWS):
            self.begin_block(tag)
        elif tag in ("tr", "br"):
            self._text.add_space("\n", *self._tag_span())
        elif tag in ("td", "th"):
            self._begin_cell()
        if tag == "li" and not self._tables:
            self._text.add("- ", *self._tag_span())

    def _begin_cell(self) -> None:
        if self._text.parts and not self._text.parts[-1].text.endswith("\n"):
            self._text.finish().add(" | ", *self._tag_span())

    def handle_startendtag(self, tag: str, _attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "br" and not self._unseen:
            self._text.add_space("\n", *self._tag_span())

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._unseen.pass_tag(f"</{tag}>")
            return
        if tag in _APART and (not self._tables or tag in _AROUND_ROWS):
            self.begin_block("table" if tag == "caption" and self._tables else "")
        self._tables -= tag == "table" and self._tables > 0

    def handle_data(self, data: str) -> None:
        if self._unseen:
            self._unseen.pass_text(data)
            return
        line, column = self.getpos()
        for number, part in enumerate(data.split("\n")):
            start = self._lines.place_in(line - 1 + number, 0 if number else column)
            if number and self._tag == "pre":
                self._text.add("\n", start - 1, start)
            elif number:
                self._text.add_space(" ", start - 1, start)
            if self._tag == "pre":
                self._text.add(part, start, start + len(part))
            else:
                self._text.add_words(part, start)

    def handle_entityref(self, name: str) -> None:
        self._add_character(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add_character(f"&#{name};")

    def _add_character(self, written: str) -> None:
        if not self._unseen:
            self._text.add(html.unescape(written), self._here(), self._here() + len(written))

    def _tag_span(self) -> tuple[int, int]:
        return self._here(), self._here() + len(self.get_starttag_text() or "<")

    def _here(self) -> int:
        line, column = self.getpos()
        return self._lines.place_in(line - 1, column)
