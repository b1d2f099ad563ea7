from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import InvalidReferences
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.references.bibtex import decode_latex, read
from citeloom.infrastructure.references.csl_json import attached_files

LIBRARY = r"""
@string{jow = "Journal of Water"}
@comment{not a reference}
@article{moor2019,
  author = {M{\"o}{\"o}r, {\'A}da and van der Berg, Jan and {The {Tide} Group}
            and Fuente, Jr., A. and others},
  title = {{Tidal} mixing of {H$_2$O} \& \emph{salt}},
  subtitle = {A study},
  journal = jow,
  date = {2019-05-02},
  month = may,
  pages = {4--23},
  langid = {ngerman},
  keywords = {tides, salt},
  doi = {10.5555/TIDAL},
  file = {Full Text:/home/a/x\:y.pdf:application/pdf;C\:\\Users\\a\\z.pdf},
}
@inproceedings{fenn2020, author = {Fenn, Cleo}, title = {Marshes}, crossref = {WATER20}}
@proceedings{water20, title = {Water 2020}, year = 2020, url = {https://example.org/water}}
"""


def test_an_entry_is_read_whole() -> None:
    entry = read(LIBRARY, "library.bib").entries[0]
    assert entry.citation == CitationMeta(
        item_type="journalArticle",
        citekey="moor2019",
        title="Tidal mixing of H2O & salt: A study",
        authors=(
            "M\u00f6\u00f6r, \u00c1da",
            "van der Berg, Jan",
            "The Tide Group",
            "Fuente, A., Jr.",
        ),
        year=2019,
        doi="10.5555/tidal",
        tags=("tides", "salt"),
        language="de",
        container="Journal of Water",
        pages="4-23",
        more_authors=True,
    )
    assert entry.files == ("/home/a/x:y.pdf", r"C:\Users\a\z.pdf")


def test_names_are_parted_at_the_ends_of_lines_and_by_their_parts() -> None:
    text = """@article{a, title = {T}, author = {Blank, Douglas and Bourgin, David
and Brown, Alexander and
Pérez, Fernando}}
@book{b, title = {T}, author = {family=Müller, given=Hans, prefix=von and given={Jane}, family=Doe}}
"""
    first, second = (entry.citation.authors for entry in read(text, "library.bib").entries)
    assert first == ("Blank, Douglas", "Bourgin, David", "Brown, Alexander", "Pérez, Fernando")
    assert second == ("von Müller, Hans", "Doe, Jane")


def test_data_of_biblatex_are_inherited_and_no_reference() -> None:
    text = """@xdata{Series, year = {2008}, journal = {Js}}
@article{a, title = {T}, journal = {Own}, xdata = {series, none}}
@inproceedings{b, title = {U}, crossref = {p}}
@proceedings{p, title = {Ps}, xdata = {series}}
"""
    entries = [entry.citation for entry in read(text, "library.bib").entries]
    assert [(one.citekey, one.year, one.container) for one in entries] == [
        ("a", 2008, "Own"),
        ("b", 2008, "Js"),
        ("p", 2008, "Js"),
    ]


def test_addresses_are_taken_as_they_stand() -> None:
    text = r"@misc{a, url={\url{https://example.org/~moor?a=1&copy=2\%}}, doi={10.5555/a\_b}}"
    citation = read(text, "library.bib").entries[0].citation
    assert citation.url == "https://example.org/~moor?a=1&copy=2%"
    assert citation.doi == "10.5555/a_b"


def test_a_child_takes_from_its_parent_what_it_lacks() -> None:
    citation = read(LIBRARY, "library.bib").entries[1].citation
    assert (citation.container, citation.year, citation.title) == ("Water 2020", 2020, "Marshes")
    assert citation.url is None


def test_a_damaged_entry_is_reported_and_the_others_are_kept() -> None:
    text = "@article{bad, title = {never closed,\n year=\n\n@misc{good, title={Good}, year=2001}\n"
    bibliography = read(text, "library.bib")
    assert [entry.citation.citekey for entry in bibliography.entries] == ["bad", "good"]
    assert bibliography.entries[1].citation.year == 2001
    assert bibliography.diagnostics()[0].startswith("The entry in line 1 is damaged:")


def test_an_entry_without_a_key_keeps_its_fields() -> None:
    bibliography = read('@misc{, title="Rain", author="Moor, Ada"}', "library.bib")
    assert bibliography.entries[0].citation.title == "Rain"
    assert "Entry 1 has no citekey; it was given 'moor-1'." in bibliography.diagnostics()


def test_an_undefined_abbreviation_and_a_malformed_name_are_reported() -> None:
    bibliography = read("@misc{a, journal=nowhere, author={A, B, C, D, E}}", "library.bib")
    told = " ".join(bibliography.diagnostics())
    assert "nowhere" in told
    assert "Too many commas" in told


def test_a_file_without_any_entry_is_refused() -> None:
    with pytest.raises(InvalidReferences, match=r"library\.bib has no BibTeX entry"):
        read("TY  - JOUR\n", "library.bib")
    assert read("\n", "library.bib").entries == ()


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\"U}ber {\ss} \o", "\u00dcber \u00df \u00f8"),
        (r"V{\'\i}ctor Mart\'{\i}nez", "V\u00edctor Mart\u00ednez"),
        (r"\textit{In} {\textbf vivo}", "In vivo"),
        (r"a~b -- c", "a b \u2013 c"),
        (r"5\,\% of H$_2$O at 10$^{-3}$\;mol", "5 % of H2O at 10-3 mol"),
        (r"Sums \(x^2\) and \[y_1\], $\beta_{1}$ of \$5", "Sums x2 and y1, \u03b21 of $5"),
        (
            r"A \href{https://a.example}{link}, \LaTeX{} \cite{x} and \citep[p.~2]{y} ends",
            "A link, LaTeX and ends",
        ),
        ("C:\\", "C:\\"),
        ("un{closed", "unclosed"),
    ],
)
def test_latex_becomes_plain_text(latex: str, text: str) -> None:
    assert decode_latex(latex) == text


@pytest.mark.parametrize(
    ("field", "files"),
    [
        ("", ()),
        ("a.pdf", ("a.pdf",)),
        ("/x/a.pdf;/x/b.pdf", ("/x/a.pdf", "/x/b.pdf")),
        (":a.pdf:PDF", ("a.pdf",)),
        ("T:files/1/a.pdf:application/pdf;:b.pdf:PDF", ("files/1/a.pdf", "b.pdf")),
        (r"T:C\:\\a\;b.pdf:application/pdf", (r"C:\a;b.pdf",)),
        (r"C:\data\a.pdf", (r"C:\data\a.pdf",)),
        (r":C$\backslash$:/a/b.pdf:pdf", ("C:/a/b.pdf",)),
    ],
)
def test_the_file_field_lists_paths(field: str, files: tuple[str, ...]) -> None:
    assert attached_files(field) == files


@given(st.text(alphabet="@{}(),=\"\\#$%ab1 \n'~^:;", max_size=60))
def test_no_text_crashes_the_reader(noise: str) -> None:
    bibliography = read(f"@misc{{a, title={{{noise}}}}}\n@misc{{z, title={{Z}}}}", "library.bib")
    assert bibliography.entries[-1].citation.title == "Z"


def test_editors_stand_in_for_authors_and_others_are_none() -> None:
    bibliography = read(
        "@book{a, editor={Rule, Ada and Fenn, B}, title={A}, pages={12\\textendash 34}}\n"
        "@article{b, author={Moor, C and {others}}, title={B}, pages={12\\,--\\,34}}\n"
        "@article{c, author={Moor, C and others}, title={C}, pages={e12--e34, 50}}\n",
        "refs.bib",
    )
    found = [
        (e.citation.authors, e.citation.more_authors, e.citation.pages)
        for e in bibliography.entries
    ]
    assert found == [
        (("Rule, Ada", "Fenn, B"), False, "12-34"),
        (("Moor, C",), True, "12-34"),
        (("Moor, C",), True, "e12-e34, 50"),
    ]


def test_pages_and_addresses_are_read_as_people_write_them() -> None:
    bibliography = read(
        "@misc{a, title={A}, howpublished={\\url{https://a.example/~x}}, year=2018}\n"
        "@article{b, title={B}, pages={12 $-$ 19}}\n",
        "refs.bib",
    )
    first, second = (entry.citation for entry in bibliography.entries)
    assert first.url == "https://a.example/~x"
    assert second.pages == "12-19"


def test_strings_that_hold_others_do_not_grow_without_end() -> None:
    doubled = "".join(f"@string{{a{n + 1} = a{n} # a{n}}}\n" for n in range(40))
    entries = "@misc{doe, title = a40}\n@misc{roe, title = a2}\n"
    library = f"@string{{a0 = {{word}}}}\n{doubled}{entries}"
    found = read(library, "library.bib")
    titles = {one.citation.citekey: one.citation.title for one in found.entries}
    assert titles["roe"] == "wordwordwordword"
    assert len(titles["doe"]) < 1_000_000
    assert any("stands for too much text" in flaw.sentence for flaw in found.flaws)


def test_a_file_of_a_hundred_thousand_references_and_more_is_refused_at_once() -> None:
    with pytest.raises(InvalidReferences, match="more than 100,000 references"):
        read("@misc{a,}\n" * 100_001, "library.bib")
