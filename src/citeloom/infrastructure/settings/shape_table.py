"""The shapes in which a project's results may be printed."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from citeloom.infrastructure.settings.values import Text

_EACH = "each"


def _listed(fields: dict[str, str]) -> dict[str, str]:
    """The fields of each item of a list. Raises `ValueError` unless the list is named."""
    if _EACH not in fields or len(fields) == 1:
        raise ValueError(
            'must name the list in `each`, and a field: { each = "failed", file = "path" }'
        )
    return fields


ShapeTable = dict[str, Text | Annotated[dict[str, Text], AfterValidator(_listed)]]
"""A project's own fields of an object, each with the path to its value in the documented JSON."""
