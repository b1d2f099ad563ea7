"""Words of a PDF's pages that are in none of its blocks: found by another reading of each page, and
kept as lines behind the body of the page, but for what is left out on purpose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import LEAST_LOSS, Block, Box, LeftOut, LeftOutKind
from citeloom.domain.evaluation.line_order import PrintedLine
from citeloom.domain.evaluation.page_recall import LostLine, PageWords, page_words
from citeloom.infrastructure.conversion.docling_document import DocumentBody, with_block
from citeloom.infrastructure.conversion.hidden_passages import left_out_texts
from citeloom.infrastructure.conversion.pdf.besides import NOTHING, Besides
from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf.elements.block import FURNITURE, PageLayout
from citeloom_pdf.elements.patterns import count_words
from citeloom_pdf.reading import ReadPdf

_MOSTLY = 0.5  # of a line's words: with fewer missing, the two readings differ in letters
_MUCH_BETTER = 0.6  # of the words that are lost by one reading of a page: so few are by the other
_HEAD = 0.25  # of the page's height: furniture further down is no head
_LEAST_FOUND = 10  # words in lines that are kept: fewer are signs of formulas, read otherwise


@dataclass(frozen=True, slots=True)
class Recovered:
    """A body with the lines that were in none of its blocks, the indexes of the blocks that have
    them, and by page the words that are still missing, and the texts left out on purpose.
    """

    body: DocumentBody
    blocks: frozenset[int]
    missing: Mapping[int, PageWords]
    left_out: Mapping[int, tuple[LeftOut, ...]]


def recovered(
    body: DocumentBody, pdf: ReadPdf, printed: PrintedPages, besides: Besides = NOTHING
) -> Recovered:
    """Compare every page that was laid out with PDFium's reading of it, and keep the lines that are
    missing where a page loses many words; all lines, where no page has any text in the body.
    """
    texts: dict[int, list[str]] = defaultdict(list)
    for block, text in zip(body.blocks, body.texts):
        for part in block.fragments:
            if part.page is not None:
                texts[part.page].append(text[part.start - block.start : part.end - block.start])
    missing: dict[int, PageWords] = {}
    left_out: dict[int, tuple[LeftOut, ...]] = {}
    kept: list[int] = []
    is_empty = not body.blocks and not any(page.hidden for page in pdf.pages)
    unreliable = {*pdf.plain, *pdf.undecoded}
    for page in pdf.pages:
        if page.number in pdf.ocr:
            if found := tuple(_named(besides.left_out(page.number, texts[page.number]))):
                left_out[page.number] = found
            continue
        apart = [] if is_empty else [*_left_out(page)]
        hidden = [passage.text for passage in page.hidden]
        known = [*texts[page.number], *hidden, *(text for _, text in apart)]
        words, differs = _words_of(page.number, printed, known)
        lost = [line for line in words.lost if is_empty or not _is_label(line.line, page)]
        labels = [word for line in _without(words.lost, lost) for word in line.printed]
        apart.append((LeftOutKind.LABEL, " ".join((*labels, *words.line_numbers))))
        if found := tuple(_named([*apart, *besides.left_out(page.number, known)])):
            left_out[page.number] = found
        worth = lost if is_empty else _worth_keeping(lost)
        if worth and page.number not in unreliable:
            body, index = _with_lines(body, page, worth)
            kept = [at + (at >= index) for at in kept] + [index]
            lost = lost if differs else _without(lost, worth)
        if lost:
            missing[page.number] = PageWords(words.count, tuple(lost))
    return Recovered(body, frozenset(kept), missing, left_out)


def _words_of(number: int, printed: PrintedPages, known: Sequence[str]) -> tuple[PageWords, bool]:
    """The words of a page, and whether its letters from the right are in doubt.

    Words of such a script are as PDFium orders them or as their places do, if these agree much
    better: it repeats and turns letters of some programs. Where they do not, letters overlap, and
    the body has the words that seem to be lost, but with other letters.
    """
    words = page_words(printed[number], known)
    other = printed.by_places(number) if words.lost else None
    if other is None:
        return words, False
    placed = page_words(other, known)
    if placed.lost_count <= _MUCH_BETTER * words.lost_count:
        return placed, False
    return words, words.lost_count >= LEAST_LOSS


def _left_out(page: PageLayout) -> Iterator[tuple[LeftOutKind, str]]:
    """What is in no block of the body on purpose."""
    for block in page.blocks:
        if block.label == DocItemLabel.DOCUMENT_INDEX:
            yield LeftOutKind.CONTENTS, block.text
        elif block.label in FURNITURE and block.box.bottom < _HEAD * page.height:
            yield LeftOutKind.HEADER, block.text
        elif block.label in FURNITURE:
            is_foot = block.label == DocItemLabel.PAGE_FOOTER
            yield LeftOutKind.FOOTER if is_foot else LeftOutKind.MARGIN, block.text
    for label in page.left_out:
        yield LeftOutKind.LABEL, label


def _named(texts: Iterable[tuple[LeftOutKind, str]]) -> Iterator[LeftOut]:
    """The texts with their words, all labels of a page as one."""
    labels = " ".join(text for kind, text in texts if kind is LeftOutKind.LABEL)
    others = ((kind, text) for kind, text in texts if kind is not LeftOutKind.LABEL)
    yield from left_out_texts((*others, (LeftOutKind.LABEL, labels)))


def _is_label(line: PrintedLine, page: PageLayout) -> bool:
    """Whether a line without a word, such as a number, is part of a picture."""
    across, down = (line.left + line.right) / 2, (line.top + line.bottom) / 2
    return not count_words(line.text) and any(
        block.label == DocItemLabel.PICTURE
        and block.box.left <= across <= block.box.right
        and block.box.top <= down <= block.box.bottom
        for block in page.blocks
    )


def _without(lines: Sequence[LostLine], others: Sequence[LostLine]) -> list[LostLine]:
    taken = set(map(id, others))
    return [line for line in lines if id(line) not in taken]


def _worth_keeping(lost: Sequence[LostLine]) -> Sequence[LostLine]:
    """The lines that are missing, where the page loses many words and these have some of them."""
    if PageWords(0, tuple(lost)).lost_count < LEAST_LOSS:
        return ()
    lines = [line for line in lost if len(line.words) >= _MOSTLY * line.of]
    found = [(line, sum(map(count_words, line.words))) for line in lines]
    if sum(count for _, count in found) < _LEAST_FOUND:
        return ()
    return [line for line, count in found if count]


def _with_lines(
    body: DocumentBody, page: PageLayout, lines: Sequence[LostLine]
) -> tuple[DocumentBody, int]:
    """The body with the lines behind the last block that ends on the page or before it, and the
    index of their block.
    """
    ends = [index for index, block in enumerate(body.blocks) if _ends_by(block, page.number)]
    index = ends[-1] + 1 if ends else 0
    text = "\n".join(line.line.text.strip() for line in lines)
    left = min(line.line.left for line in lines)
    top = min(line.line.top for line in lines)
    box = Box(
        left=left,
        top=top,
        right=max(left, *(line.line.right for line in lines)),
        bottom=max(top, *(line.line.bottom for line in lines)),
    )
    return with_block(body, index, text, page=page.number, box=box), index


def _ends_by(block: Block, page: int) -> bool:
    last = block.fragments[-1].page
    return last is not None and last <= page
