"""`citeloom query`: what is found, under which conditions, and in which form it is printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from citeloom.domain.chunks.chunk import ChunkKind
from tests.e2e.command import SMALL, Desk, project_table

OKAFOR = "okaforTurbidityBudgetDrift2021"
QUESTION = "How much longer does a logger last with a copper collar?"
SENTENCE = "The copper collar more than doubled the life of a summer deployment"
Item = Mapping[str, Any]


def ask(desk: Desk, *args: str, question: str = QUESTION) -> Sequence[Item]:
    """The passages of a query."""
    result = desk.must("query", question, *args, "--format", "json").json
    assert result["count"] == len(result["items"])
    items: Sequence[Item] = result["items"]
    return items


@pytest.fixture(scope="module")
def answer(sample: Desk) -> Mapping[str, Any]:
    """The answer to the question, as JSON."""
    result: Mapping[str, Any] = sample.must("query", QUESTION, "--json", "-k", "6").json
    return result


def test_the_json_has_the_documented_keys(answer: Mapping[str, Any]) -> None:
    assert list(answer) == (
        "project query mode models fusion feedback fit stages rerank sent_to notes works "
        "count items duration_ms correlation_id".split()
    )
    assert (answer["project"], answer["query"], answer["mode"]) == (
        "citeloom/demo",
        QUESTION,
        "hybrid",
    )
    assert answer["models"].keys() == {"dense", "sparse"}
    assert answer["fusion"].startswith("rrf")
    assert answer["count"] == len(answer["items"]) == 6
    documented = set(
        "chunk_id score scores text trimmed citekey title authors year doi url page_span "
        "page_labels locator section_path sections heading_chain tags source_path item_key links "
        "citation".split()
    )
    others = set(
        "doc_id kind content verbatim paragraph_span annotation note duplicates attachment "
        "citekey_generated page page_index citation_label heading_level "
        "more_authors section_type start_position end_position metadata chunk_idx "
        "token_count token_count_estimated lesson doubts doubtful_words fit why item_type "
        "container language "
        "collections collection_keys libraries added aliases identifiers related "
        "retracted".split()
    )
    for item in answer["items"]:
        assert set(item) == documented | others
        assert item["annotation"] is item["note"] is None
        assert item["links"].keys() == {"pdf", "file", "zotero", "zotero_pdf", "zotero_reader"}
        assert item["sections"] or item["heading_chain"] == " > ".join(item["section_path"])
        assert item["scores"] == {"dense": None, "sparse": None, "rerank": None}
    scores = [item["score"] for item in answer["items"]]
    assert scores[0] == max(scores)
    stored = {item["chunk_id"] for item in answer["items"]}
    assert len(answer["feedback"]) == 3
    assert stored & set(answer["feedback"])


def test_a_citation_names_the_printed_page_and_the_link_the_physical_one(
    sample: Desk, answer: Mapping[str, Any]
) -> None:
    [item] = [item for item in answer["items"] if SENTENCE in item["text"]]
    first, last = item["page_span"]
    assert first <= 2 <= last
    labels = [str(1122 + page) for page in range(first, last + 1)]
    pages = f"p. {labels[0]}" if first == last else f"pp. {labels[0]}-{labels[-1]}"
    assert item["page_labels"] == labels
    assert item["citation"] == f"[@{OKAFOR}, {pages}]"
    assert item["locator"].startswith(f"{pages} (PDF page")
    pdf = (sample.library / "okafor-hale-2021.pdf").as_posix()
    assert item["links"]["pdf"] == f"file://{pdf}#page={first}"
    assert item["links"]["zotero"] == "zotero://select/library/items/QX7RD2AB"
    assert (item["citekey"], item["year"]) == (OKAFOR, 2021)


def test_text_gives_passages_in_order_with_place_and_source(sample: Desk) -> None:
    outcome = sample.must("query", QUESTION, "-k", "3")
    heads = re.findall(r"^(\d)\. \[@\w+, pp?\. [\divx-]+\]  ", outcome.out, re.MULTILINE)
    assert heads == ["1", "2", "3"]
    assert f"@{OKAFOR}" in outcome.out
    assert "library/okafor-hale-2021.pdf, PDF p" in outcome.out
    assert "\x1b" not in outcome.out + outcome.err


@pytest.mark.parametrize("form", ["markdown", "pandoc"])
def test_quotations_end_in_their_citation(sample: Desk, form: str) -> None:
    printed = sample.must("query", QUESTION, "-k", "2", "--format", form).out
    quotations = printed.rstrip("\n").split("\n\n")
    assert len(quotations) == 2
    for quotation in quotations:
        lines = quotation.splitlines()
        assert all(line.startswith(">") for line in lines)
        assert re.search(r"\[@\w+, pp?\. [\divx-]+\]`?$", lines[-1])
    assert ("](file://" in printed) == (form == "markdown")


def test_the_question_may_come_through_stdin_and_the_answer_a_passage_a_line(sample: Desk) -> None:
    piped = sample.must("query", "-", "--format", "jsonl", "-k", "4", stdin=f"{QUESTION}\n")
    passages = [json.loads(line) for line in piped.out.splitlines()]
    assert passages == list(ask(sample, "-k", "4"))


FILTERS: dict[str, tuple[tuple[str, ...], Callable[[Item], bool]]] = {
    "tags, all of them, in any case": (
        ("--tag", "turbidity", "--tag", "Estuary"),
        lambda item: {"turbidity", "estuary"} <= set(item["tags"]),
    ),
    "a year": (("--year", "2020"), lambda item: item["year"] == 2020),
    "a span of years": (("--year", "2019..2020"), lambda item: 2019 <= item["year"] <= 2020),
    "years from, and kinds": (
        ("--year", "2021..", "--kind", "table", "--kind", "note"),
        lambda item: item["year"] >= 2021 and item["kind"] in {"table", "note"},
    ),
    "years to, and a section": (
        ("--year", "..2018", "--section", "Choosing and placing the refrigerator > Which kind"),
        lambda item: (
            item["year"] <= 2018
            and item["section_path"] == ["Choosing and placing the refrigerator", "Which kind"]
        ),
    ),
    "a citekey with its sign": (
        ("--citekey", f"@{OKAFOR}"),
        lambda item: item["citekey"] == OKAFOR,
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_only_what_a_filter_allows_is_found(sample: Desk, name: str) -> None:
    options, allows = FILTERS[name]
    found = ask(sample, *options, "-k", "100")
    everything = [s.chunk.id for s in sample.chunks("citeloom/demo")]
    assert found
    assert all(map(allows, found))
    assert {item["chunk_id"] for item in found} < set(everything)


def test_a_document_may_be_chosen_by_its_id(sample: Desk) -> None:
    everything = sample.chunks("citeloom/demo")
    doc_id = everything[0].chunk.doc_id
    found = ask(sample, "--doc", doc_id, "-k", "100")
    assert {item["chunk_id"] for item in found} == {
        s.chunk.id
        for s in everything
        if s.chunk.doc_id == doc_id and s.chunk.kind is not ChunkKind.REFERENCE
    }


def test_finding_nothing_is_no_error(sample: Desk) -> None:
    outcome = sample.must("query", QUESTION, "--tag", "turbidity", "--tag", "acoustics")
    assert "no passage in the project meets all the filters" in outcome.err
    assert outcome.err.endswith("\nno passages found\n")
    outcome = sample.must("query", QUESTION, "--min-score", "1e9")
    assert "no passages found" in outcome.err
    assert outcome.out == ""
    outcome = sample.must("query", QUESTION, "--kind", "note")
    assert outcome.err.endswith("no passages found\n")


def test_reference_lists_are_searched_on_demand_only(sample: Desk) -> None:
    listed = ask(sample, "--kind", "reference", "-k", "100")
    assert {item["kind"] for item in listed} == {"reference"}
    body = ask(sample, "-k", "100")
    assert {item["kind"] for item in body}.isdisjoint({"reference"})
    assert len(listed) + len(body) == len(sample.chunks("citeloom/demo"))


@pytest.mark.parametrize("mode", ["dense", "sparse"])
def test_one_side_alone_scores_as_that_side_does(sample: Desk, mode: str) -> None:
    result = sample.must("query", QUESTION, "--mode", mode, "--format", "json", "--explain").json
    assert (result["mode"], result["fusion"]) == (mode, None)
    for rank, item in enumerate(result["items"], start=1):
        assert item["scores"][mode] == {"rank": rank, "score": item["score"]}
        assert item["scores"][{"dense": "sparse", "sparse": "dense"}[mode]] is None


def test_an_explained_hybrid_score_is_the_sum_of_both_sides(sample: Desk) -> None:
    result = sample.must("query", QUESTION, "--format", "json", "--explain").json
    k = int(result["fusion"].removeprefix("rrf k="))
    for item in result["items"]:
        ranks = [side["rank"] for side in item["scores"].values() if side is not None]
        assert item["score"] == pytest.approx(sum(1 / (k + rank) for rank in ranks), rel=1e-4)


def test_a_least_score_leaves_the_rest_out(sample: Desk, answer: Mapping[str, Any]) -> None:
    found = answer["items"]
    least = found[3]["score"]
    kept = ask(sample, "-k", "6", "--min-score", str(least))
    assert min(item["score"] for item in kept) == least
    assert [item for item in kept if item in found] == [
        item for item in found if item["score"] >= least
    ]
    assert len([item for item in found if item not in kept]) > 0


def test_grouped_by_document_each_document_comes_once(sample: Desk) -> None:
    found = ask(sample, "--group-by", "document", "-k", "5")
    documents = [item["doc_id"] for item in found]
    assert len(set(documents)) == len(documents) > 1


def test_several_works_come_before_a_third_passage_unless_it_is_not_wanted(sample: Desk) -> None:
    question = ("query", "How long do turbidity loggers stay reliable before fouling?")
    stages = [
        {stage["name"] for stage in sample.must(*question, "--json", *options).json["stages"]}
        for options in ((), ("--group-by", "none"))
    ]
    assert ["works" in names for names in stages] == [True, False]
    answer = sample.must(*question, "--json", "-k", "2").json
    assert answer["works"] == {"shown": 1, "found": answer["works"]["found"]}
    line = f"1 of the {answer['works']['found']} works among the passages compared; more with -k"
    assert line in sample.must(*question, "-k", "2").out


def test_context_brings_the_neighbours_in_reading_order(sample: Desk) -> None:
    stored = {s.chunk.id: s.chunk for s in sample.chunks("citeloom/demo")}
    by_place = {(chunk.doc_id, chunk.chunk_idx): chunk for chunk in stored.values()}
    for item in ask(sample, "--context", "1", "-k", "3"):
        doc_id, here = item["doc_id"], stored[item["chunk_id"]].chunk_idx
        for key, place in (("before", here - 1), ("after", here + 1)):
            neighbour = by_place.get((doc_id, place))
            assert item[key] == ([neighbour.text] if neighbour else [])


def test_texts_are_trimmed_unless_the_full_text_is_asked_for(small: Desk) -> None:
    small.configure(
        project_table(SMALL, references="references.json"),
        tables="[retrieval]\nmax_chars_per_chunk = 80\n",
    )
    trimmed = ask(small, question="rounded corners of clay tiles")[0]
    assert trimmed["trimmed"] is True
    assert len(trimmed["text"]) <= 81
    full = ask(small, "--full-text", question="rounded corners of clay tiles")[0]
    assert full["trimmed"] is False
    assert full["text"].startswith(trimmed["text"].rstrip("…"))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((" ",), "the question is empty"),
        (("-",), "the question is empty"),
        (("x", "--mode", "fast"), "Usage:"),
        (("x", "--year", "last"), "no span of years"),
        (("x", "--year", ""), "no span of years"),
        (("x", "--year", "2023..2019"), "no year lies in 2023..2019"),
        (("x", "--citekey", ""), "the citekey is empty"),
        (("x", "--tag", ""), "the tag is empty"),
        (("x", "--section", ""), "the section title is empty"),
        (("x", "--doc", ""), "the document id is empty"),
        (("x", "--min-score", "nan"), "not nan"),
        (("x", "--json", "--format", "pandoc"), "--json and --format pandoc"),
        (("x", "-k", "18446744073709551615"), "is not in the range 1<=x<=1000"),
        (("x", "--context", "18446744073709551615"), "is not in the range 0<=x<=100"),
    ],
)
def test_a_question_that_cannot_be_asked_is_a_usage_error(
    sample: Desk, args: tuple[str, ...], message: str
) -> None:
    refused = sample.run("query", *args, stdin="\n")
    assert refused.code == 2
    assert refused.out == ""
    assert message in refused.err


def test_an_unknown_filter_names_the_nearest_value(sample: Desk) -> None:
    misspelt = OKAFOR.replace("okafor", "okafr")
    outcome = sample.must("query", QUESTION, "--citekey", misspelt)
    assert f"the project has no citekey '{misspelt}'; nearest: {OKAFOR}" in outcome.err


def test_a_floor_that_nothing_passes_is_told(sample: Desk) -> None:
    outcome = sample.must("query", QUESTION, "--min-score", "0.05")
    assert "the floor of 0.05 removed all" in outcome.err
    assert outcome.out.strip() == ""


def test_the_stages_are_explained_and_in_the_json(sample: Desk) -> None:
    output = sample.must("query", QUESTION, "--explain").out
    assert "fuse: " in output
    assert "rrf k=60, by the store" in output
    answer = sample.must("query", QUESTION, "--format", "json").json
    stages = {stage["name"]: stage for stage in answer["stages"]}
    assert stages["limit"]["out"] == answer["count"]
    assert set(stages["fuse"]) == {"name", "in", "out", "detail"}
    assert answer["notes"] == []


def test_a_question_without_a_word_is_no_quotation(sample: Desk) -> None:
    assert not any(item["verbatim"] for item in ask(sample, question="???"))


def test_nothing_ingested_yet_is_told_with_the_next_step(desk: Desk) -> None:
    desk.configure(project_table(SMALL))
    refused = desk.run("query", QUESTION)
    assert refused.code == 10
    assert "nothing has been ingested into project 'lab/small' yet" in refused.err
    assert f"citeloom ingest --project {SMALL}" in refused.err


def test_queries_of_many_shells_at_once_all_answer(ingested: Desk) -> None:
    with ThreadPoolExecutor(5) as shells:
        asked = list(shells.map(lambda _: ingested.spawn("query", "clay", "-k", "1"), range(6)))
    assert [(one.code, one.err) for one in asked if one.code != 0] == []
    assert len({one.out for one in asked}) == 1
