from __future__ import annotations

import pytest

from citeloom.domain.references.evidence import MatchConflict
from tests.unit.domain.test_matching import SALT, TIDAL, matched, work

LONG = TIDAL.title


def objections(match_of: object) -> dict[str, MatchConflict]:
    candidates = getattr(match_of, "candidates", ())
    return {one.citekey: one.objection for one in candidates}


def test_two_works_that_fit_as_well_object_to_one_another() -> None:
    preprint = work("preprint", LONG, "Moor, Ada")
    match = matched(TIDAL, preprint, SALT, front=f"{LONG}\nAda Moor\nText.")
    assert match.citation is None
    assert objections(match) == {"preprint": MatchConflict.EQUAL, "tidal": MatchConflict.EQUAL}


def test_works_that_share_the_doi_of_the_file_object_to_one_another() -> None:
    again = work("again", "A title of another kind altogether", "Moor, Ada", doi=TIDAL.doi)
    match = matched(TIDAL, again, doi=TIDAL.doi or "", front="No title here.")
    assert match.citation is None
    assert set(objections(match).values()) == {MatchConflict.EQUAL}


def test_a_doi_and_a_title_of_different_works_are_told() -> None:
    match = matched(TIDAL, SALT, doi=TIDAL.doi or "", front=f"{SALT.title}\nCleo Fenn\nText.")
    assert match.citation is None
    assert objections(match) == {"salt": MatchConflict.DOI, "tidal": MatchConflict.DOI}


@pytest.mark.parametrize(
    ("printed", "objection"),
    [
        (f"{LONG} 2019", MatchConflict.NUMBERS),
        (f"Erratum {LONG}", MatchConflict.COMPANION),
        ("Tidal mixing in hollow northern estuaries", MatchConflict.WORDS),
        ("Tidal mixing in deep fjords of southern coasts", MatchConflict.DISTANT),
    ],
)
def test_a_title_that_differs_is_told_how(printed: str, objection: MatchConflict) -> None:
    match = matched(TIDAL, front=f"{printed}\nZoe Unknown\nText.")
    assert match.citation is None
    assert objections(match) == {"tidal": objection}


def test_a_title_that_only_the_metadata_have_is_told() -> None:
    match = matched(TIDAL, title=LONG, front="Minutes of a meeting\nin the harbour\nText.")
    assert match.citation is None
    assert objections(match) == {"tidal": MatchConflict.HIDDEN}


def test_a_main_title_without_an_author_is_told() -> None:
    whole = work("whole", "Tidal mixing in shallow estuaries: a survey of the north", "Moor, Ada")
    match = matched(whole, front="Tidal mixing in shallow estuaries\nZoe Unknown\nText.")
    assert match.citation is None
    assert objections(match) == {"whole": MatchConflict.SHORTENED}


def test_a_short_title_that_nothing_supports_is_told() -> None:
    match = matched(work("sedge", "Sedge meadows", "Quint, Ben"), front="Sedge meadows\nText.")
    assert match.citation is None
    assert objections(match) == {"sedge": MatchConflict.UNSUPPORTED}


def test_a_short_title_that_is_nearly_the_same_is_told() -> None:
    short = work("sedge", "Sedge meadow", "Quint, Ben")
    match = matched(short, front="Sedge meadows\nBen Quint\nText.")
    assert match.citation is None
    assert objections(match) == {"sedge": MatchConflict.INEXACT}
