"""Where the text of Markdown, MDX and plain text stands in the file, to the character."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.conversion import SourceFile
from citeloom.domain.chunks.chunk import Chunk, SectionType
from citeloom.domain.chunks.chunk_document import chunk_document
from citeloom.domain.chunks.place_chunks import FragmentIndex
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.policies import ChunkingPolicy
from citeloom.infrastructure.conversion.markdown.text_files import (
    MarkdownConverter,
    PlainTextConverter,
    without_mdx,
)

KNOWN = re.compile(r"(?:road|Größe|слово|語|😀)\d+x")
SMALL = ChunkingPolicy(max_tokens=24, overlap_tokens=4, min_chunk_tokens=3, min_signal_to_noise=0)


def converted(content: str | bytes, suffix: str = ".md") -> ConversionResult:
    converter = PlainTextConverter() if suffix == ".txt" else MarkdownConverter()
    with TemporaryDirectory() as folder:
        path = Path(folder, f"page{suffix}")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return converter.convert(SourceFile(path=path, doc_id="doc", content_hash=""))


def chunks_of(result: ConversionResult, policy: ChunkingPolicy = SMALL) -> Sequence[Chunk]:
    return chunk_document(
        result,
        policy=policy,
        embedding_model="m",
        special_tokens=0,
        count_all=lambda texts: [len(text.split()) for text in texts],
    ).chunks


def placed(source: str, suffix: str = ".md") -> list[tuple[str, str]]:
    """Each block's text, and the slice of the file it stands for."""
    result = converted(source, suffix)
    places = FragmentIndex(result)
    found = []
    for block in result.blocks:
        place = places.source(block.start, block.end)
        assert place is not None
        found.append((result.text_of(block), source[place.start_position : place.end_position]))
    return found


def sliced(source: str, chunk: Chunk) -> str:
    assert chunk.source is not None
    return source[chunk.source.start_position : chunk.source.end_position]


# --- documents by chance


@dataclass
class Words:
    """Words that occur once in a document, so that a slice can be known by them."""

    draw: st.DrawFn
    used: int = 0

    def one(self) -> str:
        self.used += 1
        return f"{self.draw(st.sampled_from(('road', 'Größe', 'слово', '語', '😀')))}{self.used}x"

    def some(self, most: int = 6) -> list[str]:
        return [self.one() for _ in range(self.draw(st.integers(1, most)))]


MARKED: tuple[str, ...] = (
    "{}",
    "{}",
    "**{}**",
    "*{}*",
    "***{}***",
    "`{}`",
    "~~{}~~",
    '[{}](http://u.x/y "t t")',
)
MARKED += ("[{}][ref]", "<b>{}</b>", "{} &amp; &eacute;", r"\*{}\_", "{}<br>", "![alt](i.png) {}")


def prose(words: Words) -> str:
    """Sentences of marked words over several lines."""
    marked = [words.draw(st.sampled_from(MARKED)).format(word) for word in words.some(12)]
    ends = [words.draw(st.sampled_from((" ", ". ", "\n", ".\n", "  \n", "? "))) for _ in marked]
    return "".join(word + end for word, end in zip(marked, ends)).rstrip() + "."


def heading(words: Words) -> str:
    title = " ".join(words.some(3))
    if words.draw(st.booleans()):
        return f"{title}\n{'-' * words.draw(st.integers(3, 9))}"
    return f"{'#' * words.draw(st.integers(1, 4))} **{title}** ##"


def fence(words: Words) -> str:
    mark = words.draw(st.sampled_from(("```", "~~~~")))
    lines = [f"# {word} = '<{{'\t" for word in words.some()]
    return "\n".join([f"{mark}py", *lines, "", "  x", mark])


def indented(words: Words) -> str:
    return "\n".join(f"\t{word}  = 1" for word in words.some())


def listing(words: Words) -> str:
    marker = words.draw(st.sampled_from(("-", "1.", "*")))
    gap = " " * (len(marker) + 1)
    inner = prose(words).replace("\n", "\n" + gap)
    nested = words.one()
    return f"{marker} {inner}\n{gap}- {nested}\n\n{gap}  {words.one()}\n{marker} {words.one()}"


def quote(words: Words) -> str:
    return "> " + prose(words).replace("\n", "\n> ")


def page(words: Words) -> str:
    inner = f"<p>{words.one()} <i>{words.one()}</i></p>"
    return f'<div class="a">\n  <h3>{words.one()}</h3>\n  {inner}\n</div>'


def table(words: Words) -> str:
    rows = [f"| {words.one()} \\| `{words.one()}` | {words.one()} |" for _ in range(9)]
    return "\n".join([f"| {words.one()} | {words.one()} |", "|:--|--|", *rows])


PLAIN = (prose, prose, heading, fence, indented, listing, quote, page)


def component(words: Words) -> str:
    return (
        f"<Note kind={{'a>b'}}\n  on={{() => {{ f('}}') }}}}>\n\n    {prose(words)}\n\n</Note>"
        if words.draw(st.booleans())
        else f'{{/* gone */}}\n\n{words.one()} {{props.a + `}}`}} <Tag a="b">{words.one()}</Tag>'
    )


@st.composite
def documents(draw: st.DrawFn, *kinds: Callable[[Words], str], front: str = "") -> str:
    words = Words(draw)
    blocks = [draw(st.sampled_from(kinds))(words) for _ in range(draw(st.integers(1, 9)))]
    text = "\n\n".join([*blocks, "[ref]: http://u.x"]) + draw(st.sampled_from(("", "\n", "\n\n")))
    head = draw(st.sampled_from(("", front))) if front else ""
    return (head + text).replace("\n", draw(st.sampled_from(("\n", "\r\n", "\r"))))


def check(source: str, suffix: str) -> None:
    for chunk in chunks_of(converted(source, suffix)):
        assert KNOWN.findall(sliced(source, chunk)) == KNOWN.findall(chunk.text)


FRONT = "---\ntitle: A title\ntags: [a, b]\n---\n"


@settings(max_examples=150, deadline=None)
@given(documents(*PLAIN, front=FRONT))
def test_a_slice_of_markdown_holds_the_words_of_the_chunk_and_no_others(source: str) -> None:
    check(source, ".md")


@settings(max_examples=100, deadline=None)
@given(documents(prose, heading, fence, listing, component, front=FRONT))
def test_so_does_a_slice_of_mdx(source: str) -> None:
    check(source, ".mdx")


@settings(max_examples=60, deadline=None)
@given(documents(prose, table, heading))
def test_a_slice_may_hold_a_table_that_is_a_chunk_of_its_own(source: str) -> None:
    result = converted(source)
    for chunk in chunks_of(result):
        stands, told = KNOWN.findall(sliced(source, chunk)), KNOWN.findall(chunk.text)
        own = told[told.index(stands[0]) :]
        assert own[-1] == stands[-1]
        assert set(own) <= set(stands)
        if chunk.section_type is SectionType.TABLE:
            assert own == stands


@settings(max_examples=60, deadline=None)
@given(documents(prose, indented))
def test_so_does_a_slice_of_plain_text(source: str) -> None:
    check(source, ".txt")


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from(list("ab \n\t#*_-`~<>[]()!|&;:{}\\=+1.é😀\r'\"/")), max_size=80))
@pytest.mark.parametrize("suffix", [".md", ".mdx"])
def test_any_text_is_read_and_every_place_lies_in_it(suffix: str, source: str) -> None:
    result = converted(f"start\n\n{source}", suffix)
    for chunk in chunks_of(
        result, ChunkingPolicy(max_tokens=5, overlap_tokens=0, min_chunk_tokens=1)
    ):
        assert chunk.source is not None
        assert chunk.source.end_position <= len(f"start\n\n{source}")


# --- cases


def test_marks_at_the_ends_of_a_block_belong_to_it() -> None:
    source = (
        "# *On* roads #\n\n- **one**\n  - two\n\n> three\n> four\n\nA\nB\n===\n\n```sh\n# x\n```"
    )
    assert placed(source) == [
        ("On roads", "# *On* roads #"),
        ("- one", "- **one**"),
        ("  - two", "- two"),
        ("three four", "> three\n> four"),
        ("A B", "A\nB\n==="),
        ("# x", "```sh\n# x\n```"),
    ]


def test_within_a_block_marks_belong_to_the_word_they_touch() -> None:
    source = "One **word.** [Two](http://u.x) words. `Three.`"
    result = converted(source)
    places = FragmentIndex(result)
    text = result.plain_text
    assert text == "One word. Two words. Three."
    for part, expected in (
        ("One word.", "One **word.**"),
        ("Two words.", "[Two](http://u.x) words."),
        ("Three.", "`Three.`"),
    ):
        start = text.index(part)
        place = places.source(start, start + len(part))
        assert place is not None
        assert source[place.start_position : place.end_position] == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_places_count_the_characters_of_the_decoded_file(suffix: str, encoding: str) -> None:
    source = "Größe 😀\r\n\r\nroad one\r\nroad two 語\r\n"
    (chunk,) = chunks_of(converted(source.encode(encoding), suffix))
    assert sliced(source, chunk) == "Größe 😀\r\n\r\nroad one\r\nroad two 語"


def test_html_is_read_as_a_page_shows_it() -> None:
    source = (
        "<h2>On <i>roads</i> &amp; &#233;</h2>\n<script>let a\n</script><!-- no -->\n"
        "<ul><li>one</li><li>two</li></ul>\n<table><caption>T1</caption><tr><th>a</th><td>b</td></tr>\n<tr><td>1<td>2"
        "</table><pre>x\n  y</pre>\n\nA <!-- no --><u>b</u><br/>c <style>"
    )
    assert [text for text, _ in placed(source)] == [
        "On roads & é",
        "- one",
        "- two",
        "T1",
        "a | b\n1 | 2",
        "x\n  y",
        "A b\nc",
    ]


def test_what_a_reader_does_not_see_is_left_out() -> None:
    source = (
        "Seen <span hidden>not <span>nor this</span> either</span>and <b style='display: none'>not"
        "</b>this <script>let a</script>too.\n\n<div aria-hidden='true'>not<div>nor</div></div>\n"
        "<p>Here<svg><text>not</text></svg><br hidden>\nand <img hidden>there.</p>"
    )
    assert [text for text, _ in placed(source)] == ["Seen and this too.", "Here\nand there."]


def test_mdx_is_read_without_its_program() -> None:
    source = (
        "import A, {b} from 'a'\nexport const meta = {\n  a: '}',\n\n  b: `}${1}`,\n}\n\n"
        "# Title {#id}\n\nimport duties {/* not */}rose.\n\n"
        "<Tabs on={() => { if (a > 1) { f() } }}>\n"
        '    <Tab value="a > b">\n\n    Inside *here*.\n\n    </Tab>\n</Tabs>\n\n'
        "`{kept} <b>` and a < b, <https://u.x> \\{x\\}\n\n"
        "```js\nimport x from 'y' // {<T/>\n```\n\n"
        "<>one</> <A.B/> two <!-- no -->\n\n{unclosed <Tag a\n"
    )
    assert [text for text, _ in placed(source, ".mdx")] == [
        "Title",
        "import duties rose.",
        "Inside here.",
        "{kept} <b> and a < b, https://u.x {x}",
        "import x from 'y' // {<T/>",
        "one two",
        "{unclosed <Tag a",
    ]


def test_what_looks_like_mdx_in_front_matter_does_not_reach_below_it() -> None:
    source = "---\ntitle: 'a { b'\nhint: '`'\n---\n\nOne } and `two` stay.\n"
    assert placed(source, ".mdx") == [("One } and two stay.", "One } and `two` stay.")]


def test_many_unclosed_brackets_take_no_longer() -> None:
    source = "text {" * 30_000 + "<a " * 30_000
    assert converted(source, ".mdx").plain_text.startswith("text {text {")


def test_the_head_that_a_part_of_a_table_repeats_is_not_in_its_slice() -> None:
    rows = [f"| row{n} | some words in cell{n} |" for n in range(12)]
    source = "\n".join(["| name | text |", "|---|---|", *rows])
    first, second, *_ = chunks_of(converted(source))
    assert sliced(source, first).startswith("| name | text |")
    assert second.text.startswith("name | text\n\nrow")
    assert sliced(source, second).startswith("| row")


LEVELS = """# A title

Words below the title, of which there are some.

## One

Words of the first section, with more of them.

### Deep

- an item with several words in it
- another item with several words in it

## Two

```
code that has some words and goes on
```

| a | b |
|---|---|
| some words in a cell | some words in another |
"""


def test_a_chunk_knows_its_heading_level_and_what_it_is() -> None:
    policy = ChunkingPolicy(max_tokens=60, overlap_tokens=0, min_chunk_tokens=4)
    found = [
        (chunk.heading_level, chunk.section_type, chunk.section_path)
        for chunk in chunks_of(converted(LEVELS), policy)
    ]
    assert found == [
        (1, SectionType.PARAGRAPH, ("A title",)),
        (2, SectionType.PARAGRAPH, ("A title", "One")),
        (3, SectionType.LIST, ("A title", "One", "Deep")),
        (2, SectionType.CODE_BLOCK, ("A title", "Two")),
        (2, SectionType.TABLE, ("A title", "Two")),
    ]


def test_the_only_heading_of_the_first_level_is_a_section_whatever_the_title_is() -> None:
    text = "---\ntitle: Another\n---\n# Ploughs\n\nWords below it.\n\n## Steel\n\nMore words.\n"
    policy = ChunkingPolicy(max_tokens=60, overlap_tokens=0, min_chunk_tokens=1)
    chunks = chunks_of(converted(text), policy)
    assert [chunk.section_path for chunk in chunks] == [("Ploughs",), ("Ploughs", "Steel")]
    assert [chunk.heading_context for chunk in chunks] == [("Ploughs",), ("Ploughs", "Steel")]
    assert [str(chunk.paragraphs[0].section) for chunk in chunks if chunk.paragraphs] == ["", "1"]


def test_a_heading_alone_has_its_level() -> None:
    (chunk,) = chunks_of(converted("# One\n"))
    assert (chunk.heading_level, chunk.section_type) == (1, SectionType.HEADING)


def test_headings_alone_are_headings() -> None:
    (chunk,) = chunks_of(converted("# One\n\n# Two\n"))
    assert chunk.section_type is SectionType.HEADING


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("It lasts {years} years.", "It lasts {years} years."),
        ("- up to {most} of them", "- up to {most} of them"),
        ("## The size {#size}", "## The size        "),
        ("Two{' '}words", "Two     words"),
        ("Said {/* not this */} aloud", "Said                  aloud"),
        ("{table}", "       "),
        ("<b>{table}</b>", "              "),
    ],
)
def test_an_expression_within_a_sentence_stands_as_it_is_written(written: str, left: str) -> None:
    assert without_mdx(written) == left
