"""What supports a draft, in words, as JSON, and as comments in the draft."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.manuscript.draft import Draft
from citeloom.domain.manuscript.sentence_support import (
    SentenceSupport,
    Support,
    SupportingPassage,
    SupportReport,
    UncitedSentence,
)
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.text.near import Remark, WordChange
from citeloom.infrastructure.answers.draft_support import (
    SupportAnswer,
    support_text,
    with_comments,
)
from citeloom.testing.chunks import embedded
from tests.described import as_json, assert_described

CLAIM = "Copper keeps windows clean"
QUOTE = "A copper collar kept the window --> clean."


def passage_of(*, cited: bool = True) -> SupportingPassage:
    work = CitationMeta(citekey="rye2001", title="Rye", year=2001) if cited else None
    stored = embedded("c1", text=f"Before it. {QUOTE}", citation=work).stored
    chunk = replace(stored.chunk, page_span=(4, 4))
    stored = replace(stored, chunk=chunk, source_path="papers/a.pdf")
    return SupportingPassage(stored=stored, start=11, end=11 + len(QUOTE), supports=True)


def report_of(draft: Draft, *, cited: bool = True) -> SupportReport:
    start = draft.text.index(CLAIM)
    sentence = UncitedSentence(
        text=f"{CLAIM}.", place=draft.place(start, start + len(CLAIM)), is_claim=True
    )
    found = SentenceSupport(
        sentence=sentence,
        support=Support.SUPPORTED,
        evidence=1.25,
        passages=(passage_of(cited=cited),),
    )
    return SupportReport(draft=draft.name, sentences=(found,))


def draft_of(name: str, text: str) -> Draft:
    return Draft(name=name, text=text, paragraphs=())


def test_what_to_compare_is_said_in_words_as_json_and_in_comments() -> None:
    draft = draft_of("a.md", f"{CLAIM}.")
    report = report_of(draft)
    [sentence] = report.sentences
    changes = (
        WordChange(quote="Copper", work="Tin", remarks=(Remark.OPPOSITE,)),
        WordChange(quote="windows", work=""),
    )
    near = replace(sentence.passages[0], supports=False, difference=changes)
    likely = replace(sentence, support=Support.LIKELY, passages=(near,))
    report = replace(report, sentences=(likely,))
    said = "compare: “Copper” where the work has “Tin”, an opposite; “windows” is not in the work"
    assert said in "\n".join(support_text([report]))
    assert said in with_comments(draft, report)
    [passage] = as_json(SupportAnswer.of([report]))["sentences"][0]["passages"]
    assert passage["difference"][0] == {"quote": "Copper", "work": "Tin", "remarks": ["opposite"]}
    related = replace(report, sentences=(replace(likely, support=Support.RELATED),))
    assert with_comments(draft, related) == draft.text


def test_what_speaks_against_a_passage_without_a_reference_stands_beside_it_once() -> None:
    report = report_of(draft_of("a.md", f"{CLAIM}."), cited=False)
    [sentence] = report.sentences
    [passage] = sentence.passages
    chunk = replace(passage.stored.chunk, doubts=(Doubt.SCAN,), text=f"Bef0re it. {QUOTE}")
    doubted = replace(passage, stored=replace(passage.stored, chunk=chunk))
    report = replace(report, sentences=(replace(sentence, passages=(doubted,)),))
    shown = 'a.pdf, p. 4 (text of an old scan: compare "Bef0re") says'
    assert shown in "\n".join(support_text([report]))
    [written] = as_json(SupportAnswer.of([report]))["sentences"][0]["passages"]
    assert (written["citation"], written["doubtful_words"]) == ("a.pdf, p. 4", ["Bef0re"])


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        (
            "a.md",
            f"*{CLAIM}.* More.",
            f"*{CLAIM}.* <!-- supported: [@rye2001, p. 4] “A copper collar kept the window - - > "
            "clean.” --> More.",
        ),
        (
            "a.tex",
            f"{CLAIM}. More.\nEnd.",
            f"{CLAIM}. More.\n% supported: \\autocite[4]{{rye2001}} “{QUOTE}”\nEnd.",
        ),
        (
            "a.typ",
            f"{CLAIM}.",
            f"{CLAIM}.\n// supported: #cite(<rye2001>, supplement: [p. 4]) “{QUOTE}”\n",
        ),
        (
            "a.org",
            f"{CLAIM}. More.",
            f"{CLAIM}. @@comment: supported: [cite:@rye2001 p. 4] “{QUOTE}”@@ More.",
        ),
    ],
)
def test_comments_stand_behind_the_sentence_in_each_format(
    name: str, text: str, written: str
) -> None:
    draft = draft_of(name, text)
    assert with_comments(draft, report_of(draft)) == written


def test_a_footnote_stays_at_its_sentence() -> None:
    draft = draft_of("a.md", f"{CLAIM}.[^1] More.")
    assert with_comments(draft, report_of(draft)).startswith(f"{CLAIM}.[^1] <!-- ")


def test_nothing_is_written_where_nothing_supports() -> None:
    draft = draft_of("a.md", f"{CLAIM}.")
    [found] = report_of(draft).sentences
    nothing = SentenceSupport(sentence=found.sentence, support=Support.NOTHING, evidence=0.1)
    report = SupportReport(draft=draft.name, sentences=(nothing,))
    assert with_comments(draft, report) == draft.text
    assert list(support_text([report])) == [f"a.md:1:1: nothing found: {CLAIM}."]


def test_text_has_the_citation_ready_to_paste() -> None:
    draft = draft_of("a.tex", f"{CLAIM}.")
    assert list(support_text([report_of(draft)])) == [
        f"a.tex:1:1: supported: {CLAIM}.",
        f"    \\autocite[4]{{rye2001}} says: “{QUOTE}”",
    ]


def test_a_long_quotation_ends_with_a_whole_word() -> None:
    passage, draft = passage_of(), draft_of("a.md", f"{CLAIM}.")
    text = "Copper kept it very clean. " * 30
    stored = replace(passage.stored, chunk=replace(passage.stored.chunk, text=text))
    [sentence] = report_of(draft).sentences
    passages = (replace(passage, stored=stored, start=0, end=len(text)),)
    report = SupportReport(draft="a.md", sentences=(replace(sentence, passages=passages),))
    assert list(support_text([report]))[1].endswith("Copper kept it very…”")


def test_a_work_without_reference_is_named_by_its_file() -> None:
    draft = draft_of("a.md", f"{CLAIM}.")
    assert "a.pdf" in list(support_text([report_of(draft, cited=False)]))[1]


def test_json_has_each_sentence_with_its_passages() -> None:
    draft = draft_of("a.md", f"{CLAIM}.")
    written = as_json(SupportAnswer.of([report_of(draft)]), Path().absolute())
    assert_described(written, SupportAnswer)
    assert written["counts"] == {"supported": 1, "likely": 0, "related": 0, "nothing": 0}
    [sentence] = written["sentences"]
    assert sentence["content"] == "untrusted"
    assert (sentence["line"], sentence["column"], sentence["support"]) == (1, 1, "supported")
    [passage] = sentence["passages"]
    assert (passage["citekey"], passage["citation"]) == ("rye2001", "[@rye2001, p. 4]")
    assert (passage["quote"], passage["page_span"]) == (QUOTE, [4, 4])
