"""Front matter in an ingest: checked, stored, listed, filtered by and put on labels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePath

import pytest

from citeloom.application.documents import list_documents
from citeloom.application.ingest.prepare import document_metadata
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.requests.passages import DocumentsRequest, QueryRequest
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.documents.metadata import FieldKind, MetadataField, MetadataSchema
from citeloom.domain.errors import CiteloomError, InvalidFilter, InvalidMetadata
from citeloom.domain.references.citation_label import CitationLabel
from tests.fakes.document_converter import FakeDocumentConverter, conversion_of
from tests.unit.application.library import PROJECT, Library, open_project, paper
from tests.unit.application.test_query import ask

SCHEMA = MetadataSchema(
    (
        MetadataField(name="module", required=True),
        MetadataField(name="tier", kind=FieldKind.WHOLE),
    )
)
LABELLED = replace(
    PROJECT, front_matter=SCHEMA, citation_label=CitationLabel("[{module}, tier {tier}]")
)


def lesson(subject: str, fields: dict[str, object] | None) -> ConversionResult:
    return replace(conversion_of(paper(subject, sections=1)), front_matter=fields)


class Course(Library):
    """Three lessons, of which the last lacks a required field, and a PDF."""

    def __init__(self) -> None:
        self.own_versions: frozenset[str] = frozenset()
        names = ("a.md", "b.mdx", "c.md")
        super().__init__(
            {
                **{f"papers/{name}": f"The bytes of {name}." for name in names},
                "papers/d.pdf": paper("spelt", sections=1),
            }
        )
        fields: tuple[dict[str, object], ...] = (
            {"module": "Module 1", "tier": "1", "tags": ["x", "y"]},
            {"module": "Module 2", "tier": "2"},
            {"tier": "2"},
        )
        self.refused: dict[str, CiteloomError] = {}
        self.canned = {name: lesson(f"wheat in {name}", one) for name, one in zip(names, fields)}
        self.project = LABELLED

    def new_converter(self) -> FakeDocumentConverter:
        converter = FakeDocumentConverter(
            {**self.files.texts(), **self.canned, **self.refused},
            suffixes=frozenset({".md", ".mdx", ".pdf"}),
            content_hash=self.files.digest,
        )
        converter.own_versions = self.own_versions
        return converter


def hugo_page(**more: object) -> Course:
    """A library of one page whose front matter is as Hugo has it."""
    library = Course()
    fields = {"module": "M", "description": "How to sow", "categories": ["field"], **more}
    library.canned["a.md"] = lesson("wheat", fields)
    return library


def found(library: Library, *where: str) -> list[str]:
    answer = ask(library, QueryRequest(text="rainfall", where=where))
    return sorted(passage.stored.source_path for passage in answer.passages)


def test_a_document_with_invalid_front_matter_fails_alone() -> None:
    library = Course()
    report = library.ingest()
    (failure,) = report.failed
    assert (failure.path, failure.code) == ("papers/c.md", "INVALID_METADATA")
    assert failure.message == "missing frontmatter field: module"
    assert len(report.indexed) == 3
    again = library.ingest()
    assert [one.message for one in again.failed_before] == [failure.message]


def test_a_changed_declaration_processes_markdown_again_and_nothing_else() -> None:
    library = Course()
    library.ingest()
    library.project = replace(
        LABELLED, front_matter=MetadataSchema(SCHEMA.declared[1:]), citation_label=None
    )
    report = library.ingest()
    assert sorted(report.indexed) == ["papers/a.md", "papers/b.mdx", "papers/c.md"]
    assert report.unchanged == ["papers/d.pdf"]


def test_a_new_version_of_a_reader_processes_its_kind_again() -> None:
    library = Course()
    library.ingest()
    library.own_versions = frozenset({".md"})
    report = library.ingest()
    assert report.unchanged == ["papers/b.mdx", "papers/d.pdf"]


def test_every_chunk_has_the_metadata_of_its_document() -> None:
    library = Course()
    library.ingest()
    stored = {one.source_path: one for one in library.stored().values()}
    assert stored["papers/a.md"].metadata == {
        "title": "a",
        "language": "en",
        "module": "Module 1",
        "tier": 1,
        "tags": ("x", "y"),
        "word_count": len(stored["papers/a.md"].chunk.text.split()),
        "has_frontmatter": True,
        "section_count": 1,
    }
    assert stored["papers/d.pdf"].metadata == {}


def test_a_query_filters_by_front_matter() -> None:
    library = Course()
    library.ingest()
    assert found(library, "tier<2") == ["papers/a.md"]
    assert found(library, "tier>=1", "module=Module 2") == ["papers/b.mdx"]
    assert found(library, "tags=z,y") == ["papers/a.md"]
    assert found(library, "module!=Module 1") == ["papers/b.mdx", "papers/d.pdf"]
    with pytest.raises(InvalidFilter, match="no metadata field 'modul'"):
        found(library, "modul=Module 1")


def test_passages_have_the_label_of_the_project() -> None:
    library = Course()
    library.ingest()
    answer = ask(library, QueryRequest(text="rainfall"))
    labels = {one.stored.source_path: one.citation_label for one in answer.passages}
    assert labels == {
        "papers/a.md": "[Module 1, tier 1]",
        "papers/b.mdx": "[Module 2, tier 2]",
        "papers/d.pdf": None,
    }


def test_a_list_tells_front_matter() -> None:
    library = Course()
    library.ingest()
    listed = list_documents(open_project(library))
    by_path = {one.path: one for one in listed}
    assert by_path["papers/b.mdx"].metadata["module"] == "Module 2"
    assert by_path["papers/b.mdx"].title == "b"
    assert by_path["papers/c.md"].state is DocumentState.FAILED
    assert by_path["papers/c.md"].metadata["tier"] == 2
    assert by_path["papers/c.md"].metadata["has_frontmatter"] is True


def test_a_failed_document_keeps_what_could_be_read_of_its_front_matter() -> None:
    library = hugo_page(tier="two")
    library.refused["c.md"] = InvalidMetadata("no content", fields={"module": "M", "note": "x"})
    library.refused["b.mdx"] = InvalidMetadata("broken")
    for _ in range(2):
        library.ingest()
        entries = library.entries()
        assert {name: dict(entries[f"papers/{name}"].metadata) for name in ("b.mdx", "c.md")} == {
            "b.mdx": {"has_frontmatter": True},
            "c.md": {"module": "M", "note": "x", "has_frontmatter": True},
        }
        failed = entries["papers/a.md"].metadata
        assert (failed["module"], failed["categories"]) == ("M", ("field",))
        assert "tier" not in failed
    library.refused.clear()
    library.ingest(IngestRequest(retry_failed=True))
    assert library.entries()["papers/b.mdx"].metadata == {}


def test_a_list_is_narrowed_by_front_matter() -> None:
    library = Course()
    library.ingest()
    documents = partial(list_documents, open_project(library))

    def paths(condition: str) -> list[str]:
        return [one.path for one in documents(DocumentsRequest(where=[condition]))]

    assert paths("tier<2") == ["papers/a.md"]
    assert paths("module=Module 2") == ["papers/b.mdx"]
    with pytest.raises(InvalidFilter, match="no metadata field 'modul'"):
        paths("modul=Module 1")


def test_a_file_without_front_matter_has_a_title_and_counts() -> None:
    result = conversion_of("Der Roggen und die Gerste und das Korn auf dem Feld.")
    assert document_metadata(MetadataSchema(), PurePath("x/On rye.md"), result) == {
        "title": "On rye",
        "language": "de",
        "word_count": 11,
        "has_frontmatter": False,
    }
    assert document_metadata(MetadataSchema(), PurePath("x/On rye.txt"), result) == {}


def test_undeclared_fields_are_in_the_metadata_of_every_chunk_and_not_filtered_by() -> None:
    library = hugo_page()
    library.ingest()
    stored = next(one for one in library.stored().values() if one.source_path == "papers/a.md")
    assert stored.metadata["description"] == "How to sow"
    assert stored.metadata["categories"] == ("field",)
    assert stored.metadata["has_frontmatter"] is True
    assert stored.undeclared == {"description", "categories"}
    with pytest.raises(InvalidFilter):
        found(library, "categories=field")


def test_what_is_too_much_of_undeclared_front_matter_is_in_the_report() -> None:
    report = hugo_page(notice="x" * 1001, **{f"field{n}": "x" for n in range(60)}).ingest()
    shortened, left_out = report.notes["papers/a.md"]
    assert shortened == "front matter: shortened: notice"
    assert left_out.startswith("front matter: left out: field47, field48")
    assert left_out.endswith(" …")
