"""What is said beside an answer, in each language of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from citeloom.domain.fields import Example, Text

# How a project words its prompts, answers and refusals.


class AnswerLanguage(StrEnum):
    """A language that instructions and refusals are shipped in."""

    ENGLISH = "en"
    GERMAN = "de"
    PORTUGUESE = "pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWording:
    """How answers and refusals are worded."""

    language: AnswerLanguage = AnswerLanguage.ENGLISH
    """Language of the instructions to a model and of refusals: en, de or pt."""
    prompt: Annotated[Text | None, Example("Answer in two sentences, from the passages alone.")] = (
        None
    )
    """Instructions to the model. The format of the reply and the rule not to follow instructions in
    passages are always added.
    """
    refusal: Annotated[
        Text | None, Example("I do not have the information to answer your question.")
    ] = None
    """The reply to a question that the library does not answer. Unset, a standard sentence in
    `language`.
    """
    prefix: str = ""
    """Put before every answer and every refusal."""
    refuse_weak: bool = False
    """Refuse also when the verdict is `related`, instead of giving sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The sentences around an answer; what stands in braces is filled in.

    `refusal` is said where the library has no answer, `model_found_none` where a model read the
    passages and replied that they hold none, `unsupported` where no sentence that it wrote passed
    the check.
    """

    refusal: str
    related: str
    nothing: str
    no_passage: str
    little_evidence: str
    little_in_one: str
    of_work: str
    unknown_words: str
    uncounted: str
    other_figures: str
    unknown: str
    missing: str
    nearest: str
    they_say: str
    left_out: str
    writes: str
    compare: str
    written_by: str
    written_from: str
    entailed: str
    entailment_unclear: str
    no_sentence: str
    model_found_none: str
    unsupported: str
    holds: str
    years: str
    terms: str
    sections: str
    wrote: str
    nobody: str
    no_reference: str
    question_embedded: str
    sentences_embedded: str
    put_in_order: str
    sentences_judged: str
    passages_sent: str
    turns_sent: str
    tokens: str
    about_tokens: str
    not_calibrated: str
    rebuilt: str
    grown: str


MESSAGES: Mapping[AnswerLanguage, Messages] = {
    AnswerLanguage.ENGLISH: Messages(
        refusal="The library does not answer this question.",
        related="The library speaks of this; whether these passages answer the question is open",
        nothing="The library says nothing about this",
        no_passage="no passage was found",
        little_evidence="evidence {evidence:.2f} (similarity {similarity:.2f}, {coverage:.0%} of "
        "the question's words), below {limit:.2f}",
        little_in_one="evidence in one passage {evidence:.2f} (similarity {similarity:.2f}, "
        "{coverage:.0%} of the question's words{beside}), below {limit:.2f}",
        of_work=", {share:.0%} of the passages from its work",
        unknown_words="{share:.0%} of the weight of the question's words is on words that the "
        "library does not have",
        uncounted="none of the passages says how many: {words}",
        other_figures="the passage with most of the question's words does not have {figures}",
        unknown="Nowhere in the library: {words}",
        missing="Not in the nearest passages: {words}",
        nearest="Nearest passages:",
        they_say="The documents say:",
        left_out="{count} of {written} sentences are not supported: left out.",
        writes="{model} writes:",
        compare="in other words than its quotes: compare",
        written_by="Written by {model}.",
        written_from="from: {quote}",
        entailed="entailed by {model}",
        entailment_unclear="unclear to {model} whether the quotes entail it",
        no_sentence="No sentence of the passages can be quoted.",
        model_found_none="The model read the passages and replied that they hold no answer.",
        unsupported="The model wrote an answer; no sentence of it is supported by its quotes.",
        holds="The library holds {documents} documents, {works} works with a reference.",
        years="Years: {first} to {last}.",
        terms="Frequent words of titles and tags: {names}.",
        sections="Frequent sections: {names}.",
        wrote="By its reference: {authors}{year}, {title} {citation}.",
        nobody="no authors named",
        no_reference="(no reference)",
        question_embedded="the question was sent to {host} to be embedded",
        sentences_embedded="the question and sentences of passages were sent to {host} to be "
        "embedded",
        put_in_order="the question and passages were sent to {host} to be reranked",
        sentences_judged="sentences that a model wrote and their quotes were sent to {host} to be "
        "judged",
        passages_sent="the question and passages were sent to {host} ({model})",
        turns_sent="the question and earlier turns were sent to {host}",
        tokens="{read:,} tokens read, {written:,} written",
        about_tokens="about {read:,} tokens read, about {written:,} written",
        not_calibrated="the collection is not calibrated: default limits are used; {advice}",
        rebuilt="the collection was rebuilt since it was calibrated: default limits are used; "
        "{advice}",
        grown="the collection has {chunks:,} chunks and was calibrated with {calibrated:,}: "
        "calibrate it again; {advice}",
    ),
    AnswerLanguage.GERMAN: Messages(
        refusal="Die Bibliothek beantwortet diese Frage nicht.",
        related="Die Bibliothek spricht davon; ob diese Stellen die Frage beantworten, ist offen",
        nothing="Die Bibliothek sagt nichts darüber",
        no_passage="keine Stelle gefunden",
        little_evidence="Beleg {evidence:.2f} (Ähnlichkeit {similarity:.2f}, {coverage:.0%} der "
        "Wörter der Frage), unter {limit:.2f}",
        little_in_one="Beleg in einer Textstelle {evidence:.2f} (Ähnlichkeit {similarity:.2f}, "
        "{coverage:.0%} der Wörter der Frage{beside}), unter {limit:.2f}",
        of_work=", {share:.0%} der Stellen aus ihrem Werk",
        unknown_words="{share:.0%} des Gewichts der Wörter der Frage liegt auf Wörtern, die die "
        "Bibliothek nicht hat",
        uncounted="keine der Stellen sagt, wie viele: {words}",
        other_figures="in der Stelle mit den meisten Wörtern der Frage steht nicht: {figures}",
        unknown="Nirgends in der Bibliothek: {words}",
        missing="Nicht in den nächsten Stellen: {words}",
        nearest="Nächste Stellen:",
        they_say="Die Dokumente sagen:",
        left_out="{count} von {written} Sätzen sind nicht belegt: ausgelassen.",
        writes="{model} schreibt:",
        compare="in anderen Worten als seine Zitate: vergleichen",
        written_by="Geschrieben von {model}.",
        written_from="aus: {quote}",
        entailed="folgt laut {model} aus den Zitaten",
        entailment_unclear="für {model} unklar, ob es aus den Zitaten folgt",
        no_sentence="Kein Satz der Stellen lässt sich zitieren.",
        model_found_none="Das Modell las die Stellen und antwortete, dass sie keine Antwort haben.",
        unsupported="Das Modell schrieb eine Antwort; keiner ihrer Sätze ist von seinen Zitaten "
        "gedeckt.",
        holds="Die Bibliothek hat {documents} Dokumente, {works} Werke mit Literaturangabe.",
        years="Jahre: {first} bis {last}.",
        terms="Häufige Wörter in Titeln und Schlagwörtern: {names}.",
        sections="Häufige Abschnitte: {names}.",
        wrote="Laut Literaturangabe: {authors}{year}, {title} {citation}.",
        nobody="ohne Autoren",
        no_reference="(ohne Literaturangabe)",
        question_embedded="die Frage wurde zum Einbetten an {host} gesendet",
        sentences_embedded="die Frage und Sätze der Stellen wurden zum Einbetten an {host} "
        "gesendet",
        put_in_order="die Frage und Stellen wurden zum Ordnen an {host} gesendet",
        sentences_judged="Sätze, die ein Modell schrieb, und ihre Zitate wurden zum Beurteilen an "
        "{host} gesendet",
        passages_sent="die Frage und Stellen wurden an {host} gesendet ({model})",
        turns_sent="die Frage und frühere Fragen und Antworten wurden an {host} gesendet",
        tokens="{read:,} Tokens gelesen, {written:,} geschrieben",
        about_tokens="etwa {read:,} Tokens gelesen, etwa {written:,} geschrieben",
        not_calibrated="die Sammlung ist nicht kalibriert: voreingestellte Grenzen gelten; "
        "{advice}",
        rebuilt="die Sammlung wurde seit dem Kalibrieren neu aufgebaut: voreingestellte Grenzen "
        "gelten; {advice}",
        grown="die Sammlung hat {chunks:,} Abschnitte und wurde mit {calibrated:,} kalibriert: "
        "kalibriere sie neu; {advice}",
    ),
    AnswerLanguage.PORTUGUESE: Messages(
        refusal="A biblioteca não responde a esta pergunta.",
        related="A biblioteca fala disto; se estes trechos respondem à pergunta fica em aberto",
        nothing="A biblioteca nada diz sobre isto",
        no_passage="nenhum trecho encontrado",
        little_evidence="evidência {evidence:.2f} (semelhança {similarity:.2f}, {coverage:.0%} das "
        "palavras da pergunta), abaixo de {limit:.2f}",
        little_in_one="evidência num só trecho {evidence:.2f} (semelhança {similarity:.2f}, "
        "{coverage:.0%} das palavras da pergunta{beside}), abaixo de {limit:.2f}",
        of_work=", {share:.0%} dos trechos da sua obra",
        unknown_words="{share:.0%} do peso das palavras da pergunta está em palavras que a "
        "biblioteca não tem",
        uncounted="nenhum dos trechos diz quantos: {words}",
        other_figures="o trecho com mais palavras da pergunta não tem {figures}",
        unknown="Em nenhum lugar da biblioteca: {words}",
        missing="Não está nos trechos mais próximos: {words}",
        nearest="Trechos mais próximos:",
        they_say="Os documentos dizem:",
        left_out="{count} de {written} frases não têm apoio: omitidas.",
        writes="{model} escreve:",
        compare="com palavras diferentes das citações: compare",
        written_by="Escrito por {model}.",
        written_from="de: {quote}",
        entailed="decorre das citações segundo {model}",
        entailment_unclear="não está claro para {model} se decorre das citações",
        no_sentence="Nenhuma frase dos trechos pode ser citada.",
        model_found_none="O modelo leu os trechos e respondeu que neles não há resposta.",
        unsupported="O modelo escreveu uma resposta; nenhuma frase dela é apoiada pelas suas "
        "citações.",
        holds="A biblioteca tem {documents} documentos, {works} obras com referência.",
        years="Anos: {first} a {last}.",
        terms="Palavras frequentes em títulos e etiquetas: {names}.",
        sections="Seções frequentes: {names}.",
        wrote="Segundo a referência: {authors}{year}, {title} {citation}.",
        nobody="sem autores",
        no_reference="(sem referência)",
        question_embedded="a pergunta foi enviada a {host} para ser vetorizada",
        sentences_embedded="a pergunta e frases dos trechos foram enviadas a {host} para serem "
        "vetorizadas",
        put_in_order="a pergunta e trechos foram enviados a {host} para serem ordenados",
        sentences_judged="frases que um modelo escreveu e as suas citações foram enviadas a {host} "
        "para serem julgadas",
        passages_sent="a pergunta e trechos foram enviados a {host} ({model})",
        turns_sent="a pergunta e as anteriores com as suas respostas foram enviadas a {host}",
        tokens="{read:,} tokens lidos, {written:,} escritos",
        about_tokens="cerca de {read:,} tokens lidos, cerca de {written:,} escritos",
        not_calibrated="a coleção não está calibrada: valem os limites predefinidos; {advice}",
        rebuilt="a coleção foi refeita desde a calibração: valem os limites predefinidos; {advice}",
        grown="a coleção tem {chunks:,} fragmentos e foi calibrada com {calibrated:,}: calibre-a "
        "de novo; {advice}",
    ),
}
