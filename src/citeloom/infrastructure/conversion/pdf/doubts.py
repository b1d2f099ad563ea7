"""What speaks against the words of a PDF's blocks: the order of lines, the cells of tables, how
well the image of a page was read, text set in pictures, words or letters that are missing, letters
that are not those of the page, and another reading that differs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain

from docling_core.types.doc.labels import DocItemLabel

from citeloom.application.limits import DOCUMENT_LIMITS
from citeloom.domain.documents.conversion import (
    LEAST_LOSS,
    Block,
    BlockKind,
    Box,
    Doubt,
    Fragment,
    LeftOut,
    LeftOutKind,
    named_pages,
)
from citeloom.domain.documents.misread import (
    Vocabulary,
    has_misread,
    has_misread_word,
    has_stray_sign,
    has_unsure,
    is_in_no_language,
    misread_share,
    vocabulary_of,
)
from citeloom.domain.documents.quality import torn_parts
from citeloom.domain.evaluation.line_order import (
    PageText,
    PrintedLine,
    page_order,
    parts_in_doubt,
)
from citeloom.domain.evaluation.page_recall import PageWords
from citeloom.domain.evaluation.second_reading import SecondReading
from citeloom.infrastructure.conversion.docling_document import DocumentBody
from citeloom.infrastructure.conversion.pdf.letters import (
    unreadable_blocks,
    with_letters_decoded,
)
from citeloom.infrastructure.conversion.pdf.losses import Recovered
from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf.elements.block import LayoutBlock, PageLayout
from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.patterns import count_words
from citeloom_pdf.reading import ReadPdf

_SAME_BOX = 1.0  # points
_SURE = DOCUMENT_LIMITS.ocr_min_confidence
# of the words seem misread: in English papers .1 to .8 of a hundred, names of things among them
_MISREAD = 0.01
_AS_USUAL = 500  # words that count as its document's, in the share of each page
_NEAR_EDGE = 20.0  # points: no letter of text is wider
_CUT_OFF = 0.1  # of the font size: so much of a letter is beyond the edge
_DENSEST = 20_000  # characters of a page: of more, the order is not compared
# what two readers part and order otherwise
_OF_CELLS = (BlockKind.TABLE, BlockKind.FORMULA, BlockKind.HIDDEN)
# what may stand anywhere on its page
_ASIDE = (BlockKind.TABLE, BlockKind.CAPTION, BlockKind.FOOTNOTE)


def with_doubts(
    recovered: Recovered, printed: PrintedPages, pages: Sequence[PageLayout]
) -> tuple[Block, ...]:
    """The blocks of a document, each with what speaks against its words."""
    blocks, text = recovered.body.blocks, recovered.body.plain_text
    by_ocr = {page.number for page in pages if page.confidence is not None}
    layers = {page.number for page in pages if page.is_layer} - by_ocr
    widths = {page.number: page.width for page in pages}
    apart = recovered.blocks | pictured_blocks(blocks, pages)
    found: Mapping[Doubt, Set[int]] = {
        Doubt.ORDER: unordered_blocks(blocks, text, printed, apart)
        | descending_blocks(blocks, text, printed),
        Doubt.FORMULA: displaced_blocks(blocks, pages),
        Doubt.TABLE: misfit_tables(blocks, pages),
        Doubt.SCAN: misread_blocks(blocks, text, layers),
        Doubt.OCR: unsure_blocks(recovered.body, pages, by_ocr),
        Doubt.PICTURE: apart,
        Doubt.LOSS: blocks_beside(blocks, recovered.missing)
        | torn_blocks(blocks, text)
        | cut_off_blocks(blocks, printed, widths),
        Doubt.LETTERS: unreadable_blocks(with_letters_decoded(recovered.body)),
    }
    doubted = [
        replace(block, doubts=tuple(doubt for doubt, indexes in found.items() if index in indexes))
        for index, block in enumerate(blocks)
    ]
    for index in differing_blocks(doubted, text, printed, by_ocr | layers):
        doubted[index] = replace(blocks[index], doubts=(Doubt.READING,))
    return tuple(doubted)


def pictured_blocks(blocks: Sequence[Block], pages: Sequence[PageLayout]) -> Set[int]:
    """The indexes of the paragraphs that are set as a picture."""
    pictures = _corners(pages, lambda block: block.label == DocItemLabel.PICTURE)
    return {
        index
        for index, block in enumerate(blocks)
        if block.kind is BlockKind.PARAGRAPH and _is_at(pictures, block.fragments[0])
    }


def displaced_blocks(blocks: Sequence[Block], pages: Sequence[PageLayout]) -> Set[int]:
    """The indexes of the blocks with formulas whose letters may not be where they are printed."""
    formulas = _corners(pages, lambda block: block.doubtful and block.label != DocItemLabel.TABLE)
    printed_rows = _corners(
        pages, lambda block: block.label == DocItemLabel.FORMULA and not block.doubtful
    )
    return {
        index
        for index, block in enumerate(blocks)
        for part in block.fragments
        if _is_at(formulas, part)
        or (block.kind is BlockKind.FORMULA and not _is_at(printed_rows, part))
    }


def misfit_tables(blocks: Sequence[Block], pages: Sequence[PageLayout]) -> Set[int]:
    """The indexes of the tables whose words may not fit their columns."""
    tables = _corners(pages, lambda block: block.doubtful and block.label == DocItemLabel.TABLE)
    return {
        index
        for index, block in enumerate(blocks)
        if block.kind is BlockKind.TABLE and _is_at(tables, block.fragments[0])
    }


def unsure_blocks(body: DocumentBody, pages: Sequence[PageLayout], by_ocr: Set[int]) -> Set[int]:
    """The indexes of the blocks of which a reader of images was unsure, that two readings dispute,
    or that have a word on the pages read `by_ocr` that is none.
    """
    vocabulary = _vocabulary_on(body, by_ocr)
    unsure = _corners(
        pages,
        lambda block: (
            block.confidence is not None
            and (block.confidence < _SURE or block.disputed or has_unsure(block.unsure, vocabulary))
        ),
    )
    return {
        index
        for index, block in enumerate(body.blocks)
        for part in block.fragments
        if _is_at(unsure, part)
        or (part.page in by_ocr and _is_wrong(body.plain_text[part.start : part.end], vocabulary))
    }


def differing_blocks(
    blocks: Sequence[Block], text: str, printed: PrintedPages, images: Set[int] = frozenset()
) -> Set[int]:
    """The indexes of the blocks that nothing else speaks against, and of which PDFium reads other
    letters, spaces or signs on their pages; tables, formulas and pages that are `images` are not
    compared.
    """
    texts: dict[int, list[tuple[int, PageText]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None and part.page not in images:
                aside = bool(block.doubts) or block.kind in _OF_CELLS
                page_text = PageText(text=text[part.start : part.end], aside=aside)
                texts[part.page].append((index, page_text))
    differing: set[int] = set()
    for number, placed in texts.items():
        page = printed[number].text
        if page.strip() and len(page) <= _DENSEST and not has_from_right(page):
            reading = SecondReading(page, [part for _, part in placed])
            differing.update(placed[at][0] for at in reading.differing())
    return differing


def _is_wrong(text: str, vocabulary: Vocabulary) -> bool:
    """Whether what OCR read has a sign that print has not, or a word that was surely misread."""
    return has_stray_sign(text) or has_misread_word(text, vocabulary)


def _vocabulary_on(body: DocumentBody, pages: Set[int]) -> Vocabulary:
    """The words of the text of some pages."""
    if not pages:
        return Vocabulary({}, {})
    text = body.plain_text
    parts = (part for block in body.blocks for part in block.fragments if part.page in pages)
    return vocabulary_of("\n".join(text[part.start : part.end] for part in parts))


_Corners = Mapping[int, Sequence[tuple[float, float]]]


def _corners(pages: Sequence[PageLayout], is_meant: Callable[[LayoutBlock], bool]) -> _Corners:
    """The left and upper edges of some blocks of each page."""
    return {
        page.number: [(block.box.left, block.box.top) for block in page.blocks if is_meant(block)]
        for page in pages
    }


def _is_at(corners: _Corners, part: Fragment) -> bool:
    if part.page is None or part.box is None:
        return False
    return any(
        abs(part.box.left - left) < _SAME_BOX and abs(part.box.top - top) < _SAME_BOX
        for left, top in corners.get(part.page, ())
    )


def misread_blocks(blocks: Sequence[Block], text: str, layers: Iterable[int]) -> Set[int]:
    """The indexes of the blocks of `layers`, the scans with a text of their own, that have a word
    misread, or stand on a page of which too many words were, or that is in no language and has one.

    A short page is judged more like its document.
    """
    pages: dict[int, str] = dict.fromkeys(layers, "")
    if not pages:
        return frozenset()
    placed: list[tuple[int, int]] = []
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page in pages:
                pages[part.page] += f"{text[part.start : part.end]}\n"
                placed.append((index, part.page))
    whole = "\n".join(pages.values())
    vocabulary = vocabulary_of(whole)
    usual = misread_share(whole, vocabulary)
    misread = {
        page for page, page_text in pages.items() if _is_misread(page_text, vocabulary, usual)
    }
    return {
        index
        for index, page in placed
        if page in misread
        or any(
            has_misread(text[part.start : part.end], vocabulary) for part in blocks[index].fragments
        )
    }


def _is_misread(page_text: str, vocabulary: Vocabulary, usual: float) -> bool:
    words = len(page_text.split())
    share = misread_share(page_text, vocabulary) * words + usual * _AS_USUAL
    # nonsense has signs within words, too; a language of which no words are listed has none
    nonsense = is_in_no_language(page_text) and has_misread(page_text, vocabulary)
    return share > _MISREAD * (words + _AS_USUAL) or nonsense


def torn_blocks(blocks: Sequence[Block], text: str) -> Set[int]:
    """The indexes of the blocks with words that lack letters, as of fonts in which several glyphs
    share one letter.
    """
    pages: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None:
                pages[part.page].append((index, text[part.start : part.end]))
    return {
        placed[at][0]
        for placed in pages.values()
        for at in torn_parts([part for _, part in placed])
    }


def blocks_beside(blocks: Sequence[Block], missing: Mapping[int, PageWords]) -> Set[int]:
    """The indexes of the blocks next to lines of which words are missing, where a page loses many
    words.
    """
    placed: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None and part.page in missing and part.box is not None:
                placed[part.page].append((index, part.box))
    beside: set[int] = set()
    for page, words in missing.items():
        if words.lost_count >= LEAST_LOSS and placed[page]:
            beside.update(
                min(placed[page], key=lambda each: _distance(each[1], lost.line))[0]
                for lost in words.lost
            )
    return beside


def cut_off_blocks(
    blocks: Sequence[Block], printed: PrintedPages, widths: Mapping[int, float]
) -> Set[int]:
    """The indexes of the blocks with lines that go on beyond the edge of their page, where letters
    are not printed.
    """
    near: dict[int, list[tuple[int, Box]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            page, box = part.page or 0, part.box
            if box and min(box.left, widths.get(page, math.inf) - box.right) < _NEAR_EDGE:
                near[page].append((index, box))
    return {
        index
        for page, placed in near.items()
        if page in widths
        for line in printed[page].all_lines
        if _is_cut_off(line, widths[page])
        for index, box in placed
        if box.top <= (line.top + line.bottom) / 2 <= box.bottom
        and (box.right > widths[page] - line.size or box.left < line.size)
    }


def _is_cut_off(line: PrintedLine, width: float) -> bool:
    """Whether a line has letters on its page of this width and beyond it."""
    beyond = max(-line.left, line.right - width)
    return beyond > _CUT_OFF * line.size and line.left < width and line.right > 0


def _distance(box: Box, line: PrintedLine) -> float:
    across = max(0.0, line.left - box.right, box.left - line.right)
    down = max(0.0, line.top - box.bottom, box.top - line.bottom)
    return across + down


def unordered_blocks(
    blocks: Sequence[Block], text: str, printed: PrintedPages, apart: Set[int] = frozenset()
) -> Set[int]:
    """The indexes of the blocks with lines out of order or torn, by PDFium's reading of the page,
    and of those between which these lines belong; those set `apart` may stand anywhere.
    """
    texts: dict[int, list[tuple[int, PageText]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None:
                aside = block.kind in _ASIDE or index in apart
                page_text = PageText(text=text[part.start : part.end], aside=aside)
                texts[part.page].append((index, page_text))
    unordered: set[int] = set()
    for number, placed in texts.items():
        indexes, parts = zip(*placed)
        if sum(len(part.text) for part in parts) > _DENSEST:
            continue
        page = printed[number]
        order = page_order(page, parts)
        if order.is_doubtful:
            wrong = parts_in_doubt(page, order, [part.text for part in parts])
            unordered.update(indexes[at] for at in wrong)
    return unordered


def descending_blocks(blocks: Sequence[Block], text: str, printed: PrintedPages) -> Set[int]:
    """The indexes of the blocks from the right in fonts without a level line, such as Nastaliq, of
    which no reading gives the order.
    """
    placed: dict[int, list[tuple[int, Fragment]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None and has_from_right(text[part.start : part.end]):
                placed[part.page].append((index, part))
    descending: set[int] = set()
    for number, parts in placed.items():
        if letters := printed.from_right(number):
            for index, part in parts:
                box = part.box
                place = Rect(box.left, box.top, box.right, box.bottom) if box else None
                if letters.descend_in(place):
                    descending.add(index)
    return descending


_BESIDES = (LeftOutKind.FIELD, LeftOutKind.ANNOTATION)


def notes_on(
    pdf: ReadPdf, blocks: Sequence[Block], left_out: Mapping[int, Sequence[LeftOut]]
) -> tuple[str, ...]:
    """What a reader is told of pages whose words should be compared with them, and of those with
    many labels in no passage.
    """
    labels = {
        page: [text for text in texts if text.kind is LeftOutKind.LABEL]
        for page, texts in left_out.items()
    }
    notes = []
    if unordered := _pages_in(Doubt.ORDER, blocks):
        notes.append(f"the order of lines on {named_pages(unordered)} is doubtful")
    if misread := _pages_in(Doubt.SCAN, blocks):
        notes.append(
            f"{named_pages(misread)}: text of an old scan, words look misread; see --ocr-again"
        )
    if unreadable := _pages_in(Doubt.LETTERS, blocks):
        notes.append(f"{named_pages(unreadable)}: letters of a font have no readable code")
    if contents := [page.number for page in pdf.pages if page.has_contents]:
        notes.append(f"the list of contents on {named_pages(contents)} is in no passage")
    if labelled := {
        page: texts
        for page, texts in labels.items()
        if sum(text.count for text in texts) >= LEAST_LOSS
    }:
        texts = [*chain.from_iterable(labelled.values())]
        words = sum(min(text.count, count_words(text.text)) for text in texts)
        numbers = sum(text.count for text in texts) - words
        more = f", and {words} words set on their side or as readings," if words else ""
        notes.append(
            f"{numbers} numbers and lone letters{more} in figures or at lines on "
            f"{named_pages(sorted(labelled))} are in no passage"
        )
    if said := {
        page: sum(text.count for text in texts if text.kind in _BESIDES)
        for page, texts in left_out.items()
        if any(text.kind in _BESIDES for text in texts)
    }:
        count = sum(said.values())
        notes.append(
            f"{count} word{'s' if count > 1 else ''} of fields and annotations on "
            f"{named_pages(sorted(said))} {'are' if count > 1 else 'is'} in no passage; "
            "`citeloom inspect --left-out` lists them"
        )
    if pdf.plain:
        which = named_pages(pdf.plain)
        notes.append(f"{which} could not be laid out: read as text alone, without tables")
    if pdf.doubtful_tables:
        which = named_pages(pdf.doubtful_tables)
        notes.append(f"a table on {which} is doubtful: its words do not fit its columns")
    if pdf.undecoded:
        which = named_pages(pdf.undecoded)
        notes.append(f"letters on {which} could not be decoded: their fonts have no mapping")
    return tuple(notes)


def _pages_in(doubt: Doubt, blocks: Sequence[Block]) -> Sequence[int]:
    fragments = (part for block in blocks if doubt in block.doubts for part in block.fragments)
    return sorted({part.page for part in fragments if part.page is not None})
