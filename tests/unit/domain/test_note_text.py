"""The text of notes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.notes import note_document
from citeloom.domain.documents.conversion import BlockKind, ConversionResult

_NOTE = """
<div class="zotero-note znv1" data-schema-version="9">
<h1>Tides &amp; <em>mud</em></h1>
<p>She says <span class="highlight" data-annotation="%7B%7D">“the marsh grows”</span>
<span class="citation" data-citation="%7B%7D">(2001, p. 4)</span>.</p>
<h3>Doubts</h3>
<ul><li><p>too few cores</p><ul><li>only two</li></ul></li></ul>
<ol><li>core</li><li>count</li></ol>
<blockquote><p>Mud remembers.</p></blockquote>
<pre>rate = 2
    * mm</pre>
<table><tbody><tr><th><p>site</p></th><th>mm</th></tr><tr><td>north</td><td>4</td></tr></tbody></table>
<h2>Next</h2>bare words<br>on two lines<script>alert(1)</script>
</div>
"""


def _told(result: ConversionResult) -> list[tuple[BlockKind, str]]:
    return [(block.kind, result.text_of(block)) for block in result.blocks]


def test_a_note_is_read_as_its_headings_and_paragraphs() -> None:
    assert _told(note_document("n", _NOTE)) == [
        (BlockKind.HEADING, "Tides & mud"),
        (BlockKind.PARAGRAPH, "She says “the marsh grows” (2001, p. 4)."),
        (BlockKind.HEADING, "Doubts"),
        (BlockKind.LIST_ITEM, "- too few cores"),
        (BlockKind.LIST_ITEM, "- only two"),
        (BlockKind.LIST_ITEM, "1. core"),
        (BlockKind.LIST_ITEM, "2. count"),
        (BlockKind.PARAGRAPH, "Mud remembers."),
        (BlockKind.CODE, "rate = 2\n    * mm"),
        (BlockKind.TABLE, "site | mm\nnorth | 4"),
        (BlockKind.HEADING, "Next"),
        (BlockKind.PARAGRAPH, "bare words\non two lines"),
    ]


def test_each_part_stands_under_the_headings_above_it() -> None:
    result = note_document("n", _NOTE, title="Salt marshes")
    paths = [result.section_path(block.section) for block in result.blocks]
    assert paths[1] == ("Tides & mud",)
    assert paths[3] == ("Tides & mud", "Doubts")
    assert paths[-1] == ("Tides & mud", "Next")
    assert result.embedded.title == "Salt marshes"


def test_plain_words_are_a_note_and_empty_elements_are_none() -> None:
    assert _told(note_document("n", "just words")) == [(BlockKind.PARAGRAPH, "just words")]
    assert not note_document("n", '<div><p> &nbsp; </p><img alt="x"/></div>').blocks


def test_raised_and_lowered_figures_and_a_list_that_goes_on_are_read_as_shown() -> None:
    html = "<p>10<sup>-5</sup> m, H<sub>2</sub>O, 1<sup>st</sup></p><ol start='3'><li>a<li>b</ol>"
    assert [text for _, text in _told(note_document("n", html))] == [
        "10⁻⁵ m, H₂O, 1st",
        "3. a",
        "4. b",
    ]


def test_stray_ends_and_items_without_a_list_do_no_harm() -> None:
    told = _told(note_document("n", "</ul></style><li>one</li></table><h2>Head"))
    assert told == [(BlockKind.LIST_ITEM, "- one"), (BlockKind.HEADING, "Head")]


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<li>",
                "<ul>",
                "</ul>",
                "<h2>",
                "</h2>",
                "<table>",
                "<td>",
                "<pre>",
                "</pre>",
                "<script>",
                "</script>",
                "tide",
                " mud ",
                "<br>",
                "&lt;",
            ]
        ),
        max_size=30,
    )
)
def test_whatever_the_html_it_is_read(pieces: list[str]) -> None:
    result = note_document("n", "".join(pieces))
    assert all(result.text_of(block).strip() for block in result.blocks)
