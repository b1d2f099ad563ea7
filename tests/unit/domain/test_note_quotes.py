"""Quotations in notes, with their place and the reader's words apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.chunks.notes import NoteQuote, ZoteroAddress, quotes_in
from citeloom.domain.zotero.items import ZoteroNote
from tests.fakes.annotation_notes import quoted
from tests.fakes.zotero_contents import OWN


def _read(html: str) -> tuple[tuple[NoteQuote, ...], str]:
    return quotes_in(ZoteroNote(library=OWN, key="NNNNAAA2", parent="ITEMAAA2", html=html))


def test_a_quotation_is_told_from_what_the_reader_says_of_it_and_elsewhere() -> None:
    passage = quoted(
        "Tides <i>mix</i> &amp; turn.",
        attachment="PDFAAAA2",
        work="ITEMAAA2",
        label="1124",
        page_index=1,
        annotation="HHHHAAA2",
        remark="Do they? <b>See</b> plot 3.",
    )
    (quote,), rest = _read(f"<h1>Annotations</h1><p>My own &lt;words&gt;.</p>{passage}<p>Last.</p>")
    assert (quote.text, quote.remark) == ("Tides mix & turn.", "Do they? See plot 3.")
    assert (quote.page_index, quote.page_label, quote.annotation) == (1, "1124", "HHHHAAA2")
    assert quote.attachment == ZoteroAddress(group_id=0, key="PDFAAAA2")
    assert quote.work == ZoteroAddress(group_id=0, key="ITEMAAA2")
    assert rest == "<h1>Annotations</h1><p>My own &lt;words&gt;.</p><p></p><p>Last.</p>"


def test_a_quotation_of_a_group_or_of_a_local_library_is_known_as_such() -> None:
    for place, group in (("groups/77", 77), ("users/local/aB3dE6gH", 0)):
        html = quoted("Wheat.", attachment="PDFAAAA2", work="ITEMAAA2", label="3", place=place)
        (quote,), _ = _read(html)
        assert quote.attachment == ZoteroAddress(group_id=group, key="PDFAAAA2")


def test_two_quotations_of_a_paragraph_have_their_own_remarks() -> None:
    one, two = (
        quoted(text, attachment="PDFAAAA2", work="ITEMAAA2", label="3", remark=f"On {text}.")
        for text in ("wheat", "rye")
    )
    quotes, _ = _read(one.removesuffix("</p>") + two.removeprefix("<p>"))
    assert [(quote.text, quote.remark) for quote in quotes] == [
        ("wheat", "On wheat."),
        ("rye", "On rye."),
    ]


def test_the_same_quotation_twice_is_one() -> None:
    html = quoted("Wheat.", attachment="PDFAAAA2", work="ITEMAAA2", label="3")
    assert len(_read(html * 2)[0]) == 1


def test_a_citation_of_the_readers_own_stays_in_the_text() -> None:
    html = (
        '<p data-annotation="">I follow <span class="citation" data-citation="%7B%7D">(Fenn, 2001)'
        "</span>.</p>"
    )
    quotes, rest = _read(html)
    assert quotes == ()
    assert "(Fenn, 2001)" in rest


@given(data=st.text(max_size=30))
def test_data_that_cannot_be_read_leave_a_quotation_without_a_place(data: str) -> None:
    attribute = data.replace('"', "").replace("&", "") or "%"
    (quote,), rest = _read(f'<p><span data-annotation="{attribute}">Wheat grows.</span> So?</p>')
    assert (quote.text, quote.remark, rest) == ("Wheat grows.", "So?", "<p></p>")


@given(html=st.text('<>/="abpsndv %7{}:- ', max_size=80))
def test_no_word_of_a_note_is_lost(html: str) -> None:
    words = '<p>first</p><span data-annotation="%7B%7D">second</span> third'
    quotes, rest = _read(f"{words}<p>{html}")
    assert "first" in rest
    assert quotes[0].text.startswith("second")
    assert "third" in quotes[0].remark
