"""Letters of a PDF's text that its fonts have codes of their own for: decoded, or found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import replace

from citeloom.domain.documents.conversion import BlockKind
from citeloom.domain.documents.letter_codes import code_page_of, high_share, unreadable_parts
from citeloom.infrastructure.conversion.docling_document import DocumentBody

_HIGH = 0.25  # of a block's letters: where others of its document are decoded, it is, too
_NO_WORDS = (BlockKind.FORMULA, BlockKind.CODE)


def with_letters_decoded(body: DocumentBody) -> DocumentBody:
    """The body with the blocks decoded whose letters make words by a code page, each letter as one
    in its place.
    """
    high = {at for at, text in enumerate(body.texts) if high_share(text) > _HIGH}
    table = code_page_of(body.texts[at] for at in sorted(high)) if high else None
    if table is None:
        return body
    texts = [text.translate(table) if at in high else text for at, text in enumerate(body.texts)]
    titles = {
        block.start: text for at, (block, text) in enumerate(zip(body.blocks, texts)) if at in high
    }
    headings = [
        replace(heading, title=titles.get(heading.start, heading.title))
        for heading in body.headings
    ]
    return DocumentBody(texts=texts, blocks=body.blocks, headings=headings)


def unreadable_blocks(body: DocumentBody) -> Set[int]:
    """The indexes of the blocks whose letters are not those of their pages."""
    text = body.plain_text
    pages: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for index, block in enumerate(body.blocks):
        for part in block.fragments if block.kind not in _NO_WORDS else ():
            if part.page is not None:
                pages[part.page].append((index, text[part.start : part.end]))
    return {
        placed[at][0]
        for placed in pages.values()
        for at in unreadable_parts([part for _, part in placed])
    }
