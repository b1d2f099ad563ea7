"""Which sentences can be quoted, and which excerpts of them answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.domain.answers.extraction import (
    ExtractionPolicy,
    SentenceCandidate,
    choose_excerpts,
    quotable_sentences,
    quotable_spans,
    says_something,
)
from citeloom.domain.chunks.chunk import Chunk
from citeloom.domain.retrieval.passage import Passage, StoredChunk

POLICY = ExtractionPolicy()


@pytest.mark.parametrize(
    "sentence",
    [
        "Winter rye was sown on plot nine.",
        "It costs 45 EUR per m2.",
        "O centeio d'inverno foi semeado (em 2019).",
        "Physics-informed networks solve it faster.",
    ],
)
def test_prose_says_something(sentence: str) -> None:
    assert says_something(sentence, 5)


@pytest.mark.parametrize(
    "sentence",
    [
        "7 @allocated solve!(solver, nlp, stats) # = 0",
        "1  using DataFrames2, PlotLib, SolverCore",
        "LL = (X'WX) + 1 and b1 = L1 * (X'Wy) + 2 = 0",
        "These are the weeks of sowing:",
        "Rye was sown.",
        "",
    ],
)
def test_code_formulas_and_announcements_say_nothing(sentence: str) -> None:
    assert not says_something(sentence, 5)


@pytest.mark.parametrize(
    "fragment",
    [
        "Effects of Early Sowing on the Yield of Rye",
        "Figure 4. The yield of rye in every year of the trial.",
        "Tabelle 2: Der Ertrag von Roggen in jedem Jahr des Versuchs.",
        "Smith, J. (2019). Sowing dates of winter rye in the north.",
        "On the plots of the second year the yield was",
        ", and the yield fell in both of the years.",
        "where the yield is that of the whole plot in tonnes.",
        "sown in autumn on the plots of the second year.",
        "[27] and the gardeners for their help in the second year.",
        "[3, 5] ecosystem of tools that the gardeners have today.",
        "The gauges were read every morning, see https://rye.example/gauges",
    ],
)
def test_fragments_captions_and_references_are_not_quotable(fragment: str) -> None:
    assert quoted(fragment) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "read_rows() returns the rows of every plot.",
        "h5py keeps the rows of every plot together.",
        "[3] Rye was sown on the plots in autumn.",
    ],
)
def test_a_name_may_begin_a_sentence_with_a_small_letter(sentence: str) -> None:
    assert quoted(sentence) == [sentence]


def test_a_small_word_that_comes_again_begins_a_sentence() -> None:
    text = "rowkeeper writes down the rows of a plot. Every plot has a rowkeeper of its own."
    assert quoted(text)[0].startswith("rowkeeper")
    assert not quoted(text.replace("a rowkeeper", "a keeper"))[0].startswith("rowkeeper")


def test_a_sentence_about_a_figure_is_no_caption() -> None:
    text = "Figure 4 shows the yield of rye in each year."
    assert quoted(text) == [text]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("窖穴的底部铺着草木灰，用来防潮。用来煮饭。", ["窖穴的底部铺着草木灰，用来防潮。"]),
        (
            "橋の材料は鋼鉄である「錆びた橋」。長さは次のとおりである：",
            ["橋の材料は鋼鉄である「錆びた橋」。"],
        ),
        ("图 3：每年的水稻产量和降水量的变化。", []),
        ("ผลผลิตเฉลี่ยเท่ากับหกร้อยกิโลกรัมต่อไร่", []),
        (
            "พื้นที่ศึกษา\n\nการเผาฟางทำให้ดินสูญเสียไนโตรเจน มันทำให้ดินเสื่อม",
            ["การเผาฟางทำให้ดินสูญเสียไนโตรเจน", "มันทำให้ดินเสื่อม"],
        ),
    ],
)
def test_where_no_spaces_part_words_two_letters_count_as_one(
    text: str, sentences: list[str]
) -> None:
    assert quoted(text) == sentences


def test_a_wide_letter_takes_the_room_of_two() -> None:
    sentence = "窖穴的底部铺着草木灰，用来防潮。"
    one = stored("one", sentence * 4)
    found = quotable_sentences([Passage(stored=one, score=1.0, text="")], POLICY)
    assert len(found) == 1
    [excerpt] = choose_excerpts(sentences(one, [0.5] * 4), ExtractionPolicy(longest=100, first=100))
    assert excerpt.end - excerpt.start == 3 * len(sentence)


@pytest.mark.parametrize("marker", ["\u2022 ", "- ", "3. ", "(b) ", "iv) "])
def test_an_item_of_a_list_is_quoted_without_its_bullet(marker: str) -> None:
    text = f"The trial had rules:\n\n{marker}Rye was sown on every second plot."
    assert quoted(text) == ["Rye was sown on every second plot."]


def test_the_best_passage_is_quoted_with_the_sentences_around() -> None:
    text = "Oats were sown in spring. Rye was sown in autumn. Both were cut in July."
    near = stored("near", text)
    far = stored("far", "Rye stands well in wind.")
    found = [*sentences(near, [0.2, 0.8, 0.3]), *sentences(far, [0.7], rank=2)]
    assert texts(choose_excerpts(found, POLICY)) == [text, "Rye stands well in wind."]


def test_an_excerpt_grows_on_the_better_side_as_far_as_there_is_room() -> None:
    one = stored("one", "Oats were sown in spring. Rye was sown in autumn. Both were cut in July.")
    policy = ExtractionPolicy(first=60, longest=60, total=60)
    later, earlier = sentences(one, [0.2, 0.8, 0.3]), sentences(one, [0.4, 0.8, 0.3])
    assert texts(choose_excerpts(later, policy)) == [
        "Rye was sown in autumn. Both were cut in July."
    ]
    assert texts(choose_excerpts(earlier, policy)) == [
        "Oats were sown in spring. Rye was sown in autumn."
    ]


def test_an_excerpt_leaves_nothing_out_between_its_sentences() -> None:
    one = stored("one", "Rye was sown in autumn.\n\nTable 2: Yields\n\nBoth were cut in July.")
    found = [
        SentenceCandidate(stored=one, start=0, end=23, rank=1, similarity=0.9),
        SentenceCandidate(stored=one, start=42, end=64, rank=1, similarity=0.6),
    ]
    assert texts(choose_excerpts(found, POLICY)) == [
        "Rye was sown in autumn.",
        "Both were cut in July.",
    ]


def test_rank_and_words_count_beside_the_meaning() -> None:
    first, second = stored("first", "Rye was sown."), stored("second", "Oats were sown.")
    (one,), (other,) = sentences(first, [0.5]), sentences(second, [0.55], rank=2)
    assert choose_excerpts([other, one], POLICY)[0].stored is first
    (told,) = sentences(second, [0.55], rank=2, terms=1.0)
    assert choose_excerpts([one, told], POLICY)[0].stored is second


def test_a_listing_of_code_is_quoted_whole_and_compared_with_what_introduces_it() -> None:
    text = "Run this in the evening:\n\nrye backup\nrye check\n\nBoth take an hour or two."
    code = (text.index("rye"), text.index("\n\nBoth"))
    one = stored("one", text)
    chunk = replace(one.chunk, code=(code,), section_path=("Keeping", "Backups"))
    passage = Passage(stored=replace(one, chunk=chunk), score=1.0, text="")
    prose, listing = quotable_sentences([passage], POLICY)
    assert (prose.text, prose.is_code) == ("Both take an hour or two.", False)
    assert (listing.text, listing.is_code) == ("rye backup\nrye check", True)
    assert listing.compared == f"Backups\nRun this in the evening:\n{listing.text}"
    found = [replace(listing, similarity=0.8), replace(prose, similarity=0.7)]
    assert texts(choose_excerpts(found, POLICY)) == [listing.text, prose.text]
    short = ExtractionPolicy(longest=15, first=15)
    assert [one.is_code for one in quotable_sentences([passage], short)] == []


def test_what_is_far_less_near_than_the_best_is_left_out() -> None:
    found = [
        one
        for n, similarity in enumerate((0.8, 0.5, 0.4))
        for one in sentences(stored(f"c{n}", f"Rye {n} was sown."), [similarity], rank=n + 1)
    ]
    assert texts(choose_excerpts(found, POLICY)) == ["Rye 0 was sown.", "Rye 1 was sown."]


def test_where_the_first_has_the_questions_words_at_most_two_more_are_quoted() -> None:
    found = [
        sentences(stored(f"c{n}", f"Rye {n} was sown."), [0.8], rank=n + 1, terms=terms)[0]
        for n, terms in enumerate((0.9, 0.5, 0.5, 0.5, 0.5))
    ]
    assert len(choose_excerpts(found, POLICY)) == 3
    assert len(choose_excerpts([replace(one, terms=0.5) for one in found], POLICY)) == 5


def test_an_answer_ends_where_its_room_does() -> None:
    found = [
        one
        for n in range(9)
        for one in sentences(stored(f"c{n}", "Rye was sown early. " * 14), [0.5] * 14, rank=n + 1)
    ]
    chosen = choose_excerpts(found, POLICY)
    assert sum(one.end - one.start for one in chosen) <= POLICY.total
    assert len(chosen) > 3
    assert choose_excerpts([], POLICY) == ()


@pytest.mark.parametrize(
    "changed",
    [{"passages": 0}, {"least_words": 0}, {"longest": 900}, {"first": 1_600}, {"further": 0}],
)
def test_impossible_policies_are_refused(changed: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"at least one|must hold"):
        ExtractionPolicy(**changed)


def stored(name: str, text: str) -> StoredChunk:
    chunk = Chunk(
        id=name,
        doc_id=f"of-{name}",
        text=text,
        page_span=(1, 1),
        chunk_idx=0,
        token_count=9,
        signal_to_noise=1.0,
    )
    return StoredChunk(project_id="lab/p", chunk=chunk, source_path=f"{name}.pdf")


def sentences(
    chunk: StoredChunk, similarities: list[float], *, rank: int = 1, terms: float = 0.0
) -> list[SentenceCandidate]:
    policy = ExtractionPolicy(least_words=1)
    spans = quotable_spans(chunk.chunk.text, policy)
    return [
        SentenceCandidate(
            stored=chunk, start=start, end=end, rank=rank, similarity=similarity, terms=terms
        )
        for (start, end), similarity in zip(spans, similarities, strict=True)
    ]


def quoted(text: str) -> list[str]:
    return [text[start:end] for start, end in quotable_spans(text, POLICY)]


def texts(excerpts: tuple[SentenceCandidate, ...]) -> list[str]:
    return [excerpt.text for excerpt in excerpts]
