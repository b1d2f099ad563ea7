"""What the titles of sections say of their role."""

from __future__ import annotations

from citeloom.domain.documents.sections import SectionRole, section_roles
from tests.fakes.documents import document, heading, paragraph

BODY, ABSTRACT, REFERENCES, APPENDIX = (
    SectionRole.BODY,
    SectionRole.ABSTRACT,
    SectionRole.REFERENCES,
    SectionRole.APPENDIX,
)


def roles(*titles: str) -> list[SectionRole]:
    """The roles of sections; one blank before a title is one level down."""
    parts = [heading(t.strip(), 1 + len(t) - len(t.lstrip())) for t in titles]
    return list(section_roles(document(*parts, paragraph("Rye.")).headings))


def test_a_paper_from_its_abstract_to_its_appendix() -> None:
    assert roles("Abstract", "1 Methods", " 1.1 Plots", "References", "Appendix A: Soils") == [
        ABSTRACT,
        BODY,
        BODY,
        REFERENCES,
        APPENDIX,
    ]


def test_a_summary_is_the_abstract_only_where_it_comes_first() -> None:
    assert roles("Summary", "Methods", "Summary") == [ABSTRACT, BODY, BODY]


def test_sections_within_a_section_have_its_role() -> None:
    assert roles("Anhang", " Tabellen", "  Boden", "Dank") == [APPENDIX, APPENDIX, APPENDIX, BODY]


def test_lettered_sections_are_appendices_only_behind_the_references() -> None:
    assert roles("A. Soils", "References", "B. Plots", "Thanks") == [
        BODY,
        REFERENCES,
        APPENDIX,
        BODY,
    ]


def test_a_heading_that_only_begins_like_a_role_has_none() -> None:
    assert roles("Abstraction", "Appendicitis in rye") == [BODY, BODY]
