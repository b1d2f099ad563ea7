from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.references.titles import doi_mentions, normalise_doi

SICI = "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("10.5555/AbC.1", "10.5555/abc.1"),
        ("https://doi.org/10.5555/abc.1", "10.5555/abc.1"),
        ("http://dx.doi.org/10.5555/abc.1", "10.5555/abc.1"),
        ("doi:10.5555/abc.1.", "10.5555/abc.1"),
        ("DOI 10.5555/abc.1;", "10.5555/abc.1"),
        ("(10.5555/abc(1)23)", "10.5555/abc(1)23"),
        ("10.5555%2Fabc%281%29", "10.5555/abc(1)"),
        ("https://doi.org/10.5555/abc?from=feed#top", "10.5555/abc"),
        ("10.5555/abc\u20111", "10.5555/abc-1"),
        ("10.5555/a\u00adbc", "10.5555/abc"),
        ("\u201c10.5555/abc\u201d", "10.5555/abc"),
        (SICI.upper(), SICI),
        ("10.1000.10/123", "10.1000.10/123"),
        ("", ""),
        ("n/a", ""),
        ("10.5555/", ""),
        ("10.5555/...", ""),
        ("version 10.2/3", ""),
    ],
)
def test_a_doi_has_one_normal_form(written: str, normal: str) -> None:
    assert normalise_doi(written) == normal


@given(st.text(max_size=60) | st.from_regex(r"(doi\.org/)?10\.\d{4,6}/\S{1,30}", fullmatch=True))
def test_normalising_a_normal_form_changes_nothing(written: str) -> None:
    normal = normalise_doi(written)
    assert normalise_doi(normal) == normal


@given(st.from_regex(r"10\.[0-9]{4,6}/[a-z0-9]+([._-][a-z0-9]+)*", fullmatch=True))
def test_a_plain_doi_survives_every_wrapping(doi: str) -> None:
    for written in (doi.upper(), f"https://doi.org/{doi}", f"({doi}).", doi.replace("/", "%2F")):
        assert normalise_doi(written) == doi


@pytest.mark.parametrize(
    ("text", "doi", "alone"),
    [
        ("DOI: 10.5555/abc.1\nSoftware", "10.5555/abc.1", True),
        ("DOI\n10.5555/abc.1\n1 Introduction", "10.5555/abc.1", True),
        ("https:\n//doi.org/10.5555/abc.1\n2", "10.5555/abc.1", True),
        ("Journal 1(2). https://doi.org/10.5555/abc.1\n3", "10.5555/abc.1", False),
        ("DOI: 10.5555/abc.1 1 Department of Rain", "10.5555/abc.1", False),
        ("https://doi.org/10.5555/\njournal.abc.1", "10.5555/journal.abc.1", True),
        ("doi: 10.5555/j.\r\n\r\nabc.2007.12.", "10.5555/j.abc.2007.12", True),
        ("https://press.example/doi/10.5555/abc/fulltext", "10.5555/abc", False),
    ],
)
def test_a_mention_is_found_as_it_is_printed(text: str, doi: str, alone: bool) -> None:
    (mention,) = doi_mentions(text)
    assert doi in mention.readings
    assert mention.alone is alone


def test_mentions_come_in_the_order_of_the_text() -> None:
    mentions = doi_mentions("see 10.5555/b and 10.5555/a, not 110.5555/c or 10.55/d")
    assert [mention.readings[0] for mention in mentions] == ["10.5555/b", "10.5555/a"]
