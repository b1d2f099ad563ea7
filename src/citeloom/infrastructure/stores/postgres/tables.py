"""The tables of one collection: how rows are read, written and indexed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from psycopg import sql

from citeloom.infrastructure.stores.postgres.vectors import MOST_INDEXED_DIMENSIONS

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


class Tables(ABC):
    """A collection's rows and its terms.

    `rows` can be selected from: `chunk_id`, `fields`, `body`, `dense`, `sparse`, `terms` and a
    column for each of `COLUMNS`. The terms are numbered, and counted by the chunks that have them.
    """

    def __init__(self, number: int, dimension: int) -> None:
        self.number = number
        self.dimension = dimension
        self.terms = sql.Identifier(SCHEMA, f"terms_{number}")
        self.hnsw = sql.Identifier(f"citeloom_hnsw_{number}")

    @property
    @abstractmethod
    def rows(self) -> sql.Composable:
        """What rows are selected from."""
        ...

    @property
    def values(self) -> Mapping[str, object]:
        """The parameters that `rows` needs."""
        return {}

    @abstractmethod
    def make(self) -> tuple[Statement, ...]:
        """The statements that make the tables, empty."""
        ...

    @abstractmethod
    def drop(self) -> tuple[Statement, ...]:
        """The statements that drop them."""
        ...

    @abstractmethod
    def insert(self) -> Statement:
        """The statement that inserts `NEW_ROWS`."""
        ...

    @abstractmethod
    def delete(self, condition: sql.Composable) -> Statement:
        """The statement that deletes rows."""
        ...

    @abstractmethod
    def patch(self, condition: sql.Composable) -> Statement:
        """The statement that puts `%(fields)s` and `%(body)s` over the rows' own, and removes the
        keys `%(removed)s`.
        """
        ...

    @abstractmethod
    def add_hnsw(self) -> Statement:
        """The statement that builds the HNSW index."""
        ...

    @property
    @abstractmethod
    def terms_column(self) -> sql.Composable:
        """What a statement that changes rows returns as their terms."""
        ...

    @property
    def joined(self) -> sql.Composable:
        """`rows` under the name `chunks`."""
        return sql.SQL("{} AS chunks").format(self.rows)

    @property
    @abstractmethod
    def relation(self) -> str:
        """The name of the table that holds the rows."""
        ...

    @property
    @abstractmethod
    def hnsw_name(self) -> str:
        """The name of the HNSW index, once there is one."""
        ...

    @property
    def may_have_hnsw(self) -> bool:
        """Whether the vectors are short enough for HNSW."""
        return self.dimension <= MOST_INDEXED_DIMENSIONS

    def make_terms(self) -> Statement:
        """The statement that makes the table of terms."""
        return sql.SQL(_TERMS).format(terms=self.terms)

    def drop_terms(self) -> Statement:
        """The statement that drops it."""
        return sql.SQL("DROP TABLE IF EXISTS {}").format(self.terms)


_CHUNKS = """
CREATE TABLE {chunks} (
    chunk_id text COLLATE "C" PRIMARY KEY,
    fields jsonb NOT NULL,
    body jsonb NOT NULL,
    dense vector({dimension}) NOT NULL,
    sparse sparsevec,
    terms integer[],
    project_id text GENERATED ALWAYS AS (fields ->> 'project_id') STORED,
    doc_id text GENERATED ALWAYS AS (fields ->> 'doc_id') STORED,
    citekey text GENERATED ALWAYS AS (fields ->> 'citekey') STORED,
    source_path text GENERATED ALWAYS AS (fields ->> 'source_path') STORED,
    kind text GENERATED ALWAYS AS (fields ->> 'kind') STORED
)"""

# Vectors and fields are looked at row by row, so they stay in the row; texts move out of it.
_STORAGE = """
ALTER TABLE {chunks} ALTER COLUMN dense SET STORAGE MAIN, ALTER COLUMN sparse SET STORAGE MAIN,
    ALTER COLUMN terms SET STORAGE MAIN, ALTER COLUMN fields SET STORAGE MAIN"""

_INDEXES = (
    "CREATE INDEX ON {chunks} (doc_id)",
    "CREATE INDEX ON {chunks} (citekey)",
    "CREATE INDEX ON {chunks} (source_path)",
    "CREATE INDEX ON {chunks} USING gin (fields jsonb_path_ops)",
    "CREATE INDEX ON {chunks} USING gin (terms)",
)

_INSERT = """
WITH new AS ({new})
INSERT INTO {chunks} (chunk_id, fields, body, dense, sparse, terms)
SELECT chunk_id, fields, body, dense::vector, sparse::sparsevec,
    CASE WHEN is_hybrid THEN terms END FROM new"""

_PATCH = """
UPDATE {chunks} SET fields = (fields || %(fields)s::jsonb) - %(removed)s::text[],
    body = (body || %(body)s::jsonb) - %(removed)s::text[]
WHERE {condition}"""


class OwnTables(Tables):
    """Tables of citeloom's own, two a collection."""

    @property
    def rows(self) -> sql.Composable:
        return sql.Identifier(SCHEMA, f"chunks_{self.number}")

    @property
    def relation(self) -> str:
        return f"{SCHEMA}.chunks_{self.number}"

    @property
    def hnsw_name(self) -> str:
        return f"{SCHEMA}.citeloom_hnsw_{self.number}"

    @property
    def terms_column(self) -> sql.Composable:
        return sql.SQL("terms")

    def make(self) -> tuple[Statement, ...]:
        statements = (_CHUNKS, _STORAGE, *_INDEXES)
        dimension = sql.Literal(self.dimension)
        return (
            *(sql.SQL(one).format(chunks=self.rows, dimension=dimension) for one in statements),
            self.make_terms(),
        )

    def drop(self) -> tuple[Statement, ...]:
        return (sql.SQL("DROP TABLE IF EXISTS {}").format(self.rows), self.drop_terms())

    def insert(self) -> Statement:
        return sql.SQL(_INSERT).format(new=NEW_ROWS, chunks=self.rows)

    def delete(self, condition: sql.Composable) -> Statement:
        return sql.SQL("DELETE FROM {} WHERE {}").format(self.rows, condition)

    def patch(self, condition: sql.Composable) -> Statement:
        return sql.SQL(_PATCH).format(chunks=self.rows, condition=condition)

    def add_hnsw(self) -> Statement:
        return sql.SQL(
            "CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw (dense vector_cosine_ops)"
        ).format(self.hnsw, self.rows)
