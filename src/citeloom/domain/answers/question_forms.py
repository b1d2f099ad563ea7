"""Words by which a question leans on what was said before: English, German and Portuguese."""

from __future__ import annotations

import re
from collections.abc import Mapping

ANAPHORS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": """
        its itself they them their theirs he him his she her hers this these those former latter""",
        "de": """
        er ihn ihm sie ihr ihre ihrem ihren ihrer ihnen sein seine seinem seinen seiner dessen
        deren dieser diese dieses diesem diesen dies solche solcher jener jene davon dazu damit
        daran dabei dafür darin daraus darüber dadurch dagegen danach dort dorthin ebenfalls
        letztere erstere""",
        "pt": """
        ele ela eles elas dele dela deles delas nele nela neles nelas seu sua seus suas isso
        isto aquilo disso disto nisso nisto esse essa esses essas este estes estas desse dessa
        neste nesse nessa lá ali""",
    }.items()
}
"""Words that stand for something said before, by language. `it`, `that` and `das` may not: see
below.
"""

OPENINGS = re.compile(
    r"\s*(?:and|but|or|also|what about|how about|what else|anything else|why not|which ones?\b"
    r"|und|aber|oder|auch|sonst|was ist mit|wie ist es (?:mit|bei)|wie sieht es|wie steht es"
    r"|was noch|warum nicht|wieso nicht"
    r"|e|mas|ou|também|quanto a|que tal|o que mais|por que não|e se)\b",
    re.IGNORECASE,
)
"""How an elliptic question begins."""

REFERRING = re.compile(
    r"\b(?:"
    # A pronoun that is often something else: at the end, or behind a word that wants an object.
    r"(?:for|of|with|by|in|on|about|than|like|from|is|was|does|do|did|why|how) that\b"
    r"|that(?=\W*$)|das(?=\W*$)|(?:ist|war|geht|heißt|macht|bedeutet|tut) das\b(?! [^\W\d_]+)"
    # The work at hand, by its kind.
    r"|the (?:authors?|paper|article|study|work|book|tool|package|library|course|project|software)"
    r"|(?:der|die|das|den|dem|des) (?:autor(?:en|s|in)?|artikels?|studie|arbeit|buch(?:es)?"
    r"|werkzeugs?|pakets?|kurs(?:es)?|projekts?)"
    r"|(?:d?[oa]s?|n[oa]s?) (?:autor(?:es|a)?|artigo|estudo|trabalho|livro|ferramenta|pacote|curso"
    r"|projeto)"
    r")\b(?!['\u2019]|,? (?:of|on|for|by|who|that|which|whose"
    r"|von|zu|über|der|die|das|de|d[oa]s?|que|sobre)\b| (?-i:[A-Z]))",
    re.IGNORECASE,
)
"""Phrases that refer to what was said before, unless they go on to say what they mean."""

EXPLETIVES = re.compile(
    r"\b(?:(?:is|was|would|be) it (?:\w+ )?(?:possible|necessary|important|common|better|best|easy"
    r"|hard|difficult|true|worth|enough|useful)(?! than)"
    r"|(?:does|did|will|would) it (?:take|cost|mean) (?:\w+ ){0,3}to"
    r"|gibt es|es gibt|ist es (?:möglich|nötig|wichtig|besser|wahr|üblich)|handelt es sich"
    r"|geht es um)\b",
    re.IGNORECASE,
)
"""Where `it` and `es` stand for nothing."""

IT = frozenset({"it", "es"})
"""Words that stand for something, save where they are expletives."""
FORMAL = frozenset({"Sie", "Ihr", "Ihre", "Ihrem", "Ihren", "Ihrer", "Ihnen"})
"""German for `you`, which only its capital tells from `they`."""

DEFINING = re.compile(
    r"\W*(?:(?:and|und|e) )?(?:what(?: is| are|'s)|who (?:is|are|was)|was (?:ist|sind)"
    r"|wer (?:ist|war|sind)|o que (?:é|são|e)|quem (?:é|foi|são)|define|tell me about"
    r"|was bedeutet) (?!(?:the|a|an|mit)\b)",
    re.IGNORECASE,
)
"""How one asks what something named is, which makes it the subject."""

FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": """
        i a about above after again all also am an and any anybody anyone anything are as at be
        because been before being between both but by can could did do does doing done down
        during each else ever every few for from further get gets give given gives got had has
        have having here how if in into is it es just kind less let like long made make makes
        many may me mean means might more most much must my name named need never no nor not of
        off often on once one ones only or other others our out over own part per please
        possible said same say says shall should show so some sort still take taken takes tell
        than that the then there thing things through to too under until up upon use used useful
        user users uses using very want was way we well were what when where whether which while
        who whom whose why will with within without work works would yet you your happen happens
        found find""",
        "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim
        bin bis bist da dann das dass dein dem den denn der des die doch du durch ein eine einem
        einen einer eines einfach etwa etwas für gab geben gegen gehört geht gemacht genau gibt
        haben hat hatte ich im in ins ist ja jede jeder jedes kann kannst keine keinen können
        könnte lange macht machen man mehr mein meist mir mit muss müssen nach nicht nichts noch
        nur nutzt nutzen ob oder ohne schon sehr sich sie sind so soll sollte sonst tun um und
        uns unter viel viele vielen vom von vor wann war warum was weil welche welchem welchen
        welcher welches wenn wer werden wie wieso will wir wird wo womit wozu wurde wurden zu
        zum zur über während verwendet benutzt dient""",
        "pt": """
        ao aos as até cada com como da das de do dos e em entre era essa esse esta está estão eu
        faz fazer fazem feita feitas feito feitos foi foram há isso já mais mas me mesmo muito
        muita muitos muitas na nas no nos não o onde os ou outra outras outro outros para pela
        pelas pelo pelos pode podem por porque porquê qual quais quando quanta quantas quanto
        quantos que quem se sem ser seu são só sobre também tem tinha ter têm tudo um uma umas
        uns usa usado usam usar você é serve""",
    }.items()
}
"""Words that name no subject, by language: articles, prepositions, question words, verbs that fit
anything.
"""
