"""Citations, locators, sections: the small values and their rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.language import is_language_code
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.filters import section_key, section_keys
from citeloom.domain.retrieval.locator import Locator

WORK = CitationMeta(
    citekey="martinClean2017",
    title="Clean Architecture",
    authors=("Martin, Robert C.",),
    year=2017,
    doi="10.1000/clean",
)


# --- citations


@pytest.mark.parametrize("citekey", ["", "  "])
def test_a_reference_has_a_citekey(citekey: str) -> None:
    with pytest.raises(ValueError, match="citekey"):
        replace(WORK, citekey=citekey)


@pytest.mark.parametrize("year", [0, -44])
def test_a_year_is_positive(year: int) -> None:
    with pytest.raises(ValueError, match="year"):
        replace(WORK, year=year)


@pytest.mark.parametrize("code", ["en", "de", "en-US", "deu", "zh-Hant-TW", "EN"])
def test_languages_are_codes(code: str) -> None:
    assert is_language_code(code)
    assert replace(WORK, language=code).language == code


@pytest.mark.parametrize("code", ["", "english", "e", "en_US", "en-", "de en", "en\n"])
def test_what_is_no_language_code_is_refused(code: str) -> None:
    assert not is_language_code(code)
    with pytest.raises(ValueError, match="language code"):
        replace(WORK, language=code)


def test_a_complete_reference_lacks_nothing() -> None:
    assert WORK.diagnostics() == ()
    assert replace(WORK, doi=None, url="https://example.org").diagnostics() == ()


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        (replace(WORK, title=" "), "no title"),
        (replace(WORK, authors=()), "no authors"),
        (replace(WORK, doi=None, container="Tides"), "neither DOI nor URL"),
        (replace(WORK, doi="", url="", container="Tides"), "neither DOI nor URL"),
        (replace(WORK, year=None), "no year"),
    ],
)
def test_what_a_reference_lacks_is_told_and_no_error(lacking: CitationMeta, said: str) -> None:
    assert lacking.diagnostics() == (said,)


# --- locators


def paragraphs(first: tuple[str, int], last: tuple[str, int]) -> Locator:
    ends = [Paragraph(section=section, number=number) for section, number in (first, last)]
    return Locator(paragraphs=(ends[0], ends[1]))


@pytest.mark.parametrize(
    ("locator", "printed", "cited"),
    [
        (paragraphs(("2.3", 4), ("2.3", 4)), "sec. 2.3, ¶ 4", "sec. 2.3, para. 4"),
        (paragraphs(("2.3", 4), ("2.3", 6)), "sec. 2.3, ¶¶ 4-6", "sec. 2.3, paras. 4-6"),
        (paragraphs(("", 1), ("", 1)), "¶ 1", "para. 1"),
        (
            paragraphs(("", 2), ('"Why [not]?"', 1)),
            '¶ 2 to sec. "Why [not]?", ¶ 1',
            'para. 2 to sec. "Why \\[not\\]?", para. 1',
        ),
    ],
)
def test_a_locator_without_pages_names_section_and_paragraph(
    locator: Locator, printed: str, cited: str
) -> None:
    assert str(locator) == printed
    assert locator.cite("key") == f"[@key, {cited}]"
    assert locator.pages == ""


def test_a_locator_without_a_place_cites_the_work_alone() -> None:
    assert (str(Locator()), Locator().pages, Locator().cite("key")) == ("", "", "[@key]")


def test_a_locator_of_a_page_list_is_its_labels_and_never_their_number_in_it() -> None:
    one = Locator(page_start=57, page_end=57, page_labels=("45",), of_page_list=True)
    assert (str(one), one.cite("key")) == ("p. 45", "[@key, p. 45]")
    two = Locator(page_start=57, page_end=58, page_labels=("xii", "1"), of_page_list=True)
    assert (str(two), two.cite("key")) == ("pp. xii-1", "[@key, pp. xii-1]")
    bare = Locator(page_start=57, page_end=57, of_page_list=True)
    assert (str(bare), bare.pages, bare.cite("key")) == ("", "", "[@key]")


def test_a_locator_may_have_the_label_of_a_page_alone() -> None:
    locator = Locator(page_labels=("ix",))
    assert (str(locator), locator.pages, locator.cite("key")) == ("p. ix", "ix", "[@key, p. ix]")


def test_a_locator_has_both_ends_of_its_pages_and_labels_for_each() -> None:
    with pytest.raises(ValueError, match="from the first to the last"):
        Locator(page_labels=("ix", "x"))
    with pytest.raises(ValueError, match="from the first to the last"):
        Locator(page_start=1, paragraphs=(Paragraph(section="", number=1),) * 2)


@pytest.mark.parametrize(
    ("locator", "printed", "cited"),
    [
        (Locator(page_start=45, page_end=45), "p. 45", "p. 45"),
        (Locator(page_start=45, page_end=47), "pp. 45-47", "pp. 45-47"),
        (
            Locator(page_start=5, page_end=5, page_labels=("iii",)),
            "p. iii (PDF page 5)",
            "p. iii",
        ),
        (
            Locator(page_start=5, page_end=6, page_labels=("iv", "v")),
            "pp. iv-v (PDF pages 5-6)",
            "pp. iv-v",
        ),
        (Locator(page_start=5, page_end=6, page_labels=("5", "6")), "pp. 5-6", "pp. 5-6"),
    ],
)
def test_a_place_is_printed_by_its_labels_with_the_pdf_page_where_it_differs(
    locator: Locator, printed: str, cited: str
) -> None:
    assert str(locator) == printed
    assert locator.cite("key") == f"[@key, {cited}]"
    assert f"{cited.split(maxsplit=1)[0]} {locator.pages}" == cited


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 3)])
def test_a_locator_spans_pages_in_order(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="page span"):
        Locator(page_start=start, page_end=end)


@pytest.mark.parametrize("labels", [("i",), ("i", "ii", "iii")])
def test_a_locator_has_one_label_a_page_or_none(labels: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="labels for 2 pages"):
        Locator(page_start=1, page_end=2, page_labels=labels)


@given(st.integers(1, 9999), st.integers(0, 50))
def test_the_pdf_page_is_told_only_where_labels_differ(start: int, more: int) -> None:
    pages = range(start, start + more + 1)
    plain = Locator(page_start=start, page_end=start + more)
    same = replace(plain, page_labels=tuple(map(str, pages)))
    other = replace(plain, page_labels=tuple(f"A{page}" for page in pages))
    assert "PDF" not in str(plain)
    assert str(same) == str(plain)
    assert str(other).endswith(f" {plain.pages})")


# --- sections


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        (("2 Methods", "2.1 Sampling"), ("methods", "methods > sampling", "sampling")),
        (("IV. Results",), ("results",)),
        (("A. Proofs", "A.1. Lemmas"), ("proofs", "proofs > lemmas", "lemmas")),
        (("3.2.1. Über  Weizen",), ("über weizen",)),
        (("Straße",), ("strasse",)),
        (("A study of wheat",), ("a study of wheat",)),
        (("I think so",), ("i think so",)),
        (("2020",), ("2020",)),
        ((), ()),
    ],
)
def test_sections_are_found_by_words_without_numbering(
    path: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    assert section_keys(path) == keys


@given(st.lists(st.text("aB 1.é", min_size=1), max_size=4).map(tuple), st.integers(0, 4))
def test_a_section_has_the_keys_of_those_it_lies_in(path: tuple[str, ...], depth: int) -> None:
    assert section_keys(path, (), path) == section_keys(path)
    keys = section_keys(path)
    assert set(keys) >= {*section_keys(path[:depth]), *section_keys(path[depth:])}
    assert all(section_key(path[: n + 1]) in keys for n in range(len(path)))


@given(st.lists(st.text("ab c", min_size=1).filter(str.strip), min_size=1).map(tuple))
def test_numbering_case_and_spacing_do_not_count(path: tuple[str, ...]) -> None:
    written = tuple(f"{n}.{n} {title.upper()}  " for n, title in enumerate(path, 1))
    assert section_keys(written) == section_keys(tuple(title.strip() for title in path))


@pytest.mark.parametrize(
    ("citekey", "cited"),
    [
        ("rule2018", "[@rule2018]"),
        ("_a:b/c-d", "[@_a:b/c-d]"),
        ("Müller2018", "[@Müller2018]"),
        ("https://e.org", "[@{https://e.org}]"),
        ("ends.", "[@{ends.}]"),
        (".starts", "[@{.starts}]"),
        ("a--b", "[@{a--b}]"),
        ("two words; and", "[@{twowords;and}]"),
        ("a{b}", "[@{ab}]"),
    ],
)
def test_a_citekey_that_cannot_stand_bare_is_put_in_braces(citekey: str, cited: str) -> None:
    assert Locator().cite(citekey) == cited


def test_a_printed_page_cannot_end_the_citation() -> None:
    locator = Locator(page_start=1, page_end=1, page_labels=("A];\n@x",))
    assert locator.cite("key") == "[@key, p. A\\]\\; \\@x]"
