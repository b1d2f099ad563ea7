"""`find` and `query --word`, from the shell."""

from __future__ import annotations

import csv
import io

from tests.e2e.command import Desk


def test_a_word_is_found_with_its_page_and_counts(sample: Desk) -> None:
    text = sample.must("find", "barnacle").out
    assert text.startswith("'barnacle', in all forms: ")
    assert "by year: 2021 " in text
    assert "[barnacle]" in text
    answer = sample.must("find", "barnacle", "--json", "-k", "2").json
    assert answer["occurrences"] >= len(answer["items"]) == 2
    assert answer["works"]["okaforTurbidityBudgetDrift2021"] > 0
    first = answer["items"][0]
    assert first["citation"].startswith("[@okaforTurbidityBudgetDrift2021, p. 11")
    rows = list(csv.DictReader(io.StringIO(sample.must("find", "barnacle", "--format", "csv").out)))
    assert len(rows) == answer["occurrences"]
    assert rows[0]["chunk_id"] == first["chunk_id"]


def test_what_is_not_there_is_told_and_no_error(sample: Desk) -> None:
    result = sample.run("find", "qwxyz")
    assert result.code == 0
    assert "0 occurrences" in result.out
    assert "nothing found" in result.err
    assert sample.run("find", "").code == 2
    assert sample.run("find").code == 2


def test_a_query_keeps_passages_that_have_a_word(sample: Desk) -> None:
    question = "How long do turbidity loggers stay reliable before fouling?"
    items = sample.must("query", question, "--word", "barnacles", "--json").json["items"]
    assert items
    assert all("barnacles" in item["text"] for item in items)
    nothing = sample.run("query", question, "--word", "qwxyz")
    assert (nothing.code, nothing.out.strip()) == (0, "")
    assert "no passage found has 'qwxyz' as a whole word" in nothing.err
