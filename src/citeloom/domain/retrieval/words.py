"""The words of a question: those that carry content, its language, how passages cover them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.documents.text import (
    UNSEGMENTED,
    has_unsegmented,
    pairs_of_letters,
    parts_with_signs,
    words_with_signs,
)

# Words that ask or join and name nothing, by language, and which language a question is in.

_WORD = re.compile(r"[^\W\d_]+")


_MOST_WORDS = 200


FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.casefold().split())
    for code, words in {
        "en": """
        what which who whom whose when where why how many much often there here
        is are was were be been being am has have had do does did can could may might must shall
        should will would ought s t ll re ve d
        a an the this that these those such same other both each all any some no not nor only more
        most less least few very too so than then again also just ever
        i me my mine we us our ours you your yours he him his she her hers it its they them their
        theirs one ones anyone anybody anything someone something everything nothing itself
        themselves
        of in on at by for with about against between into onto through during before after above
        below to from up down out off over under within upon without among per
        and but or if because as until while since whether though although
        makes made making gets got gives gave given takes took taken lets happen happens happened
        tell explain describe please""",
        "de": """
        wer was wen wem wessen wann wo wohin woher warum weshalb weswegen wieso wie welche welcher
        welches welchen welchem wieviel wieviele wozu womit worin woran worauf wofür wodurch worüber
        wovon wonach wogegen wobei viel viele vielen oft
        ist sind war waren bin bist sei wäre wird werden wurde wurden worden hat haben hatte hatten
        kann können konnte könnte muss müssen musste soll sollen sollte darf dürfen mag will wollen
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
        dieser diese dieses diesen diesem jeder jede jedes alle allen aller
        ich du er sie es wir ihr mich dich ihn uns euch ihm ihnen sich man mein dein sein seine
        seinen seiner ihre ihren ihrer unser jemand etwas nichts
        in im an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne über um unter
        von vom vor während wegen zu zum zur zwischen
        und oder aber nicht auch nur noch schon als ob wenn dass weil denn sowie so dann da dort
        macht machen machte gemacht tut tun getan benutzt benutzen verwendet verwenden dient dienen
        hier sehr mehr meist etwa gibt bitte erkläre beschreibe nenne""",
        "fr": """
        qui que quoi quel quelle quels quelles où quand comment pourquoi combien lequel laquelle
        lesquels lesquelles duquel desquels dont est-ce ce c qu
        est sont était étaient être été a ont avait avaient avoir ai fait font faire va vont peut
        peuvent doit doivent faut
        le la les l un une des du de d au aux cet cette ces tout toute tous toutes aucun aucune
        je j tu il elle on nous vous ils elles se s y en me m te t lui leur leurs son sa ses mon ma
        mes notre votre rien
        à dans par pour sur sous avec sans chez vers entre avant après depuis pendant contre selon
        et ou mais ni ne n pas plus moins très si comme aussi lorsque parce puis donc
        expliquez décrivez""",
        "es": """
        qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde adónde cómo que
        quien cuyo cuya
        es son era eran ser fue fueron está están estaba hay ha han había haber tiene tienen puede
        pueden debe deben hace hacen hizo hacer hecho
        el la los las lo un una unos unas este esta estos estas ese esa esos esas aquel todo toda
        todos todas ningún ninguna
        yo tú él ella nosotros ellos ellas se me te le les nos su sus mi mis algo nada
        a al ante bajo con contra de del desde durante en entre hacia hasta para por según sin sobre
        tras
        y e o u pero ni no sí si como más menos muy también porque cuando donde
        explica describe""",
        "pt": """
        qual quais quem quê que quanto quanta quantos quantas quando onde aonde donde como porquê
        cujo cuja cujos cujas quão
        é são era eram ser foi foram está estão estava há tem têm tinha ter pode podem deve devem
        faz fazem fez fizeram fazer feito feita feitos feitas vai vão foi ir dá dão deu deram
        o a os as um uma uns umas este esta estes estas esse essa esses essas isto isso aquele
        aquela todo toda todos todas cada algum alguma nenhum nenhuma
        eu tu você ele ela nós vocês eles elas se me te lhe lhes nos seu sua seus suas meu minha
        algo nada
        ao aos à às com contra de do da dos das desde durante em no na nos nas entre até para pelo
        pela pelos pelas por sem sobre sob num numa após
        e ou mas nem não sim também mais menos muito muita muitos muitas já só porque
        explique descreva""",
        "it": """
        chi che cosa quale quali qual quando quanto quanta quanti quante dove come perché cui è
        sono era erano essere stato ha hanno aveva avere può possono deve devono fa fanno fare va
        vanno c il lo la gli le l un uno una questo questa questi queste quello quella quelli
        quelle ogni i tutto tutta tutti tutte nessuno io tu lui lei noi voi loro si mi ti ci vi ne
        suo sua suoi sue qualcosa niente a al allo alla ai agli alle da dal dalla dai dalle di del
        dello della dei degli delle in nel nello nella nei nelle su sul sulla con per tra fra
        senza sotto sopra durante e ed o ma né non più meno molto anche se così spiega descrivi""",
        "nl": """
        wie wat wanneer waar waarom hoe welk welke wiens hoeveel waarmee waarvoor waarin waaruit
        waardoor waarop
        is zijn was waren ben wordt worden werd werden heeft hebben had hadden kan kunnen kon moet
        moeten mag zal zullen zou
        de het een deze dit die dat elk elke ieder alle geen
        ik jij je hij zij ze wij we jullie hem haar hun zich men mijn jouw iets niets er
        aan af bij door in met na naar om onder op over te tegen tot tussen uit van vanaf voor
        zonder
        en of maar niet ook nog al als dan dus omdat toen zo veel vaak meer meest""",
        "da": """
        hvem hvad hvornår hvor hvorfor hvordan hvilken hvilket hvilke hvis er var være har havde kan
        skal vil den det de en et og eller ikke i på af til med for fra om ved som at mange
        meget""",
        "sv": """
        vem vad när var varför hur vilken vilket vilka vems är var vara har hade kan ska skall vill
        den det de en ett och eller inte i på av till med för från om vid som att många mycket""",
        "no": """
        hvem hva når hvor hvorfor hvordan hvilken hvilket hvilke er var være har hadde kan skal vil
        den det de en et ei og eller ikke i på av til med for fra om ved som at mange mye""",
        "fi": """
        kuka ketkä kenen mikä mitä mitkä minkä milloin koska missä mistä mihin miksi miten kuinka
        montako paljonko onko ovat on oli olivat ja tai ei se ne joka""",
        "hu": """
        ki kik mi mit mik mikor hol hová honnan miért hogyan hány mennyi melyik van vannak volt
        voltak a az egy és vagy nem is hogy""",
        "ro": """
        cine ce când unde cum care cât câtă câți câte este e sunt era erau a au un o și sau nu de
        la în din pe cu pentru""",
        "ru": """
        кто что кого чего кому чему когда где куда откуда почему зачем как сколько какой какая какое
        какие чей чья чьё чьи который которая которые ли это был была было были есть в на и или не с
        по для из к о от у""",
        "el": """
        ποιος ποια ποιο ποιοι ποιες τι πότε πού πώς γιατί πόσο πόσα πόσοι πόση είναι ήταν ο η το οι
        τα του της των και ή δεν σε με για από στο στη στην""",
        "tr": """
        kim kime kimin ne neler nerede nereye nereden neden niçin niye nasıl kaç hangi mi mı mu mü
        bir ve veya ile için bu şu o zaman""",
        "ar": """
        من ما ماذا متى أين لماذا كيف كم أي أية هل هو هي هم في على إلى عن مع أو التي الذي كان كانت
        هذا هذه""",
        "ta": """
        யார் யாருடைய என்ன எது எவை எப்போது எங்கே எங்கு ஏன் எப்படி எத்தனை எவ்வளவு எந்த ஒரு மற்றும்
        உள்ளது""",
    }.items()
}
"""Question words of every language whose words are made into terms, with articles, pronouns,
prepositions, conjunctions and auxiliary verbs.
"""


LANGUAGE_NAMES: Mapping[str, str] = {
    "ar": "Arabic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "ta": "Tamil",
    "tr": "Turkish",
}


_ASKING = re.compile(
    r"\bhow (?:long|often|far|soon|old|big|large)\b|\b(?:what|which) (?:kinds?|sorts?|types?) of\b"
    r"|\bwie (?:lange?|oft|weit|alt|groß)\b|\bwas für\b|\bwelche arten? von\b"
    r"|\bcombien de (?:temps|fois)\b|\bquelles? sortes? de\b|\bquels? types? de\b"
    r"|\bcuánto tiempo\b|\bcuántas veces\b|\bqué tipos? de\b"
    r"|\bquanto tempo\b|\bquantas vezes\b|\bque tipos? de\b"
    r"|\bquante volte\b|\bche tipi? di\b|\bhoe (?:lang|vaak|ver)\b|\bwat voor\b",
    re.IGNORECASE,
)
"""Phrases that ask, of words that carry content elsewhere."""


def languages_of_question(question: str) -> tuple[str, ...]:
    """The languages that most words of a question are function words of, the first word counted
    twice; English alone where it is among them, none where no word is.
    """
    words = [word.casefold() for word in _WORD.findall(question)[:1]]
    words += _words(question)
    counted = {code: sum(word in those for word in words) for code, those in _BY_CODE}
    most = max(counted.values(), default=0)
    if not most:
        return ()
    best = tuple(code for code, count in counted.items() if count == most)
    return ("en",) if "en" in best else best


_ASKED_BY = {
    word: code
    for code, words in {
        "de": "wie wer wen wem wann warum wieso weshalb wozu welche welcher welches welchen",
        "pt": "quem quais quantos quantas onde",
        "es": "quién quiénes cuál cuáles dónde cuándo cuánto cuántos cómo",
        "fr": "pourquoi combien quel quelle quels quelles où",
    }.items()
    for word in words.split()
}
"""Words that ask in one language and mean nothing in English."""


def clear_question_language(question: str) -> str | None:
    """The language that at least two of a question's words clearly tell, or the word that it begins
    with; None for any other.
    """
    languages = languages_of_question(question)
    first = next(iter(_WORD.findall(question)), "").casefold()
    asked_by = _ASKED_BY.get(first)
    if asked_by and (not languages or asked_by in languages):
        return asked_by
    if len(languages) != 1:
        return None
    telling = _words(question) & FUNCTION_WORDS[languages[0]]
    return languages[0] if len(telling) > 1 else None


def function_words(question: str) -> frozenset[str]:
    """The words of a question, case-folded, that name nothing in its own language; none where it
    has no others.
    """
    words = _words(question)
    languages = languages_of_question(question)
    functional = {word for word in words if any(word in FUNCTION_WORDS[code] for code in languages)}
    functional.update(*(_words(phrase[0]) for phrase in _ASKING.finditer(question)))
    return frozenset() if functional == words else frozenset(functional)


def _words(question: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(question)[:_MOST_WORDS]}


_BY_CODE = tuple(FUNCTION_WORDS.items())


# The languages that a collection's terms are in.

DEFAULT_LANGUAGE = "en"


# The words of a question that are looked up.

_QUESTION_WORD = re.compile(rf"[{UNSEGMENTED}]+|[^\W_](?:[\w.'\u2019/+-]*[^\W_])?[+#]*")


_HIRAGANA = re.compile("[\u3041-\u309f]")


_MOST_QUESTION_WORDS = 60


_ASKING_UNSPACED = re.compile(
    # Chinese, Japanese, Thai, Korean
    r"[是有]?(?:[为為]?什[么麼](?:[时時]候)?|怎[么麼樣样]样?|如何|多[少久]|哪[里裡些个個]|[谁誰])|[吗嗎呢](?=\W*$)"
    r"|いつ(?!も)|どこ|だれ|なぜ|(?<!ほ)どの(?:くらい|ような|ように)?|どんな|(?<!ぶ)どう(?:して)?|どれ|いく[つら]|(?<!こ)とは"
    r"|何(?=[でがをはに])|(?:でしょう|です|でした|ました|ます|ません)か(?!ら)"
    r"|(?:เพราะ|เพื่อ)?อะไร(?:บ้าง)?|เมื่อไ(?:ห)?ร่?|ที่(?:ไหน|ใด)|อย่างไร|ทำไม|เท่าไ(?:ห)?ร่?|เท่าใด|กี่|ใคร|หรือไม่|ไหม(?=\W*$)"
    r"|(?:무엇|언제|어디|누구|누가|어떻게|얼마|어떤)[가-힣]{0,2}|\b왜\b|\b몇\b"
)
"""How one asks where no spaces part words."""


def words_of_question(question: str) -> list[str]:
    """The different words of a question, up to 60; where no spaces part them, each two letters."""
    asked = _ASKING_UNSPACED.sub(" ", question)
    if not has_unsegmented(asked):
        asked = question
    words = (part for word in _QUESTION_WORD.findall(asked) for part in _telling_parts(word))
    return list(dict.fromkeys(words))[:_MOST_QUESTION_WORDS]


def _telling_parts(word: str) -> list[str]:
    """The word, or where no spaces part words its pairs of letters; of Japanese those without the
    letters that endings and particles are written in, if there are any.
    """
    parts = pairs_of_letters(word)
    return [part for part in parts if not _HIRAGANA.search(part)] or parts


def content_words_of(question: str) -> list[str]:
    """The different words of a question without the function words of its language."""
    functional = function_words(question)
    return [word for word in words_of_question(question) if word.casefold() not in functional]


def words_looked_up(question: str) -> list[str]:
    """The content words of a question, and its words with signs and symbols."""
    signed = list(words_with_signs(question))
    symbols = (part for word in signed for part in parts_with_signs(word))
    words = dict.fromkeys((*content_words_of(question), *signed, *symbols))
    return list(words)[:_MOST_QUESTION_WORDS]


def without_signs(word: str) -> str:
    """The letters of a word by which it is known where its signs are not: C of C++; none of a
    symbol, nor of a word whose parts are words of the question.
    """
    if next(words_with_signs(word), None) is None:
        return word
    return re.sub("[+#]+", " ", word).strip() if _QUESTION_WORD.fullmatch(word) else ""


def parts_of_signed(word: str) -> list[str]:
    """The words of a question that are parts of a word with signs: n and 37 of n=37."""
    return [part for part in (*words_of_question(word), *parts_with_signs(word)) if part != word]


def names_of(question: str, words: Iterable[str]) -> Iterable[str]:
    """The words that name something: with a capital behind the first word, or with a digit."""
    first = next(iter(_QUESTION_WORD.findall(question)), "")
    for word in words:
        capital = any(char.isupper() for char in (word[1:] if word == first else word))
        if capital or any(char.isdigit() for char in word):
            yield word


# How well passages fit a question, by how its words stand in them and in the library.

PASSAGES_READ = 6
"""How many of the nearest passages the coverage of a question's words is that of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCoverage:
    """How the words of a question stand in the library.

    `weights` is the inverse document frequency of each word that carries content; `unknown` are the
    words that are nowhere in the library, `missing` those that are not in the nearest passages,
    `names` those of the question's words that name something.
    """

    weights: Mapping[str, float]
    unknown: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def coverage(self) -> float:
        """The share of the words' weight that is in the nearest passages; 1 without words."""
        return max(1.0 - self._share(self.missing), 0.0)

    @property
    def unknown_share(self) -> float:
        """The share of the words' weight that is nowhere in the library."""
        return self._share(self.unknown)

    def absent(self) -> tuple[str, ...]:
        """The words that the nearest passages lack: names first, then the rarest."""
        lacking = self.missing | self.unknown
        return tuple(sorted(lacking, key=lambda w: (w not in self.names, -self.weights[w], w)))

    def _share(self, words: frozenset[str]) -> float:
        total = sum(self.weights.values())
        share = sum(weight for word, weight in self.weights.items() if word in words)
        return share / total if total else 0.0


_STRONG = 0.7
"""The value from which a fit is strong (ADR 31)."""


_WEAK = 0.25
"""The value below which a fit is weak."""


_MOST_NAMED = 4
"""How many words a reason names."""


class Strength(StrEnum):
    """How well passages fit a question, in three steps."""

    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCoverage:
    """How well the passages of a work fit a question, with reasons in plain words.

    `value` is the share of the weight of the question's words that the work has, less the share of
    the words that are nowhere in the library: -1 to 1, None for a question without words that carry
    content.
    """

    strength: Strength
    value: float | None
    reasons: tuple[str, ...] = ()


VERBATIM = QueryCoverage(
    strength=Strength.STRONG, value=1.0, reasons=("the passage has the question word for word",)
)


def fit_of(wording: WordCoverage, work: str) -> QueryCoverage:
    """The fit of passages of the work so named, by how the words of the question stand in them and
    in the library.
    """
    if not wording.weights:
        reason = "the question has no words that carry content"
        return QueryCoverage(strength=Strength.FAIR, value=None, reasons=(reason,))
    unknown_words = len(wording.unknown) / len(wording.weights)
    value = round(wording.coverage - unknown_words, 4)
    return QueryCoverage(
        strength=_strength(value), value=value, reasons=tuple(_reasons(wording, work))
    )


def _strength(value: float) -> Strength:
    if value >= _STRONG:
        return Strength.STRONG
    return Strength.FAIR if value >= _WEAK else Strength.WEAK


def _reasons(wording: WordCoverage, work: str) -> Iterable[str]:
    absent = wording.absent()
    unknown = [word for word in absent if word in wording.unknown]
    missing = [word for word in absent if word not in wording.unknown]
    if unknown:
        yield f"{_named(unknown)} {_occur(unknown)} nowhere in the library"
    if missing:
        yield f"{_named(missing)} {_occur(missing)} in none of the passages found of {work}"


def _occur(words: list[str]) -> str:
    return "occurs" if len(words) == 1 else "occur"


def _named(words: list[str]) -> str:
    """The first words in quotes: `'a', 'b' and 'c'`."""
    listed = [f"'{word}'" for word in words[:_MOST_NAMED]]
    if len(words) > _MOST_NAMED:
        listed.append(f"{len(words) - _MOST_NAMED} more")
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
