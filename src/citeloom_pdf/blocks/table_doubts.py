"""What contradicts the cells of a table that has been read, by where its words and rules stand.

Nothing here knows how the cells were found: each test compares them with the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from citeloom_pdf.blocks.cell_text import lines_of_cell
from citeloom_pdf.blocks.table_bands import BRACKETS, FLUSH, SMALLER
from citeloom_pdf.elements.geometry import Rect, Rule
from citeloom_pdf.elements.page import PageContent, Word

_SAME_LINE = 0.5  # of the words' height: how far middles of one line may be apart
_WIDE = 1.2  # of the words' height: no space within a cell is wider than this and than a river
_TIGHTEST = 0.1  # of the gaps between cells side by side: the others are wider
OVERPRINTED = 0.25  # of a letter's width: letters of one phrase stand no farther over others
_SPACE = 1.1  # of a letter's width: no more parts the words of a phrase
_USUAL_SPACE = 1.5  # times the usual space within cells: nor does more than that
_LINE = 0.7  # of the words' height: rows are no nearer than this
_NEAR_ROWS, _FEW = 2, 0.15  # rows, and of the rows: so many may be, as names beside several rows
_COVERED = 0.3  # of the narrower of two words on one line: no letters stand over others
_LETTERS_ACROSS = 1.5  # letters of a word on either side of a column's edge
_OF_COLUMN, _OF_TABLE = 0.6, 0.6  # of the width of a column or a table: what ends its cells
_LEAST_EDGES, _RULED = 4, 0.7  # edges between rows, and the share of them that are ruled: all are
_LEAST_ROWS = 2  # with cells side by side: a head and a row; a listing in a frame has none
_PADDING = 1.5  # of the words' height: the space behind a word and at the sides of its cell
_NEW_COLUMNS, _LEAST_ABOVE = 2, 3  # columns that begin below so many rows
_MARKS = 0.4  # of the words are one mark, drawn again and again

# The words of each cell, row by row, from left to right.
PlacedWords = Sequence[Sequence[Sequence[Word]]]


def contradicts(
    page: PageContent, table: Rect, cells: PlacedWords, bounds: Sequence[float]
) -> bool:
    """Whether words or rules of the page show that a table has other cells; `bounds` are the edges
    of its columns, the outer ones too.
    """
    words = [word for row in cells for cell in row for word in cell]
    if not words:
        return False
    height = median(word.box.height for word in words)
    rules = [rule for rule in page.horizontal if table.top < rule.at < table.bottom]
    return (
        _joins_cells(cells, bounds, page.vertical, height)
        or _parts_phrases(cells, page.vertical, height)
        or _mixes_lines(cells, height)
        or _are_too_near(cells, height)
        or _has_words_across(cells, bounds)
        or _is_ruled_within(cells, bounds, rules, height)
        or _lacks_rules(cells, table, rules)
        or _has_columns_never_side_by_side(cells)
        or sum(sum(map(bool, row)) > 1 for row in cells) < _LEAST_ROWS
        or _begins_anew(cells)
        or _merges_rows(cells, bounds, height)
        or _is_of_marks(words)
    )


def _printed(words: Sequence[Word], height: float) -> list[list[Word]]:
    """Words by line, each from left to right."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.box.middle_y):
        if lines and word.box.middle_y - lines[-1][0].box.middle_y <= _SAME_LINE * height:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.box.left) for line in lines]


def _beside(cells: PlacedWords, height: float) -> Iterator[tuple[Word, Word, bool]]:
    """The words next to each other on a line of a row, and whether both are in one cell."""
    for row in cells:
        column = {id(word): at for at, cell in enumerate(row) for word in cell}
        for line in _printed([word for cell in row for word in cell], height):
            for left, right in pairwise(line):
                yield left, right, column[id(left)] == column[id(right)]


def _joins_cells(
    cells: PlacedWords, bounds: Sequence[float], rules: Sequence[Rule], height: float
) -> bool:
    """Whether a gap within a cell is as wide as those between cells; not in a line that is
    stretched between two rules.
    """
    beside = [*_beside(cells, height)]
    rivers = sorted(right.box.left - left.box.right for left, right, same in beside if not same)
    if not rivers:
        return False
    least = max(_WIDE * height, rivers[int(_TIGHTEST * len(rivers))])
    is_ruled = {*bounds[1:-1]} <= {rule.at for rule in rules}
    stretched = _stretched(cells, height) if is_ruled else set()
    return any(
        same and right.box.left - left.box.right >= least and id(left) not in stretched
        for left, right, same in beside
    )


def _stretched(cells: PlacedWords, height: float) -> set[int]:
    """The words, by identity, of lines of cells that reach the end of their column, and go on in
    the line below.
    """
    words = set[int]()
    for column in zip(*cells):
        end = max((word.box.right for cell in column for word in cell), default=0.0)
        for cell in column:
            for line in _printed(cell, height)[:-1]:
                if line[-1].box.right > end - FLUSH:
                    words.update(map(id, line))
    return words


def _parts_phrases(cells: PlacedWords, rules: Sequence[Rule], height: float) -> bool:
    """Whether two words with a common space and no rule between them are in two cells; where words
    of one cell stand side by side, theirs is the common one. A word that is printed over another
    is none of its phrase.
    """
    beside = [*_beside(cells, height)]
    spaces = [right.box.left - left.box.right for left, right, same in beside if same]
    widest = _USUAL_SPACE * median(spaces) if spaces else float("inf")
    return any(
        not same
        and _has_letters(left)
        and _has_letters(right)
        and -OVERPRINTED * _letter(left)
        <= right.box.left - left.box.right
        <= min(widest, _SPACE * min(_letter(left), _letter(right)))
        and not any(
            left.box.middle_x < rule.at < right.box.middle_x
            and rule.start < left.box.middle_y < rule.end
            for rule in rules
        )
        for left, right, same in beside
    )


def _has_letters(word: Word) -> bool:
    return any(map(str.isalpha, word.text))


def _letter(word: Word) -> float:
    """The width of a letter of the word on average."""
    return word.box.width / max(1, len(word.text))


def _mixes_lines(cells: PlacedWords, height: float) -> bool:
    """Whether a line of a cell has words one above the other."""
    return any(
        left.box.right - right.box.left > _COVERED * min(left.box.width, right.box.width)
        for row in cells
        for cell in row
        for line in lines_of_cell(cell, height)
        for left, right in pairwise(line)
    )


def _are_too_near(cells: PlacedWords, height: float) -> bool:
    """Whether many rows begin less than a line below those above, as lines of cells do that are set
    in the middle beside longer ones.
    """
    rows = ([word.box.middle_y for cell in row for word in cell] for row in cells)
    middles = [row for row in rows if row]
    near = sum(min(below) - max(above) < _LINE * height for above, below in pairwise(middles))
    return near > max(_NEAR_ROWS, _FEW * len(middles))


def _has_words_across(cells: PlacedWords, bounds: Sequence[float]) -> bool:
    """Whether a word beside other cells goes on from the names to where a cell of the next column
    would stand, as glued to it.
    """
    inner = bounds[1:-1]
    lefts = [min(word.box.left for word in row[1]) for row in cells if inner and row[1]]
    if not lefts:
        return False
    second = max(bounds[1], median(lefts))
    return any(
        _is_across(word, second) and not row[1]
        for row in cells
        if sum(map(bool, row)) > 1
        for word in row[0]
    )


def _is_across(word: Word, edge: float) -> bool:
    return min(edge - word.box.left, word.box.right - edge) > _LETTERS_ACROSS * _letter(word)


def _is_ruled_within(
    cells: PlacedWords, bounds: Sequence[float], rules: Sequence[Rule], height: float
) -> bool:
    """Whether a rule as wide as a column parts two lines of a cell."""
    for row in cells:
        for column, cell in enumerate(row):
            least = _OF_COLUMN * (bounds[column + 1] - bounds[column])
            for above, below in pairwise(_printed(cell, height)):
                left = min(above[0].box.left, below[0].box.left)
                right = max(above[-1].box.right, below[-1].box.right)
                if any(
                    above[0].box.middle_y < rule.at < below[0].box.middle_y
                    and rule.length > least
                    and rule.start <= left + 1
                    and rule.end >= right - 1
                    for rule in rules
                ):
                    return True
    return False


def _lacks_rules(cells: PlacedWords, table: Rect, rules: Sequence[Rule]) -> bool:
    """Whether rules part nearly all rows, but not two of them."""
    tops = [
        min(word.box.top for cell in row for word in cell) for row in cells if any(map(bool, row))
    ]
    through = [rule.at for rule in rules if rule.shared(*_sides(table)) > _OF_TABLE * table.width]
    ruled = [any(upper < at < lower + 1 for at in through) for upper, lower in pairwise(tops)]
    if sum(not cell for cell in cells[0]) > 1:  # names over several columns have none below them
        ruled = ruled[1:]
    return len(ruled) >= _LEAST_EDGES and _RULED * len(ruled) <= sum(ruled) < len(ruled)


def _sides(table: Rect) -> tuple[float, float]:
    return table.left, table.right


def _has_columns_never_side_by_side(cells: PlacedWords) -> bool:
    """Whether no row, not even one of heads, has a cell in both of two neighbouring columns."""
    filled = [
        {at for at, row in enumerate(cells) if row[column]} for column in range(len(cells[0]))
    ]
    return any(left and right and left.isdisjoint(right) for left, right in pairwise(filled))


def _begins_anew(cells: PlacedWords) -> bool:
    """Whether columns begin side by side below rows of others, as with the heads of a table."""
    columns = zip(*cells)
    begun = Counter(next((at for at, cell in enumerate(c) if cell), 0) for c in columns)
    return any(count >= _NEW_COLUMNS for row, count in begun.items() if row >= _LEAST_ABOVE)


def _merges_rows(cells: PlacedWords, bounds: Sequence[float], height: float) -> bool:
    """Whether cells side by side below the heads go on at one level with words that would have
    fitted in above, as those of rows of their own do; errors stand in brackets or small print.
    """
    for row in cells[1:]:
        begun: list[float] = []
        for cell, left, right in zip(row, bounds, bounds[1:]):
            for above, below in pairwise(_printed(cell, height)):
                first = below[0]
                needed = above[-1].box.right - above[0].box.left + _PADDING * height
                fits = needed + first.box.width < right - left
                small = first.box.height < SMALLER * above[0].box.height
                if fits and not small and first.text[0] not in BRACKETS:
                    begun.append(first.box.middle_y)
        begun.sort()
        if any(lower - upper < _SAME_LINE * height for upper, lower in pairwise(begun)):
            return True
    return False


def _is_of_marks(words: Sequence[Word]) -> bool:
    """Whether many words are one sign that is no letter, digit or dash, as marks of plots are."""
    signs = Counter(
        word.text[0] for word in words if len({*word.text}) == 1 and _is_drawn(word.text[0])
    )
    return bool(signs) and max(signs.values()) > _MARKS * len(words)


def _is_drawn(sign: str) -> bool:
    return "\u2500" <= sign <= "\u27bf"  # geometric shapes, stars and the like
