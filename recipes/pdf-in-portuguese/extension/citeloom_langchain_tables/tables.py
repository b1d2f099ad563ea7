"""LangChain's tables, `langchain_pg_collection` and `langchain_pg_embedding`, as a collection.

A row of citeloom's has its payload in `cmetadata`, with `source`, `page` (from 0) and `chunk_index`
as LangChain has them; the place of a lesson's part is its `part_index`. A row that another program
wrote is a chunk without a reference, of the document `source`; without a page there is nothing to
cite, so that it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString

from psycopg import sql

from citeloom.domain.project import SCHEMA_VERSION, Collection
from citeloom_postgres.connections import (
    Connection,
    execute_all,
    relation_exists,
)
from citeloom_postgres.tables import NEW_ROWS, Statement, Tables

EMBEDDINGS = "langchain_pg_embedding"

_MAKE = (
    """
CREATE TABLE IF NOT EXISTS langchain_pg_collection (
    uuid uuid PRIMARY KEY,
    name varchar NOT NULL UNIQUE,
    cmetadata json
)""",
    """
CREATE TABLE IF NOT EXISTS langchain_pg_embedding (
    id varchar PRIMARY KEY,
    collection_id uuid REFERENCES langchain_pg_collection (uuid) ON DELETE CASCADE,
    embedding vector,
    document varchar,
    cmetadata jsonb
)""",
    "CREATE INDEX IF NOT EXISTS ix_cmetadata_gin ON langchain_pg_embedding "
    "USING gin (cmetadata jsonb_path_ops)",
)
_SPARSE_COLUMNS = """
ALTER TABLE langchain_pg_embedding ADD COLUMN IF NOT EXISTS citeloom_sparse sparsevec,
    ADD COLUMN IF NOT EXISTS citeloom_terms integer[]"""
_SPARSE_INDEX = (
    "CREATE INDEX IF NOT EXISTS ix_citeloom_terms ON langchain_pg_embedding "
    "USING gin (citeloom_terms)"
)

_OWN = "cmetadata ? 'chunk_id' AND cmetadata ? 'embed_model'"
_ROWS = """(
SELECT chunk_id, row_id, fields, body, dense, sparse, terms, fields ->> 'project_id' AS project_id,
    fields ->> 'doc_id' AS doc_id, fields ->> 'citekey' AS citekey,
    fields ->> 'source_path' AS source_path, fields ->> 'kind' AS kind
FROM (
    SELECT CASE WHEN {own} THEN cmetadata ->> 'chunk_id' ELSE id::text END COLLATE "C"
            AS chunk_id,
        id AS row_id,
        CASE WHEN {own} THEN (cmetadata - '{{source,page,chunk_index,part_index}}'::text[])
            || jsonb_strip_nulls(jsonb_build_object('chunk_index', cmetadata -> 'part_index'))
        ELSE jsonb_build_object(
            'version', {version}, 'project_id', {project},
            'embed_model', {model},
            'chunk_id', id::text, 'kind', 'text', 'token_count', 0, 'signal_to_noise', 1.0,
            'doc_id', coalesce(cmetadata ->> 'source', id::text),
            'source_path', coalesce(cmetadata ->> 'source', ''),
            'chunk_idx', CASE WHEN jsonb_typeof(cmetadata -> 'chunk_index') = 'number'
                THEN (cmetadata ->> 'chunk_index')::numeric::bigint ELSE 0 END,
            'page_start', (cmetadata ->> 'page')::numeric::int + 1,
            'page_end', (cmetadata ->> 'page')::numeric::int + 1,
            'page_labels', CASE WHEN jsonb_typeof(cmetadata -> 'page_label') = 'string'
                THEN jsonb_build_array(cmetadata -> 'page_label') ELSE '[]' END,
            'section_path', '[]'::jsonb, 'section_keys', '[]'::jsonb,
            'heading_chain', '[]'::jsonb, 'boxes', '[]'::jsonb)
            || coalesce((SELECT jsonb_object_agg(prefix || key, value)
                FROM jsonb_each(cmetadata), (VALUES ('metadata_'), ('number_')) AS a(prefix)
                WHERE jsonb_typeof(value) = 'number'
                    OR prefix = 'metadata_' AND jsonb_typeof(value) = 'string'), '{{}}')
        END AS fields,
        jsonb_build_object('chunk_text', document) AS body,
        embedding::vector({dimension}) AS dense, {sparse} AS sparse, {terms} AS terms
    FROM langchain_pg_embedding
    WHERE (collection_id = {uuid}::uuid
            OR collection_id = {replaced}::uuid AND ({own}) IS NOT TRUE)
        AND embedding IS NOT NULL
        AND (({own}) OR (jsonb_typeof(cmetadata -> 'page') = 'number' AND document <> ''))
) AS read)"""

# Ids are those of the table, which other collections, and this one's successor, have rows in too.
_UNTAKEN = """
CASE WHEN EXISTS (SELECT FROM langchain_pg_embedding AS taken WHERE taken.id = {key})
    THEN {other} ELSE {key} END"""
_KEYS: Mapping[str, tuple[LiteralString, LiteralString]] = {
    "text": ("chunk_id", "chunk_id || '@' || {uuid}::text"),
    "uuid": ("md5(chunk_id)::uuid", "md5(chunk_id || '@' || {uuid}::text)::uuid"),
}

_INSERT = """
WITH new AS ({new})
INSERT INTO langchain_pg_embedding (id, collection_id, document, embedding, cmetadata{columns})
SELECT {id}, {uuid}::uuid, body ->> 'chunk_text', dense::vector,
    fields || (body - 'chunk_text') || jsonb_strip_nulls(jsonb_build_object(
        'source', fields -> 'source_path', 'chunk_index', fields -> 'chunk_idx',
        'part_index', fields -> 'chunk_index',
        'page', (fields ->> 'page_start')::int - 1)){values}
FROM new RETURNING {terms}"""

_DELETE = """
DELETE FROM langchain_pg_embedding WHERE collection_id = {uuid}::uuid
    AND id IN (SELECT row_id FROM {rows} WHERE {condition}) RETURNING {terms}"""

_SPARSE_SIDE = """
SELECT chunk_id, -(sparse <#> {vector}::sparsevec) AS score FROM {rows} AS chunks
WHERE terms && {terms}::int[] AND {condition}
ORDER BY sparse <#> {vector}::sparsevec, chunk_id LIMIT {limit}"""

_PATCH = """
UPDATE langchain_pg_embedding SET
    cmetadata = ((cmetadata || %(fields)s::jsonb || %(body)s::jsonb) - %(removed)s::text[])
        || jsonb_strip_nulls(jsonb_build_object('source', %(fields)s::jsonb -> 'source_path'))
WHERE collection_id = {uuid}::uuid AND ({own})
    AND id IN (SELECT row_id FROM {rows} WHERE {condition})"""

_HNSW = """
CREATE INDEX IF NOT EXISTS {index} ON langchain_pg_embedding
    USING hnsw ((embedding::vector({dimension})) vector_cosine_ops)
    WHERE collection_id = {uuid}::uuid"""


# LangChain's collections, whoever made them.


def uuid_of(connection: Connection, name: str) -> str | None:
    """The collection of that name; None where there is none."""
    if not relation_exists(connection, EMBEDDINGS):
        return None
    row = connection.execute(
        "SELECT uuid::text FROM langchain_pg_collection WHERE name = %s", (name,)
    ).fetchone()
    return str(row[0]) if row else None


def dimension_of(connection: Connection, uuid: str) -> int | None:
    """The dimension of a collection's vectors; None where it has none."""
    row = connection.execute(
        "SELECT vector_dims(embedding) FROM langchain_pg_embedding "
        "WHERE collection_id = %s::uuid LIMIT 1",
        (uuid,),
    ).fetchone()
    return int(str(row[0])) if row else None


def add_collection(connection: Connection, name: str) -> str:
    """A new, empty collection; the tables are made where there are none."""
    if not relation_exists(connection, EMBEDDINGS):  # only an owner may repeat this
        execute_all(connection, tuple(map(sql.SQL, _MAKE)))
    [made] = connection.execute(
        "INSERT INTO langchain_pg_collection (uuid, name, cmetadata) "
        "VALUES (gen_random_uuid(), %s, '{}') RETURNING uuid::text",
        (name,),
    ).fetchall()
    return str(made[0])


def rename_collection(connection: Connection, uuid: str, name: str) -> None:
    """Give a collection another name."""
    connection.execute(
        "UPDATE langchain_pg_collection SET name = %s WHERE uuid = %s::uuid", (name, uuid)
    )


def drop_collection(connection: Connection, uuid: str) -> None:
    """Delete a collection with its rows."""
    connection.execute("DELETE FROM langchain_pg_collection WHERE uuid = %s::uuid", (uuid,))


def rows_of_others(connection: Connection, uuid: str) -> int:
    """How many rows of a collection another program wrote."""
    statement = sql.SQL("SELECT count(*) FROM langchain_pg_embedding WHERE {}")
    [(count,)] = connection.execute(statement.format(_of_others(uuid))).fetchall()
    return int(str(count))


def move_rows_of_others(connection: Connection, uuid: str, target: str) -> None:
    """Move the rows that another program wrote to another collection."""
    statement = sql.SQL("UPDATE langchain_pg_embedding SET collection_id = {}::uuid WHERE {}")
    connection.execute(statement.format(sql.Literal(target), _of_others(uuid)))


def _of_others(uuid: str) -> sql.Composed:
    """The condition of a collection's rows that another program wrote."""
    condition = sql.SQL("collection_id = {}::uuid AND ({}) IS NOT TRUE")
    return condition.format(sql.Literal(uuid), sql.SQL(_OWN))


def id_type(connection: Connection) -> str:
    """The type of a row's id: text in LangChain's later versions, uuid in older ones."""
    row = connection.execute(
        "SELECT format_type(atttypid, NULL) FROM pg_attribute "
        "WHERE attrelid = to_regclass('langchain_pg_embedding') AND attname = 'id'"
    ).fetchone()
    return str(row[0]) if row else ""


# One of them, as the store of one of citeloom's.


class LangChainTables(Tables):
    """One collection; sparse vectors are in columns of citeloom's beside its own.

    What another program wrote into the collection that this one will have `replaced` is read as its
    own. One is `recreated` where its program has deleted it, and perhaps made another of its name.
    """

    layout = "langchain"

    def __init__(
        self,
        number: int,
        collection: Collection,
        uuid: str,
        *,
        id_type: str,
        replaced: str | None,
        recreated: bool,
    ) -> None:
        super().__init__(number, collection.dimension)
        self.uuid = uuid
        self.recreated = recreated
        self._collection = collection
        self._replaced = replaced
        self._id_type = id_type

    @property
    def rows(self) -> sql.Composable:
        hybrid = self._collection.hybrid
        return sql.SQL(_ROWS).format(
            own=sql.SQL(_OWN),
            version=sql.Literal(SCHEMA_VERSION),
            project=sql.Literal(self._collection.project_id),
            model=sql.Literal(self._collection.dense_model),
            dimension=sql.Literal(self.dimension),
            uuid=sql.Literal(self.uuid),
            replaced=sql.Literal(self._replaced),
            sparse=sql.SQL("citeloom_sparse" if hybrid else "NULL::sparsevec"),
            terms=self._terms,
        )

    @property
    def relations(self) -> tuple[str, ...]:
        return (EMBEDDINGS,)

    @property
    def hnsw_name(self) -> str:
        return f"citeloom_hnsw_{self.number}"

    def sparse_side(self, **parts: sql.Composable) -> sql.Composed:
        return sql.SQL(_SPARSE_SIDE).format(rows=self.rows, **parts)

    def make(self) -> tuple[Statement, ...]:
        sparse = (_SPARSE_COLUMNS, _SPARSE_INDEX) if self._collection.hybrid else ()
        return (*map(sql.SQL, sparse), self.make_terms())

    def drop(self) -> tuple[Statement, ...]:
        rows = sql.SQL("DELETE FROM langchain_pg_collection WHERE uuid = {}::uuid")
        index = sql.SQL("DROP INDEX IF EXISTS {}").format(self.hnsw)
        return (rows.format(sql.Literal(self.uuid)), index, self.drop_terms())

    def insert(self) -> tuple[Statement, ...]:
        hybrid = self._collection.hybrid
        key, other = _KEYS["uuid" if self._id_type == "uuid" else "text"]
        uuid = sql.Literal(self.uuid)
        statement = sql.SQL(_INSERT).format(
            new=NEW_ROWS,
            id=sql.SQL(_UNTAKEN).format(key=sql.SQL(key), other=sql.SQL(other).format(uuid=uuid)),
            uuid=uuid,
            columns=sql.SQL(", citeloom_sparse, citeloom_terms" if hybrid else ""),
            values=sql.SQL(", sparse::sparsevec, terms" if hybrid else ""),
            terms=self._terms,
        )
        return (statement,)

    def delete(self, condition: sql.Composable) -> tuple[Statement, ...]:
        return (self._changing(_DELETE, condition),)

    def patch(self, condition: sql.Composable) -> Statement:
        return self._changing(_PATCH, condition)

    def add_hnsw(self) -> Statement:
        return sql.SQL(_HNSW).format(
            index=self.hnsw, dimension=sql.Literal(self.dimension), uuid=sql.Literal(self.uuid)
        )

    @property
    def _terms(self) -> sql.SQL:
        return sql.SQL("citeloom_terms" if self._collection.hybrid else "NULL::integer[]")

    def _changing(self, text: LiteralString, condition: sql.Composable) -> Statement:
        return sql.SQL(text).format(
            rows=self.rows,
            uuid=sql.Literal(self.uuid),
            condition=condition,
            own=sql.SQL(_OWN),
            terms=self._terms,
        )
