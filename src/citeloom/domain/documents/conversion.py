"""A converted document: its text, its structure, and the page of each part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class BlockKind(StrEnum):
    """The role a block plays in the document's body; what is hidden no reader sees."""

    TITLE = "title"
    AUTHORS = "authors"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CAPTION = "caption"
    FORMULA = "formula"
    CODE = "code"
    FOOTNOTE = "footnote"
    HIDDEN = "hidden"


class Doubt(StrEnum):
    """Why the words of a passage should be compared with its page before they are quoted."""

    ORDER = "order"
    FORMULA = "formula"
    TABLE = "table"
    SCAN = "scan"
    OCR = "ocr"
    PICTURE = "picture"
    LOSS = "loss"
    LETTERS = "letters"
    READING = "reading"

    @property
    def words(self) -> str:
        """What is shown beside the passage."""
        return _SHOWN[self]


_SHOWN = {
    Doubt.ORDER: "order doubtful",
    Doubt.FORMULA: "formula: compare with the page",
    Doubt.TABLE: "table doubtful",
    Doubt.SCAN: "text of an old scan: compare",
    Doubt.OCR: "read by OCR, unsure: compare",
    Doubt.PICTURE: "set as a picture: lines in the order of the page",
    Doubt.LOSS: "words beside it, or letters in it, are missing",
    Doubt.LETTERS: "letters of this font have no readable code: compare",
    Doubt.READING: "another reading of the page differs: compare",
}


OF_WORDS = frozenset({Doubt.SCAN, Doubt.OCR})
"""Doubts about single words of what a program read in an image."""


def doubts_in_words(
    doubts: Iterable[Doubt], words: Sequence[str] = (), *, advise: bool = True
) -> str:
    """What is shown beside a passage with these: `order doubtful, table doubtful`; where single
    words are doubted with these `words`. Without advice, of what was compared already.
    """
    shown: list[str] = []
    for doubt in doubts:
        said = doubt.words if advise else doubt.words.partition(": compare")[0]
        named = (f'"{word}"' for word in (words if doubt in OF_WORDS else ()))
        shown.append(f"{said} {', '.join(named)}".rstrip())
    return ", ".join(shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle on a page in PDF points, origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        if self.right < self.left or self.bottom < self.top:
            raise ValueError(f"a box must not have its sides swapped: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlace:
    """Characters `[start_position, end_position)` of the original file.

    They count the characters of the decoded file as it is: a line end CR LF is two, a byte order
    mark none.
    """

    start_position: int
    end_position: int

    def __post_init__(self) -> None:
        if not 0 <= self.start_position < self.end_position:
            raise ValueError(
                f"a place in a file must span characters: {self.start_position}.."
                f"{self.end_position}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRun:
    """Characters `[start, end)` of the plain text and those of the file that they stand for.

    Runs of equal length are the same word for word.
    """

    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def is_verbatim(self) -> bool:
        """Whether each character stands for one of the file."""
        return self.end - self.start == self.source_end - self.source_start


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """The part of a block on one page: characters `[start, end)` of the plain text.

    `page` is None where the format has no pages, or where the page is not known; `box` where the
    page has no layout.
    """

    page: int | None = None
    box: Box | None = None
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.page is None and self.box is not None:
            raise ValueError("a box must be on a page")
        if self.page is not None and self.page < 1:
            raise ValueError(f"pages are counted from 1, not {self.page}")
        if not 0 <= self.start < self.end:
            raise ValueError(f"a fragment must span characters: {self.start}..{self.end}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, heading, table or the like, in reading order.

    Its fragments follow one another without a gap, so that each character has exactly one page
    where the document has pages.
    `section` indexes `ConversionResult.headings`; a heading block carries its own index there.
    `source` is its place in a file of Markdown or plain text, marks included. `doubts` are what
    speaks against its words, such as the order of the lines on its pages.
    """

    kind: BlockKind
    fragments: tuple[Fragment, ...]
    section: int | None = None
    source: SourcePlace | None = None
    doubts: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        if not self.fragments:
            raise ValueError("a block must have at least one fragment")
        for before, after in zip(self.fragments, self.fragments[1:]):
            if before.end != after.start:
                raise ValueError(f"fragments must be contiguous: {before.end} != {after.start}")

    @property
    def start(self) -> int:
        """Offset of the block's first character in the plain text."""
        return self.fragments[0].start

    @property
    def end(self) -> int:
        """Offset after the block's last character in the plain text."""
        return self.fragments[-1].end


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A node of the heading tree; `parent` is the index of an earlier heading of a lower level.

    `is_title` marks the heading that is the title of the document, too: the only one of the first
    level, or the title of the first slide.
    """

    level: int
    title: str
    page: int | None = None
    start: int
    parent: int | None = None
    is_title: bool = False

    def __post_init__(self) -> None:
        if self.level < 1:
            raise ValueError(f"heading levels are counted from 1, not {self.level}")
        if not self.title.strip():
            raise ValueError("a heading must have a title")


def parent_of(headings: Sequence[Heading], level: int) -> int | None:
    """The index of the heading below which one of this level stands that follows them."""
    indexes = range(len(headings) - 1, -1, -1)
    return next((index for index in indexes if headings[index].level < level), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedMetadata:
    """The metadata embedded in the file, unverified; empty where it has none.

    `front_text` is the raw text of the first pages, running headers included: journals print
    the DOI and the title there, which the reference is matched by.
    """

    title: str = ""
    author: str = ""
    doi: str = ""
    front_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailure:
    """A page that could not be converted, and why; the other pages are kept."""

    page: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LostWords:
    """How many words of a page are in no block, nor left out on purpose, and the first of them."""

    count: int
    sample: str


class LeftOutKind(StrEnum):
    """What a text is that is in no passage on purpose."""

    HEADER = "header"
    FOOTER = "footer"
    MARGIN = "margin"
    CONTENTS = "contents"
    LABEL = "label"
    FIELD = "field"
    ANNOTATION = "annotation"
    NAVIGATION = "navigation"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A text of a page that is in no passage on purpose, and how many words it has: a running head
    or a page number, small print in the margin, a list of contents, the numbers and lone letters
    of figures and at lines, and readings of characters, or what a field of a form or an annotation
    says that is not drawn among the text; of a web page also its navigation and what it does not
    show at first.
    """

    kind: LeftOutKind
    count: int
    text: str


LEAST_LOSS = 20
"""A page that loses so many words is reported."""


def named_pages(pages: Collection[int]) -> str:
    """The pages by their numbers, as a note names them."""
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionResult:
    """A converted document.

    `doc_id` derives from the content, so that a moved file stays the same document. `page_map` maps
    a 1-based physical page to the smallest character span of `plain_text` that holds all of its
    text; blocks of hidden text follow all others and are in no such span; it is empty, and
    `page_count` 0, where the format has no pages. `page_labels` maps a page to its printed label
    where the file declares one, `edge_numbers` to the numbers in its running header and footer.
    With `has_page_list` the pages are those of the printed book, which the file lists: page 1 is
    the first that it lists, each has a label and none a layout, and text may be on no known page.
    `engine` names the layout engine; `converter_version` changes whenever the output may. `notes`
    are assumptions made. `lost_words` are those of pages with a text layer, by another reading of
    it, `left_out` by page what is in no block on purpose, of page 0 where the format has none.
    `ocr_pages` maps each page read by `ocr_engine` to its confidence, 0 to 1; `layer_pages` are
    scans that have a text of their own, which `ocr_engine` may have read to find a better one.
    `source_runs` map the characters of the blocks that have a `source`; `front_matter` is what the
    file's front matter says, as text, lists and mappings, None without any.
    """

    doc_id: str
    plain_text: str
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    page_map: Mapping[int, tuple[int, int]]
    page_count: int
    page_labels: Mapping[int, str] = field(default_factory=dict)
    has_page_list: bool = False
    edge_numbers: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    ocr_pages: Mapping[int, float] = field(default_factory=dict)
    layer_pages: tuple[int, ...] = ()
    ocr_languages: tuple[str, ...] = ()
    ocr_engine: str = ""
    engine: str = ""
    converter_version: str = ""
    embedded: EmbeddedMetadata = field(default_factory=EmbeddedMetadata)
    page_failures: tuple[PageFailure, ...] = ()
    notes: tuple[str, ...] = ()
    lost_words: Mapping[int, LostWords] = field(default_factory=dict)
    left_out: Mapping[int, tuple[LeftOut, ...]] = field(default_factory=dict)
    source_runs: tuple[SourceRun, ...] = ()
    front_matter: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if not self.doc_id:
            raise ValueError("a conversion must have a document id")
        self._check_pages()
        self._check_blocks()
        self._check_headings()

    def _check_pages(self) -> None:
        for page, confidence in self.ocr_pages.items():
            if not 1 <= page <= self.page_count or not 0.0 <= confidence <= 1.0:
                raise ValueError(f"page {page} cannot be read with confidence {confidence}")
        for page, (start, end) in self.page_map.items():
            if not 1 <= page <= self.page_count:
                raise ValueError(f"page {page} is outside the document's {self.page_count} pages")
            if not 0 <= start <= end <= len(self.plain_text):
                raise ValueError(f"page {page} maps to {start}..{end}, outside the text")

    def _check_blocks(self) -> None:
        position = 0
        for block in self.blocks:
            if block.start < position:
                raise ValueError(f"blocks overlap or are out of order at character {block.start}")
            position = block.end
            if block.section is not None and not 0 <= block.section < len(self.headings):
                raise ValueError(f"a block names heading {block.section}, which does not exist")
            for fragment in block.fragments:
                has_page, is_paged = fragment.page is not None, self.page_count > 0
                if has_page != is_paged and not self.has_page_list:
                    raise ValueError("either every block has pages or none has")
                if (fragment.box is not None) != self.has_layout:
                    raise ValueError("blocks have boxes where pages have a layout, and only there")
                if fragment.page is not None and fragment.page > self.page_count:
                    raise ValueError(f"a block is on page {fragment.page}, past the last page")
        if position > len(self.plain_text):
            raise ValueError("a block reaches past the end of the text")

    def _check_headings(self) -> None:
        for index, heading in enumerate(self.headings):
            if heading.parent is None:
                continue
            if not 0 <= heading.parent < index:
                raise ValueError(f"heading {index} must come after its parent {heading.parent}")
            if self.headings[heading.parent].level >= heading.level:
                raise ValueError(f"heading {index} must be deeper than its parent")

    @property
    def has_layout(self) -> bool:
        """Whether the file lays its text out on pages."""
        return self.page_count > 0 and not self.has_page_list

    @property
    def depends_on_ocr(self) -> bool:
        """Whether images were read or pages failed, so that other OCR options may find more."""
        return bool(self.ocr_pages or self.page_failures or self.ocr_engine)

    def text_of(self, block: Block) -> str:
        return self.plain_text[block.start : block.end]

    def section_path(self, section: int | None) -> tuple[str, ...]:
        """The titles from the root of the heading tree down to `section`."""
        return tuple(self.headings[each].title for each in self.headings_above(section))

    def section_around(self, sections: Iterable[int | None]) -> int | None:
        """The innermost section that holds all of `sections`."""
        return max(set.intersection(*map(set, map(self.headings_above, sections))), default=None)

    def headings_above(self, section: int | None) -> tuple[int, ...]:
        """The headings from the root of the heading tree down to `section`."""
        above: list[int] = []
        while section is not None:
            above.append(section)
            section = self.headings[section].parent
        return tuple(reversed(above))
