"""Chapter labels of books: `Chapter 3`, `KAPITEL ZWEI`, `Appendix A`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.patterns import HEADING_NUMBER

_RANKS = {
    "part": "part|teil|partie|parte|partea|deel|część|část|časť|часть|частина|phần|μέρος|القسم",
    "chapter": "chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|rozdział|kapitola|bölüm"
    "|cap[ií]tol|capitolul|kapittel|luku|poglavlje|poglavje|bab|chương"
    "|глава|розділ|поглавље|κεφάλαιο|باب|الباب|فصل|الفصل|פרק",
    "appendix": "appendix|annex|anhang|annexe|ap[eé]ndice|appendice|bijlage|dodatek|příloha"
    "|ap[eè]ndix|anexa|bilaga|bilag|vedlegg|liite|príloha|lampiran"
    "|приложение|додаток|прилог|παράρτημα|ملحق|נספח",
}
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_SPELLED = (
    rf"(?:(?:twenty|thirty)[- ]?)?(?:{_UNITS})|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen|twenty|thirty"
    "|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
)
_WORDS = "|".join(f"(?P<{rank}>{words})" for rank, words in _RANKS.items())
LABEL = re.compile(
    rf"\W*(?:{_WORDS})\s+(?P<number>\d{{1,3}}|[ivxlc]{{1,7}}|[a-z]|{_SPELLED})\b[\s.:–—-]*",  # noqa: RUF001 - a dash
    re.IGNORECASE,
)

_LABEL_BLOCKS = 2  # some set `CHAPTER` and `ONE` as two blocks
_MOST_PAGES = 2  # a label on more pages is a running header
_FARTHEST = 8.0  # of the title's size
_LONGEST_TITLE = 160  # characters


def is_label(text: str) -> bool:
    """Whether the text is a chapter's number and nothing else."""
    match = LABEL.match(text)
    return match is not None and match.end() == len(text)


def without_label(text: str) -> str:
    """The title without `Chapter 3` or the like before it."""
    return text[match.end() :] if (match := LABEL.match(text)) else text


def with_labels_joined(pages: Sequence[PageLayout], body_size: float) -> list[PageLayout]:
    """The pages with each chapter label joined to the title below it."""
    labels = {page.number: list(_labels(page, body_size)) for page in pages}
    seen = Counter(text for page_labels in labels.values() for text, _, _ in page_labels)
    joined = []
    for page in pages:
        once = [
            (start, end) for label, start, end in labels[page.number] if seen[label] <= _MOST_PAGES
        ]
        titles = dict(once)
        blocks: list[LayoutBlock] = []
        index = 0
        while index < len(page.blocks):
            end = titles.get(index, index)
            blocks.append(_joined_block(page.blocks[index : end + 1]))
            index = end + 1
        joined.append(replace(page, blocks=tuple(blocks)) if titles else page)
    return joined


def _labels(page: PageLayout, body_size: float) -> Iterator[tuple[str, int, int]]:
    """Each label's text, and the indexes of its first block and of its title's block."""
    for start in range(len(page.blocks)):
        for end in range(start + 1, min(start + _LABEL_BLOCKS, len(page.blocks) - 1) + 1):
            text = " ".join(block.text for block in page.blocks[start:end])
            if is_label(text) and _is_title(page.blocks[end], page.blocks[start], body_size):
                yield text.lower(), start, end


def _is_title(block: LayoutBlock, label: LayoutBlock, body_size: float) -> bool:
    stands_out = block.style.is_large(body_size) or block.style.bold > 0.8
    return (
        block.label in BODY
        and stands_out
        and len(block.text) <= _LONGEST_TITLE
        and not HEADING_NUMBER.match(block.text)
        and 0 <= block.box.top - label.box.bottom <= _FARTHEST * block.style.size
    )


def _joined_block(blocks: Sequence[LayoutBlock]) -> LayoutBlock:
    *labels, title = blocks
    if not labels:
        return title
    box = title.box
    for label in labels:
        box = box.union(label.box)
    return replace(title, box=box, lines=tuple(line for block in blocks for line in block.lines))
