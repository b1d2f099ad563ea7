"""Printed page labels: declared by the file, printed on the page, or from the reference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.documents.conversion import ConversionResult

_RANGE = re.compile(
    r"(?:pp?\.\s*)?(?P<prefix>[A-Za-z]{1,3}|\d+:)?(?P<first>\d+)"
    r"\s*[-\u2010-\u2015\u2212]+\s*(?P<again>[A-Za-z]{1,3}|\d+:)?(?P<last>\d+)"
)
_LEAST_PAGES = 3
_SHARE_OF_PAGES = 0.6
_WITH_PAGE_LISTS = ".epub"


def are_of_page_list(source_path: str) -> bool:
    """Whether the pages of a file, if it has any, are those of a page list."""
    return source_path.lower().endswith(_WITH_PAGE_LISTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRange:
    """The first and the last page of a work in its container; `prefix` as in `S12`."""

    first: int
    last: int
    prefix: str = ""


def page_range(pages: str) -> PageRange | None:
    """The range a reference gives: `1123-1134`, `1123-34`, `S12-S20`, with any dash.

    None for a single number, which may be an article's, and for anything else.
    """
    match = _RANGE.fullmatch(pages.strip())
    if match is None or match["again"] not in (None, match["prefix"]):
        return None
    first, last = match["first"], match["last"]
    whole = first[: max(len(first) - len(last), 0)] + last
    if int(whole) < int(first):
        return None
    return PageRange(first=int(first), last=int(whole), prefix=match["prefix"] or "")


def printed_labels(result: ConversionResult, reference_pages: str | None) -> Mapping[int, str]:
    """The printed label of each page of a document, where it is certain.

    Labels the file declares come first, unless they only count its pages; where the pages show
    other numbers, those. Then come the numbers in running headers and footers that increase with
    the pages; without any, the reference's page range if it has as many pages as the document. A
    range that contradicts the pages is ignored: it is that of another printing. A page list counts
    as it is.
    """
    if result.has_page_list:
        return result.page_labels
    declared, shown = result.page_labels, _shown_offsets(result)
    if any(label != str(page) for page, label in declared.items()):
        return _corrected(declared, shown[0], result) if len(shown) == 1 else declared
    known = page_range(reference_pages or "")
    if known and (offset := _fitting_offset(known, shown, result)) is not None:
        of_range = range(known.first - offset, known.last - offset + 1)
        return _labels(_showing(result, offset).union(of_range), offset, known.prefix)
    if len(shown) == 1 and shown[0] != 0:
        return _labels(_showing(result, shown[0]), shown[0], "")
    return declared


def _corrected(
    declared: Mapping[int, str], offset: int, result: ConversionResult
) -> Mapping[int, str]:
    """The declared labels, with the number of each page that shows another one; with those of all
    pages between, if most do.
    """
    numbers = {
        page: str(page + offset)
        for page, shown in result.edge_numbers.items()
        if page + offset in shown
    }
    wrong = {page: label for page, label in numbers.items() if declared.get(page) != label}
    if len(wrong) > _SHARE_OF_PAGES * len(numbers):
        wrong = dict(_labels(_showing(result, offset), offset, ""))
    return {**declared, **wrong}


def span_labels(labels: Mapping[int, str], span: tuple[int, int] | None) -> tuple[str, ...]:
    """The printed label of each page of the span; empty if any page has none."""
    if span is None:
        return ()
    shown = tuple(labels.get(page, "") for page in range(span[0], span[1] + 1))
    return shown if all(shown) else ()


def _shown_offsets(result: ConversionResult) -> list[int]:
    """The offsets of printed from physical page numbers that enough pages show."""
    votes = Counter(
        number - page for page, numbers in result.edge_numbers.items() for number in set(numbers)
    )
    least = max(_LEAST_PAGES, _SHARE_OF_PAGES * result.page_count)
    return sorted(offset for offset, pages in votes.items() if pages >= least)


def _fitting_offset(known: PageRange, shown: Sequence[int], result: ConversionResult) -> int | None:
    """The first shown offset that puts the range inside the document; where the pages show none,
    that of a range with as many pages as the document.
    """
    if not shown and known.last - known.first + 1 == result.page_count:
        return known.first - 1
    return next(
        (
            offset
            for offset in shown
            if known.first - offset >= 1 and known.last - offset <= result.page_count
        ),
        None,
    )


def _showing(result: ConversionResult, offset: int) -> set[int]:
    """The pages from the first to the last one that shows its number; empty if none does."""
    pages = [page for page, numbers in result.edge_numbers.items() if page + offset in numbers]
    return set(range(min(pages), max(pages) + 1)) if pages else set()


def _labels(pages: set[int], offset: int, prefix: str) -> Mapping[int, str]:
    return {page: f"{prefix}{page + offset}" for page in sorted(pages)}
