from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.retrieval.result import QueryResult
from citeloom.application.retrieval.show import Shown
from citeloom.domain.chunks.chunk import AnnotationRef, ChunkKind
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.passage import Passage, StoredChunk
from citeloom.infrastructure.answers.headlines import cited_place, headline, place
from citeloom.infrastructure.answers.passages import Links, Source
from citeloom.infrastructure.interfaces.cli.console import linker, shown
from citeloom.infrastructure.interfaces.cli.passages import render, shown_text
from citeloom.testing.chunks import doubted, marked, rich
from tests.described import as_json

BASE = Path("/home/me")


def without_pages() -> StoredChunk:
    stored = rich("a").stored
    ends = (Paragraph(section="2.1", number=4), Paragraph(section="2.1", number=6))
    chunk = replace(stored.chunk, page_span=None, paragraphs=ends, page_labels=(), boxes=())
    return replace(stored, chunk=chunk, source_path="papers/a.docx")


def note() -> StoredChunk:
    chunk = without_pages().chunk
    mark = AnnotationRef(key="NNTE2345", tags=("claim",))
    return replace(
        without_pages(),
        chunk=replace(chunk, kind=ChunkKind.NOTE, mark=mark),
        source_path="",
        attachment_key=None,
    )


def answer(*passages: Passage) -> QueryResult:
    return QueryResult(
        project="lab/wheat",
        query="wheat",
        mode=Mode.HYBRID,
        models={},
        fusion=None,
        feedback=(),
        passages=passages,
        duration_ms=1.0,
        correlation_id="c",
    )


def test_a_passage_without_pages_says_its_paragraphs() -> None:
    fields = as_json(Source.of_chunk(without_pages()), BASE)
    assert fields["page_span"] is None
    assert fields["paragraph_span"] == [
        {"section": "2.1", "paragraph": 4},
        {"section": "2.1", "paragraph": 6},
    ]
    assert fields["locator"] == "sec. 2.1, \u00b6\u00b6 4-6"
    assert place(without_pages()) == "[@baker2007, sec. 2.1, paras. 4-6]"


def test_a_link_opens_a_pdf_at_the_page_and_another_file_as_a_whole() -> None:
    paged = replace(rich("a").stored, source_path="papers/a b.pdf")
    links = {"pdf": "file:///home/me/papers/a%20b.pdf#page=11"}
    assert as_json(Source.of_chunk(paged), BASE)["links"] == {
        **links,
        "file": links["pdf"],
        "zotero": "zotero://select/groups/4711/items/ABCD2345",
        "zotero_pdf": "zotero://open-pdf/groups/4711/items/WXYZ6789?page=11",
        "zotero_reader": "zotero://open-pdf/groups/4711/items/WXYZ6789?page=11",
    }
    assert as_json(Source.of_chunk(without_pages()), BASE)["links"] == {
        "pdf": None,
        "file": "file:///home/me/papers/a.docx",
        "zotero": "zotero://select/groups/4711/items/ABCD2345",
        "zotero_pdf": None,
        "zotero_reader": None,
    }


def test_a_document_of_no_known_library_has_the_link_of_its_reference_alone() -> None:
    stored = replace(rich("a").stored, zotero_library=None, attachment_key=None)
    links = as_json(Links.of(stored), BASE)
    assert links["zotero"] == "zotero://select/library/items/ABCD2345"
    assert links["zotero_pdf"] is None


def test_a_standalone_attachment_is_selected_itself_and_a_note_is_too() -> None:
    alone = replace(rich("a").stored, citation=None)
    assert as_json(Links.of(alone), BASE)["zotero"] == "zotero://select/groups/4711/items/WXYZ6789"
    assert as_json(Links.of(note()), BASE) == {
        "pdf": None,
        "file": None,
        "zotero": "zotero://select/groups/4711/items/NNTE2345",
        "zotero_pdf": None,
        "zotero_reader": None,
    }


def test_an_annotation_says_whose_words_are_whose() -> None:
    fields = as_json(Source.of_chunk(marked("a").stored), BASE)
    assert fields["annotation"] == {
        "key": "NNTE2345",
        "highlight": "Wheat grows.",
        "comment": "Says who?",
        "color": "#ffd400",
        "color_name": "yellow",
        "tags": ["claim"],
        "rects": [[72.0, 80.5, 300.0, 96.0]],
    }
    assert fields["note"] is None
    opens = "zotero://open-pdf/groups/4711/items/WXYZ6789?page=11&annotation=NNTE2345"
    assert as_json(Links.of(marked("a").stored), BASE)["zotero_pdf"] == opens


def test_what_the_reader_said_alone_is_no_highlight() -> None:
    stored = marked("a").stored
    said = replace(stored, chunk=replace(stored.chunk, mark=AnnotationRef(key="NNTE2345")))
    fields = as_json(Source.of_chunk(said), BASE)["annotation"]
    assert isinstance(fields, dict)
    assert (fields["highlight"], fields["comment"], fields["color"]) == (None, "Wheat grows.", None)
    assert headline(said) == "comment in Baker and Émile 2007, Über Weizen"


def test_a_note_is_cited_as_the_work_alone() -> None:
    assert place(note()) == "[@baker2007]"
    assert headline(note()) == "note on Baker and Émile 2007, Über Weizen"
    assert as_json(Source.of_chunk(note()), BASE)["note"] == {
        "key": "NNTE2345",
        "tags": ["claim"],
        "quotes": False,
        "remark": None,
        "annotation": None,
    }
    assert as_json(Source.of_chunk(note()), BASE)["locator"] == "sec. 2.1, ¶¶ 4-6"


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        (
            "markdown",
            "> Wheat grows.\n>\n> — highlight in Baker and Émile 2007, Über Weizen, "
            "[p. ix (PDF page 11)](file:///home/me/doc-1.pdf#page=11), "
            "[Zotero](zotero://open-pdf/groups/4711/items/WXYZ6789?page=11&annotation=NNTE2345) "
            "`[@baker2007, p. ix]`\n\nComment: Says who?",
        ),
        ("pandoc", "> Wheat grows.\n> [@baker2007, p. ix]\n\nComment: Says who?"),
        (
            "text",
            "1. [@baker2007, p. ix]  highlight in Baker and Émile 2007, Über Weizen\n"
            "   annotation · yellow · tagged claim\n"
            "   Wheat grows.\n"
            "   Comment: Says who?\n"
            "   doc-1.pdf, PDF p. 11 · a · score 0.5000",
        ),
    ],
)
def test_a_highlight_is_printed_with_its_comment_apart(form: str, printed: str) -> None:
    passage = Passage(stored=marked("a").stored, score=0.5, text="Wheat grows.")
    assert render(answer(passage), form, BASE) == printed


def test_a_note_is_printed_with_the_way_to_it_in_zotero() -> None:
    passage = Passage(stored=note(), score=0.5, text="Call Ben.")
    assert render(answer(passage), "markdown", BASE) == (
        "> Call Ben.\n>\n> — note on Baker and Émile 2007, Über Weizen, "
        "[Zotero](zotero://select/groups/4711/items/NNTE2345) `[@baker2007]`"
    )


def test_on_a_terminal_the_citation_is_a_link() -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    linked = shown(linker(Terminal())("p. 4", "file:///a"))
    assert linked == "\x1b]8;;file:///a\x1b\\p. 4\x1b]8;;\x1b\\"
    assert linker(Terminal())("p. 4", None) == linker(object())("p. 4", "file:///a") == "p. 4"


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_heading_that_stands_above_is_not_printed_again() -> None:
    stored = rich("a").stored
    text = "2 Methods\n2.1 Sampling\nWe sampled\nMethods"
    told = render(answer(Passage(stored=stored, score=0.5, text=text)), "text", BASE)
    assert told.split("\n")[1:4] == ["   2 Methods > 2.1 Sampling", "   We sampled", "   Methods"]
    alone = render(answer(Passage(stored=stored, score=0.5, text="2.1 Sampling")), "text", BASE)
    assert alone.split("\n")[2] == "   2.1 Sampling"


def test_query_words_stand_out_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    found = answer(Passage(stored=rich("a").stored, score=0.5, text="Does WHEAT grow? Buckwheat."))
    found = replace(found, query="How does wheat grow?")
    assert "\x1b" not in shown(render(found, "text", BASE))
    monkeypatch.setattr("sys.stdout", Screen())
    assert "   Does \x1b[4mWHEAT\x1b[0m \x1b[4mgrow\x1b[0m? Buckwheat." in shown(
        render(found, "text", BASE)
    )
    assert "\x1b[4m" not in shown(render(found, "markdown", BASE))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(render(found, "text", BASE))


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("text", "1. [@baker2007, pp. ix-xii] (no citekey in Zotero: generated)  Baker"),
        ("markdown", "`[@baker2007, pp. ix-xii]` (no citekey in Zotero: generated)"),
        ("pandoc", "> [@baker2007, pp. ix-xii] (no citekey in Zotero: generated)"),
    ],
)
def test_a_generated_citekey_is_marked_in_every_form(form: str, printed: str) -> None:
    stored = of_work(citekey_generated=True)
    labels = replace(stored.chunk, page_span=(11, 14), page_labels=("ix", "x", "xi", "xii"))
    passage = Passage(stored=replace(stored, chunk=labels), score=0.5, text="Wheat grows.")
    assert printed in render(answer(passage), form, BASE)
    assert as_json(Source.of_chunk(stored), BASE)["citekey_generated"] is True
    assert as_json(Source.of_chunk(rich("a").stored), BASE)["citekey_generated"] is False
    assert "no citekey in Zotero: generated" in passage._repr_html_()


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("text", "1. [@baker2007, pp. ix-x] (order doubtful, table doubtful)  Baker"),
        ("markdown", "`[@baker2007, pp. ix-x]` (order doubtful, table doubtful)"),
        ("pandoc", "> [@baker2007, pp. ix-x] (order doubtful, table doubtful)"),
        ("json", '"doubts": [\n        "order",\n        "table"\n      ]'),
        ("jsonl", '"doubts": ["order", "table"]'),
    ],
)
def test_what_speaks_against_the_words_is_shown_in_every_form(form: str, printed: str) -> None:
    passage = Passage(stored=doubted("a").stored, score=0.5, text="Wheat grows.")
    assert printed in render(answer(passage), form, BASE)
    assert "(order doubtful, table doubtful)" in passage._repr_html_()
    assert "pp. ix-x] (order doubtful, table doubtful)" in shown_text(
        Shown(chunks=(doubted("a").stored,))
    )


def test_a_formula_is_named_beside_its_passage() -> None:
    stored = doubted("a").stored
    formula = replace(stored, chunk=replace(stored.chunk, doubts=(Doubt.FORMULA,)))
    assert cited_place(formula) == "[@baker2007, pp. ix-x] (formula: compare with the page)"
    sound = replace(stored, chunk=replace(stored.chunk, doubts=()))
    assert cited_place(sound) == "[@baker2007, pp. ix-x]"


def test_a_generated_citekey_of_a_references_file_says_so() -> None:
    stored = replace(of_work(citekey_generated=True), zotero_library=None)
    assert cited_place(stored).endswith("(no citekey in the references: generated)")


def test_authors_whom_a_reference_does_not_name_are_et_al() -> None:
    stored = of_work(authors=("Baker, Ann",), more_authors=True)
    assert headline(stored).startswith("Baker et al. ")
    assert as_json(Source.of_chunk(stored), BASE)["more_authors"] is True
    passage = Passage(stored=stored, score=0.5, text="Wheat grows.")
    assert "Baker, Ann et al.: " in passage._repr_html_()
    assert not headline(of_work(authors=("Baker, Ann",))).startswith("Baker et al.")
    assert as_json(Source.of_chunk(rich("a").stored), BASE)["more_authors"] is False


def test_an_attachment_is_named_where_a_work_has_several() -> None:
    stored = of_work(attachment="Supplement")
    assert as_json(Source.of_chunk(stored), BASE)["attachment"] == "Supplement"
    assert headline(stored) == "Baker and Émile 2007, Über Weizen [Supplement]"
    assert as_json(Source.of_chunk(rich("a").stored), BASE)["attachment"] is None


def of_work(**fields: object) -> StoredChunk:
    """A passage of a work that has something more."""
    stored = rich("a").stored
    assert stored.citation is not None
    citation = replace(stored.citation, **fields)  # type: ignore[arg-type]
    return replace(stored, citation=citation)


def on_page(name: str, page: int, text: str) -> StoredChunk:
    stored = rich(name).stored
    chunk = replace(
        stored.chunk, text=text, page_span=(page, page), page_labels=(str(page),), page_starts=()
    )
    return replace(stored, chunk=chunk)


def in_context() -> Passage:
    itself = on_page("b", 12, "The middle of it. Its end is here.")
    return Passage(
        stored=itself,
        score=1.0,
        text=itself.chunk.text,
        before=(on_page("a", 11, "What comes first. The middle of it."),),
        after=(on_page("c", 13, "Its end is here. And then the rest."),),
    )


@pytest.mark.parametrize("form", ["text", "markdown", "pandoc"])
def test_a_neighbour_stands_under_its_own_page_and_repeats_nothing(form: str) -> None:
    said = render(answer(in_context()), form, BASE)
    parts = ("What comes first.", "p. 11]", "The middle of it.", "And then the rest.", "p. 13]")
    for part in (*parts, "Its end is here."):
        assert said.count(part) == 1, part
    assert "p. 12]" in said
    order = [said.index(part) for part in ("What comes", "The middle", "And then")]
    assert order == sorted(order)


def test_a_neighbour_that_is_a_passage_is_printed_once() -> None:
    first = in_context()
    (behind,) = first.after
    second = Passage(stored=behind, score=0.9, text=behind.chunk.text, before=(first.stored,))
    said = render(answer(first, second), "text", BASE)
    assert said.count("And then the rest.") == 1
    assert said.count("The middle of it.") == 1
    assert said.count("behind it: ") == 0


def test_json_has_what_each_neighbour_adds_with_its_place() -> None:
    (item,) = json.loads(render(answer(in_context()), "json", BASE))["items"]
    (before,), (after,) = item["context_before"], item["context_after"]
    assert (before["chunk_id"], before["text"], before["page_labels"]) == (
        "a",
        "What comes first.",
        ["11"],
    )
    assert after["text"] == "And then the rest."
    assert after["citation"].endswith("p. 13]")
    assert item["before"] == ["What comes first. The middle of it."]
