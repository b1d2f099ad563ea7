"""Words of other languages than English as terms."""

from __future__ import annotations

import pytest

from citeloom.infrastructure.embedding.fastembed.bm25 import STEMMERS, WordForms
from citeloom.infrastructure.embedding.fastembed.sparse import FastEmbedSparse


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", "Häuser Haeuser Hauser Hauses"),
        ("de", "Größe Groesse grösse Größen"),
        ("de", "Übertragung Uebertragungen"),
        ("de", "aktuelle aktuellen"),
        ("fr", "énergie energie énergies"),
        ("fr", "efficacité efficacite efficacités"),
        ("fr", "généraux générale generale"),
        ("es", "información informacion informaciones"),
        ("es", "árboles arbol árbol"),
        ("es", "voz voces"),
        ("es", "español espanol"),
        ("pt", "informação informacao informações informacoes"),
        ("pt", "medição medições medicoes"),
        ("pt", "estável estaveis estáveis"),
        ("pt", "animais animal"),
        ("it", "città citta"),
    ],
)
def test_forms_of_a_word_are_one_term_however_they_are_typed(language: str, forms: str) -> None:
    words = WordForms(language)

    terms = {words.term(word.lower()) for word in forms.split()}

    assert len(terms) == 1
    assert terms.pop().isascii()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Was ist das für eine und wuerde sie es"),
        ("fr", "Qu'est-ce que c'est, même pour l'une"),
        ("es", "¿Qué es lo que no está y también?"),
        ("pt", "O que é que não está e nao esta"),
    ],
)
def test_stop_words_are_none_of_a_languages_terms(language: str, text: str) -> None:
    sparse = FastEmbedSparse()

    assert sparse.embed_query(text, language).indices == ()
    assert sparse.embed_query(text).indices


@pytest.mark.parametrize(("language", "word"), [("fr", "force"), ("pt", "tempo"), ("es", "valor")])
def test_a_noun_of_science_is_no_stop_word(language: str, word: str) -> None:
    assert WordForms(language).term(word)


def test_letters_with_marks_stay_where_they_are_letters_of_their_own() -> None:
    swedish = WordForms("sv")

    assert swedish.term("mål") != swedish.term("mal")
    assert WordForms("ru").term("озёра") == WordForms("ru").term("озера")


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_every_language_is_stemmed(language: str) -> None:
    assert WordForms(language).term("station")


def test_a_language_named_for_all_texts_stays_the_only_one() -> None:
    named = FastEmbedSparse("Qdrant/bm25:german")

    assert named.languages == frozenset()
    assert named.embed_query("estaciones", "es") == named.embed_query("estaciones")
    assert "es" in FastEmbedSparse().languages


def test_of_english_nothing_changes() -> None:
    sparse = FastEmbedSparse()

    for text in ("The naïve station's Häuser", "information of the stations"):
        assert sparse.embed_query(text, "en") == sparse.embed_query(text)
        assert sparse.embed_passages([text], "ja") == sparse.embed_passages([text])
