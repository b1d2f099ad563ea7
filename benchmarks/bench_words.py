"""Count glued and broken words in the prose of PDFs whose text is not known beforehand.

usage: python -m benchmarks.bench_words FOLDER [--shown N]

A word that few of the documents have counts as glued if it is made of words that many of them
have, and a second reader of the page (PDFium) parts it, or it ends with a word such as "the"
("removesthe"). Two words side by side count as broken if one of them is no
word of the documents but both together are a common one ("ex ternal").
Listings are left out, and so is what stands in a name: letters with capitals, digits, points,
slashes or underscores around them, and every word that some listing of the document has.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.documents.conversion import Block, BlockKind, ConversionResult
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter
from citeloom.infrastructure.conversion.pdfium import page_texts

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.CAPTION, BlockKind.FOOTNOTE)
_TOKEN = re.compile(r"\S+")
_PLAIN = re.compile(r"[(\[\"'“‘]*([A-Z]?[a-z]+(?:-[a-z]+)*)[)\]\"'”’.,;:!?]*")  # noqa: RUF001
_LETTERS = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[-\u2010\x02\ufffe\u00ad]\s*\n\s*|[\x02\ufffe\u00ad]")
_LINKING = frozenset(
    "the of to and in is for with that are by on as from at be an this it or we was can".split()
)
# which hardly any word begins or ends with
_OPENING = frozenset({"the", "of", "and", "that", "is", "are"})
_CLOSING = _OPENING | {"with"}
_KNOWN, _COMMON = 3, 10  # documents that have a word
_SHORTEST, _LEAST_PART = 6, 3  # letters


@dataclass(frozen=True)
class Read:
    """A document as it was converted, and its pages as the second reader has them."""

    name: str
    result: ConversionResult
    pages: Sequence[str]

    @cached_property
    def code(self) -> frozenset[str]:
        """The words of its listings."""
        texts = (
            self.result.text_of(block)
            for block in self.result.blocks
            if block.kind is BlockKind.CODE
        )
        return frozenset(word.lower() for text in texts for word in _LETTERS.findall(text))

    @cached_property
    def prose(self) -> list[tuple[Block, str]]:
        """What is to be read as sentences."""
        return [(b, self.result.text_of(b)) for b in self.result.blocks if b.kind in _PROSE]

    def page_texts(self, block: Block) -> str:
        """The pages a block stands on, words hyphenated there whole."""
        numbers = sorted({fragment.page for fragment in block.fragments if fragment.page})
        return _HYPHENATED.sub("", "\n".join(self.pages[n - 1] for n in numbers)).lower()


@dataclass(frozen=True)
class Words:
    """In how many documents a word stands."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, document: Read) -> None:
        """Count the words the second reader finds in a document."""
        text = _HYPHENATED.sub("", "\n".join(document.pages)).lower()
        self.counts.update(set(_LETTERS.findall(text)))

    def has(self, word: str, documents: int = _KNOWN) -> bool:
        """Whether so many documents have the word."""
        return self.counts[word] >= documents

    def is_word(self, word: str) -> bool:
        """Whether it is no part of one: a letter alone is, unless it is a word."""
        return word in ("a", "i") or (len(word) > 1 and self.has(word))

    def parts(self, word: str) -> list[str]:
        """The common words a word is made of, as few as possible; none if it is not."""
        best: list[list[str] | None] = [[], *([None] * len(word))]
        for end in range(1, len(word) + 1):
            for start in range(end):
                before, part = best[start], word[start:end]
                if before is None or not self._is_part(part):
                    continue
                found = best[end]
                if found is None or len(before) + 1 < len(found):
                    best[end] = [*before, part]
        return best[-1] or []

    def _is_part(self, part: str) -> bool:
        return part in _LINKING or (len(part) >= _LEAST_PART and self.has(part, _COMMON))


@dataclass(slots=True)
class Found:
    """The words that were counted, and those among them that are wrong."""

    words: int = 0
    glued: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)


def faults(documents: Sequence[Read]) -> Found:
    """The glued and the broken words of documents that tell each other's words."""
    known = Words()
    for document in documents:
        known.add(document)
    found = Found()
    for document in documents:
        for block, text in document.prose:
            _count(found, document, block, list(_plain_words(text, document.code)), known)
    return found


def _plain_words(text: str, code: frozenset[str]) -> Iterator[str]:
    """The words in lower case, empty where a token is something else."""
    for token in _TOKEN.findall(text):
        match = _PLAIN.fullmatch(token)
        word = match[1].lower() if match else ""
        yield "" if code.intersection(word.split("-")) else word


def _count(found: Found, document: Read, block: Block, words: Sequence[str], known: Words) -> None:
    found.words += sum(map(bool, words))
    page = ""
    for before, word in zip(["", *words], words):
        parts = word.split("-") if "-" in word else [before, word]
        if not word or all(known.is_word(part) for part in parts if part):
            continue
        page = page or document.page_texts(block)
        if "-" not in word and not known.is_word(word) and _is_glued(word, page, known):
            found.glued.append(f"{document.name}: {word}")
        if all(parts) and known.has("".join(parts), _COMMON) and _is_broken(parts, word, page):
            found.broken.append(f"{document.name}: {' '.join(parts)}")


def _is_glued(word: str, page: str, known: Words) -> bool:
    parts = known.parts(word) if len(word) >= _SHORTEST else []
    if len(parts) < 2:
        return False
    parted = not _stands(word, page) and _stands(r"\s+".join(parts), page)
    return parted or parts[0] in _OPENING or parts[-1] in _CLOSING


def _is_broken(parts: Sequence[str], word: str, page: str) -> bool:
    """Whether no hyphen is printed, and no letter on its own, such as that of a variable."""
    if "-" in word or min(map(len, parts)) < 2:
        return not _stands(r"\W+".join(parts), page)
    return True


def _stands(pattern: str, page: str) -> bool:
    return re.search(rf"\b{pattern}\b", page) is not None


def read(path: Path) -> Read | None:
    """A document with both readings; None if it cannot be converted."""
    try:
        result = PdfConverter().convert(SourceFile(path=path, doc_id=path.stem, content_hash=""))
    except CiteloomError as error:
        print(f"{path.name}: {error}")
        return None
    return Read(path.stem, result, page_texts(path))


def main() -> None:
    """Convert the PDFs of a folder, and print how many words are wrong in 100,000."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shown", type=int, default=20, help="examples of each kind")
    options = parser.parse_args()
    paths = sorted(options.folder.rglob("*.pdf"))
    found = faults([document for path in paths if (document := read(path)) is not None])
    for kind, words in (("glued", found.glued), ("broken", found.broken)):
        rate = 100_000 * len(words) / max(found.words, 1)
        print(f"{kind}: {len(words)} of {found.words:,} words, {rate:.1f} in 100,000")
        for word in words[: options.shown]:
            print(f"  {word}")


if __name__ == "__main__":
    main()
