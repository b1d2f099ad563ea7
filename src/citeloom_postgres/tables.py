"""The tables of one collection: how rows and vectors are read, written and indexed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal, LiteralString

import numpy as np
from psycopg import sql

from citeloom.domain.errors import EmbeddingMismatch

# Vectors as pgvector writes them.

SPARSE_DIMENSIONS = 1_000_000_000
"""What pgvector allows; terms are numbered from 1, so that those of 32 bits fit as well."""
MOST_TERMS = 16_000
"""The most non-zero values a `sparsevec` can hold."""
MOST_INDEXED_DIMENSIONS = 2_000
"""The most dimensions of a `vector` that an HNSW index takes."""

_PAIRS = {
    "terms": np.dtype([("key", ">i4"), ("value", ">u4")]),
    "weights": np.dtype([("key", ">u4"), ("value", ">f4")]),
}


def dense_text(vector: Sequence[float]) -> str:
    """A dense vector as pgvector reads it."""
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"


def sparse_text(values: Mapping[int, float]) -> str:
    """A sparse vector, by number of the term, as pgvector reads it.

    Raises `EmbeddingMismatch` when it has more terms than pgvector can hold.
    """
    if len(values) > MOST_TERMS:
        raise EmbeddingMismatch(
            f"A sparse vector has {len(values)} terms; pgvector holds {MOST_TERMS}",
            "Make the chunks smaller: [chunking] max_tokens.",
        )
    pairs = ",".join(f"{number}:{float(value)!r}" for number, value in sorted(values.items()))
    return f"{{{pairs}}}/{SPARSE_DIMENSIONS}"


def sent_dense(data: bytes) -> list[float]:
    """The values of a dense vector that was sent in binary."""
    values: list[float] = np.frombuffer(data, ">f4", offset=4).tolist()
    return values


def sent_sparse(data: bytes) -> dict[int, float]:
    """The values of a sparse vector that was sent in binary, by number of the term."""
    count = int.from_bytes(data[4:8], "big")
    places = np.frombuffer(data, ">i4", count, 12) + 1
    values = np.frombuffer(data, ">f4", count, 12 + 4 * count)
    return dict(zip(places.tolist(), values.tolist()))


def sent_pairs(data: bytes | None, kind: Literal["terms", "weights"]) -> dict[int, float]:
    """Terms by their numbers, or weights by their terms, as the statement of searches has them."""
    pairs = np.frombuffer(data or b"", _PAIRS[kind])
    return dict(zip(pairs["key"].tolist(), pairs["value"].tolist()))


def read_dense(text: str) -> list[float]:
    """The values of a dense vector."""
    return [float(value) for value in json.loads(text)]


def read_sparse(text: str) -> dict[int, float]:
    """The values of a sparse vector by number of the term."""
    pairs = text[1 : text.index("}")]
    return {
        int(number): float(value)
        for number, _, value in (pair.partition(":") for pair in pairs.split(",") if pair)
    }


# The tables of one collection: how rows are read, written and indexed.

Statement = sql.SQL | sql.Composed
"""A whole statement, ready to be executed."""
SCHEMA = "citeloom"
NEW_ROWS = sql.SQL(
    "SELECT chunk_id, fields::jsonb AS fields, body::jsonb AS body, dense, sparse, "
    "ARRAY(SELECT jsonb_array_elements_text(terms::jsonb)::int) AS terms, "
    "sparse IS NOT NULL AS is_hybrid "
    "FROM unnest(%(chunk_id)s::text[], %(fields)s::text[], %(body)s::text[], %(dense)s::text[], "
    "%(sparse)s::text[], %(terms)s::text[]) AS new(chunk_id, fields, body, dense, sparse, terms)"
)
"""The rows to write, from the columns that a statement is given."""

_TERMS = """
CREATE TABLE {terms} (
    term bigint PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    chunks integer NOT NULL DEFAULT 0
)"""
_CHUNKS = """
CREATE TABLE {chunks} (
    chunk_id text COLLATE "C" PRIMARY KEY,
    fields jsonb NOT NULL,
    body jsonb NOT NULL,
    dense vector({dimension}) NOT NULL,
    project_id text GENERATED ALWAYS AS (fields ->> 'project_id') STORED,
    doc_id text GENERATED ALWAYS AS (fields ->> 'doc_id') STORED,
    citekey text GENERATED ALWAYS AS (fields ->> 'citekey') STORED,
    source_path text GENERATED ALWAYS AS (fields ->> 'source_path') STORED,
    kind text GENERATED ALWAYS AS (fields ->> 'kind') STORED
)"""

# A sparse search reads many rows, so these have a narrow table of their own.
_WEIGHTS = """
CREATE TABLE {weights} (
    chunk_id text COLLATE "C" PRIMARY KEY,
    sparse sparsevec NOT NULL,
    terms integer[] NOT NULL
)"""

# Vectors and fields are looked at row by row, so they stay in the row; texts move out of it.
_STORAGE = """
ALTER TABLE {chunks} ALTER COLUMN dense SET STORAGE MAIN, ALTER COLUMN fields SET STORAGE MAIN"""

# The planner leaves the second table out where nothing is asked of it.
_ROWS = """(
SELECT chunks.*, weights.sparse, weights.terms FROM {chunks} AS chunks
LEFT JOIN {weights} AS weights USING (chunk_id))"""

# The best by their terms are looked up one after another until enough pass the filter.
_SPARSE_SIDE = """
SELECT chunk_id, score FROM (
    SELECT chunk_id, -(sparse <#> {vector}::sparsevec) AS score FROM {weights}
    WHERE terms && {terms}::int[]) AS matching
WHERE EXISTS (SELECT FROM {rows} AS chunks
    WHERE chunks.chunk_id = matching.chunk_id AND {condition})
ORDER BY score DESC, chunk_id LIMIT {limit}"""

_INDEXES = (
    "CREATE INDEX ON {chunks} (doc_id)",
    "CREATE INDEX ON {chunks} (citekey)",
    "CREATE INDEX ON {chunks} (source_path)",
    "CREATE INDEX ON {chunks} USING gin (fields jsonb_path_ops)",
    "CREATE INDEX ON {weights} USING gin (terms)",
)

_INSERT = (
    """
WITH new AS ({new})
INSERT INTO {chunks} (chunk_id, fields, body, dense)
SELECT chunk_id, fields, body, dense::vector FROM new""",
    """
WITH new AS ({new})
INSERT INTO {weights} (chunk_id, sparse, terms)
SELECT chunk_id, sparse::sparsevec, terms FROM new WHERE is_hybrid RETURNING terms""",
)
_DELETE = (
    """
DELETE FROM {weights} WHERE chunk_id IN (SELECT chunk_id FROM {chunks} WHERE {condition})
RETURNING terms""",
    "DELETE FROM {chunks} WHERE {condition}",
)

_HNSW = "CREATE INDEX IF NOT EXISTS {hnsw} ON {chunks} USING hnsw (dense vector_cosine_ops)"
_ALL = sql.SQL("true")

_PATCH = """
UPDATE {chunks} SET fields = (fields || %(fields)s::jsonb) - %(removed)s::text[],
    body = (body || %(body)s::jsonb) - %(removed)s::text[]
WHERE {condition}"""


class Tables:
    """The tables of a collection: its chunks, their sparse vectors, and its terms, each with its
    number and the number of chunks that have it.
    """

    layout = "citeloom"

    def __init__(self, number: int, dimension: int) -> None:
        self.number = number
        self.dimension = dimension
        self.terms = sql.Identifier(SCHEMA, f"terms_{number}")
        self.hnsw = sql.Identifier(f"citeloom_hnsw_{number}")
        self._chunks = sql.Identifier(SCHEMA, f"chunks_{number}")
        self._weights = sql.Identifier(SCHEMA, f"weights_{number}")

    @property
    def rows(self) -> sql.Composable:
        """What rows are selected from: `chunk_id`, `fields`, `body`, `dense`, `sparse`, `terms` and
        a column for each of `COLUMNS`.
        """
        return sql.SQL(_ROWS).format(chunks=self._chunks, weights=self._weights)

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of the tables that hold the rows."""
        return (f"{SCHEMA}.chunks_{self.number}", f"{SCHEMA}.weights_{self.number}")

    @property
    def hnsw_name(self) -> str:
        """The name of the HNSW index, once there is one."""
        return f"{SCHEMA}.citeloom_hnsw_{self.number}"

    @property
    def may_have_hnsw(self) -> bool:
        """Whether the vectors are short enough for HNSW."""
        return self.dimension <= MOST_INDEXED_DIMENSIONS

    def sparse_side(self, **parts: sql.Composable) -> sql.Composed:
        """A search by a sparse `vector` among rows with one of its `terms`, under a `condition`, up
        to a `limit`.
        """
        return sql.SQL(_SPARSE_SIDE).format(rows=self.rows, weights=self._weights, **parts)

    def make(self) -> tuple[Statement, ...]:
        """The statements that make the tables, empty."""
        statements = (_CHUNKS, _WEIGHTS, _STORAGE, *_INDEXES)
        return (*map(self._statement, statements), self.make_terms())

    def drop(self) -> tuple[Statement, ...]:
        """The statements that drop them."""
        tables = ("DROP TABLE IF EXISTS {chunks}", "DROP TABLE IF EXISTS {weights}")
        return (*map(self._statement, tables), self.drop_terms())

    def insert(self) -> tuple[Statement, ...]:
        """The statements that insert `NEW_ROWS`; the last one returns their terms."""
        return tuple(map(self._statement, _INSERT))

    def delete(self, condition: sql.Composable) -> tuple[Statement, ...]:
        """The statements that delete rows; the first one returns their terms."""
        return tuple(self._statement(text, condition) for text in _DELETE)

    def patch(self, condition: sql.Composable) -> Statement:
        """The statement that puts `%(fields)s` and `%(body)s` over the rows' own, and removes the
        keys `%(removed)s`.
        """
        return self._statement(_PATCH, condition)

    def add_hnsw(self) -> Statement:
        """The statement that builds the HNSW index."""
        return self._statement(_HNSW)

    def make_terms(self) -> Statement:
        """The statement that makes the table of terms."""
        return sql.SQL(_TERMS).format(terms=self.terms)

    def drop_terms(self) -> Statement:
        """The statement that drops it."""
        return sql.SQL("DROP TABLE IF EXISTS {}").format(self.terms)

    def _statement(self, text: LiteralString, condition: sql.Composable = _ALL) -> Statement:
        return sql.SQL(text).format(
            chunks=self._chunks,
            weights=self._weights,
            dimension=sql.Literal(self.dimension),
            new=NEW_ROWS,
            condition=condition,
            hnsw=self.hnsw,
        )
