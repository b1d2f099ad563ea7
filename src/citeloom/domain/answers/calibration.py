"""Thresholds of verdicts found from a collection itself, and how often each verdict errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from math import floor
from statistics import median

from citeloom.domain.answers.relevance import (
    UNCALIBRATED,
    WORK_WEIGHT,
    Thresholds,
    Verdict,
    evidence,
    evidence_in_one,
    found_share_in_one,
    verdict_on,
)
from citeloom.domain.evaluation.significance import Rate
from citeloom.domain.project import Collection
from citeloom.domain.retrieval.coverage import WHOLE
from citeloom.domain.retrieval.words import WordCoverage, function_words
from citeloom.domain.text.tokens import WORD

CHANGED = 0.1
"""The relative change in the number of chunks from which an ingest calibrates anew."""
LEAST_CHUNKS = 300
"""From how many chunks on an ingest calibrates by itself: in smaller libraries the default
thresholds found as many answers, and called a half to a quarter as many foreign questions related.
"""
DRIFT = 0.2
"""The relative change in the number of chunks from which a calibration is out of date."""
MOST_PASSED = 0.05
"""The share of unrelated questions that may be taken for related ones."""
MOST_REFUSED = 0.1
"""The share of questions that the library answers of which nothing may be said."""
MOST_ANSWERED = 0.1
"""The share of questions without their document that may be called answered."""
_ANSWERED_ABOVE = UNCALIBRATED.answered - UNCALIBRATED.related
_MOST_WORDS = 7


@dataclass(frozen=True, slots=True)
class Measured:
    """A question as it stands in a library: its nearest passage's cosine and its words."""

    similarity: float
    wording: WordCoverage

    @property
    def evidence(self) -> float:
        return evidence(self.similarity, self.wording)

    @property
    def evidence_in_one(self) -> float:
        return evidence_in_one(self.similarity, self.wording, WORK_WEIGHT)

    @property
    def in_one_passage(self) -> bool:
        """Whether one passage has nearly all the words."""
        return found_share_in_one(self.wording) >= WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    nothing: Rate
    related: Rate
    answered: Rate

    @classmethod
    def count(cls, verdicts: Sequence[Verdict]) -> Verdicts:
        nothing, related, answered = (
            Rate(verdicts.count(verdict), len(verdicts))
            for verdict in (Verdict.NOTHING, Verdict.RELATED, Verdict.ANSWERED)
        )
        return cls(nothing=nothing, related=related, answered=answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """Questions of known kinds, asked of a library.

    `unrelated` are questions of other fields by field; `present` are made of the library's
    sentences, `short` of its names, and `absent` are those of `present` asked without their
    document: what is not there any more, unless another document repeats the sentence.
    """

    unrelated: Mapping[str, tuple[Measured, ...]]
    present: tuple[Measured, ...]
    short: tuple[Measured, ...]
    absent: tuple[Measured, ...]

    @property
    def related_fields(self) -> tuple[str, ...]:
        """The fields that the library itself seems to be about: nearer to its own questions than to
        the other fields, by the medians of their evidence.
        """
        everything = [question.evidence for question in chain(*self.unrelated.values())]
        middle = (median(everything) + median(question.evidence for question in self.present)) / 2
        return tuple(
            name
            for name, those in self.unrelated.items()
            if median(question.evidence for question in those) > middle
        )

    @property
    def foreign(self) -> tuple[Measured, ...]:
        """The questions of the fields that remain."""
        left_out = self.related_fields
        return tuple(
            question
            for name, those in self.unrelated.items()
            if name not in left_out
            for question in those
        )

    def kinds(self) -> dict[str, tuple[Measured, ...]]:
        """The questions by kind, without those of related fields, and without the absent ones of
        which one passage still has nearly all the words. That is the sentence again, in a manual's
        next chapter or a table of contents; taken for unanswered, a few of them put the threshold
        of `answered` above nearly all that the library answers.
        """
        return {
            "unrelated": self.foreign,
            "absent": tuple(each for each in self.absent if not each.in_one_passage),
            "present": self.present,
            "short": self.short,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The thresholds of a collection with its model, and how often the verdicts err.

    `verdicts` are those on questions by kind (`unrelated`, `absent`, `present`, `short`), each by
    thresholds that its own half of the questions did not choose.
    """

    collection: str
    """The collection."""
    generation: str
    """Which build of it."""
    model: str
    """Its dense model."""
    chunks: int
    """How many it had."""
    thresholds: Thresholds
    """From which values on there is which verdict."""
    verdicts: Mapping[str, Verdicts] = field(hash=False)
    related_fields: tuple[str, ...] = ()
    """Fields that were left out since the library is about them."""
    created_at: datetime | None = None
    """When it was made."""

    def fits(self, collection: Collection) -> bool:
        """Whether it was made for this collection as it was built, with its model."""
        made_for = (self.collection, self.generation, self.model)
        return made_for == (collection.name, collection.generation, collection.dense_model)

    def drift(self, chunks: int) -> float:
        """By how much of its size the collection has changed since."""
        return abs(chunks - self.chunks) / self.chunks if self.chunks else 1.0


def calibrate(
    found: Samples, collection: Collection, chunks: int, created_at: datetime
) -> Calibration:
    kinds = found.kinds()
    return Calibration(
        collection=collection.name,
        generation=collection.generation,
        model=collection.dense_model,
        chunks=chunks,
        thresholds=thresholds_of(kinds),
        verdicts=_held_out(kinds),
        related_fields=found.related_fields,
        created_at=created_at,
    )


def thresholds_of(kinds: Mapping[str, Sequence[Measured]]) -> Thresholds:
    """The limits that let so few unrelated and absent questions through, but refuse no more than
    10 % of those that the library answers.
    """
    unrelated, present, short = (
        [question.evidence for question in kinds[kind]]
        for kind in ("unrelated", "present", "short")
    )
    absent, whole = (
        [question.evidence_in_one for question in kinds[kind]] for kind in ("absent", "present")
    )
    related = min(quantile(unrelated, 1 - MOST_PASSED), quantile([*present, *short], MOST_REFUSED))
    if absent:
        answered = quantile(absent, 1 - MOST_ANSWERED)
    else:  # there may be one work alone
        shares = [question.wording.work_share for question in kinds["present"]]
        answered = related + _ANSWERED_ABOVE + WORK_WEIGHT * median(shares)
    answered = min(answered, quantile(whole, 0.5))
    return Thresholds(
        related=related,
        answered=max(related, answered),
        unknown_share=UNCALIBRATED.unknown_share,
        work_weight=WORK_WEIGHT,
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share lies; rounded to four places."""
    ordered = sorted(values)
    return floor(ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1e4) / 1e4


def question_of_words(sentence: str) -> str:
    """Some of the words of a sentence that carry content, in their order, as one asks in a search
    box.
    """
    functional = function_words(sentence)
    words = [word for word in WORD.findall(sentence) if word.casefold() not in functional]
    step = max(1.0, len(words) / _MOST_WORDS)
    return " ".join(words[int(n * step)] for n in range(min(len(words), _MOST_WORDS)))


def question_of_name(sentence: str) -> str | None:
    """`What is NAME?` of the first word in a sentence that is written as a name; None without."""
    for word in WORD.findall(sentence)[1:]:
        capitals = sum(char.isupper() for char in word)
        if capitals and word[0].isalpha() and len(word) > 2:
            return f"What is {word}?"
    return None


def _held_out(kinds: Mapping[str, Sequence[Measured]]) -> dict[str, Verdicts]:
    """The verdicts on each half of the questions by the thresholds that the other half gives."""
    verdicts: dict[str, list[Verdict]] = {kind: [] for kind in kinds}
    for half in (0, 1):
        others = {kind: those[1 - half :: 2] for kind, those in kinds.items()}
        limits = thresholds_of(others)
        for kind, those in kinds.items():
            verdicts[kind] += [
                verdict_on(each.similarity, each.wording, limits) for each in those[half::2]
            ]
    return {kind: Verdicts.count(those) for kind, those in verdicts.items()}


# Questions of many fields in three languages, most of which no one library answers.

UNRELATED_QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "cooking": (
        "How long should a leg of lamb rest after roasting?",
        "Why does hollandaise sauce curdle and how is it rescued?",
        "Which flour makes the crispest pizza crust?",
        "Can sourdough starter be kept in the freezer?",
        "Wie lange muss Sauerkraut gären, bevor man es essen kann?",
        "Womit bindet man eine Soße ohne Mehl?",
        "Qual é o ponto certo do doce de leite caseiro?",
        "Quanto tempo o feijão deve ficar de molho?",
    ),
    "football": (
        "Who decides whether a goalkeeper left the line too early at a penalty kick?",
        "How many substitutions may a team make in extra time?",
        "When is a striker offside after a throw-in?",
        "Which club has been relegated most often from its first division?",
        "Wann wurde die Abseitsregel im Fußball zuletzt geändert?",
        "Wie groß muss ein Fußballtor sein?",
        "Quantos cartões amarelos levam à suspensão de um jogador?",
        "Quem marcou o gol mais rápido de uma final de campeonato?",
    ),
    "medieval history": (
        "What did a reeve owe to the lord of the manor in the thirteenth century?",
        "Why did the siege of the castle at Rochester last so long?",
        "Which abbey kept the charter of the Norman dukes?",
        "How were heirs chosen among the Merovingian kings?",
        "Welche Rechte hatten die Zünfte in einer Hansestadt?",
        "Wer krönte Karl den Großen zum Kaiser?",
        "Que terras recebeu a ordem dos templários em Tomar?",
        "Como se pagava o dízimo numa aldeia medieval?",
    ),
    "contract law": (
        "When is a contract void because one party was under duress?",
        "Does a landlord have to return the deposit within thirty days?",
        "Which court hears an appeal against an injunction?",
        "Is an oral promise to sell a house binding?",
        "Wann verjährt ein Anspruch aus einem Kaufvertrag?",
        "Muss eine Kündigung schriftlich erfolgen?",
        "Quando prescreve uma dívida de aluguel?",
        "O fiador responde pela multa do contrato?",
    ),
    "gardening": (
        "When should roses be pruned in a cold climate?",
        "Which compost suits rhododendrons on chalky soil?",
        "How far apart are leeks planted?",
        "What eats the leaves of my hostas at night?",
        "Wann schneidet man einen Apfelbaum am besten?",
        "Wie wird man Giersch im Beet wieder los?",
        "Em que mês se podam as videiras?",
        "Que adubo usar nos tomateiros em vaso?",
    ),
    "opera": (
        "Which soprano sang the first Tosca in Rome?",
        "Why is the third act of the opera set in a tavern?",
        "Who wrote the libretto for Verdi's last work for the stage?",
        "How high is the Queen of the Night's top note?",
        "Welche Arie singt der Bariton im zweiten Akt?",
        "Wann wurde die Oper in Dresden wieder aufgebaut?",
        "Quem regeu a estreia da ópera em Milão?",
        "Em que ato morre a heroína da Traviata?",
    ),
    "dermatology": (
        "Which ointment helps against eczema on the eyelids?",
        "How soon do stitches on the face have to be removed?",
        "Is a mole with a ragged border dangerous?",
        "What dose of isotretinoin is given for severe acne?",
        "Welche Salbe hilft gegen Neurodermitis am Hals?",
        "Wie lange ist Gürtelrose ansteckend?",
        "Que pomada usar numa queimadura de sol?",
        "A psoríase piora no inverno?",
    ),
    "sailing": (
        "How do you reef the mainsail single-handed in a gale?",
        "Which knot holds a mooring line without jamming?",
        "Who gives way when two yachts meet on opposite tacks?",
        "What length of chain does an anchor need in ten metres of water?",
        "Wie trimmt man das Großsegel am Wind?",
        "Welche Lichter führt ein Segelboot bei Nacht?",
        "Como se faz um nó de escota?",
        "Que vento enche melhor a vela de balão?",
    ),
    "fashion": (
        "Which shoes go with a charcoal flannel suit?",
        "How is a silk scarf washed without losing its sheen?",
        "When did hemlines rise above the knee?",
        "What is the difference between tweed and herringbone?",
        "Wie bügelt man ein Leinenhemd ohne Falten?",
        "Welche Farbe passt zu einem dunkelgrünen Mantel?",
        "Como tirar mancha de vinho de um vestido branco?",
        "Que gravata combina com terno azul-marinho?",
    ),
    "real estate": (
        "What share of the price does the estate agent take as commission?",
        "Is it better to rent or to buy a flat in a small town?",
        "How is the value of a farmhouse with a leaking roof estimated?",
        "Which papers does the notary need to transfer a plot of land?",
        "Wie hoch ist die Grunderwerbsteuer beim Kauf einer Wohnung?",
        "Wer bezahlt den Makler bei einer Mietwohnung?",
        "Quanto custa a escritura de um apartamento usado?",
        "Posso vender um imóvel com inventário aberto?",
    ),
    "animal care": (
        "How often should a Labrador puppy be fed?",
        "Why does my cat refuse the litter tray?",
        "Which vaccine protects rabbits against myxomatosis?",
        "When are a horse's hooves due for trimming?",
        "Wie oft muss ein Meerschweinchen die Krallen geschnitten bekommen?",
        "Darf ein Hund rohes Schweinefleisch fressen?",
        "Com que idade se castra um gato?",
        "O que fazer quando o cavalo tem cólica?",
    ),
    "cinema": (
        "Who shot the chase along the rooftops in the silent thriller?",
        "Which actress won the prize for best supporting role that year?",
        "How long did the director take to edit the western?",
        "Why was the ending of the film changed after the previews?",
        "Wer spielte die Hauptrolle im ersten deutschen Tonfilm?",
        "Welcher Film gewann damals die Goldene Palme?",
        "Quem dublou o vilão na versão brasileira do filme?",
        "Em que cidade foi rodada a cena do trem?",
    ),
    "carpentry": (
        "Which joint is strongest for a drawer front of oak?",
        "How many coats of linseed oil does a workbench need?",
        "What angle is a hand plane's iron ground to?",
        "Can a warped tabletop be flattened again?",
        "Welcher Leim hält Eiche im Freien?",
        "Wie baut man eine Treppe aus Buchenholz?",
        "Que verniz protege a madeira da chuva?",
        "Como encaixar duas tábuas sem pregos?",
    ),
    "taxes": (
        "Can the cost of a study at home be set against income tax?",
        "When is capital gains tax due on inherited shares?",
        "How much may parents give to a child free of tax?",
        "Which form does a self-employed hairdresser file?",
        "Bis wann muss die Steuererklärung abgegeben werden?",
        "Kann man Umzugskosten von der Steuer absetzen?",
        "Quem é obrigado a declarar imposto de renda este ano?",
        "Posso deduzir a mensalidade da escola do meu filho?",
    ),
    "railways": (
        "Which gauge did the mountain line use before it was electrified?",
        "How does a signalman protect a broken-down train?",
        "When was the last steam express withdrawn from the coast route?",
        "What is the steepest gradient an ordinary locomotive can climb?",
        "Wie schnell fuhr der erste Nachtzug nach Wien?",
        "Warum wurde die Bahnstrecke im Tal stillgelegt?",
        "Em que ano abriu a estação ferroviária do Rossio?",
        "Quantos vagões puxava a locomotiva a vapor?",
    ),
    "parenting": (
        "At what age do babies sleep through the night?",
        "How is nappy rash treated at home?",
        "Which vegetables are good as a first solid food?",
        "What can be done when a toddler bites other children?",
        "Ab wann darf ein Baby Wasser trinken?",
        "Was hilft, wenn das Kind beim Zahnen weint?",
        "Como tirar a chupeta de uma criança de três anos?",
        "Qual é a febre perigosa num bebê?",
    ),
}
"""By field, four in English, two in German and two in Portuguese."""
