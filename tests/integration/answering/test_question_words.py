"""Questions in several languages, none of which is refused for a word that only asks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from citeloom.application.requests.passages import AskRequest
from citeloom.domain.answers.relevance import Relevance, Thresholds
from citeloom.domain.text.word_lists import word_list
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse
from tests.unit.application.answering.project import ask_of
from tests.unit.application.library import Library

RECIPE = Path(__file__).parents[3] / "recipes/pdf-in-portuguese/document.typ"
BY_WORDS_ALONE = Thresholds(related=-1.0, answered=-1.0, unknown_share=0.3)
PORTUGUESE = (
    "Qual é a temperatura da cisterna em agosto?",
    "Quantas câmaras tem a cisterna?",
    "Onde é recolhida a água da chuva?",
    "Quem decide quando a comporta é fechada?",
    "Quanto tempo dura o reboco das paredes?",
    "Por que não crescem algas na água?",
    "Quando são varridos os telhados?",
    "Como se conserva a água armazenada?",
    "Como paga cada casa?",
    "Desde quando há registos?",
    "Quantas vezes secou a cisterna?",
    "Para onde vai a água no primeiro dia de chuva?",
    "Quem escolhe o guarda do ano seguinte?",
    "Quantos metros cúbicos entram num ano de chuva média?",
    "Porque recusou a assembleia os contadores?",
    "Quantos dias por ano trabalha cada família?",
    "O que desvia a água para a horta comum?",
    "Quais agulhas tapam a rede?",
    "Com que são rebocadas as paredes interiores?",
    "De que são feitas as tampas?",
)
OTHERS = {
    "german": (
        "Die Mühle steht am Bach und mahlt seit 1790 Roggen. Der Müller schärft die Steine zweimal "
        "im Jahr. Das Mehl wird in Säcken von fünfzig Kilo verkauft.",
        (
            "Wie oft schärft der Müller die Steine?",
            "Wo steht die Mühle?",
            "Was mahlt die Mühle seit 1790?",
            "Worin wird das Mehl verkauft?",
            "Wer schärft die Steine der Mühle?",
        ),
    ),
    "french": (
        "Le moulin se trouve au bord du ruisseau et moud du seigle depuis 1790. Le meunier taille "
        "les pierres deux fois par an. La farine se vend en sacs de cinquante kilos.",
        (
            "Combien de fois par an le meunier taille-t-il les pierres ?",
            "Où se trouve le moulin ?",
            "Depuis quand le moulin moud-il du seigle ?",
            "Comment la farine se vend-elle ?",
            "Qui taille les pierres du moulin ?",
        ),
    ),
    "spanish": (
        "El molino está junto al arroyo y muele centeno desde 1790. El molinero afila las piedras "
        "dos veces al año. La harina se vende en sacos de cincuenta kilos.",
        (
            "¿Cuántas veces al año afila el molinero las piedras?",
            "¿Dónde está el molino?",
            "¿Desde cuándo muele centeno el molino?",
            "¿Cómo se vende la harina?",
            "¿Quién afila las piedras del molino?",
        ),
    ),
}


def judged(texts: dict[str, str], sparse_model: str, *questions: str) -> list[Relevance]:
    library = Library({f"papers/{name}": text for name, text in texts.items()})
    library.sparse = FastEmbedSparse(sparse_model)
    library.project = replace(library.project, sparse_model=sparse_model)
    library.ingest()
    ask = ask_of(library, thresholds=BY_WORDS_ALONE)
    return [ask(AskRequest(text=one)).relevance for one in questions]


@pytest.mark.parametrize("model", ["Qdrant/bm25:portuguese", "Qdrant/bm25"])
def test_no_answerable_question_of_the_recipe_is_refused(model: str) -> None:
    texts = {"cisterna.txt": re.sub(r"(?m)^#.*$", "", RECIPE.read_text(encoding="utf-8"))}
    found = dict(zip(PORTUGUESE, judged(texts, model, *PORTUGUESE), strict=True))

    assert {one for one, relevance in found.items() if relevance.refused(weak=True)} == set()
    counted = {word.casefold() for one in found.values() for word in one.wording.weights}
    assert counted & word_list("question", "pt") == set()


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("own", [True, False])
def test_nor_is_one_in_german_french_or_spanish(language: str, own: bool) -> None:
    text, questions = OTHERS[language]
    model = f"Qdrant/bm25:{language}" if own else "Qdrant/bm25"

    for question, relevance in zip(questions, judged({"mill.txt": text}, model, *questions)):
        assert not relevance.refused(weak=True), (question, relevance.reasons)


def test_a_question_of_another_language_is_not_unknown_for_its_articles() -> None:
    text = OTHERS["german"][0]
    (found,) = judged({"mill.txt": text}, "Qdrant/bm25:german", "What is the Roggen of the Bach?")

    assert (set(found.wording.weights), found.wording.unknown) == ({"Roggen", "Bach"}, frozenset())
