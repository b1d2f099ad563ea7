from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.retrieval.passage import EmbeddedChunk
from citeloom.infrastructure.stores.records.payload import from_payload, to_payload
from citeloom.infrastructure.stores.records.schema import (
    IN_PARAGRAPHS,
    OF_MARKS,
    ON_PAGES,
    OPTIONAL,
    REQUIRED,
    payload_faults,
)
from citeloom.testing.chunks import METADATA, embedded, marked, placeless, rich

OF_METADATA = {
    *(f"metadata_{name}" for name in METADATA),
    *(f"number_{name}" for name in ("tier", "hours", "draft", "published")),
}


def paged_not() -> EmbeddedChunk:
    """A chunk of a document that has no pages."""
    whole = rich("c")
    place = (Paragraph(section="2.1", number=3), Paragraph(section="", number=1))
    chunk = replace(
        whole.stored.chunk,
        page_span=None,
        paragraphs=place,
        page_labels=(),
        boxes=(),
    )
    return replace(whole, stored=replace(whole.stored, chunk=chunk))


def test_what_is_written_is_as_the_schema_says() -> None:
    assert payload_faults(to_payload(rich("a").stored)) == ()
    assert payload_faults(to_payload(embedded("b").stored)) == ()
    assert payload_faults(to_payload(paged_not().stored)) == ()
    assert payload_faults(to_payload(marked("c").stored)) == ()
    assert payload_faults(to_payload(placeless("d").stored)) == ()


def test_the_schema_knows_every_key_that_is_written() -> None:
    stored = rich("a").stored
    assert stored.citation is not None
    citation = replace(
        stored.citation,
        citekey_generated=True,
        attachment="Supplement",
        more_authors=True,
        retracted="2020-01-01",
    )
    chunk = replace(
        stored.chunk,
        page_starts=(3,),
        doubts=(Doubt.ORDER,),
        sections=(("Methods", "Fields"),),
        code=((0, 3),),
    )
    shared = replace(stored, machines=("desk-1",), chunking={"overlap_tokens": "60"})
    written = to_payload(replace(shared, citation=citation, chunk=chunk))
    known = OPTIONAL.keys() - {"mark_annotation"}
    assert set(written) == {*REQUIRED, *ON_PAGES, *known, *OF_METADATA}
    assert payload_faults(written) == ()
    assert set(to_payload(paged_not().stored)) >= {*REQUIRED, *IN_PARAGRAPHS}
    mark = replace(marked("a").stored, citation=citation)
    assert mark.chunk.mark is not None
    quoting = replace(mark.chunk, mark=replace(mark.chunk.mark, annotation="NNTE2345"))
    of_mark = set(to_payload(replace(mark, chunk=quoting)))
    assert from_payload("a", to_payload(replace(mark, chunk=quoting))).chunk == quoting
    elsewhere = {"page_starts", "machines", "chunking", "doubts", "sections", "code"}
    assert of_mark == {*REQUIRED, *ON_PAGES, *OPTIONAL, *OF_MARKS, *OF_METADATA} - elsewhere
    assert not set(to_payload(placeless("a").stored)) & {*ON_PAGES, *IN_PARAGRAPHS}


@pytest.mark.parametrize("key", OF_MARKS)
def test_a_mark_is_whole(key: str) -> None:
    payload = to_payload(marked("a").stored)
    (fault,) = payload_faults(payload | {key: {"nested": True}})
    assert fault.startswith(f"'{key}' is no ")
    if key != "mark_key":
        del payload[key]
        assert payload_faults(payload) == (f"'{key}' is missing",)


def test_a_mark_has_a_whole_place_or_none() -> None:
    payload = to_payload(marked("a").stored)
    del payload["page_end"]
    assert payload_faults(payload) == ("'page_end' is missing",)


@pytest.mark.parametrize("key", [*REQUIRED, *ON_PAGES])
@pytest.mark.parametrize("absent", [True, False])
def test_a_required_key_must_be_there(key: str, absent: bool) -> None:
    payload = to_payload(rich("a").stored)
    payload[key] = None
    if absent:
        del payload[key]
    assert payload_faults(payload) == (f"'{key}' is missing",)


@pytest.mark.parametrize("key", [*REQUIRED, *ON_PAGES, *OPTIONAL])
def test_a_value_of_another_type_is_found(key: str) -> None:
    if key == "version":
        return
    payload = to_payload(rich("a").stored) | {key: {"nested": True}}
    (fault,) = payload_faults(payload)
    assert fault.startswith(f"'{key}' is no ")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("chunk_idx", True),
        ("page_start", 1.5),
        ("signal_to_noise", "0.5"),
        ("tags", ["a", 1]),
        ("boxes", [[1, 2, 3, 4]]),
        ("boxes", [["1", 2, 3, 4, 5]]),
        ("section_path", "2 Methods"),
    ],
)
def test_values_that_are_nearly_right_are_found(key: str, value: object) -> None:
    assert len(payload_faults(to_payload(rich("a").stored) | {key: value})) == 1


@pytest.mark.parametrize("version", ["2", 1, ""])
def test_another_version_is_found_and_judged_no_further(version: object) -> None:
    (fault,) = payload_faults({"version": version})
    assert fault == f"it has schema version {version}, not 1"
