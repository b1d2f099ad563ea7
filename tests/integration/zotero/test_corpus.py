"""Every item of genuine Zotero databases of each schema is found, what is missing, and no more."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from citeloom.application.zotero.doctor import diagnose
from citeloom.domain.validation import Severity
from citeloom.domain.zotero.selection import ZoteroSelection
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


def test_the_doctor_finds_what_is_missing_and_nothing_else_is_an_error(tmp_path: Path) -> None:
    data_dir = built(Path(CORPUS), tmp_path, schema=SCHEMAS[-1], wal=True)
    truth = json.loads((data_dir / "truth.json").read_text(encoding="utf-8"))
    binned = {*truth["trashed"], truth["wal"]["trashed_item_key"]}
    bare = {item["item_key"] for item in truth["items"] if not item["attachments"]} - binned
    bare -= {item["item_key"] for item in truth["items"] if item["citekey"] in binned}
    diagnosis = diagnose(
        ZoteroSelection(libraries=("all",)),
        zotero=LocalZotero(data_dir, base_dir=tmp_path / "linked"),
    )
    found = defaultdict(set)
    for symptom in diagnosis.symptoms:
        found[symptom.check].add(symptom)
    assert {symptom.citekey for symptom in found["file"]} == {*truth["missing_files"]} - binned
    assert {symptom.item_key for symptom in found["attachment"]} == bare
    standing_alone = {symptom.attachment_key for symptom in found["item"]}
    assert standing_alone == {truth["standalone_attachment"]}
    assert all(s.check == "file" for s in diagnosis.symptoms if s.severity is Severity.ERROR)
