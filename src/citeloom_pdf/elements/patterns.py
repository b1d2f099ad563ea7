# ruff: noqa: RUF001 - typographic characters are what is looked for here
"""Text patterns of captions, list items, headings, page numbers and the like."""

from __future__ import annotations

import re

CAPTION = re.compile(
    r"^\s*(fig(ure)?s?|table|tab|abb(ildung)?|tabelle|scheme|schema|algorithm|listing|plate|chart"
    r"|figura|tableau|tabla|tabela|tabulka|obr(ázek)?|rys(unek)?|şekil|tablo|hình|bảng|εικόνα|σχήμα"
    r"|πίνακας|рис(унок)?|табл(ица|иця)?|表|图|圖|図|그림|표)"
    r"\.?\s*([A-Z]?\d+([.\-]\d+)*[a-z]?|[IVX]+)\s*([.:|\-–—)．：]|\s|$)"
    # with a particle, such a name opens a sentence of Japanese
    r"(?!\s*[はにをのがでとも])",
    re.IGNORECASE,
)
TABLE_CAPTION = re.compile(r"\s*(tab|табл|πίνακας|bảng|表|표)", re.IGNORECASE)
CAPTION_WITH_STOP = re.compile(r"\s*\S+\.?\s*[A-Z]?[\dIVX.\-]+[a-z]?\s*[.:|–—)]")
CAPTION_NUMBER = re.compile(rf"{CAPTION.pattern}\s*$", re.IGNORECASE)
CAPTION_THEN_STOP = re.compile(r".{0,24}[.:|]")
# "Table 2 shows ..." opens a sentence, not a caption
MENTION = re.compile(
    r"\s*\S+\s+\S+\s+(shows?|presents?|lists?|gives?|illustrates?|depicts?|summari[sz]es?|and|is"
    r"|are|we|in)\b"
)
LIST_MARK = re.compile(
    r"^\s*([•·●○▪■◦‣∙–—*\-\uf0b7\uf0a7❑✓➢►▶◄◀]|\(?\d{1,3}[.)]|\(?[^\W\d_][.)]|\([ivx]{1,5}\)"
    r"|[ivx]{1,4}[.)]|\[\d{1,3}\])"
    # word processors set no space behind the number of an item that is read from the right
    r"(\s+\S|(?<=\d[.)])[\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3])"
    # signs of full width have their own space
    r"|^\s*([\u2460-\u2487]|\d{1,2}．|（(\d{1,2}|[一二三四五六七八九十]{1,3}|[a-z])）)\s*\S"
)
BULLET = re.compile(r"^\s*[•·●○▪■◦‣∙*\uf0b7\uf0a7❑✓➢►▶◄◀]\s*\S")
# what a shell writes before a command: `% ls`, `$ make`
PROMPT = re.compile(r"[%$#>] \S")
# `2. Program structure.`, `III. RESULTS`, a number of the whole document's
RUNNING_NUMBER = re.compile(r"\s*(\d{1,2}|[IVX]{1,5})\.\s+(?=[A-Z\u00c0-\u00de])")
# at the right margin of the row of a declaration, as in manuals made with Texinfo: `[Function]`
LABEL = re.compile(r"\[[^\W\d_][^\[\]]+\]$")
BEFORE_LABEL = 1.2  # of the font size: it is farther behind the declaration
SUBCAPTION = re.compile(r"^\s*\([a-h]\)\s+\S")
REFERENCE_MARK = re.compile(r"^\s*(\[\d{1,3}\]|\[[A-Z][A-Za-z+]*\d{2}[a-z]?\])")
FOOTNOTE_MARK = re.compile(
    r"\s*(\d{1,3}|[¹²³⁰⁴-⁹]{1,3}|[*†‡§¶∗‖]{1,4})\s*([^\W\d_]|[(\[“„«»‘「『《…\"])"
)
# not the three dots of an enumeration: `x1, . . . , xn`
LEADER = re.compile(r"(\.\s?){4,}\s*\S{0,8}\s*$|\s(\. ){4,}")
PAGE_NUMBER = re.compile(
    r"^\W*(page|seite|p[aá]gina|str[ao]na|sid[ae]|стр(?:аница)?|第|p\.)?\s*[-–—|]?\s*"
    r"(\d{1,4}|[ivxlc]{1,7})\s*(?:[-–—|]|[页頁]|ページ)?\s*"
    r"(\s*(of|von|sur|de|di|z|из|/)\s*\d{1,4})?\W*$",
    re.IGNORECASE,
)
COPYRIGHT = re.compile(
    r"\W*(©|\(c\)\s*\d{4}|copyright\s*(©|\(c\)|\d{4}|(is )?(by|held|owned)\b)|all rights reserved"
    r"|permission to (make|copy|reprint)|licen[sc]ed under|this is an open[- ]access article"
    r"|this (work|article|paper) is (licen[sc]ed|published|distributed|made available)"
    r"|published (by|under)\b.*(©|licen[sc]e))",
    re.IGNORECASE,
)
# what may stand in the same small print, and is worth finding
AVAILABILITY = re.compile(
    r"\b(code|data|software|materials?|supplements?)\b.{0,60}\bavailable\b", re.IGNORECASE
)
HEADING_NUMBER = re.compile(
    r"^\s*((\d{1,2}(\.\d{1,2}){0,7}\.?)|([IVX]{1,5}(\.[IVX\d]{1,4})*\.?(?=\s+[A-Z]))"
    r"|([A-Z]\.(\d+\.?)*)|((chapter|part|section|appendix|annex|kapitel|teil|abschnitt|anhang"
    r"|chapitre|cap[ií]tulo)\s+([A-Z]|\d+|[IVX]+)\b[.:]?)"
    r"|第\s*[\d一二三四五六七八九十]{1,4}\s*[章节節部編篇]|제\s*\d{1,2}\s*[장절])\s+\S",
    re.IGNORECASE,
)
# behind a title in a list of contents, where Typst sets a word joiner before it
_PAGE, _GAP = r"(?:\d{1,4}|[ivxlc]{1,7})", r"[\s\u2060]"
PAGE_BEHIND = re.compile(rf"{_GAP}({_PAGE}){_GAP}*$")
PAGES_ALONE = re.compile(rf"{_GAP}*{_PAGE}(?:{_GAP}+{_PAGE})*{_GAP}*")
NUMBER_ALONE = re.compile(r"\s*\d{1,2}(\.\d{1,2})*\.?\s*")
"""The number of a heading that stands in a column of its own."""
# `29 September 2019`, `October 14, 1998`, in any digits
DATE = re.compile(r"\s*(\d{1,2}[.,]?\s+[^\W\d_]+\.?,?|[^\W\d_]+\.?\s+\d{1,2},)\s+\d{4}\W*$")
DOTTED_NUMBER = re.compile(r"\s*([A-Z]|\d{1,2})(\.\d{1,2})+\.?\s+\S")
# of an algorithm: `15 end`
NUMBERED_LINE = re.compile(r"\s*\d{1,3}:?\s+[a-z]")
OWN_NUMBER = re.compile(r"^\s*(\d+(\.\d+)*[.:)]?|[A-Z](\.\d+)+\.?|[A-Z]\.|[IVXLC]+\.?)\s+(?=\S)")
KNOWN_HEADING = re.compile(
    r"^\W*(\d+(\.\d+)*\.?\s+|[IVX]+\.\s+)?(abstract|summary|introduction|background|related work"
    r"|methods?|methodology|materials and methods|results( and discussion)?|discussion"
    r"|conclusions?( and (future work|outlook))?|acknowledge?ments?|references|bibliography"
    r"|appendix|appendices|annex(es)?|contents|table of contents|preface|foreword|index|glossary"
    r"|notation|limitations|funding|zusammenfassung|einleitung|grundlagen|methodik|ergebnisse|diskussion"
    r"|fazit|ausblick|danksagung|literatur(verzeichnis)?|quellen|anhang|inhaltsverzeichnis|vorwort"
    r"|résumé|conclusions? et perspectives|références|bibliographie|keywords?|index terms"
    r"|ccs concepts|data availability|author contributions|conflicts? of interest|nomenclature"
    r"|future work|введение|заключение|выводы|список литературы|литература|приложение|предисловие"
    r"|оглавление|содержание|вступ|зміст|висновки|εισαγωγή|περιεχόμενα|βιβλιογραφία|συμπεράσματα"
    r"|úvod|závěr|obsah|literatura|wstęp|bibliografia|spis treści|giriş|kaynakça|mục lục"
    r"|lời nói đầu|はじめに|おわりに|まえがき|あとがき|目次|序論|序章|概要|要旨|結論|参考文献|謝辞"
    r"|付録|索引|引言|前言|绪论|摘要|结论|结束语|目录|目錄|参考文献|參考文獻|致谢|附录|附錄"
    r"|차례|머리말|서론|개요|결론|참고\s?문헌|부록)\W*$",
    re.IGNORECASE,
)
CONTENTS = re.compile(
    r"\W*(table of contents|contents|inhalt(sverzeichnis)?|table des mati[èe]res|sommaire|[íi]ndice"
    r"|sommario|sum[áa]rio|conte[úu]do|spis tre[śs]ci|obsah|inhoud(sopgave)?|оглавление|содержание"
    r"|зміст|περιεχόμενα|[iİ]çindekiler|mục lục|目\s?次|目\s?录|目\s?錄|차\s?례|목\s?차)\W*$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(r"\W*(abstract|zusammenfassung|summary|résumé)\b", re.IGNORECASE)
# lines of a title page that look like headings but are not
FRONT_MATTER = re.compile(
    r"\W*(keywords?|key words|index terms|schlüsselwörter|mots[- ]cl[ée]s|received|accepted"
    r"|copyright|©|doi|https?:|e-?mail)\b.{3}",
    re.IGNORECASE,
)
# several names or the parts of an address, or a name with the mark of a footnote
AFFILIATION = re.compile(
    r"[^,;]+[,;][^,;]+[,;]|.*@\S|.*\b(universi|institut|department|laborator|hochschule|school of)"
    r"|.*[^\W\d_]\s?([\d¹²³⁰⁴-⁹]|[*†‡§¶∗])(\s*,\s*[\d¹²³⁰⁴-⁹]+)*\s*$",
    re.IGNORECASE,
)
FORMULA_CHARACTERS = re.compile(r"[=∑∫√≤≥∈×∂]|[A-Za-z]\s*[%#]\s")
_PROSE_WORD = re.compile(r"[^\W\d_]{2,}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LEAST_WORDS = 3  # a line with fewer is no prose
FULL_WIDTH_END = tuple("。．！？：；")
"""What ends a sentence or a part of it in Chinese and Japanese."""
SENTENCE_END = (*'.:!?)"”', *FULL_WIDTH_END, *"）」』")


def is_prose(text: str) -> bool:
    """Whether a line has several words, none of one letter repeated: it is no label."""
    return count_words(text) >= _LEAST_WORDS


def count_words(text: str) -> int:
    """How many words of a line are no numbers, lone letters or one letter repeated; of Chinese and
    Japanese, two characters each.
    """
    words = [word for word in _PROSE_WORD.findall(text) if len(set(word)) > 1]
    return len(words) + sum(len(_UNSPACED.findall(word)) // 2 for word in words)


def is_caption(text: str) -> bool:
    """Whether the text begins like a caption: `Table 3:`, `Fig. 2`."""
    return CAPTION.match(text) is not None


def capital_share(text: str) -> float:
    """The share of capitals among the letters."""
    letters = [character for character in text if character.isalpha()]
    return sum(letter.isupper() for letter in letters) / len(letters) if letters else 0.0


def tight(text: str) -> str:
    """The text's letters and digits alone, in lower case."""
    return re.sub(r"[\W_]+", "", text.lower())


def unnumbered(text: str) -> str:
    """A title without its own number: `A.2 Soils` → `Soils`."""
    return OWN_NUMBER.sub("", text)


_CODE_SIGN = re.compile(r"[\\{}=<>%]")


def opens_heading(text: str) -> bool:
    """Whether a line is certainly a heading by its text: `3.1 RESULTS`, `Abstract`."""
    if len(text) > 80 or text.endswith((".", ",", ";", ":", "-")) or _CODE_SIGN.search(text):
        return False
    if KNOWN_HEADING.match(text):
        return True
    if not HEADING_NUMBER.match(text):
        return False
    letters = sum(character.isalpha() for character in text)
    return letters > 4 and capital_share(text) > 0.85


WITH_LIMITS = frozenset("∑∏∐∫∬∭∮⋂⋀⨁⨂⨀⨄⨆\u22c3\u22c1")
"""Signs of sums and the like, which have their limits above and below them."""
