"""Where values come from, and which of them wins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import ConfigError, InvalidProject
from citeloom.domain.policies import DEFAULT_DENSE_MODEL, ChunkingPolicy, RetrievalPolicy
from citeloom.domain.project import Project, quantised_name
from citeloom.domain.validation import ValidationPolicy
from citeloom.infrastructure import settings as package
from citeloom.infrastructure.settings import load_settings
from citeloom.infrastructure.settings.layers import flags, merged
from citeloom.infrastructure.settings.tables import processors
from citeloom_qdrant.settings import QdrantTable

RYE = '[project."lab/rye"]\n'


def write(folder: Path, text: str, name: str = "citeloom.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_any_valid_project_has_the_defaults(tmp_path: Path) -> None:
    settings = load_settings(cwd=tmp_path)
    assert settings.defaults
    assert settings.config_file is None
    assert settings.data_dir == tmp_path / ".citeloom"
    assert settings.projects() == []
    assert settings.project("lab/rye") == Project(id="lab/rye")
    assert settings.mapping("lab/rye") == {}
    assert settings.validation == ValidationPolicy()
    assert settings.conversion.workers is None
    assert 1 <= settings.conversion.worker_count <= processors()
    with pytest.raises(InvalidProject):
        settings.project("../elsewhere")


def test_a_precision_is_part_of_the_models_name(tmp_path: Path) -> None:
    settings = load_settings(config=write(tmp_path, RYE + 'precision = "int8"'))
    assert settings.project("lab/rye").embedding_model == quantised_name(DEFAULT_DENSE_MODEL)
    other = 'precision = "int8"\nembedding_model = "BAAI/bge-small-en-v1.5"'
    with pytest.raises(ConfigError, match="only sentence-transformers/all-MiniLM-L6-v2 can be"):
        load_settings(config=write(tmp_path, RYE + other))


def test_a_project_says_everything_of_its_table(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        RYE
        + """
collection = "rye-1"
references = "references/rye.json"
sources = ["library/", "/srv/papers"]
embedding_model = "BAAI/bge-small-en-v1.5"
sparse_model = "prithivida/Splade_PP_en_v1"
hybrid_enabled = false
chunking.max_tokens = 200
retrieval.top_k = 9
files."rye 2020.pdf" = "rye2020"
[project."lab/oats"]
sources = "oats/"
[chunking]
overlap_tokens = 20
""",
    )
    settings = load_settings(cwd=tmp_path)
    assert not settings.defaults
    assert settings.config_file == file
    rye, oats = settings.projects()
    assert rye == Project(
        id="lab/rye",
        collection="rye-1",
        references="references/rye.json",
        sources=("library/", "/srv/papers"),
        embedding_model="BAAI/bge-small-en-v1.5",
        sparse_model="prithivida/Splade_PP_en_v1",
        hybrid_enabled=False,
        chunking=ChunkingPolicy(max_tokens=200, overlap_tokens=20),
        retrieval=RetrievalPolicy(top_k=9),
    )
    assert oats == Project(
        id="lab/oats", sources=("oats/",), chunking=ChunkingPolicy(overlap_tokens=20)
    )
    assert settings.project("lab/rye") == rye
    assert settings.mapping("lab/rye") == {"rye 2020.pdf": "rye2020"}


def test_the_nearest_file_above_is_found_and_paths_start_there(tmp_path: Path) -> None:
    write(tmp_path, '[paths]\ndata_dir = "store"\n[models]\ncache_dir = "weights"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    settings = load_settings(cwd=inner)
    assert settings.base_dir == tmp_path
    assert settings.data_dir == tmp_path / "store"
    assert settings.models.cache_dir == tmp_path / "weights"
    assert settings.resolve("../refs.json") == tmp_path.parent / "refs.json"
    assert settings.resolve("/srv/refs.json") == Path("/srv/refs.json")


def test_a_named_file_goes_over_the_one_in_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "[retrieval]\ntop_k = 1\n")
    other = tmp_path / "other"
    other.mkdir()
    write(other, "[retrieval]\ntop_k = 2\n", "mine.toml")
    settings = load_settings(config=Path("other/mine.toml"), cwd=tmp_path)
    assert settings.retrieval.top_k == 2
    assert settings.base_dir == other


def test_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(tmp_path, '[models]\ncache_dir = "~/models"\n')
    assert load_settings(cwd=tmp_path).models.cache_dir == tmp_path / "home" / "models"


def test_each_layer_goes_over_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = [load_settings(cwd=tmp_path).retrieval.top_k]
    write(tmp_path, "[retrieval]\ntop_k = 11\ncandidates = 40\n")
    seen.append(load_settings(cwd=tmp_path).retrieval.top_k)
    write(tmp_path, 'export CITELOOM_RETRIEVAL__TOP_K="12"  # more\n', ".env")
    seen.append(load_settings(cwd=tmp_path).retrieval.top_k)
    monkeypatch.setenv("CITELOOM_RETRIEVAL__TOP_K", "13")
    seen.append(load_settings(cwd=tmp_path).retrieval.top_k)
    given = {"retrieval": {"top_k": 14, "candidates": None}}
    last = load_settings(cwd=tmp_path, overrides=given)
    assert [*seen, last.retrieval.top_k] == [6, 11, 12, 13, 14]
    assert last.retrieval.candidates == 40


def test_environment_and_flags_go_over_a_projects_own_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, RYE + "chunking.max_tokens = 100\nretrieval = {top_k = 3, rrf_k = 4}\n")
    monkeypatch.setenv("CITELOOM_CHUNKING__MAX_TOKENS", "120")
    settings = load_settings(cwd=tmp_path, overrides={"retrieval": {"top_k": 5}})
    project = settings.project("lab/rye")
    assert project.chunking.max_tokens == 120
    assert project.retrieval == RetrievalPolicy(top_k=5, rrf_k=4)


def test_the_environment_speaks_in_plain_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_QDRANT__ON_DISK_VECTORS", "true")
    monkeypatch.setenv("CITELOOM_QDRANT__URL", "")
    monkeypatch.setenv("CITELOOM_PATHS__DATA_DIR", "/srv/data")
    monkeypatch.setenv("CITELOOM_LOGGING__LEVEL", "INFO")
    monkeypatch.setenv("CITELOOM_SOMETHING_ELSE", "not ours")
    settings = load_settings(cwd=tmp_path)
    assert settings.table(QdrantTable).on_disk_vectors
    assert settings.table(QdrantTable).url is None
    assert settings.data_dir == Path("/srv/data")
    assert settings.logging.level == "info"


@pytest.mark.parametrize(
    ("value", "hosts"),
    [
        ("one.example", ("one.example",)),
        ("one.example, two.example,", ("one.example", "two.example")),
        ('["one.example", "two.example"]', ("one.example", "two.example")),
    ],
)
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_variable_can_be_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, value: str, hosts: tuple[str, ...]
) -> None:
    if place == "environment":
        monkeypatch.setenv("CITELOOM_SERVER__HOSTS", value)
    else:
        write(tmp_path, f"CITELOOM_SERVER__HOSTS='{value}'", ".env")
    monkeypatch.setenv("CITELOOM_SERVER__ORIGINS", "https://a.example,https://b.example")
    monkeypatch.setenv("CITELOOM_SERVER__ROOTS", '["/srv/a, b", "notes"]')
    monkeypatch.setenv("CITELOOM_CONVERSION__OCR_LANGUAGES", "pt,de")
    settings = load_settings(config=write(tmp_path, '[server]\norigins = "https://c.example, x"'))
    assert settings.server.hosts == hosts
    assert settings.server.origins == ("https://a.example", "https://b.example")
    assert settings.server.roots == ("/srv/a, b", "notes")
    assert settings.conversion.ocr_languages == ("pt", "de")
    monkeypatch.delenv("CITELOOM_SERVER__ORIGINS")
    assert load_settings(cwd=tmp_path).server.origins == ("https://c.example, x",)


@pytest.mark.parametrize("value", ['["one.example"', "[1]", "[[]]"])
def test_a_variable_that_is_no_list_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CITELOOM_SERVER__HOSTS", value)
    with pytest.raises(ConfigError, match="CITELOOM_SERVER__HOSTS"):
        load_settings(config=write(tmp_path, RYE))


@pytest.mark.parametrize("name", ["CITELOOM_QDRANT_API_KEY", "CITELOOM_QDRANT__API_KEY"])
@pytest.mark.parametrize("place", ["environment", ".env"])
def test_the_key_comes_from_the_environment_and_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    if place == ".env":
        write(tmp_path, f"{name}=open-sesame\n", ".env")
    else:
        monkeypatch.setenv(name, "open-sesame")
    settings = load_settings(cwd=tmp_path)
    api_key = settings.table(QdrantTable).api_key
    assert api_key is not None
    assert api_key.get_secret_value() == "open-sesame"
    assert "sesame" not in repr(settings)
    assert "sesame" not in settings.table(QdrantTable).model_dump_json()


def test_an_unknown_project_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, RYE + '[project."lab/oats"]\n')
    settings = load_settings(cwd=tmp_path)
    with pytest.raises(InvalidProject, match="lab/rye, lab/oats") as near:
        settings.project("lab/ryes")
    assert near.value.hint == "Did you mean lab/rye?"
    with pytest.raises(InvalidProject) as far:
        settings.project("zoo")
    assert '[project."zoo"]' in far.value.hint


def test_projects_that_share_a_collection_stop_no_other(tmp_path: Path) -> None:
    twin = '[project."lab/twin"]\ncollection = "Proj-Lab-Rye"\n'
    write(tmp_path, RYE + twin + '[project."lab/oats"]\n')
    settings = load_settings(cwd=tmp_path)
    assert settings.project("lab/oats").collection == "proj-lab-oats"
    for project in ("lab/rye", "lab/twin"):
        with pytest.raises(InvalidProject, match="'lab/rye' and 'lab/twin'"):
            settings.project(project)


def test_the_present_folder_is_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, RYE)
    monkeypatch.chdir(tmp_path)
    assert [project.id for project in load_settings().projects()] == ["lab/rye"]


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load_settings(cwd=tmp_path)
    with pytest.raises(AttributeError):
        settings.base_dir = Path("/")  # type: ignore[misc]
    with pytest.raises(AttributeError):
        settings.retrieval.top_k = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        settings.conversion.ocr = False  # type: ignore[misc]


def test_loading_settings_loads_no_engine() -> None:
    program = (
        "import sys, citeloom.infrastructure.settings as s; s.load_settings();"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    source = Path(package.__file__).parents[3]
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    heavy = {"docling", "fastembed", "onnxruntime", "qdrant_client", "rich", "structlog", "typer"}
    assert "pydantic" in loaded
    assert heavy.isdisjoint(loaded)


tables = st.dictionaries(
    st.sampled_from(["chunking", "retrieval"]),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.none() | st.integers(), max_size=3),
)


@given(below=tables, above=tables)
def test_a_flag_that_was_not_given_hides_nothing(
    below: dict[str, dict[str, int | None]], above: dict[str, dict[str, int | None]]
) -> None:
    result = merged([flags(below), flags(above)])
    for section in {*below, *above}:
        expected = {k: v for k, v in below.get(section, {}).items() if v is not None}
        expected |= {k: v for k, v in above.get(section, {}).items() if v is not None}
        assert result[section] == expected


def test_a_file_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read"):
        load_settings(config=tmp_path / "nowhere.toml")
