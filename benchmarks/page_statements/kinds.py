"""All kinds of pages, in eight forms each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.page_statements.phrases import Writer
from benchmarks.page_statements.sheets import Look, Sheet
from benchmarks.page_statements.table_kinds import TABLE_KINDS
from benchmarks.page_statements.text_kinds import TEXT_KINDS

_FORMS = 8


def sheets(only: str = "") -> Iterator[Sheet]:
    """Every form of the kinds whose names have the word in them."""
    for kind, fill in {**TEXT_KINDS, **TABLE_KINDS}.items():
        for form in range(_FORMS):
            if only in kind:
                random = Random(f"{kind} {form}")
                sheet = Sheet(kind, form, Look.of(form, random), random, Writer(random))
                fill(sheet)
                yield sheet
