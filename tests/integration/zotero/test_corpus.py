"""Every item of genuine Zotero databases of each schema is found, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.infrastructure.zotero.local import LocalZotero
from tests.corpus_truth.zotero import SCHEMAS, agreements, built

CORPUS = os.environ.get("CITELOOM_CORPUS", "")

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS, reason="CITELOOM_CORPUS does not name the shared corpus"),
]


@pytest.mark.parametrize("wal", [False, True], ids=["closed", "wal"])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_fact_agrees_with_the_truth(tmp_path: Path, schema: int, wal: bool) -> None:
    data_dir = built(Path(CORPUS), tmp_path, schema=schema, wal=wal)
    zotero = LocalZotero(data_dir, base_dir=tmp_path / "linked")
    found = agreements(zotero, data_dir)
    assert {kind: str(one) for kind, one in found.items() if not one.complete} == {}
    assert zotero.warnings == ()
    assert len(found) == 11
