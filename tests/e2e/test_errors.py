"""Every error ends in its exit code and says what to do next."""

from __future__ import annotations

import pytest

from tests.e2e.command import SMALL, Desk, project_table

UNHYBRID = project_table(SMALL, references="references.json").replace(
    "sources", "hybrid_enabled = false\nsources"
)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("[project.lab/small]\n", "Put text in quotes, and a project's id as well: [project.\""),
        ('[project."lab/small"]\nsource = ["library/"]\n', "sources"),
        ("[retrieval]\ntopk = 3\n", "top_k"),
        ("[retreival]\ntop_k = 3\n", "retrieval"),
    ],
)
def test_a_bad_configuration_names_what_is_meant(desk: Desk, written: str, hint: str) -> None:
    desk.config.write_text(written, encoding="utf-8")
    refused = desk.run("projects")
    assert (refused.code, refused.out) == (14, "")
    assert refused.err.startswith("error [CONFIG_ERROR]: ")
    assert hint in refused.err


def test_a_key_in_the_environment_is_checked_too(ingested: Desk) -> None:
    refused = ingested.run("projects", env={"CITELOOM_RETRIEVAL__TOP_K": "many"})
    assert refused.code == 14
    assert "CITELOOM_RETRIEVAL__TOP_K" in refused.err


def test_an_unknown_project_names_the_nearest(ingested: Desk) -> None:
    refused = ingested.run("query", "x", "--project", "lab/smal")
    assert refused.code == 10
    assert "error [INVALID_PROJECT]: " in refused.err
    assert "Did you mean lab/small?" in refused.err


def test_of_several_projects_one_must_be_named(desk: Desk) -> None:
    desk.configure(project_table("lab/a"), project_table("lab/b"))
    refused = desk.run("query", "x")
    assert refused.code == 10
    assert "Name one with --project: lab/a, lab/b" in refused.err


def test_an_unknown_model_stops_an_ingest_before_any_conversion(small: Desk) -> None:
    small.configure(project_table("lab/other", embedding_model="nobody/no-such-model"))
    refused = small.run("ingest")
    assert refused.code == 13
    assert refused.err.startswith("error [MODEL_UNAVAILABLE]: ")
    assert "nobody/no-such-model" in refused.err
    assert "indexed" not in refused.out + refused.err


def test_unreadable_references_stop_an_ingest(small: Desk) -> None:
    (small.folder / "references.json").write_text("[{", encoding="utf-8")
    refused = small.run("ingest")
    assert refused.code == 14
    assert "error [INVALID_REFERENCES]: " in refused.err
    assert "references.json" in refused.err


def test_other_models_need_a_rebuild_and_get_one(small: Desk) -> None:
    before = small.chunks()
    small.configure(UNHYBRID)
    for command in (["ingest"], ["query", "clay"], ["validate"]):
        refused = small.run(*command)
        assert refused.code == 12
        assert "error [EMBEDDING_MISMATCH]: " in refused.err
        assert f"citeloom ingest --project {SMALL} --rebuild" in refused.err
    rebuilt = small.must("ingest", "--rebuild")
    assert rebuilt.out.endswith("the new collection is in place\n")
    after = small.chunks()
    assert [s.chunk for s in after] == [s.chunk for s in before]
    assert {s.sparse_model for s in after} == {None}
    assert "tanaka2017" in small.must("query", "rounded corners of clay tiles", "-k", "1").out
    unsupported = small.run("query", "clay", "--mode", "sparse")
    assert unsupported.code == 12
    assert "error [HYBRID_NOT_SUPPORTED]: " in unsupported.err
    assert "--mode dense" in unsupported.err


def test_an_index_in_use_answers_other_processes(small: Desk) -> None:
    app = small.open(SMALL)
    held = app.inspect(sample=100)
    try:
        answered = small.spawn("query", "clay", "--mode", "sparse", "-k", "1")
        counted = small.spawn("inspect", "--json").json
    finally:
        app.parts.close()
    assert "tanaka2017" in answered.out
    assert counted["description"]["points"] == held.description.points
