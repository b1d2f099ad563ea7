"""English stop words for BM25.

Lower case, and split at apostrophes as the tokenizer does: "don't" is "don" and "t".
"""

from __future__ import annotations

_ARTICLES_AND_POINTERS = "a an the this that these those such same own other each both all any"
_PRONOUNS = (
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his "
    "himself she her hers herself it its itself they them their theirs themselves who whom whose "
    "which what"
)
_AUXILIARIES = (
    "am is are was were be been being have has had having do does did doing done can could may "
    "might must shall should will would ought"
)
_CONTRACTIONS = (
    "s t ll ve re don ain aren isn wasn weren haven hasn hadn doesn didn couldn mightn mustn needn "
    "shan shouldn wouldn"
)
_PREPOSITIONS = (
    "of in on at by for with about against between into onto through during before after above "
    "below to from up down out off over under within upon"
)
_CONJUNCTIONS_AND_ADVERBS = (
    "and but or nor if because as until while than so then once again further here there when "
    "where why how not no only very too just now also few more most some"
)

ENGLISH_STOP_WORDS = frozenset(
    " ".join(
        (
            _ARTICLES_AND_POINTERS,
            _PRONOUNS,
            _AUXILIARIES,
            _CONTRACTIONS,
            _PREPOSITIONS,
            _CONJUNCTIONS_AND_ADVERBS,
        )
    ).split()
)
