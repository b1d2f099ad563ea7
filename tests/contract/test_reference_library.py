"""What every `ReferenceLibrary` promises."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from citeloom.application.ports.sources import ReferenceLibrary
from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.references.evidence import MatchConflict
from citeloom.domain.references.reference_matcher import MatchedBy
from citeloom.infrastructure.references.file_library import (
    EmptyReferenceLibrary,
    FileReferenceLibrary,
    read_references,
)
from tests.fakes.reference_library import MemoryReferenceLibrary

Build = Callable[[Mapping[str, str]], ReferenceLibrary]

WORKS = (
    CitationMeta(
        citekey="moorTidal2019",
        title="Tidal mixing in the shallow estuaries of northern coasts",
        authors=("Moor, Ada", "Quint, Ben"),
        year=2019,
        doi="10.5555/tidal.2019.7",
        item_type="journalArticle",
    ),
    CitationMeta(
        citekey="fennSalt2021",
        title="Salt marshes as archives of storm surges",
        authors=("Fenn, Cleo",),
        year=2021,
        url="https://example.org/salt",
        item_type="journalArticle",
    ),
    CitationMeta(
        citekey="fennSalt2021a",
        title="Salt marshes as archives of storm surges",
        authors=("Fenn, Cleo",),
        year=2021,
        url="https://example.org/salt-preprint",
        item_type="journalArticle",
    ),
)


def _as_csl() -> str:
    items = [
        {
            "type": "article-journal",
            "citation-key": work.citekey,
            "title": work.title,
            "author": [
                dict(zip(("family", "given"), author.split(", "))) for author in work.authors
            ],
            "issued": {"date-parts": [[work.year]]},
            "DOI": work.doi,
            "URL": work.url,
        }
        for work in WORKS
    ]
    return json.dumps(items)


def _as_bibtex() -> str:
    return "\n".join(
        f"@article{{{work.citekey}, title={{{work.title}}},"
        f" author={{{' and '.join(work.authors)}}}, year={work.year},"
        f" doi={{{work.doi or ''}}}, url={{{work.url or ''}}}}}"
        for work in WORKS
    )


def _as_ris() -> str:
    lines = []
    for work in WORKS:
        lines += ["TY  - JOUR", f"ID  - {work.citekey}", f"TI  - {work.title}"]
        lines += [f"AU  - {author}" for author in work.authors]
        lines += [f"PY  - {work.year}", f"DO  - {work.doi or ''}", f"UR  - {work.url or ''}"]
        lines += ["ER  - ", ""]
    return "\n".join(lines)


FILES = {"csl.json": _as_csl, "library.bib": _as_bibtex, "library.ris": _as_ris}


@pytest.fixture(params=[*FILES, "memory"])
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    if request.param == "memory":
        return lambda mapping: MemoryReferenceLibrary(*WORKS, mapping=mapping)
    path = tmp_path / request.param
    path.write_text(FILES[request.param](), encoding="utf-8")
    return lambda mapping: FileReferenceLibrary(path, mapping=mapping)


def test_references_come_whole_and_in_the_order_of_the_file(build: Build) -> None:
    assert build({}).references() == WORKS


def test_a_doi_in_the_metadata_is_matched_in_any_spelling(build: Build) -> None:
    embedded = EmbeddedMetadata(doi="https://doi.org/10.5555/TIDAL.2019.7.")
    match = build({}).match("a.pdf", embedded)
    assert (match.citation, match.by, match.score) == (WORKS[0], MatchedBy.DOI, 1.0)


def test_a_title_on_the_first_page_is_matched_over_its_line_breaks(build: Build) -> None:
    front = "Vol. 3\nTidal mixing in the shallow estu-\naries of northern coasts\nA. Moor\nBody."
    match = build({}).match("a.pdf", EmbeddedMetadata(front_text=front))
    assert (match.citation, match.by) == (WORKS[0], MatchedBy.TITLE)


def test_a_library_that_has_matched_can_be_sent_to_a_worker(build: Build) -> None:
    library, embedded = build({}), EmbeddedMetadata(title="Tidal mixing in sea lochs")
    match = library.match("a.pdf", embedded)
    sent = pickle.loads(pickle.dumps(library))
    assert sent.match("a.pdf", embedded) == match


def test_the_mapping_is_obeyed_before_any_evidence(build: Build) -> None:
    library = build({"scans/*.pdf": "fennSalt2021"})
    match = library.match("/data/scans/a.pdf", EmbeddedMetadata(doi="10.5555/tidal.2019.7"))
    assert (match.citation, match.by) == (WORKS[1], MatchedBy.MAPPING)


def test_references_that_fit_equally_give_none_and_are_both_candidates(build: Build) -> None:
    front = "Salt marshes as archives of storm surges\nCleo Fenn"
    match = build({}).match("a.pdf", EmbeddedMetadata(front_text=front))
    assert match.citation is None
    assert [candidate.citekey for candidate in match.candidates][:2] == [
        "fennSalt2021",
        "fennSalt2021a",
    ]
    assert {candidate.objection for candidate in match.candidates} == {MatchConflict.EQUAL}


def test_a_document_that_is_not_in_the_library_gets_the_nearest_candidates(build: Build) -> None:
    front = "Tidal mixing in deep fjords of southern coasts\nZoe Unknown\nBody."
    match = build({}).match("a.pdf", EmbeddedMetadata(front_text=front))
    assert (match.citation, match.by, match.score) == (None, None, 0.0)
    assert match.candidates[0].citekey == "moorTidal2019"
    assert len(match.candidates) <= 3
    scores = [candidate.score for candidate in match.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_a_document_that_says_nothing_matches_nothing(build: Build) -> None:
    match = build({}).match("a.pdf", EmbeddedMetadata())
    assert (match.citation, match.candidates) == (None, ())


def test_two_builds_of_one_library_agree(build: Build) -> None:
    embedded = EmbeddedMetadata(front_text="Salt marshes as archives of storm surges\nCleo Fenn")
    one, other = build({}), build({})
    assert one.fingerprint == other.fingerprint
    assert one.match("a.pdf", embedded) == other.match("a.pdf", embedded)


def test_the_fingerprint_changes_with_the_mapping(build: Build) -> None:
    assert build({}).fingerprint != build({"a.pdf": "fennSalt2021"}).fingerprint


def test_the_empty_library_matches_nothing_and_has_no_flaws() -> None:
    library = EmptyReferenceLibrary()
    match = library.match("a.pdf", EmbeddedMetadata(title=WORKS[0].title, doi="10.5555/x"))
    assert (match.citation, match.candidates) == (None, ())
    assert library.references() == ()
    assert library.diagnostics() == ()
    assert library.fingerprint == EmptyReferenceLibrary().fingerprint


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_remarks_can_be_limited_to_some_references_and_the_library_as_a_whole(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "library.json"
    path.write_text('[{"id": "bare2001", "title": "Rye"}, {"id": "odd1999", "title": "Oats"}, 7]')
    read = read_references(path.read_bytes(), path)
    library: ReferenceLibrary = FileReferenceLibrary(path)
    if kind == "memory":
        library = MemoryReferenceLibrary(flaws=read.flaws)
    everything = library.diagnostics()
    assert "Reference 'odd1999' has no authors." in everything
    some = library.diagnostics({"bare2001"})
    assert "Reference 'bare2001' has no authors." in some
    assert "Entry 3 is not a reference and was left out: 7" in some
    assert not any("odd1999" in sentence for sentence in some)
    assert set(some) < set(everything)
