"""References as they are read from a file, checked and cleaned."""

from __future__ import annotations

from citeloom.domain.references.bibliography import RawReference, assemble

HEN = RawReference(
    name="1",
    citekey="reedHens2019",
    title="Hens &amp; <i>Housing</i>",
    authors=("Reed, Ada",),
    date="2019-04",
    doi="10.5555/hens",
    url="https://hens.example.org",
)


def test_fields_that_are_missing_are_read_from_the_lines_of_the_note() -> None:
    note = "Citation Key: reedHens2019\nDOI: 10.5555/hens\nissued: 2019\nlangid: en\nseen twice"
    (entry,) = assemble([RawReference(name="1", title="Hens", note=note)]).entries
    citation = entry.citation
    assert (citation.citekey, citation.doi, citation.year) == ("reedHens2019", "10.5555/hens", 2019)
    assert citation.language == "en"


def test_an_entry_without_a_citekey_is_given_one_and_that_is_said() -> None:
    named = RawReference(name="7", title="Hens", authors=("Reed, Ada",), date="2019")
    nameless = RawReference(name="8", title="Eggs")
    bibliography = assemble([named, nameless])
    assert [e.citation.citekey for e in bibliography.entries] == ["reed2019-7", "entry-8"]
    assert "Entry 7 has no citekey; it was given 'reed2019-7'." in bibliography.diagnostics()


def test_of_references_with_one_citekey_the_first_is_kept() -> None:
    bibliography = assemble([HEN, RawReference(name="2", citekey="reedHens2019", title="Eggs")])
    assert [entry.citation.title for entry in bibliography.entries] == ["Hens & Housing"]
    assert (
        "The citekey 'reedHens2019' is used more than once; only its first reference is kept."
        in bibliography.diagnostics()
    )


def test_what_cannot_be_read_of_a_reference_is_said_of_it_alone() -> None:
    odd = RawReference(name="2", citekey="odd", title="Eggs", date="spring", language="hennish")
    bibliography = assemble([HEN, odd], flaws=["Line 3 is no entry."])
    assert bibliography.diagnostics(["reedHens2019"]) == ("Line 3 is no entry.",)
    assert bibliography.diagnostics(["odd"]) == (
        "Line 3 is no entry.",
        "Reference 'odd' has a date without a usable year: 'spring'.",
        "Reference 'odd' has an unknown language: 'hennish'.",
        "Reference 'odd' has no authors.",
    )


def test_a_doi_of_several_references_is_a_flaw_of_each() -> None:
    twin = RawReference(
        name="2",
        citekey="twin",
        title="Hens",
        authors=("Reed, Ada",),
        date="2019",
        url="https://doi.org/10.5555/HENS",
    )
    (flaw,) = assemble([HEN, twin]).flaws
    assert flaw.citekeys == ("reedHens2019", "twin")
    assert flaw.sentence == "The DOI 10.5555/hens is given for 2 references: reedHens2019, twin."


def test_the_key_of_a_zotero_item_is_found_among_the_links() -> None:
    linked = RawReference(
        name="1",
        citekey="a",
        links=("https://hens.example.org", "zotero://select/library/items/QX7RD2AB"),
    )
    bare = RawReference(name="2", citekey="b", links=("ABCD2345",))
    none = RawReference(name="3", citekey="c", links=("https://hens.example.org",))
    keys = [entry.citation.item_key for entry in assemble([linked, bare, none]).entries]
    assert keys == ["QX7RD2AB", "ABCD2345", None]
