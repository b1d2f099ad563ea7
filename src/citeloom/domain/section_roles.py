"""The role of a section, by its title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from citeloom.domain.conversion import Heading

REFERENCE_TITLES = (
    r"(?:references|reference list|list of references|literature|bibliography|works cited"
    r"|(?:literature|references|works) cited|references and notes|notes and references"
    r"|literatur(?:verzeichnis|angaben|hinweise)?|quellen(?:verzeichnis)?|bibliogra(?:ph|f)ie"
    r"|r\u00e9f\u00e9rences(?: bibliographiques)?|bibliograf\u00eda|bibliografia"
    r"|referencias(?: bibliogr\u00e1ficas)?|refer\u00eancias(?: bibliogr\u00e1ficas)?"
    r"|riferimenti(?: bibliografici)?|literatuur(?:lijst)?)"
)
"""Pattern of the titles of reference lists, without a number."""

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLC]+\.|[A-Z](?:\.\d+)*\.)\s+")


class SectionRole(StrEnum):
    """The role of a section in the work."""

    BODY = "body"
    ABSTRACT = "abstract"
    REFERENCES = "references"
    APPENDIX = "appendix"


_ROLES = (
    (SectionRole.REFERENCES, re.compile(REFERENCE_TITLES, re.IGNORECASE)),
    (
        SectionRole.APPENDIX,
        re.compile(
            r"(?:appendi(?:x|ces)|annex(?:es|e)?|anh\u00e4nge?|anhang|anexos?|ap\u00e9ndices?"
            r"|(?:supplement(?:ary|al)?|supporting) (?:materials?|information|data))\b.*",
            re.IGNORECASE,
        ),
    ),
    (
        SectionRole.ABSTRACT,
        re.compile(
            r"(?:abstract|zusammenfassung|kurzfassung|r\u00e9sum\u00e9|resumen|summary)",
            re.IGNORECASE,
        ),
    ),
)
_LETTERED = re.compile(r"[A-Z](?:\.\d+)*\.?\s+\S")
_ENDS = " .:\t"


def section_roles(headings: Sequence[Heading]) -> tuple[SectionRole, ...]:
    """The role of each heading's section: by its title, else that of the enclosing section.

    Only the first sections can be the abstract; lettered ones after an appendix's heading or
    after the references are appendices.
    """
    roles: list[SectionRole] = []
    for heading in headings:
        role = _titled(heading)
        if role is SectionRole.ABSTRACT and SectionRole.BODY in roles:
            role = SectionRole.BODY
        ended = SectionRole.REFERENCES in roles or SectionRole.APPENDIX in roles
        if role is SectionRole.BODY and ended and _LETTERED.match(heading.title):
            role = SectionRole.APPENDIX
        if role is SectionRole.BODY and heading.parent is not None:
            role = roles[heading.parent]
        roles.append(role)
    return tuple(roles)


def _titled(heading: Heading) -> SectionRole:
    """The role by the title alone; the document's own is no section's."""
    if heading.is_title:
        return SectionRole.BODY
    bare = _NUMBER.sub("", " ".join(heading.title.split())).strip(_ENDS)
    return next((role for role, name in _ROLES if name.fullmatch(bare)), SectionRole.BODY)
