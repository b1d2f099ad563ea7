"""`citeloom init` writes a configuration that loads, and never over another."""

from __future__ import annotations

from pathlib import Path

from citeloom.domain.policies import MULTILINGUAL_MODEL
from tests.e2e.command import Desk
from tests.e2e.papers import CLAY, write_papers, write_references


def test_what_init_writes_is_what_ingest_needs(desk: Desk) -> None:
    write_papers(desk.library, CLAY)
    write_references(desk.folder / "refs.json", CLAY)
    made = desk.must(
        "init", "--project", "lab/new", "--references", "refs.json", "--source", "library/"
    )
    assert made.out == "citeloom.toml\n"
    assert made.err == "Next: citeloom ingest\n"
    written = desk.config.read_text(encoding="utf-8").splitlines()
    assert len(written) < 12
    ingested = desk.must("ingest")
    assert ingested.out.startswith("lab/new: 1 found, 1 indexed, 0 unchanged, 0 failed")
    assert "1 matched (1 by doi)" in ingested.out


def test_an_existing_file_is_left_as_it_is(desk: Desk) -> None:
    desk.config.write_text("# mine\n", encoding="utf-8")
    refused = desk.run("init", "--project", "lab/new")
    assert refused.code == 14
    assert refused.err.startswith("error [CONFIG_ERROR]: this folder already has a citeloom.toml")
    assert '[project."lab/new"]' in refused.err
    assert desk.config.read_text(encoding="utf-8") == "# mine\n"


def test_what_is_not_in_the_file_stands_in_the_next_command(desk: Desk) -> None:
    made = desk.must("init", "--project", "thesis")
    assert made.err == "Next: citeloom ingest FOLDER\n"
    assert '[project."thesis"]' in desk.config.read_text(encoding="utf-8")
    assert desk.must("projects", "--json").json[0]["id"] == "thesis"
    refused = desk.run("init", "--source", "")
    assert refused.code == 2
    assert "the path is empty" in refused.err


def test_an_impossible_project_id_writes_nothing(desk: Desk) -> None:
    refused = desk.run("init", "--project", "lab/new/old")
    assert refused.code == 10
    assert "INVALID_PROJECT" in refused.err
    assert "name or namespace/name" in refused.err
    assert "e.g. citeloom/clean-arch" in refused.err
    assert not desk.config.exists()


GERMAN = (
    "Der Roggen wird im Herbst auf den Feldern gesät und in dem Sommer danach geerntet, wenn die "
    "Ähren reif sind und das Wetter es für einige Tage nicht anders will als trocken."
)
ENGLISH = (
    "The rye is sown in the fields in autumn and harvested in the summer after that, when the ears "
    "are ripe and the weather is dry for some days, which it is not in every year."
)


def write_notes(folder: Path, *texts: str) -> None:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.md").write_text(f"# Roggen\n\n{text}\n", encoding="utf-8")


def keep_multilingual_model(cache: Path) -> None:
    """A cache as if FastEmbed had downloaded the model into it, without its contents."""
    repository = cache / "models--Qdrant--paraphrase-multilingual-MiniLM-L12-v2-onnx-Q"
    revision = "0" * 39 + "1"
    snapshot = repository / "snapshots" / revision
    for folder in (snapshot, repository / "refs"):
        folder.mkdir(parents=True)
    (repository / "refs" / "main").write_text(revision)
    for name in ("model_optimized.onnx", "config.json", "tokenizer.json", "tokenizer_config.json"):
        (snapshot / name).write_text("{}")
    (snapshot / "special_tokens_map.json").write_text("{}")


def test_a_multilingual_model_is_named_where_most_documents_are_not_english(desk: Desk) -> None:
    write_notes(desk.library, GERMAN, GERMAN, ENGLISH)
    made = desk.must("init", "--source", "library/")
    assert "of 3 documents looked at 2 in German, 1 in English" in made.err
    assert f"citeloom models --fetch {MULTILINGUAL_MODEL} downloads it" in made.err
    assert "embedding_model" not in desk.config.read_text(encoding="utf-8")


def test_an_installed_multilingual_model_is_taken(desk: Desk, tmp_path: Path) -> None:
    write_notes(desk.library, GERMAN, GERMAN, ENGLISH)
    keep_multilingual_model(tmp_path / "hub")
    environment = {"FASTEMBED_CACHE_PATH": str(tmp_path / "hub")}
    made = desk.run("init", "--source", "library/", env=environment)
    assert made.code == 0, made.err
    taken = f'embedding_model = "{MULTILINGUAL_MODEL}"'
    assert f"{taken}, which is installed, is in the file" in made.err
    assert taken in desk.config.read_text(encoding="utf-8")


def test_english_documents_keep_the_default_model(desk: Desk, tmp_path: Path) -> None:
    write_notes(desk.library, GERMAN, ENGLISH, ENGLISH)
    keep_multilingual_model(tmp_path / "hub")
    environment = {"FASTEMBED_CACHE_PATH": str(tmp_path / "hub")}
    made = desk.run("init", "--source", "library/", env=environment)
    assert made.code == 0, made.err
    assert made.err == "Next: citeloom ingest\n"
    assert "embedding_model" not in desk.config.read_text(encoding="utf-8")
