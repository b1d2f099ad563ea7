"""Labels that a project makes by a template."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.documents.metadata import MetadataField, MetadataSchema
from citeloom.domain.project import Project
from citeloom.domain.references.citation_label import CitationLabel
from citeloom.testing.chunks import embedded, rich

SCHEMA = MetadataSchema((MetadataField(name="module"),))


@pytest.mark.parametrize(
    ("template", "label"),
    [
        ("[{module}, {tier}, {draft}]", "[Module 1, 2, false]"),
        ("{citekey} {year}: {authors} ({topics})", "baker2007 2007: Baker, A., Émile (wheat, rye)"),
        ("{locator} in {section}", "pp. ix-x (PDF pages 11-12) in 2.1 Sampling"),
        ("{source_path} {{module}}", "doc-1.pdf {module}"),
    ],
)
def test_a_label_names_front_matter_reference_and_place(template: str, label: str) -> None:
    assert CitationLabel(template).of(rich("a").stored) == label


def test_a_label_names_each_section_that_a_passage_has_a_part_of() -> None:
    one = rich("a").stored
    sections = (("2 Methods", "2.2 Sums"), ("3 Results",))
    joined = replace(one, chunk=replace(one.chunk, section_path=(), sections=sections))
    assert CitationLabel("in {section}").of(joined) == "in 2.2 Sums; 3 Results"
    assert joined.locator.section == "2.2 Sums; 3 Results"


def test_a_passage_without_a_value_has_no_label() -> None:
    assert CitationLabel("[{module}]").of(embedded("a").stored) is None
    assert CitationLabel("[{citekey}]").of(embedded("a").stored) is None
    placeless = replace(rich("a").stored, citation=None)
    assert CitationLabel("[{module}]").of(placeless) == "[Module 1]"


@pytest.mark.parametrize("template", ["", "no field", "{open", "open}"])
def test_a_template_must_name_a_field(template: str) -> None:
    with pytest.raises(ValueError, match=r"names no field|Single|expected"):
        CitationLabel(template)


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    CitationLabel("{module} {title} {locator}").check(SCHEMA)
    with pytest.raises(ValueError, match="unknown field 'modul'; did you mean module"):
        Project(id="a/b", front_matter=SCHEMA, citation_label=CitationLabel("{modul}"))
    with pytest.raises(ValueError, match="unknown field 'zzzz'; there are title"):
        CitationLabel("{zzzz}").check(SCHEMA)
