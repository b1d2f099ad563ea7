from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.references.front_matter import FirstPages, family_name_words
from citeloom.domain.references.titles import (
    Title,
    TitleRelation,
    announces_companion,
    normalise_title,
)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("The \ufb01rst \u00c9tude:  A Study", "the first etude a study"),
        ("Stra\u00dfe &amp; &lt;i&gt;\u0141\u00f3d\u017a&lt;/i&gt;", "strasse lodz"),
        ("On H$_2$\u2013CO <i>mixtures</i>", "on h2 co mixtures"),
        (r"\emph{Old} {B}ayes", "old bayes"),
        ("don\u2019t argu\ufffements", "dont arguments"),
        ("p < 0.05 and q > 3", "p 0 05 and q 3"),
        ("\u6c34\u4e2d", "\u6c34 \u4e2d"),
        ("", ""),
    ],
)
def test_a_title_has_one_normal_form(written: str, normal: str) -> None:
    assert normalise_title(written) == normal


@given(st.text(max_size=80))
def test_normalising_a_normal_form_changes_nothing(written: str) -> None:
    normal = normalise_title(written)
    assert normalise_title(normal) == normal


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="&<"), max_size=80))
def test_case_and_accents_do_not_matter(written: str) -> None:
    accented = written.replace("e", "\u00e9").replace("o", "\u00f6")
    assert normalise_title(accented) == normalise_title(written.upper())


@pytest.mark.parametrize(
    ("one", "other", "wording"),
    [
        ("Modelling rain over hills", "Modeling rain over the hills", TitleRelation.SAME),
        ("Reproducible rain", "Repro-\nducible rain", TitleRelation.SAME),
        ("Machine reading of rain", "Rnachine reading of rain", TitleRelation.SAME),
        ("Rain over hills", "Rain over hills1", TitleRelation.SAME),
        ("Rain over hills", "Rain over hills in winter", TitleRelation.SHORTENED),
        ("Rain over hills in winter", "Rain over hills", TitleRelation.OTHER),
        ("Rivers and raeds", "Rivers and reeds", TitleRelation.SAME),
        ("Deep learning for vision", "Deep learning for speech", TitleRelation.OTHER),
        ("Supervised rain", "Unsupervised rain", TitleRelation.OTHER),
        ("Rain over hills", "Snow and rain over hills", TitleRelation.OTHER),
        ("Rain over hills", "[Re] Rain over hills", TitleRelation.OTHER),
        ("Rain over hills", "Comment on Rain over hills", TitleRelation.OTHER),
        ("Rain in 2019", "Rain in 2020", TitleRelation.OTHER),
        ("Rain, part I", "Rain, part II", TitleRelation.OTHER),
    ],
)
def test_wording_tells_noise_from_another_work(
    one: str, other: str, wording: TitleRelation
) -> None:
    assert Title.of(one).wording(Title.of(other)) is wording


@pytest.mark.parametrize(
    ("line", "announces"),
    [
        ("ERRATUM", True),
        ("Correction to:", True),
        ("Book Review", True),
        ("Review article", False),
        ("The correction of vision", False),
        ("", False),
    ],
)
def test_a_line_that_announces_a_companion_is_known(line: str, announces: bool) -> None:
    assert announces_companion(line) is announces


def test_spans_are_whole_lines_that_can_begin_and_end_a_title() -> None:
    front = FirstPages(
        "Erratum\nRain over the\nhills:\nA study\nAda Moor\n\nReferences\nCited work"
    )
    texts = {span.title.text for span in front.spans}
    assert "rain over the hills a study" not in texts
    assert {"ada moor", "a study ada moor"} <= texts
    assert not any(text.endswith(("the", "cited work")) for text in texts)


@pytest.mark.parametrize(
    ("author", "words"),
    [
        ("Moor, Ada", ("moor",)),
        ("van der Berg, Jan", ("berg",)),
        ("D Schl\u00f6ss, Pat", ("schloss",)),
        ("Li, Xiaoming", ("li", "xiaoming")),
        ("Li, X.", ()),
        ("\u738b, \u660e", ("\u738b",)),
        ("The Rain Collaboration", ("collaboration",)),
    ],
)
def test_an_author_is_recognised_by_telling_words(author: str, words: tuple[str, ...]) -> None:
    assert family_name_words(author) == words
