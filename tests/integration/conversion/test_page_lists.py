"""The printed pages of EPUBs: page lists and marks of page breaks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.documents.conversion import BlockKind, ConversionResult
from citeloom.domain.documents.printed_pages import printed_labels
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import StoredChunk
from tests.fakes.many_formats import write_epub
from tests.integration.conversion.test_formats import converted

_NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml"
 xmlns:epub="http://www.idpf.org/2007/ops"><nav epub:type="toc"><ol/></nav>
<nav {kind} hidden=""><ol>{entries}</ol></nav>
</html>"""
_NCX = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap/>
<pageList>{entries}</pageList></ncx>"""
_NCX_ITEM = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'

Entries = Sequence[tuple[str, str]]


def navigation(entries: Entries, kind: str = 'epub:type="page-list"') -> dict[str, bytes | str]:
    """The navigation document of EPUB 3 with a page list of these labels and targets."""
    links = "".join(f"<li><a href='{target}'>{label}</a></li>" for label, target in entries)
    return {"OEBPS/nav.xhtml": _NAVIGATION.format(kind=kind, entries=links)}


def book(folder: Path, *chapters: str, entries: Entries = ()) -> ConversionResult:
    listed = [(label, f"c%20{target}") for label, target in entries]
    return converted(write_epub(folder / "book", *chapters, more=navigation(listed)))


def pages(result: ConversionResult) -> list[tuple[str | None, str]]:
    """The text of each fragment with the label of its page."""
    fragments = (fragment for block in result.blocks for fragment in block.fragments)
    return [
        (
            result.page_labels[each.page] if each.page else None,
            result.plain_text[each.start : each.end],
        )
        for each in fragments
    ]


def mark(label: str) -> str:
    return f"<span epub:type='pagebreak' id='p{label}' title='{label}'></span>"


_FOUR = (
    "<h1>Sowing</h1><p>Of this edition.</p>{xii}<p>Wheat is sown {first}by hand.</p>"
    "<p>A hand{second}ful is enough.</p>"
)
_ON_FOUR = [
    (None, "Sowing"),
    (None, "Of this edition."),
    ("xii", "Wheat is sown "),
    ("1", "by hand."),
    ("1", "A hand"),
    ("2", "ful is enough."),
]
_LISTED = [("xii", "c%200.xhtml#pxii"), ("1", "c%200.xhtml#p1"), ("2", "c%200.xhtml#p2")]
_ANCHORS = {
    "xii": "<a id='pxii'></a>",
    "first": "<a id='p1'></a>",
    "second": "<span id='p2'></span>",
}


@pytest.mark.parametrize("kind", ['epub:type="page-list"', 'role="doc-pagelist"'])
def test_the_page_list_of_a_navigation_document_gives_pages(tmp_path: Path, kind: str) -> None:
    chapter, more = _FOUR.format(**_ANCHORS), navigation(_LISTED, kind)
    result = converted(write_epub(tmp_path / "book", chapter, more=more))
    assert pages(result) == _ON_FOUR
    assert (result.page_count, dict(result.page_labels)) == (3, {1: "xii", 2: "1", 3: "2"})
    assert list(result.page_map) == [1, 2, 3]
    assert (result.has_page_list, result.notes) == (True, ())


@pytest.mark.parametrize("named", ["", "<navLabel><text>{0}</text></navLabel>"])
def test_the_page_list_of_an_ncx_gives_pages(tmp_path: Path, named: str) -> None:
    target = "<pageTarget type='normal' value='{0}'>" + named + "<content src='{1}'/></pageTarget>"
    entries = "".join(target.format(label, place) for label, place in _LISTED)
    more = {"OEBPS/toc.ncx": _NCX.format(entries=entries)}
    chapter = _FOUR.format(**_ANCHORS)
    result = converted(write_epub(tmp_path / "book", chapter, more=more, manifest=_NCX_ITEM))
    assert pages(result) == _ON_FOUR


@pytest.mark.parametrize(
    "written",
    [
        "<span epub:type='pagebreak' title='{0}'></span>",
        "<span epub:type='pagebreak' title='{0}'/>",
        "<span role='doc-pagebreak' aria-label=' Page {0}. '></span>",
        "<span role='doc-pagebreak' title='Seite {0}' hidden=''>[S. {0}]</span>",
        "<span epub:type='pagebreak'>{0}</span>",
        "<i class='unseen'><a epub:type='z pagebreak' title='{0}' aria-hidden='true'>{0}</a></i>",
    ],
)
def test_marked_page_breaks_give_pages_without_a_list(tmp_path: Path, written: str) -> None:
    style = "<style>.unseen { display: none }</style>"
    marks = {"xii": written.format("xii"), "first": written.format("1")}
    chapter = style + _FOUR.format(**marks, second=written.format("2"))
    result = book(tmp_path, chapter)
    assert pages(result) == _ON_FOUR
    assert result.notes == ()


def test_a_mark_between_items_and_rows_begins_the_page_at_the_next_words(tmp_path: Path) -> None:
    chapter = (
        f"{mark('1')}<h1>Sowing</h1><ol><li>Plough.</li>{mark('2')}<li>Sow.</li></ol>"
        f"<table><tr><td>Rye</td><td>4</td></tr>{mark('3')}<tr><td>Oats</td><td>9</td></tr></table>"
        f"<hr/>{mark('4')}{mark('5')}<blockquote><p><sup>a</sup> Reap.</p></blockquote>{mark('6')}"
    )
    result = book(tmp_path, chapter)
    assert pages(result) == [
        ("1", "Sowing"),
        ("1", "1. Plough."),
        ("2", "2. Sow."),
        ("2", "Rye | 4\n"),
        ("3", "Oats | 9"),
        ("5", "\u1d43 Reap."),
    ]
    assert (result.page_count, sorted(result.page_map)) == (6, [1, 2, 3, 5])
    assert result.notes == ()


def test_an_entry_may_lead_to_a_chapter_or_bear_the_name_of_a_mark(tmp_path: Path) -> None:
    entries = [("Page 7", "0.xhtml"), ("8", "1.xhtml"), ("9", "1.xhtml#gone")]
    result = book(
        tmp_path, "<p>Sow.</p>", f"<p>Plough.</p><p>{mark('9')}Reap.</p>", entries=entries
    )
    assert pages(result) == [("7", "Sow."), ("8", "Plough."), ("9", "Reap.")]


def test_the_list_names_a_page_where_a_mark_says_otherwise(tmp_path: Path) -> None:
    chapter = f"{mark('1')}<p>Plough.</p><a id='two'></a>{mark('2')}<p>Sow.</p>"
    result = book(tmp_path, chapter, entries=[("iv", "0.xhtml#p1"), ("2", "0.xhtml#two")])
    assert pages(result) == [("iv", "Plough."), ("2", "Sow.")]


def test_notes_that_a_chapter_gathers_are_on_no_page(tmp_path: Path) -> None:
    note = "<aside epub:type='footnote' id='{0}'><p>{1}</p></aside>"
    chapter = (
        f"{mark('1')}<p>Plough<a href='#n' epub:type='noteref'>1</a>.</p>"
        f"{note.format('n', 'Deep.')}"
        f"<p>Sow<a href='#m' epub:type='noteref'>2</a>.</p>{mark('2')}<p>Reap.</p>"
        f"{note.format('m', 'Thin.')}<p>Thresh.</p>"
        f"<section role='doc-endnotes'><p>One.</p>{mark('3')}<p>Two.</p></section>"
    )
    assert pages(book(tmp_path, chapter)) == [
        ("1", "Plough[1]."),
        ("1", "Deep."),
        ("1", "Sow[2]."),
        ("2", "Reap."),
        (None, "Thin."),
        ("2", "Thresh."),
        ("2", "One."),
        ("3", "Two."),
    ]


# --- lists that are wrong


def test_text_whose_page_may_end_anywhere_has_no_page(tmp_path: Path) -> None:
    chapter = f"{mark('1')}<p>Plough.</p>{mark('2')}<p>Sow.</p>{mark('4')}<p>Reap.</p>"
    listed = [(str(page), f"0.xhtml#p{page}") for page in (1, 2, 3, 4)]
    result = book(tmp_path, chapter, entries=listed)
    assert pages(result) == [("1", "Plough."), (None, "Sow."), ("4", "Reap.")]
    assert result.page_count == 4
    assert result.notes == ("its page list has no place of their own for 3",)


def test_pages_that_begin_at_one_place_are_none(tmp_path: Path) -> None:
    listed = [(str(page), "0.xhtml") for page in range(1, 20)]
    chapters = "<p>Plough.</p>", f"{mark('20')}<p>Sow.</p>"
    result = book(tmp_path, *chapters, entries=[*listed, ("1", "0.xhtml"), ("20", "1.xhtml#p20")])
    assert pages(result) == [(None, "Plough."), ("20", "Sow.")]
    assert result.notes == (
        "its page list has no place of their own for 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more",
    )


def test_a_list_in_another_order_follows_the_text(tmp_path: Path) -> None:
    chapter = f"{mark('1')}<p>Plough.</p>{mark('2')}<p>Sow.</p>{mark('1 b')}<p>Reap.</p>"
    listed = [("2", "0.xhtml#p2"), ("1", "0.xhtml#p1"), ("2", "0.xhtml#p1 b")]
    result = book(tmp_path, chapter, entries=listed)
    assert pages(result) == [("1", "Plough."), ("2", "Sow."), ("2", "Reap.")]
    assert result.notes == (
        "its page list names several pages 2",
        "its page list is not in the order of its text, which counts",
    )


@pytest.mark.parametrize(
    "entries",
    [
        [("1", "0.xhtml#none"), ("2", "7.xhtml")],
        [("", "0.xhtml#here"), ("x" * 31, "0.xhtml#here")],
        [("1", "")],
    ],
)
def test_a_book_whose_list_leads_nowhere_has_no_pages(tmp_path: Path, entries: Entries) -> None:
    result = book(tmp_path, "<p id='here'>Plough.</p>", entries=entries)
    assert (result.page_count, pages(result)) == (0, [(None, "Plough.")])


def test_private_characters_of_the_text_are_no_pages(tmp_path: Path) -> None:
    chapter = f"{mark('1')}<p>Plough &#x100002;.</p>{mark('2')}<p>Sow{chr(0x100001)}.</p>"
    assert pages(book(tmp_path, chapter)) == [("1", "Plough ."), ("2", "Sow.")]
    plain = book(tmp_path, f"<p>Sow{chr(0x100001)}.</p>")
    assert plain.plain_text == f"Sow{chr(0x100001)}."


def test_words_of_a_page_break_that_are_no_number_stay(tmp_path: Path) -> None:
    chapter = "<section epub:type='pagebreak' title='1'><p>Plough.</p></section>"
    assert pages(book(tmp_path, chapter)) == [("1", "Plough.")]


# --- chunks and citations


def chunks(result: ConversionResult) -> Sequence[Chunk]:
    """Chunks of at most 40 words, each long enough."""
    policy = ChunkingPolicy(max_tokens=40, overlap_tokens=0, heading_context=0, min_chunk_tokens=1)
    chunked = chunk_document(
        result, policy=policy, embedding_model="m", special_tokens=0, count_all=_words
    )
    return chunked.chunks


def _words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def stored(chunk: Chunk) -> StoredChunk:
    citation = CitationMeta(citekey="wheat", title="Wheat")
    return StoredChunk(
        project_id="a/b", chunk=chunk, source_path="books/Wheat.EPUB", citation=citation
    )


def test_a_passage_is_cited_by_its_printed_pages(tmp_path: Path) -> None:
    chapter = (
        "<p>This edition was set by hand in the year of the flood.</p>"
        f"<h1>{mark('xii')}Sowing</h1><p>Wheat is sown by hand when the rain has gone, "
        f"{mark('1')}and rye after it, on any day that is dry enough for the plough.</p>"
        f"<h1>Reaping</h1>{mark('2')}<p>It is reaped when the ears bend, and not before that.</p>"
    )
    listed = [(label, f"0.xhtml#p{label}") for label in ("xii", "1", "2")]
    found = [stored(chunk) for chunk in chunks(book(tmp_path, chapter, entries=listed))]
    assert [one.cited for one in found] == [
        "[@wheat, para. 1]",
        "[@wheat, pp. xii-1]",
        "[@wheat, p. 2]",
    ]
    assert [str(one.locator) for one in found[1:]] == ["pp. xii-1", "p. 2"]
    sowing = found[1]
    assert sowing.chunk.page_labels == ("xii", "1")
    assert (sowing.chunk.page_span, sowing.chunk.boxes) == ((1, 2), ())
    second = sowing.chunk.text.index("and rye")
    assert sowing.cited_between(second, second + 12) == "[@wheat, p. 1]"
    assert sowing.cited_between(second - 12, second - 1) == "[@wheat, p. xii]"


def test_a_passage_partly_on_an_unknown_page_is_cited_by_its_paragraphs(tmp_path: Path) -> None:
    chapter = f"<h1>Sowing</h1><p>Wheat is sown by hand, {mark('1')}and rye after it.</p>"
    (chunk,) = chunks(book(tmp_path, chapter))
    assert (chunk.page_span, chunk.page_labels, chunk.page_starts) == (None, (), ())
    assert stored(chunk).cited == "[@wheat, para. 1]"


def test_formulas_and_code_on_printed_pages_are_as_the_author_marked_them(tmp_path: Path) -> None:
    math = "<math display='block'><mi>x</mi><mo>=</mo><mn>2</mn></math>"
    code = "<pre><code>seed = 4\nsow(seed)</code></pre>"
    (chunk,) = chunks(book(tmp_path, f"{mark('1')}<p>Sow so:</p>{code}<div>{math}</div>"))
    assert chunk.page_labels == ("1",)
    assert chunk.doubts == ()
    assert [chunk.text[start:end] for start, end in chunk.code] == ["seed = 4\nsow(seed)"]


def test_hidden_text_of_a_book_with_pages_has_no_page(tmp_path: Path) -> None:
    chapter = f"{mark('1')}<p>Wheat is sown.</p><p style='font-size: 1px'>Buy this book.</p>"
    result = book(tmp_path, chapter)
    assert result.blocks[-1].kind is BlockKind.HIDDEN
    assert pages(result) == [("1", "Wheat is sown."), (None, "Buy this book.")]
    assert [chunk.page_span for chunk in chunks(result)] == [(1, 1), None]


def test_a_list_that_counts_from_one_is_believed_before_the_reference(tmp_path: Path) -> None:
    chapter = "".join(f"{mark(str(page))}<p>Sow.</p>" for page in range(1, 4))
    result = book(tmp_path, chapter)
    assert printed_labels(result, "101-103") == {1: "1", 2: "2", 3: "3"}
