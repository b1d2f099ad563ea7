"""An outcome of a conversion is one thing or the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.document_converter import Converted, Source
from citeloom.domain.errors import EmptyDocument
from tests.fakes.document_converter import conversion_of

SOURCE = Source(path=Path("a.pdf"), doc_id="d", content_hash="d" * 64)


def test_an_outcome_has_a_result_or_an_error_and_never_both_or_neither() -> None:
    result, error = conversion_of("Wheat grows."), EmptyDocument("nothing")
    assert Converted(source=SOURCE, result=result).error is None
    assert Converted(source=SOURCE, error=error).result is None
    with pytest.raises(ValueError, match="either a result or an error"):
        Converted(source=SOURCE)
    with pytest.raises(ValueError, match="either a result or an error"):
        Converted(source=SOURCE, result=result, error=error)
