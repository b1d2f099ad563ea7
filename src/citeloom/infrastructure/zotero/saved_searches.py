"""Saved searches in a Zotero database, run as Zotero runs them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from citeloom.domain.errors import InvalidFilter
from citeloom.domain.zotero.items import ZoteroLibraryRef, ZoteroSavedSearch

Query = tuple[str, tuple[object, ...]]
"""A query for item ids, or a part of one, with its parameters."""


def saved_searches(
    db: sqlite3.Connection, number: int, ref: ZoteroLibraryRef
) -> tuple[ZoteroSavedSearch, ...]:
    """The saved searches of the library with this id in the database that are not in the trash,
    with what each finds, or why it cannot be run.
    """
    db.create_function("is_like", 2, _is_like, deterministic=True)
    searches = []
    for search, key, name in db.execute(_SEARCHES, (number,)).fetchall():
        found, refusal = frozenset[str](), ""
        try:
            ids, values = _query(db, number, search, above=())
            keys = db.execute(f"select key from items where itemID in ({ids})", values)
            found = frozenset(key for (key,) in keys)
        except InvalidFilter as error:
            refusal = error.message
        searches.append(
            ZoteroSavedSearch(library=ref, key=key, name=name, found=found, refusal=refusal)
        )
    return tuple(searches)


_SEARCHES = (
    "select savedSearchID, key, savedSearchName from savedSearches where libraryID = ?"
    " and savedSearchID not in (select savedSearchID from deletedSearches) order by key"
)
_FLAGS = {
    "noChildren",
    "recursive",
    "includeParentsAndChildren",
    "includeParents",
    "includeChildren",
}
_REFUSED_FLAGS = {"deleted", "includeDeleted", "unfiled", "retracted", "publications", "feed"}
_NEGATIONS = {"isNot", "doesNotContain"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    """A condition as it is stored."""

    name: str
    operator: str
    value: str
    required: bool = False

    def refused(self, why: str = "") -> InvalidFilter:
        what = " ".join(filter(None, (self.name, self.operator, repr(self.value))))
        return InvalidFilter(
            f"its condition {what} cannot be run{why and f': {why}'}", "Change it in Zotero."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """Where a search is run: a database, a library in it, and the search with those above it."""

    db: sqlite3.Connection
    library: int
    searches: tuple[int, ...]
    flags: frozenset[str] = field(default=frozenset())


def _query(db: sqlite3.Connection, library: int, search: int, above: tuple[int, ...]) -> Query:
    """The query for what a search finds."""
    rows = db.execute(
        "select condition, operator, value, required from savedSearchConditions"
        " where savedSearchID = ? order by searchConditionID",
        (search,),
    )
    mode, flags, conditions = "all", set[str](), list[_Condition]()
    for name, operator, value, required in rows:
        condition = _Condition(
            name=name,
            operator=operator or "",
            value="" if value is None else str(value),
            required=str(required or "0") not in ("0", "false"),
        )
        if name == "joinMode":
            mode = condition.operator
        elif name in _FLAGS | _REFUSED_FLAGS:
            if name in _REFUSED_FLAGS and operator == "true":
                raise condition.refused()
            flags |= {name} if operator == "true" else set()
        else:
            conditions.append(condition)
    within = _Context(db=db, library=library, searches=(*above, search), flags=frozenset(flags))
    return _joined(within, mode, conditions)


def _joined(within: _Context, mode: str, conditions: Sequence[_Condition]) -> Query:
    """The query for what meets all of the conditions, or the required ones and any of others."""
    needed: list[Query] = [(_NOT_IN_TRASH, ()), ("libraryID = ?", (within.library,))]
    if "noChildren" in within.flags:
        needed.append((_NO_CHILDREN, ()))
    either: list[Query] = []
    for condition in conditions:
        parts = _parts(within, condition)
        if mode == "any" and not condition.required:
            either += parts
        elif parts:
            needed.append(_any(parts))
    if either:
        needed.append(_any(either))
    return (
        "select itemID from items where " + " and ".join(text for text, _ in needed),
        tuple(value for _, values in needed for value in values),
    )


def _any(parts: Sequence[Query]) -> Query:
    text = " or ".join(text for text, _ in parts)
    return f"({text})", tuple(value for _, values in parts for value in values)


_CHILDREN = ("itemNotes", "itemAttachments", "itemAnnotations")
_BINNED = "select itemID from deletedItems"
_NOT_IN_TRASH = (
    f"itemID not in ({_BINNED}"
    + "".join(
        f" union select itemID from {table} where parentItemID in ({_BINNED})"
        for table in _CHILDREN
    )
    + " union select itemID from itemAnnotations where parentItemID in"
    f" (select itemID from itemAttachments where parentItemID in ({_BINNED})))"
)
_NO_CHILDREN = " and ".join(
    f"itemID not in (select itemID from {table} where parentItemID is not null)"
    for table in _CHILDREN
)


def _parts(within: _Context, condition: _Condition) -> list[Query]:
    """A condition as the queries of which one has to be met; none where it says nothing."""
    if condition.name == "anyField":
        names = ("field", "tag", "note", "creator")
        return [
            _test(within, _Condition(name=n, operator=condition.operator, value=condition.value))
            for n in names
        ]
    if condition.name == "savedSearch":
        return _within_search(within, condition)
    return [_test(within, condition)]


def _within_search(within: _Context, condition: _Condition) -> list[Query]:
    if condition.operator not in ("is", "isNot") or within.flags - {"noChildren", "recursive"}:
        raise condition.refused()
    row = within.db.execute(
        "select savedSearchID from savedSearches where libraryID = ? and key = ?",
        (within.library, condition.value),
    ).fetchone()
    if row is None:
        return [("itemID in (0)", ())]
    if row[0] == within.searches[-1]:
        return []
    if row[0] in within.searches:
        raise condition.refused("that search is made of this one")
    query, values = _query(within.db, within.library, row[0], within.searches)
    negation = "not " if condition.operator == "isNot" else ""
    return [(f"itemID {negation}in ({query})", values)]


def _test(within: _Context, condition: _Condition) -> Query:
    """A condition as a test of the id of an item."""
    text, values = _matching(within, condition)
    flags, base, once = within.flags, text, values
    if flags & {"includeParentsAndChildren", "includeParents"}:
        for table in ("itemAttachments", "itemNotes"):
            text += f" union select parentItemID from {table} where parentItemID is not null"
            text += f" and itemID in ({base})"
            values += once
    if flags & {"includeParentsAndChildren", "includeChildren"}:
        for table in ("itemAttachments", "itemNotes"):
            text += f" union select itemID from {table} where parentItemID in ({base})"
            values += once
    if condition.operator in _NEGATIONS:  # which no annotation meets
        text += " union select itemID from items join itemTypesCombined using (itemTypeID)"
        return f"itemID not in ({text} where typeName = 'annotation')", values
    return f"itemID in ({text})", values


# What a condition looks at, and how.

_EQUAL = {"is", "isNot"}
_WORDS = {"contains", "doesNotContain"}
_NUMBERS = {"isLessThan", "isGreaterThan"}
_DATES = _EQUAL | {"isBefore", "isAfter", "isInTheLast"}
_TEXTS = _EQUAL | _WORDS | {"beginsWith"}

_PERSON = "trim(firstName || ' ' || lastName)"
_CREATORS = (
    "select itemID from itemCreators join creators using (creatorID)"
    " join creatorTypes using (creatorTypeID) where "
)
NOTE_BEGINS, NOTE_ENDS = '<div class="zotero-note znv1">', "</div>"
_NOTE = f"substr(note, {len(NOTE_BEGINS) + 1}, length(note) - {len(NOTE_BEGINS + NOTE_ENDS)})"
_VALUES = "select itemID from itemData join itemDataValues using (valueID) where "
_IN_FIELD = (
    "fieldID in (select fieldID from fieldsCombined where fieldName = ? union select m.fieldID"
    " from baseFieldMappingsCombined m join fieldsCombined f on f.fieldID = m.baseFieldID"
    " where f.fieldName = ?) and "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What a condition looks at: the query before its test, what is tested, by which operators."""

    items: str
    tested: str
    operators: frozenset[str] | set[str]
    values: tuple[object, ...] = ()
    date: str = ""
    """The day that is tested, of what is a date."""


_SUBJECTS: Mapping[str, _Subject] = {
    "itemType": _Subject(
        items="select itemID from items join itemTypesCombined using (itemTypeID) where ",
        tested="typeName",
        operators=_EQUAL,
    ),
    "tag": _Subject(
        items="select itemID from itemTags join tags using (tagID) where ",
        tested="name",
        operators=_TEXTS,
    ),
    "note": _Subject(items="select itemID from itemNotes where ", tested=_NOTE, operators=_TEXTS),
    "childNote": _Subject(
        items="select parentItemID from itemNotes where parentItemID is not null and ",
        tested=_NOTE,
        operators=_WORDS,
    ),
    "creator": _Subject(items=_CREATORS, tested=_PERSON, operators=_TEXTS),
    "lastName": _Subject(items=_CREATORS, tested="lastName", operators=_EQUAL | _WORDS),
    **{
        role: _Subject(
            items=f"{_CREATORS}creatorType = '{role}' and ",
            tested=_PERSON,
            operators=_EQUAL | _WORDS,
        )
        for role in ("author", "editor", "bookAuthor")
    },
    **{
        name: _Subject(
            items="select itemID from items where ",
            tested=name,
            operators=_DATES,
            date=f"date({name}, 'localtime')",
        )
        for name in ("dateAdded", "dateModified")
    },
    "field": _Subject(items=_VALUES, tested="value", operators=_TEXTS),
    "year": _Subject(
        items=_VALUES + _IN_FIELD,
        tested="substr(value, 1, 4)",
        operators=_EQUAL | _WORDS,
        values=("date", "date"),
    ),
}
_NUMBER_FIELDS = {"pages", "numPages", "numberOfVolumes", "section", "seriesNumber", "issue"}
_DAYS = {"date": "substr(value, 1, 10)", "accessDate": "date(value, 'localtime')"}


def _subject(db: sqlite3.Connection, condition: _Condition) -> _Subject:
    name = condition.name
    if name in _SUBJECTS:
        return _SUBJECTS[name]
    if not db.execute("select 1 from fieldsCombined where fieldName = ?", (name,)).fetchone():
        raise condition.refused()
    if name in _DAYS:
        operators = _DATES
    elif name in _NUMBER_FIELDS:
        operators = _EQUAL | _WORDS | _NUMBERS
    else:
        operators = _TEXTS
    return _Subject(
        items=_VALUES + _IN_FIELD,
        tested="value",
        operators=operators,
        values=(name, name),
        date=_DAYS.get(name, ""),
    )


def _matching(within: _Context, condition: _Condition) -> Query:
    """The query for the items that meet a condition, or that do not where it is negated."""
    if condition.name == "collection":
        return _in_collection(within, condition)
    subject = _subject(within.db, condition)
    if condition.operator not in subject.operators:
        raise condition.refused()
    if subject.date and not _MOMENT.match(condition.value):
        test, values = _day(subject, condition)
    else:
        test, values = _COMPARISONS[condition.operator](subject.tested, condition.value)
    return f"{subject.items}({test})", (*subject.values, *values)


_BELOW = (
    " union select c.collectionID from collections c join chosen on parentCollectionID = chosen.id"
    " where c.collectionID not in (select collectionID from deletedCollections)"
)


def _in_collection(within: _Context, condition: _Condition) -> Query:
    if condition.operator not in _EQUAL:
        raise condition.refused()
    below = _BELOW if "recursive" in within.flags else ""
    return (
        "select itemID from collectionItems where collectionID in (with recursive chosen(id) as"
        f" (select collectionID from collections where libraryID = ? and key = ?{below})"
        " select id from chosen)",
        (within.library, condition.value),
    )


_WHOLE_NUMBER = re.compile(r"[1-9][0-9]*$")


def _equal(tested: str, value: str) -> Query:
    return (f"is_like({tested}, ?)" if _WHOLE_NUMBER.match(value) else f"{tested} = ?"), (value,)


def _compared(sign: str) -> Callable[[str, str], Query]:
    """A comparison of whole numbers, which anything else does not meet."""

    def compared(tested: str, value: str) -> Query:
        number = re.match(r"\s*[+-]?\d+", value)
        whole = f"typeof({tested}) = 'integer'"
        whole += f" or cast(cast({tested} as int) as numeric) = {tested}"
        return f"cast({tested} as int) {sign} ? and ({whole})", (int(number[0]) if number else 0,)

    return compared


def _contained(tested: str, value: str) -> Query:
    return f"is_like({tested}, ?)", (f"%{value}%",)


_COMPARISONS: Mapping[str, Callable[[str, str], Query]] = {
    "is": _equal,
    "isNot": _equal,
    "contains": _contained,
    "doesNotContain": _contained,
    "beginsWith": lambda tested, value: (f"is_like({tested}, ?)", (f"{value}%",)),
    "isLessThan": _compared("<"),
    "isGreaterThan": _compared(">"),
    "isBefore": lambda tested, value: (f"{tested} < ?", (value,)),
    "isAfter": lambda tested, value: (f"{tested} > ?", (value,)),
}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
_DAY = re.compile(r"(\d{4})(?:-(\d\d?))?(?:-(\d\d?))?$")
_SPAN = re.compile(r"\d+ (?:day|month|year)s?$", re.IGNORECASE)
_FROM_TODAY = {"yesterday": -1, "today": 0, "tomorrow": 1}


def _day(subject: _Subject, condition: _Condition) -> Query:
    """A test of a day; a month or year alone is before all of its days and after none."""
    day, value, operator = subject.date, condition.value.strip(), condition.operator
    if operator == "isInTheLast":
        if not _SPAN.match(value):
            raise condition.refused("a number of days, months or years is understood")
        return f"{day} > date('now', 'localtime', ?)", (f"-{value}",)
    if value.lower() in _FROM_TODAY:
        value = f"{date.today() + timedelta(days=_FROM_TODAY[value.lower()])}"
    parts = _DAY.match(value)
    if parts is None:
        raise condition.refused("dates are understood as 2024, 2024-05 or 2024-05-17")
    missing = "00" if operator == "isBefore" else "__"
    sortable = "-".join([parts[1], *(p.zfill(2) if p else missing for p in parts.groups()[1:])])
    if operator == "isBefore":
        return f"{day} < ? and {subject.tested} > '0000-00-00'", (sortable,)
    return (f"{day} > ?" if operator == "isAfter" else f"is_like({day}, ?)"), (sortable,)


def _is_like(value: object, pattern: str) -> bool:
    """Whether a value has the pattern of `like`, in any case in every script, as for Zotero."""
    return value is not None and _pattern(pattern).fullmatch(str(value)) is not None


@lru_cache(maxsize=64)
def _pattern(like: str) -> re.Pattern[str]:
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(c, re.escape(c)) for c in like), re.I | re.S)
