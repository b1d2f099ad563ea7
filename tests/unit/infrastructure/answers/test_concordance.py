"""A concordance as text, JSON and CSV."""

from __future__ import annotations

import csv
from dataclasses import replace

from citeloom.application.retrieval.find import ChunkPlaces, Concordance, Occurrence
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import ChunkText
from citeloom.infrastructure.answers.concordance import (
    ConcordanceAnswer,
    _OncePerPage,
    concordance_csv,
    concordance_text,
)
from citeloom.infrastructure.answers.model import filled
from citeloom.infrastructure.answers.passages import Source
from citeloom.infrastructure.interfaces.mcp.passage_tools import WordPlaces
from citeloom.testing.chunks import embedded
from tests.described import as_json, assert_described


def test_what_speaks_against_a_passage_stands_beside_its_places_in_every_format() -> None:
    plain = embedded("c1", text="Of rye.", citation=CitationMeta(citekey="rye2001", title="Rye"))
    chunk = replace(plain.stored.chunk, doubts=(Doubt.ORDER,))
    doubted = replace(plain.stored, chunk=chunk)
    found = Concordance(
        project="me/thesis",
        words=("rye",),
        exact=False,
        found=(ChunkPlaces(text=ChunkText.of(plain.stored), spans=((3, 6), (3, 6))),),
        occurrences=tuple(
            Occurrence(text=ChunkText.of(stored), start=3, end=6)
            for stored in (plain.stored, doubted)
        ),
    )
    heads = [line for line in concordance_text(found, 10) if line.startswith("\n")]
    assert heads == ["\n[@rye2001, p. 1]", "\n[@rye2001, p. 1] (order doubtful)"]
    written = as_json(ConcordanceAnswer.of(found))
    assert_described(written, ConcordanceAnswer)
    assert [item["doubts"] for item in written["items"]] == [[], ["order"]]
    rows = list(csv.DictReader(concordance_csv(found).splitlines()))
    assert [row["doubts"] for row in rows] == ["", "order doubtful"]


def test_the_doubt_of_a_scan_names_the_words_that_seem_misread() -> None:
    plain = embedded("c1", text="Of rye that was ripe in tbe field.").stored
    scan = replace(plain, chunk=replace(plain.chunk, doubts=(Doubt.SCAN,)))
    assert scan.doubts == 'text of an old scan: compare "tbe"'
    found = Concordance(
        project="me/thesis",
        words=("rye",),
        exact=False,
        found=(ChunkPlaces(text=ChunkText.of(scan), spans=((3, 6),)),),
        occurrences=(Occurrence(text=ChunkText.of(scan), start=3, end=6),),
    )
    assert any(f"({scan.doubts})" in line for line in concordance_text(found, 10))
    [line] = as_json(ConcordanceAnswer.of(found))["items"]
    assert line["doubtful_words"] == as_json(Source.of_chunk(scan))["doubtful_words"] == ["tbe"]
    [row] = csv.DictReader(concordance_csv(found).splitlines())
    assert row["doubts"] == scan.doubts
    tool = filled(WordPlaces, ConcordanceAnswer.of(found), total=1, offset=0)
    assert f"({scan.doubts})\n- Of [rye]" in tool.as_text()


def test_what_stands_around_a_word_is_whole_words_however_much_white_space_parts_them() -> None:
    spaced = ("one two three" + " " * 400 + "\n").replace(" t", " " * 90 + "t") + "rye"
    text = ChunkText.of(embedded("c1", text=spaced + spaced[::-1]).stored)
    start = len(spaced) - 3
    place = Occurrence(text=text, start=start, end=start + 6)
    assert [place.before(width) for width in (5, 9, 99)] == ["", "three", "one two three"]
    assert [place.after(width) for width in (5, 9, 99)] == ["", " eerht", " eerht owt eno"]


def test_places_stand_below_the_page_that_each_is_on() -> None:
    long = embedded(
        "c1", text="Of rye, and rye.", citation=CitationMeta(citekey="rye2001", title="R")
    )
    chunk = replace(
        long.stored.chunk, page_span=(2, 3), page_starts=(8,), page_labels=("ii", "iii")
    )
    text = ChunkText.of(replace(long.stored, chunk=chunk))
    spans = ((3, 6), (3, 6), (12, 15))
    found = Concordance(
        project="me/thesis",
        words=("rye",),
        exact=False,
        found=(ChunkPlaces(text=text, spans=spans),),
        occurrences=tuple(Occurrence(text=text, start=a, end=b) for a, b in spans),
    )
    assert [line.strip() for line in concordance_text(found, 4)][2:] == [
        "[@rye2001, p. ii]",
        "Of [rye],",
        "Of [rye],",
        "[@rye2001, p. iii]",
        "and [rye].",
    ]
    made: list[Occurrence] = []

    def cited(occurrence: Occurrence) -> str | None:
        made.append(occurrence)
        return occurrence.citation

    place = _OncePerPage(cited)
    assert [place(each) for each in found.occurrences] == [
        "[@rye2001, p. ii]",
        "[@rye2001, p. ii]",
        "[@rye2001, p. iii]",
    ]
    assert made == [found.occurrences[0], found.occurrences[2]]
    assert [item["locator"] for item in as_json(ConcordanceAnswer.of(found))["items"]] == [
        "p. ii (PDF page 2)",
        "p. ii (PDF page 2)",
        "p. iii (PDF page 3)",
    ]
