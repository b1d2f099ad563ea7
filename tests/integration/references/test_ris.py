from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.references.ris import read

RECORD = """TY  - JOUR
ID  - moor2019
AU  - Moor, Ada
A1  - van der Berg, Jan
TI  - Tidal mixing
      and salt
T2  - Journal of Water
PY  - 2019/05/02/
SP  - 4
EP  - 23
DO  - 10.5555/TIDAL
UR  - https://example.org/tidal;v=2
KW  - tides
KW  - salt
LA  - English
L1  - file:///home/a/tidal.pdf
ZZ  - unheard of
ER  -
"""


def test_a_record_is_read_whole() -> None:
    (entry,) = read(RECORD.replace("\n", "\r\n"), "library.ris").entries
    assert entry.citation == CitationMeta(
        item_type="journalArticle",
        citekey="moor2019",
        title="Tidal mixing and salt",
        authors=("Moor, Ada", "van der Berg, Jan"),
        year=2019,
        doi="10.5555/tidal",
        url="https://example.org/tidal;v=2",
        tags=("tides", "salt"),
        language="en",
        container="Journal of Water",
        pages="4-23",
    )
    assert entry.files == ("file:///home/a/tidal.pdf",)


def test_records_that_lack_their_end_are_kept_apart() -> None:
    text = "TY  - BOOK\nTI  - One\nTY  - BOOK\nT1  - Two\n\n\nTY  - BOOK\nTI  - Three"
    titles = [entry.citation.title for entry in read(text, "library.ris").entries]
    assert titles == ["One", "Two", "Three"]


def test_a_file_without_any_record_is_refused() -> None:
    with pytest.raises(InvalidReferences, match=r"library\.ris has no RIS record"):
        read("@misc{a}", "library.ris")
    assert read("\n", "library.ris").entries == ()


@given(
    st.lists(st.sampled_from([*RECORD.splitlines(), "", "TI  -", "noise", "ER  -"]), max_size=12)
)
def test_no_order_of_lines_crashes_the_reader(lines: list[str]) -> None:
    text = "\n".join(["TY  - BOOK", *lines, RECORD])
    assert read(text, "library.ris").entries[-1].citation.year in {2019, None}


def test_a_book_has_its_editors_and_stands_in_no_other_book() -> None:
    (entry,) = read(
        "TY  - BOOK\nED  - Only, Editor\nBT  - A book\nPY  - c2011\nER  - \n", "x.ris"
    ).entries
    citation = entry.citation
    assert (citation.authors, citation.title, citation.container) == (
        ("Only, Editor",),
        "A book",
        None,
    )
    assert citation.year == 2011
