"""How true the readers of BibTeX and RIS are, beside Pandoc's: made oddities, and real references.

`python -m benchmarks.bench_references [REFERENCES.json…]`: each made entry is read by itself, then
all of a format as one file. CSL-JSON files are written as BibTeX and biblatex by Pandoc, read by
both readers, and compared with what they say themselves. Case, punctuation and the kind of dash do
not count: Pandoc sets titles in sentence case.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from citeloom.domain.errors import CiteloomError
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.manuscript.pandoc import PANDOC
from citeloom.infrastructure.references.file_library import read_references

Truth = dict[str, object]
Case = tuple[str, str, Truth]
"""What is odd about an entry, the entry, and what its fields say."""

BIBTEX: Sequence[Case] = (
    (
        "nested braces",
        r"@article{k, title={The {{RNA}} of {{{\'E}coli}} {{in {Braces}}}}, author={A, B}}",
        {"title": "The RNA of Écoli in Braces"},
    ),
    (
        "@string and #",
        '@string{jt = "Journal of "}\n@article{k, title={T}, author={A, B}, journal=jt # {Things}}',
        {"container": "Journal of Things"},
    ),
    (
        "@comment, @preamble",
        '@preamble{"\\newcommand{\\x}{y}"}\n@comment{a {b} c}\n@article{k, title={T}, year=2001}',
        {"title": "T", "year": 2001},
    ),
    (
        "crossref",
        "@inproceedings{k, crossref={p}, title={A Child}, author={Roe, R}, pages={1--9}}\n"
        "@proceedings{p, title={Proceedings of Things}, editor={Doe, J}, year=2003}",
        {"title": "A Child", "container": "Proceedings of Things", "year": 2003, "pages": "1-9"},
    ),
    (
        "accents in a title",
        r"@book{k, title={{\"U}ber {\ss} und \o, \AA ngstr\"om, na\"{\i}ve, "
        r"\c{c}a, \v{S}koda, \k{a}}}",
        {"title": "Über ß und ø, Ångström, naïve, ça, Škoda, ą"},
    ),
    (
        "accents in names",
        r"@book{k, title={T}, author={{\O}rsted, Hans and Erd{\H o}s, P{\'a}l "
        r"and Paul \'{E}luard}}",
        {"authors": ("Ørsted, Hans", "Erdős, Pál", "Éluard, Paul")},
    ),
    (
        "corporate authors",
        "@book{k, title={T}, author={{World Health Organization} and {Barnes and Noble, Inc.}}}",
        {"authors": ("World Health Organization", "Barnes and Noble, Inc.")},
    ),
    (
        "particles and Jr.",
        "@book{k, title={T}, author={King, Jr., Martin Luther and von Neumann, John and "
        "Ludwig van Beethoven and Charles de Gaulle}}",
        {
            "authors": (
                "King, Martin Luther, Jr.",
                "von Neumann, John",
                "van Beethoven, Ludwig",
                "de Gaulle, Charles",
            )
        },
    ),
    (
        "others",
        "@book{k, title={T}, author={Smith, John and others}}",
        {"authors": ("Smith, John",)},
    ),
    ("a range of dates", "@article{k, title={T}, date={2010-03/2011-05}}", {"year": 2010}),
    ("an open range", "@article{k, title={T}, date={2010/..}}", {"year": 2010}),
    ("an uncertain date", "@article{k, title={T}, date={1850~}}", {"year": 1850}),
    ("a date with its time", "@article{k, title={T}, date={2002-05-06T10:00:00}}", {"year": 2002}),
    ("a year in words", "@article{k, title={T}, year={in press 2020}}", {"year": 2020}),
    (
        "mathematics",
        r"@article{k, title={On $\alpha$-helices, H$_2$O, 5\% \& more}}",
        {"title": "On \u03b1-helices, H2O, 5% & more"},
    ),
    (
        "an address",
        "@online{k, title={T}, url={https://example.org/~doe/a_b%20c?x=1&y=2}}",
        {"url": "https://example.org/~doe/a_b%20c?x=1&y=2"},
    ),
    (
        "an address in howpublished",
        r"@misc{k, title={T}, howpublished={\url{https://example.org/a_b}}}",
        {"url": "https://example.org/a_b"},
    ),
    ("an escaped DOI", r"@article{k, title={T}, doi={10.1000/x\_y}}", {"doi": "10.1000/x_y"}),
    (
        "a subtitle",
        "@book{k, title={Main}, subtitle={A Sub}, author={A, B}}",
        {"title": "Main: A Sub"},
    ),
    (
        "commands",
        r"@article{k, title={\emph{Homo sapiens}, \textit{E.~coli} and {\LaTeX}}}",
        {"title": "Homo sapiens, E. coli and LaTeX"},
    ),
    ("pages", r"@article{k, title={T}, pages={e123\,--\,e130}}", {"pages": "e123-e130"}),
    ("parentheses", '@ARTICLE(k, TITLE="An (entry)", YEAR=2009)', {"title": "An (entry)"}),
    (
        "names by parts",
        "@book{k, title={T}, author={given=Hans, family=Müller}}",
        {"authors": ("Müller, Hans",)},
    ),
    ("xdata", "@xdata{x, year={2008}}\n@book{k, title={T}, xdata={x}}", {"year": 2008}),
    ("an editor alone", "@book{k, title={T}, editor={Ed, Itor}}", {"authors": ("Ed, Itor",)}),
    (
        "quotation marks",
        "@book{k, title={``Quoted'' title's dash}}",
        {"title": "Quoted title's dash"},
    ),
    ("no citekey", "@book{, title={T}, year=2001}", {"title": "T"}),
    (
        "a brace missing before it",
        "@article{x, title={Broken {brace}, year=2011}\n@article{k, title={T}, year=2010}",
        {"title": "T", "year": 2010},
    ),
    ("a comma missing", "@article{k, title={T} author={A, B}, year=2010}", {"title": "T"}),
)
RIS: Sequence[Case] = (
    (
        "usual",
        "TY  - JOUR\nTI  - T\nAU  - Doe, Jane\nPY  - 2001/05/06/Spring\n"
        "JO  - J of Things\nSP  - 12\nEP  - 34\nDO  - 10.1000/abc\nER  - \n",
        {
            "title": "T",
            "year": 2001,
            "container": "J of Things",
            "pages": "12-34",
            "doi": "10.1000/abc",
            "authors": ("Doe, Jane",),
        },
    ),
    (
        "T1, A1, Y1",
        "TY  - CHAP\nT1  - A chapter\nT2  - The Book\nA1  - Author, One\nA2  - Editor, Two\n"
        "Y1  - 2002///\nER  - \n",
        {"title": "A chapter", "container": "The Book", "authors": ("Author, One",), "year": 2002},
    ),
    (
        "no end",
        "TY  - BOOK\nTI  - First\nTY  - BOOK\nTI  - T\n"
        "AU  - World Health Organization\nPY  - 2003\n",
        {"title": "T", "authors": ("World Health Organization",), "year": 2003},
    ),
    (
        "a wrapped title",
        "TY  - JOUR\nTI  - A title that goes\non in the next line\nER  - \n",
        {"title": "A title that goes on in the next line"},
    ),
    ("one space", "TY - JOUR\nTI - T\nAU - A, B\nPY - 2005\nER -\n", {"title": "T", "year": 2005}),
    ("no space at the end", "TY  - JOUR\nTI  - T\nPY  - 2005\nER  -\n", {"title": "T"}),
    ("DA alone", "TY  - CONF\nTI  - T\nDA  - 2004/06/07\nER  - \n", {"year": 2004}),
    (
        "BT",
        "TY  - CONF\nTI  - T\nBT  - Proceedings of X\nER  - \n",
        {"container": "Proceedings of X"},
    ),
    ("an approximate year", "TY  - THES\nTI  - T\nPY  - c2006\nER  - \n", {"year": 2006}),
    ("a range of years", "TY  - RPRT\nTI  - T\nPY  - 2010-2011\nER  - \n", {"year": 2010}),
    ("a citekey", "TY  - BOOK\nTI  - T\nID  - k2006\nER  - \n", {"citekey": "k2006"}),
    (
        "EndNote",
        "TY  - JOUR\nT1  - T\nJF  - Full Name\nJA  - F Nm\nSP  - e100-e110\nER  - \n",
        {"container": "Full Name", "pages": "e100-e110"},
    ),
    (
        "a DOI with its address",
        "TY  - JOUR\nTI  - T\nDO  - https://doi.org/10.1000/Abc\nER  - \n",
        {"doi": "10.1000/abc"},
    ),
    ("an empty field", "TY  - JOUR\nTI  - \nT1  - T\nER  - \n", {"title": "T"}),
    (
        "Jr.",
        "TY  - JOUR\nTI  - T\nAU  - Roe, Richard, Jr.\nER  - \n",
        {"authors": ("Roe, Richard, Jr.",)},
    ),
    ("indented", "  TY  - JOUR\n  TI  - T\n  ER  - \n", {"title": "T"}),
    ("an unknown tag", "TY  - JOUR\nTI  - T\nZZ  - what\nPY  - 2001\nER  - \n", {"year": 2001}),
)
FIELDS = ("citekey", "title", "authors", "year", "container", "pages", "doi", "url")


def main() -> None:
    """Print what each reader reads truly, as Markdown."""
    print("| format | fields of made entries | citeloom | Pandoc |\n|---|---|---|---|")
    lost = []
    for name, suffix, cases in (
        ("bibtex", ".bib", BIBTEX), ("biblatex", ".bib", BIBTEX), ("ris", ".ris", RIS)
    ):  # fmt: skip
        readers = {"citeloom": _own(suffix), "Pandoc": _pandocs(name)}
        right = Counter[str]()
        for what, text, truth in cases:
            for reader, read in readers.items():
                wrong = list(_wrong(read(text), truth))
                right[reader] += len(truth) - len(wrong)
                lost += [f"- {name}, {what}, {reader}: {one}" for one in wrong]
        total = sum(len(truth) for *_, truth in cases)
        print(f"| {name} | {total} | {right['citeloom']} | {right['Pandoc']} |")
        whole = "\n\n".join(text.replace("{k,", f"{{k{n},") for n, (_, text, _) in enumerate(cases))
        counts = [len(read(whole)) for read in readers.values()]
        print(f"| | entries of all in one file | {counts[0]} | {counts[1]} |")
    for file in map(Path, sys.argv[1:]):
        _print_real(file)
    print("\n".join(["", *lost]))


Reader = Callable[[str], Sequence[CitationMeta]]


def _own(suffix: str) -> Reader:
    return lambda text: _read(text.encode(), suffix)


def _pandocs(name: str) -> Reader:
    def read(text: str) -> Sequence[CitationMeta]:
        try:
            return _read(PANDOC.run(["-f", name, "-t", "csljson"], text.encode(), name), ".json")
        except CiteloomError:
            return ()

    return read


def _read(content: bytes, suffix: str) -> Sequence[CitationMeta]:
    try:
        read = read_references(content, PurePath(f"references{suffix}"))
    except CiteloomError:
        return ()
    return [entry.citation for entry in read.entries]


def _wrong(read: Sequence[CitationMeta], truth: Truth) -> Iterator[str]:
    """The fields of the entry `k`, or of the last one, that are not true."""
    own = [one for one in read if one.citekey == "k"] or list(read)[-1:]
    for field, value in truth.items():
        found = getattr(own[0], field) if own else None
        if _plain(found) != _plain(value):
            yield f"{field} {found!r}"


def _plain(value: object) -> str:
    """A value without case, punctuation and kinds of dashes."""
    text = "; ".join(value) if isinstance(value, tuple) else str(value if value is not None else "")
    return re.sub(r"[^\w/;%&]+", "", unicodedata.normalize("NFC", text)).casefold()


def _print_real(file: Path) -> None:
    """What both readers make of references that Pandoc has written in their formats."""
    content = file.read_bytes()
    truth = {one.citekey: one for one in _read(content, ".json")}
    for name in ("bibtex", "biblatex"):
        try:
            written = PANDOC.run(["-f", "csljson", "-t", name], content, file.name).decode()
        except CiteloomError as error:
            print(f"| {name} | {file.name} | {error} | |")
            continue
        right = [_agreeing(truth, read(written)) for read in (_own(".bib"), _pandocs(name))]
        total = sum(bool(getattr(one, field)) for one in truth.values() for field in FIELDS)
        print(f"| {name} | {total} of {file.name} | {right[0]} | {right[1]} |")


def _agreeing(truth: dict[str, CitationMeta], read: Iterable[CitationMeta]) -> int:
    return sum(
        _plain(getattr(one, field)) == _plain(getattr(truth[one.citekey], field))
        for one in read
        if one.citekey in truth
        for field in FIELDS
        if getattr(truth[one.citekey], field)
    )


if __name__ == "__main__":
    main()
