"""Errors cross process borders and come out as they were."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import pytest

from citeloom.domain.errors import CiteloomError


def family(root: type[CiteloomError]) -> Iterator[type[CiteloomError]]:
    yield root
    for child in root.__subclasses__():
        yield from family(child)


@pytest.mark.parametrize("kind", list(family(CiteloomError)))
def test_an_error_survives_pickling(kind: type[CiteloomError]) -> None:
    error = kind("what went wrong", "what to do")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert (twin.message, twin.hint, twin.code) == (error.message, error.hint, kind.code)


def test_an_error_reads_as_its_message() -> None:
    assert str(CiteloomError("what went wrong", "what to do")) == "what went wrong"
    assert CiteloomError("alone").hint == ""
