"""Every place of a word, and queries that keep passages with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.requests.passages import FindRequest, QueryRequest
from citeloom.application.retrieval.find import Concordance, find, places_of_words
from citeloom.application.retrieval.query import query
from citeloom.domain.errors import InvalidFilter
from citeloom.domain.policies import Mode
from citeloom.domain.retrieval.candidates import StageName
from citeloom.domain.retrieval.passage import (
    ChunkText,
    IndexQuery,
    Selection,
    SparseVector,
    StoredChunk,
)
from citeloom.infrastructure.answers.concordance import (
    ConcordanceAnswer,
    concordance_csv,
    concordance_text,
)
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from citeloom.infrastructure.interfaces.mcp.passage_tools import PassageList
from tests.described import as_json
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import RYE, Fuse, Library, WatchedIndex, open_project

TEXTS = {
    "papers/a.txt": "# Tides\n\nThe gauge measured tides. Measuring a tide is slow, at 41.1 "
    "degrees. =A1 was a neural\nnetwork of tides.",
    "papers/b.txt": "# Ponds\n\nTidal ponds are no tides; a network that is neural, and 141.1 in "
    "all. 図書館の研究。",
}


@pytest.fixture(scope="module")
def library() -> Library:
    return made_library()


def made_library(index: WatchedIndex | None = None) -> Library:
    made = Library(dict(TEXTS))
    made.index = index or made.index
    made.sparse = FastEmbedSparse()
    made.project = replace(made.project, sparse_model="Qdrant/bm25")
    made.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    made.ingest()
    return made


class FetchedIndex(WatchedIndex):
    """Remembers which passages were fetched, and how many texts were read at once."""

    def __init__(self) -> None:
        super().__init__(Fuse())
        self.fetched: list[str] = []
        self.texts_read: list[int] = []

    def fetch(self, name: str, selection: Selection, chunk_ids: Sequence[str]) -> list[StoredChunk]:
        self.fetched += chunk_ids
        return super().fetch(name, selection, chunk_ids)

    def search_texts(self, name: str, query: IndexQuery) -> list[ChunkText]:
        texts = super().search_texts(name, query)
        if texts:
            self.texts_read.append(len(texts))
        return texts


def found(
    library: Library, *words: str, exact: bool = False, top_k: int | None = None
) -> Concordance:
    return find(open_project(library), FindRequest(words=words, exact=exact, top_k=top_k))


def words_of(concordance: Concordance) -> list[str]:
    return [one.word for one in concordance.occurrences]


def test_every_form_of_a_word_is_found_in_its_place(library: Library) -> None:
    tides = found(library, "tide")
    assert sorted(words_of(tides)) == ["Tides", "tide", "tides", "tides", "tides"]
    assert tides.by_work() == {"rye2001": 4, "b.txt": 1}
    assert tides.by_year() == {2001: 4}
    assert tides.passages == 2
    assert tides.complete


@pytest.mark.parametrize(
    ("word", "exact", "expected"),
    [
        ("tide", True, ["tide"]),
        ("MEASURE", False, ["measured", "Measuring"]),
        ("neural networks", False, ["neural network"]),
        ("network", False, ["network", "network"]),
        ("41.1", False, ["41.1"]),
        ("is", False, ["is", "is"]),
        ("研究", False, ["研究"]),
        ("=", False, ["="]),
        ("whale", False, []),
    ],
)
def test_what_counts_as_the_word(
    library: Library, word: str, exact: bool, expected: list[str]
) -> None:
    assert words_of(found(library, word, exact=exact)) == expected


FORMS = {
    "papers/a.txt": "# Pest\n\nA pest is a pest, and any pest of wheat is one pest more.",
    "papers/b.txt": "# Rust\n\nRust and smut are found on wheat; there are no pests of wheat.",
}


@pytest.fixture(scope="module")
def forms() -> Library:
    made = Library(dict(FORMS))
    made.sparse = FastEmbedSparse()
    made.project = replace(made.project, sparse_model="Qdrant/bm25")
    made.ingest()
    return made


def test_works_that_have_a_word_in_its_own_form_come_first(forms: Library) -> None:
    pests = found(forms, "Pests")
    assert [*pests.by_work().items()] == [("b.txt", 1), ("a.txt", 5)]
    assert words_of(pests) == ["pests", "Pest", "pest", "pest", "pest", "pest"]
    assert pests.notes == ()
    assert [*as_json(ConcordanceAnswer.of(pests))["works"]] == ["b.txt", "a.txt"]
    assert [*found(forms, "pest").by_work()] == ["a.txt", "b.txt"]


def test_places_stand_in_the_order_of_the_works_which_is_that_of_their_counts(
    forms: Library,
) -> None:
    wheat = found(forms, "wheat")
    assert [*wheat.by_work().items()] == [("b.txt", 2), ("a.txt", 1)]
    assert [place.work for place in wheat.occurrences] == ["b.txt", "b.txt", "a.txt"]


def test_of_several_words_the_work_that_has_more_in_their_own_form_comes_first(
    forms: Library,
) -> None:
    assert [*found(forms, "wheat", "pests").by_work()] == ["b.txt", "a.txt"]


def test_a_word_that_stands_in_other_forms_alone_is_named(forms: Library) -> None:
    pesting = found(forms, "pesting", "wheat")
    assert pesting.count == 9
    assert pesting.notes == (
        "'pesting' stands nowhere in this form: all places have other forms of it",
    )
    assert found(forms, "pesting", exact=True).notes == ()


def test_several_words_stand_in_one_passage(library: Library) -> None:
    both = found(library, "pond", "tide")
    assert {one.work for one in both.occurrences} == {"b.txt"}
    assert sorted(words_of(both)) == ["Ponds", "ponds", "tides"]


def test_what_a_chunk_repeats_of_the_one_before_counts_once(library: Library) -> None:
    long = Library({"papers/c.txt": " ".join(f"Line {n} of the harbour log." for n in range(60))})
    policy = replace(long.project.chunking, overlap_tokens=20)
    long.project = replace(long.project, chunking=policy)
    long.ingest()
    concordance = found(long, "harbour")
    assert concordance.passages > 1
    assert len(concordance.occurrences) == 60


def test_the_words_around_it_are_whole(library: Library) -> None:
    (place,) = found(library, "slow").occurrences
    assert place.before(20) == "Measuring a tide is"
    assert place.before(11) == "a tide is"
    assert place.after(12) == ", at 41.1"
    assert place.citation is not None
    assert place.citation.startswith("[@rye2001")


def test_white_space_around_it_is_joined_however_long_it_is(library: Library) -> None:
    (place,) = found(library, "slow").occurrences
    text = "Long before" + " \n" * 99 + "it is slow" + "\n " * 99 + "and wide behind it"
    at = text.index("slow")
    spread = replace(place, text=replace(place.text, text=text), start=at, end=at + 4)
    assert spread.before(30) == "Long before it is"
    assert spread.before(9) == "it is"
    assert spread.after(30) == " and wide behind it"
    assert spread.after(10) == " and wide"


def test_a_concordance_is_written_as_text_json_and_csv(library: Library) -> None:
    text = list(concordance_text(found(library, "tide", top_k=1), 30))
    assert text[0] == "'tide', in all forms: 5 occurrences in 2 passages of 2 works"
    assert "     4  rye2001" in text
    assert "by year: 2001 4" in text
    assert text[-1] == "\n4 more with a greater -k"
    answer = as_json(ConcordanceAnswer.of(found(library, "tide", top_k=2)))
    assert (answer["occurrences"], len(answer["items"])) == (5, 2)
    assert answer["years"] == {"2001": 4}
    lines = concordance_csv(found(library, "A1")).splitlines()
    assert lines[0].startswith("work,year,citation")
    assert len(lines) == 2
    assert concordance_csv(found(library, "=")).count(",'=,") == 1


def test_all_places_are_counted_and_each_passage_is_read_once() -> None:
    index = FetchedIndex()
    made = made_library(index)
    everything = found(made, "tide")
    first = found(made, "tide", top_k=1)
    assert (first.count, first.passages, first.by_work()) == (5, 2, everything.by_work())
    assert first.occurrences == everything.occurrences[:1]
    assert index.fetched == []
    assert index.texts_read == [2, 2]


def test_a_project_of_which_nothing_is_indexed_says_so() -> None:
    empty = Library({"papers/a.txt": TEXTS["papers/a.txt"]})
    empty.files.remove("papers/a.txt")
    empty.ingest()
    note = (
        "nothing is indexed in project 'lab/wheat': put documents into its sources, then run "
        "citeloom ingest --project lab/wheat",
    )
    opened = open_project(empty)
    for mode in Mode:
        assert query(opened, QueryRequest(text="What was measured?", mode=mode)).notes == note
    assert query(opened, QueryRequest(text="What was measured?", citekey="rye2001")).notes == note
    assert PassageList.of(query(opened, QueryRequest(text="What was measured?"))).notes == note
    places = found(empty, "tide")
    assert places.notes == note
    assert as_json(ConcordanceAnswer.of(places))["notes"] == [*note]


def test_a_project_that_lacks_a_word_alone_is_not_called_empty(library: Library) -> None:
    assert found(library, "whale").notes == ()


def test_signs_without_a_word_are_called_that_where_they_are_nowhere(library: Library) -> None:
    assert found(library, "***").notes == (
        "there is no word in '***': signs are looked for as they are written",
    )
    assert found(library, "=").notes == ()


@pytest.mark.parametrize("wrong", [(), ("",), (" ",), ("x" * 201,), ("x",) * 11])
def test_what_cannot_be_found_is_refused(wrong: tuple[str, ...]) -> None:
    with pytest.raises(InvalidFilter) as raised:
        FindRequest(words=wrong)
    assert raised.value.hint


@pytest.mark.parametrize("mode", list(Mode))
def test_a_query_keeps_passages_that_have_its_words(library: Library, mode: Mode) -> None:
    opened = open_project(library)
    request = QueryRequest(text="What was measured?", mode=mode, words=("41.1",))
    result = query(opened, request)
    assert [passage.stored.source_path for passage in result.passages] == ["papers/a.txt"]
    assert any(stage.name is StageName.WORDS for stage in result.stages)
    nothing = query(opened, replace(request, words=("whale",)))
    assert nothing.passages == ()
    assert nothing.notes == ("no passage found has 'whale' as a whole word; see citeloom find",)


def test_a_required_word_brings_passages_that_the_question_does_not(library: Library) -> None:
    many = {f"papers/{n:02}.txt": f"# Mill\n\nWheat was ground in mill {n}." for n in range(60)}
    mills = Library({**many, "papers/z.txt": "# Boats\n\nA quennell is a boat."})
    mills.ingest()
    opened = open_project(mills)
    request = QueryRequest(text="Where was wheat ground in a mill?", top_k=3)
    assert "papers/z.txt" not in {p.stored.source_path for p in query(opened, request).passages}
    kept = query(opened, replace(request, words=("Quennell",))).passages
    assert [passage.stored.source_path for passage in kept] == ["papers/z.txt"]


def test_reference_lists_are_counted_apart_whether_or_not_the_text_has_the_word() -> None:
    entries = "\n\n".join(
        f"[{n}] Rye, A. ({1990 + n}). A study of sedges and rushes. Journal of Marshes, {n}, 1-9."
        for n in range(1, 6)
    )
    text = f"# Marshes\n\nA sedge grows in the marsh of the delta.\n\n# References\n\n{entries}"
    made = Library({"papers/a.txt": text})
    made.ingest()
    both = found(made, "sedges")
    assert (len(both.occurrences), both.in_reference_lists) == (0, 5)
    assert list(concordance_text(both, 30))[1] == "and 5 in reference lists (--kind reference)"
    marsh = found(made, "marsh")
    assert (len(marsh.occurrences), marsh.in_reference_lists) == (1, 0)
    assert "reference lists" not in "\n".join(concordance_text(marsh, 30))
    lists = find(open_project(made), FindRequest(words=["sedges"], kinds=["reference"]))
    assert (len(lists.occurrences), lists.in_reference_lists) == (5, 0)
    assert as_json(ConcordanceAnswer.of(both))["in_reference_lists"] == 5


def test_words_are_compared_in_every_language_by_few_calls() -> None:
    texts = {f"papers/{n}.txt": f"# Paper {n}\n\nThe tides of bay{n} rose." for n in range(40)}
    made = Library(texts)
    counted = CountingSparse()
    made.sparse = counted
    made.project = replace(made.project, sparse_model="Qdrant/bm25")
    made.ingest()
    counted.calls = 0
    assert len(found(made, "tide").occurrences) == 40
    assert counted.calls < 30


class CountingSparse(FastEmbedSparse):
    calls = 0

    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        self.calls += 1
        return super().embed_query(text, language)


# --- the words of a question in texts


def test_words_of_a_question_are_found_in_any_form(library: Library) -> None:
    texts = ["Tides were measured, and measuring a tide is slow.", "Nothing of this."]
    first, second = places_of_words(open_project(library), "How does one measure tides?", texts)
    assert [texts[0][start:end] for start, end in first] == [
        *("Tides", "measured", "measuring", "tide")
    ]
    assert second == []


def test_words_that_overlap_are_one_place(library: Library) -> None:
    text = "A C++ neural network."
    [spans] = places_of_words(open_project(library), "neural-network neural C++", [text])
    assert [text[start:end] for start, end in spans] == ["C++", "neural network"]


def test_without_terms_words_are_found_as_written() -> None:
    plain = Library(dict(TEXTS))
    plain.project = replace(plain.project, hybrid_enabled=False)
    plain.ingest()
    [spans] = places_of_words(open_project(plain), "measured tides", ["measured, measuring"])
    assert spans == [(0, 8)]


BERESHIT = "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05b4\u05c1\u05d9\u05ea"
BARA = "\u05d1\u05bc\u05b8\u05e8\u05b8\u05d0"
KATABA = "\u0643\u064e\u062a\u064e\u0628\u064e"
AHMAD = "\u0623\u064e\u062d\u0652\u0645\u064e\u062f\u064f"
LETTER = "\u0627\u0644\u0631\u0651\u0650\u0633\u0640\u0640\u0627\u0644\u064e\u0629\u064e"
FARSI, OLD = "\u0641\u0627\u0631\u0633\u06cc", "\u06a9\u0647\u0646"
POINTED = {
    "papers/he.txt": f"# \u05e1\u05e4\u05e8\n\n{BERESHIT} {BARA}.",
    "papers/ar.txt": f"# \u0642\u0635\u0629\n\n{KATABA} {AHMAD} {LETTER}.",
    "papers/fa.txt": f"# \u0645\u062a\u0646\n\n\u0632\u0628\u0627\u0646 {FARSI} {OLD}.",
}


@pytest.fixture(scope="module")
def pointed() -> Library:
    made = Library(dict(POINTED))
    made.sparse = FastEmbedSparse()
    made.project = replace(made.project, sparse_model="Qdrant/bm25")
    made.ingest()
    return made


@pytest.mark.parametrize(
    ("typed", "printed", "path"),
    [
        ("\u05d1\u05e8\u05d0\u05e9\u05d9\u05ea", BERESHIT, "he"),
        (BARA, BARA, "he"),
        ("\u0643\u062a\u0628", KATABA, "ar"),
        ("\u0627\u062d\u0645\u062f", AHMAD, "ar"),  # an alef without its hamza
        ("\u0627\u0644\u0631\u0633\u0627\u0644\u0629", LETTER, "ar"),  # drawn out
        ("\u0641\u0627\u0631\u0633\u064a", FARSI, "fa"),  # the yeh and the kaf of Arabic
        ("\u0643\u0647\u0646", OLD, "fa"),
    ],
)
def test_a_word_typed_without_points_is_found_as_printed(
    pointed: Library, typed: str, printed: str, path: str
) -> None:
    assert printed in words_of(found(pointed, typed))
    assert printed in words_of(found(pointed, typed, exact=True))
    [first, *_] = query(open_project(pointed), QueryRequest(text=typed, mode=Mode.SPARSE)).passages
    assert first.stored.source_path == f"papers/{path}.txt"
