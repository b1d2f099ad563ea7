"""Kinds of works: what Zotero calls them, and what other sources of references do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple


class TypeNames(NamedTuple):
    """What a kind of work is called in each kind of source, the usual name first."""

    csl: str
    bibtex: str
    ris: str


ITEM_TYPES: Mapping[str, TypeNames] = {
    "journalArticle": TypeNames("article-journal", "article", "JOUR EJOUR"),
    "book": TypeNames("book", "book collection proceedings mvbook", "BOOK EBOOK"),
    "bookSection": TypeNames("chapter", "incollection inbook", "CHAP ECHAP"),
    "conferencePaper": TypeNames("paper-conference", "inproceedings conference", "CPAPER CONF"),
    "thesis": TypeNames("thesis", "thesis phdthesis mastersthesis", "THES"),
    "report": TypeNames("report", "report techreport", "RPRT"),
    "preprint": TypeNames("article", "unpublished", "UNPB"),
    "webpage": TypeNames("webpage", "online electronic www", "ELEC"),
    "blogPost": TypeNames("post-weblog", "online", "BLOG"),
    "forumPost": TypeNames("post", "online", "ELEC"),
    "dataset": TypeNames("dataset", "dataset", "DATA"),
    "computerProgram": TypeNames("software", "software", "COMP"),
    "document": TypeNames("document", "misc", "GEN"),
    "manuscript": TypeNames("manuscript", "unpublished", "MANSCPT"),
    "presentation": TypeNames("speech", "unpublished", "SLIDE"),
    "magazineArticle": TypeNames("article-magazine", "article", "MGZN"),
    "newspaperArticle": TypeNames("article-newspaper", "article", "NEWS"),
    "encyclopediaArticle": TypeNames("entry-encyclopedia", "inreference", "ENCYC"),
    "dictionaryEntry": TypeNames("entry-dictionary", "inreference", "DICT"),
    "patent": TypeNames("patent", "patent", "PAT"),
    "standard": TypeNames("standard", "standard", "STAND"),
    "case": TypeNames("legal_case", "jurisdiction", "CASE"),
    "statute": TypeNames("legislation", "legislation", "STAT"),
    "bill": TypeNames("bill", "legislation", "BILL"),
    "hearing": TypeNames("hearing", "misc", "HEAR"),
    "interview": TypeNames("interview", "misc", "GEN"),
    "letter": TypeNames("personal_communication", "letter", "PCOMM"),
    "email": TypeNames("personal_communication", "letter", "ICOMM"),
    "instantMessage": TypeNames("personal_communication", "letter", "ICOMM"),
    "map": TypeNames("map", "misc", "MAP"),
    "artwork": TypeNames("graphic", "artwork image", "ART"),
    "film": TypeNames("motion_picture", "movie", "MPCT"),
    "videoRecording": TypeNames("motion_picture", "video", "VIDEO"),
    "audioRecording": TypeNames("song", "audio music", "SOUND"),
    "podcast": TypeNames("broadcast", "audio", "SOUND"),
    "radioBroadcast": TypeNames("broadcast", "audio", "SOUND"),
    "tvBroadcast": TypeNames("broadcast", "video", "VIDEO"),
}
"""Zotero's kinds of works by their names elsewhere; of several with a name the first is meant."""


@cache
def item_type_of(name: str) -> str:
    """Zotero's name of a kind of work that a source calls `name`; that where none is known."""
    spelt = _type_key(name)
    if spelt in (zotero := {_type_key(each): each for each in ITEM_TYPES}):
        return zotero[spelt]
    for zotero_name, names in ITEM_TYPES.items():
        if spelt in map(_type_key, " ".join(names).split()):
            return zotero_name
    return name


def _type_key(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
