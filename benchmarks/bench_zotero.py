"""How long a Zotero library takes to read, and what is found of genuine ones.

python -m benchmarks.bench_zotero [CORPUS]
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.corpus_truth.zotero import SCHEMAS, agreements, built
from tests.fakes.zotero_contents import many_items
from tests.fakes.zotero_database import ZoteroDatabase

from citeloom.infrastructure.zotero.local import LocalZotero, copied

SIZES = (100, 1_000, 8_000)
PADDING = 150_000_000
REPEATS, COPIES = 5, 83


def main(corpus: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            report(library(Path(folder) / str(size), size), f"{size} items")
        padded = library(Path(folder) / "padded", SIZES[-1], PADDING)
        report(padded, f"{SIZES[-1]} items, with a full-text index")
        if corpus:
            genuine = built(Path(corpus), Path(folder) / "genuine", schema=129, wal=False)
            report(multiplied(genuine, COPIES), f"{COPIES} times a genuine library")
    if corpus:
        print_agreements(Path(corpus))


def library(folder: Path, items: int, padding: int = 0) -> Path:
    """A data directory; `padding` is the bytes of what Zotero keeps there besides."""
    database = ZoteroDatabase(folder)
    database.write(many_items(items))
    if padding:
        database.connection.execute("create table fulltextItemWords (words blob)")
        for _ in range(100):
            database.connection.execute(
                "insert into fulltextItemWords values (randomblob(?))", (padding // 100,)
            )
    database.close()
    return folder


def multiplied(data_dir: Path, times: int) -> Path:
    """A data directory with everything in it so many times over, under keys of its own."""
    owned = ("items", "itemData", "itemCreators", "itemTags", "collectionItems")
    tables = (*owned, "itemAttachments", "itemNotes", "itemAnnotations")
    with closing(sqlite3.connect(data_dir / "zotero.sqlite")) as db:
        columns = {
            table: [row[1] for row in db.execute(f"pragma table_info({table})")] for table in tables
        }
        for copy in range(1, times):
            shifted = {
                "itemID": f"itemID + {copy}00000",
                "parentItemID": f"parentItemID + {copy}00000",
                "key": f"substr('{copy:02d}' || key, 1, 8)",
            }
            for table, names in columns.items():
                values = ", ".join(shifted.get(name, name) for name in names)
                db.execute(
                    f"insert into {table} select {values} from {table} where itemID < 100000"
                )
        db.commit()
    return data_dir


def report(data_dir: Path, what: str) -> None:
    database = data_dir / "zotero.sqlite"
    with tempfile.TemporaryDirectory() as private:
        copy = best(lambda: copied(database, Path(private)))
    whole = best(lambda: LocalZotero(data_dir).libraries())
    same = LocalZotero(data_dir)
    same.libraries()
    again = best(same.libraries)
    size = database.stat().st_size / 1e6
    print(
        f"{what:<36}{size:7.1f} MB   copy and check {copy:6.3f} s"
        f"   read {whole:6.3f} s   unchanged {again * 1e3:6.2f} ms"
    )


def best(action: Callable[[], object]) -> float:
    """The seconds of processor time it takes at best."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def print_agreements(corpus: Path) -> None:
    """What is found of genuine databases, of what there is, as a Markdown table."""
    kinds: list[str] = []
    for schema in SCHEMAS:
        for wal in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                data_dir = built(corpus, Path(folder), schema=schema, wal=wal)
                zotero = LocalZotero(data_dir, base_dir=Path(folder) / "linked")
                found = agreements(zotero, data_dir)
            if not kinds:
                kinds = sorted(found)
                print("| schema | " + " | ".join(kinds) + " |")
                print("|---" * (len(kinds) + 1) + "|")
            name = f"{schema}, write-ahead log" if wal else str(schema)
            print(f"| {name} | " + " | ".join(str(found[kind]) for kind in kinds) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:2])
