"""What a user is told of a configuration that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.domain.documents.metadata import FieldKind, MetadataField
from citeloom.domain.errors import ConfigError
from citeloom.domain.references.citation_label import CitationLabel
from citeloom.infrastructure.settings import load_settings


def complaint(folder: Path, text: str = "", *, dotenv: str = "") -> str:
    file = folder / "citeloom.toml"
    file.write_text(text, encoding="utf-8")
    (folder / ".env").write_text(dotenv, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_settings(cwd=folder)
    assert raised.value.hint
    assert "pydantic" not in raised.value.message
    return raised.value.message.replace(f"{folder}{os.sep}", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[retrieval]\ntopk = 3\n",
            "citeloom.toml: [retrieval] has no key topk; did you mean top_k?",
        ),
        (
            "[retreival]\ntop_k = 3\n",
            "citeloom.toml: the file has no table [retreival]; did you mean [retrieval]?",
        ),
        (
            '[project."lab/rye"]\nshapes = { result = { page = 3 } }\n',
            'citeloom.toml: project."lab/rye".shapes.result.page is 3, but must be text or a table',
        ),
        (
            '[project]\nsources = "papers/"\n',
            'citeloom.toml: project.sources is "papers/", but must be a table such as '
            '[project."namespace/name"]',
        ),
        (
            '[project."Lab Rye"]\n',
            "citeloom.toml: project.\"Lab Rye\": 'Lab Rye' is not a project id. Write it as name "
            "or namespace/name, from letters, digits, '.', '_' and '-', e.g. citeloom/clean-arch.",
        ),
        (
            '[qdrant]\nurl = "http://localhost:99999"\n',
            'citeloom.toml: qdrant.url is "http://localhost:99999", but must be a valid address, '
            "with a port from 1 to 65535 if it has one",
        ),
        (
            "top_k = 3\n",
            "citeloom.toml: the file has no key top_k; did you mean [retrieval] top_k?",
        ),
        (
            '[project."lab/rye"]\nreference = "r.json"\n',
            'citeloom.toml: [project."lab/rye"] has no key reference; did you mean references?',
        ),
        (
            '[project."lab/rye".chunking]\nmax_token = 9\n',
            'citeloom.toml: [project."lab/rye".chunking] has no key max_token; '
            "did you mean max_tokens?",
        ),
        (
            '[project."lab/rye".front_matter]\ntier = { typ = "int" }\n',
            'citeloom.toml: [project."lab/rye".front_matter.tier] has no key typ; '
            "did you mean type?",
        ),
        *(
            (
                f'[conversion]\nocr_languages = ["en", "{code}"]\n',
                f'citeloom.toml: conversion.ocr_languages is "{code}", but must be the code of a '
                f"known language, such as en, de or en-GB{advice}",
            )
            for code, advice in (("zz-notalang", ""), ("xqq", ""), ("german", "; write de"))
        ),
        (
            "[paths]\nwhatever = 3\n",
            "citeloom.toml: [paths] has no key whatever; its keys are data_dir, collected_dir, "
            "runs_dir",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(tmp_path: Path, text: str, said: str) -> None:
    assert complaint(tmp_path, text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[retrieval]\ntop_k = 0\n", "retrieval.top_k is 0, but must be at least 1"),
        ("[retrieval]\ntop_k = 2000\n", "retrieval.top_k is 2000, but must be at most 1000"),
        (
            '[answers]\nlanguage = "fr"\n',
            "answers.language is \"fr\", but must be 'en', 'de' or 'pt'",
        ),
        ("[server]\nport = -1\n", "server.port is -1, but must be at least 0"),
        (
            '[project."lab/rye"]\npoint_id = "x"\n',
            'project."lab/rye".point_id is "x", but must name fields in braces',
        ),
        ('[retrieval]\ntop_k = "six"\n', 'retrieval.top_k is "six", but must be a whole number'),
        ("[retrieval]\ntop_k = 2.5\n", "retrieval.top_k is 2.5, but must be a whole number"),
        ('[retrieval]\nfusion = "dbsf"\n', "retrieval.fusion is \"dbsf\", but must be 'rrf'"),
        ("[validate]\nmin_body_share = 2\n", "validate.min_body_share is 2, but must be at most 1"),
        (
            "[conversion]\npage_timeout_seconds = 0\n",
            "conversion.page_timeout_seconds is 0, but must be more than 0",
        ),
        (
            "[conversion]\npage_timeout_seconds = inf\n",
            "conversion.page_timeout_seconds is Infinity, but must be a finite number",
        ),
        ('[qdrant]\nurl = "box:6333"\n', 'qdrant.url is "box:6333", but must begin with http://'),
        (
            '[store]\nurl = "mysql://box/papers"\n',
            'store.url is "mysql://box/papers", but must begin with the name of a store: milvus:, '
            "milvus+https:, milvus-lite:, postgres:, postgresql:",
        ),
        (
            '[qdrant]\nurl = "http://box:6333"\n[store]\nurl = "postgresql://box/papers"\n',
            "store.url and qdrant.url are two stores; unset one of them",
        ),
        (
            "[qdrant]\non_disk_hnsw = true\n",
            "qdrant: on_disk_hnsw requires on_disk_vectors = true",
        ),
        (
            "[qdrant]\nreplication = 2\nwrite_consistency = 3\n",
            "qdrant: write_consistency must not be more than replication",
        ),
        (
            '[qdrant]\non_disk_vectors = "maybe"\n',
            'qdrant.on_disk_vectors is "maybe", but must be true or false',
        ),
        ("retrieval = 3\n", "retrieval is 3, but must be a table"),
        (
            '[project."lab/rye"]\nreferences = ""\n',
            'project."lab/rye".references is "", but must not be empty',
        ),
        (
            '[project."lab/rye"]\nfiles."a b.pdf" = 3\n',
            'project."lab/rye".files."a b.pdf" is 3, but must be text',
        ),
        (
            "[chunking]\nmax_tokens = 100\noverlap_tokens = 100\n",
            "chunking: overlap_tokens (100) must lie in 0..99, below max_tokens",
        ),
        (
            '[project."lab/rye".chunking]\nmax_tokens = 40\n',
            'project."lab/rye".chunking: max_tokens (40) must not be less than min_chunk_tokens',
        ),
        ('[project."lab rye"]\n', "project.\"lab rye\": 'lab rye' is not a project id"),
    ],
)
def test_a_bad_value_is_told_in_plain_words(tmp_path: Path, text: str, said: str) -> None:
    assert complaint(tmp_path, text).startswith(f"citeloom.toml: {said}")


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = (
        '[retrieval]\ntop_k = 0\nfoo = 1\n[project."lab/rye"]\nsource = "x"\n'
        '[qdrant]\napi_key = "s3cret"\n'
    )
    said = complaint(tmp_path, text, dotenv="CITELOOM_CHUNKING__MAX_TOKENS=many\n")
    first, *faults = said.splitlines()
    assert first == "5 errors in the configuration:"
    for number, key in enumerate(("api_key", "lab/rye", "MAX_TOKENS", "top_k", "foo")):
        assert key in faults[number]
    assert "s3cret" not in said


@pytest.mark.parametrize("value", ['"s3cret"', "73313", '["s3cret"]'])
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, value: str) -> None:
    said = complaint(tmp_path, f"[qdrant]\napi_key = {value}\n")
    assert "from the environment only: set CITELOOM_QDRANT_API_KEY" in said
    assert "s3cret" not in said
    assert "73313" not in said


def test_a_variable_is_named_as_it_was_written(tmp_path: Path) -> None:
    said = complaint(tmp_path, "[retrieval]\ntop_k = 3\n", dotenv="CITELOOM_RETRIEVAL__TOP_K=x\n")
    assert said == '.env: CITELOOM_RETRIEVAL__TOP_K is "x", but must be a whole number'


@pytest.mark.parametrize(
    "name",
    [
        "CITELOOM_RETRIEVAL__TOPK",
        "CITELOOM_RETRIEVAL_TOP_K",
        "CITELOOM_RETREIVAL__TOP_K",
    ],
)
def test_a_variable_meant_for_a_key_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "3")
    assert complaint(tmp_path) == (
        f"the environment: there is no setting {name}; did you mean CITELOOM_RETRIEVAL__TOP_K?"
    )


def test_a_flag_is_named_as_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the command line: retrieval\.top_k is -1"):
        load_settings(cwd=tmp_path, overrides={"retrieval": {"top_k": -1}})


def test_bad_toml_is_told_with_its_line(tmp_path: Path) -> None:
    said = complaint(tmp_path, "[retrieval]\ntop_k = 3\n[project.lab/rye]\n")
    assert said.startswith("citeloom.toml is not valid TOML")
    assert "line 3" in said


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").write_bytes(b'[project."lab/rye"]\nreferences = "caf\xe9"\n')
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_settings(cwd=tmp_path)


def test_an_env_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"CITELOOM_PATHS__DATA_DIR=caf\xe9\n")
    with pytest.raises(ConfigError, match=r"\.env cannot be read"):
        load_settings(cwd=tmp_path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            'front_matter.tier = "number"',
            "front_matter.tier is \"number\", but must be 'str', ",
        ),
        ("front_matter.tier = 3", "front_matter.tier is 3, but must be a table"),
        ('front_matter."a b" = "str"', "'a b' is no field name"),
        ('front_matter.word_count = "int"', "'word_count' is counted and cannot be declared"),
        ('front_matter.tags = "str"', "'tags' is of type list[str]"),
        ('citation_label = "[{modul}]"', "names an unknown field 'modul'; there are title"),
        ('citation_label = "[{titel}]"', "names an unknown field 'titel'; did you mean title?"),
        ('citation_label = "[module]"', "'[module]' names no field in braces"),
        ('citation_label = "[{module"', "citation_label"),
    ],
)
def test_impossible_front_matter_and_labels_are_told(tmp_path: Path, lines: str, said: str) -> None:
    text = f'[project."lab/rye"]\n{lines}\n'
    assert said in complaint(tmp_path, text)


def test_a_field_may_be_declared_by_its_type_alone(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").write_text(
        '[project."lab/rye"]\ncitation_label = "[{module}]"\n'
        '[project."lab/rye".front_matter]\nmodule = "str"\n'
        'tier = { type = "int", required = true, choices = "1" }\n'
    )
    (project,) = load_settings(cwd=tmp_path).projects()
    assert project.front_matter.declared == (
        MetadataField(name="module"),
        MetadataField(name="tier", kind=FieldKind.WHOLE, required=True, choices=("1",)),
    )
    assert project.citation_label == CitationLabel("[{module}]")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@box/papers",
        "postgresql://box/papers?user=me&password=s3cret",
        "mysql://me:s3cret@box/papers",
        "postgresql://me:s3cret@[box/papers",
    ],
)
def test_a_password_in_an_address_is_not_shown(tmp_path: Path, url: str) -> None:
    said = complaint(tmp_path, f'[store]\nurl = "{url}"\n')
    assert "store.url" in said
    assert "s3cret" not in said


def test_an_address_with_a_password_says_where_it_belongs(tmp_path: Path) -> None:
    said = complaint(tmp_path, '[store]\nurl = "postgresql://me:s3cret@box/papers"\n')
    assert "PGPASSWORD" in said
    assert ".pgpass" in said


def test_a_password_in_the_file_is_refused_once(tmp_path: Path) -> None:
    said = complaint(tmp_path, '[store]\npassword = "s3cret"\n')
    assert "store.password must not be set here" in said
    assert "s3cret" not in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[qdrant]\nprefix_index = false\n", "qdrant.prefix_index was removed in 0.2.0"),
        ('[chunking]\ntokenizer_id = "a/b"\n', "chunking.tokenizer_id was removed in 0.2.0"),
        (
            '[project."lab/rye".chunking]\ntokenizer_id = "a/b"\n',
            'project."lab/rye".chunking.tokenizer_id was removed in 0.2.0',
        ),
    ],
)
def test_a_removed_key_is_a_warning_with_its_version(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "citeloom.toml"
    file.write_text(text)
    (warning,) = load_settings(cwd=tmp_path).warnings
    assert warning == f"{file}: {said} and never had an effect: delete the line"


def test_a_removed_key_where_no_table_can_be_is_refused_as_before(tmp_path: Path) -> None:
    assert "must be a table" in complaint(tmp_path, 'qdrant = "prefix_index"\n')


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[store]\nurl = "postgresql://user@host:99999/x"\n', "store.url"),
        ('[store]\nurl = "postgresql://user@one:5432,two:0/x"\n', "store.url"),
        ('[qdrant]\nurl = "http://localhost:99999"\n', "qdrant.url"),
        (
            '[answers]\nmodel = "openai/m"\nbase_url = "http://localhost:99999/v1"\n',
            "answers.base_url",
        ),
    ],
)
def test_a_port_that_cannot_be_is_no_fault_of_the_program(
    tmp_path: Path, text: str, key: str
) -> None:
    said = complaint(tmp_path, text)
    assert key in said
    assert "with a port from 1 to 65535" in said
