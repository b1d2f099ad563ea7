"""`show`, `inspect`, `list`, `projects` and `models`: looking without changing."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from citeloom.domain.policies import MULTILINGUAL_MODEL
from tests.e2e.command import SMALL, Desk
from tests.e2e.papers import CLAY


def test_a_work_is_shown_whole_and_in_order(ingested: Desk) -> None:
    shown = ingested.must("show", f"@{CLAY.citekey}", "--json").json
    stored = [s for s in ingested.chunks() if s.citation and s.citation.citekey == CLAY.citekey]
    in_order = sorted(stored, key=lambda s: s.chunk.chunk_idx)
    assert [item["chunk_id"] for item in shown] == [s.chunk.id for s in in_order]
    assert [item["text"] for item in shown] == [s.chunk.text for s in in_order]
    assert {item["title"] for item in shown} == {CLAY.title}
    text = ingested.must("show", CLAY.citekey).out
    assert text.startswith(f"Tanaka {CLAY.year}, {CLAY.title}\n")
    assert f"10.5555/{CLAY.citekey}" in text
    words = " ".join(text.split())
    assert all(" ".join(s.chunk.text.split()) in words for s in in_order)
    assert max(map(len, text.splitlines()[2:])) <= 100


def test_a_chunk_is_marked_among_its_neighbours(ingested: Desk) -> None:
    first, second = sorted(
        (s.chunk for s in ingested.chunks() if s.source_path.endswith(CLAY.file_name)),
        key=lambda chunk: chunk.chunk_idx,
    )
    text = ingested.must("show", second.id).out
    assert f"\n* {second.id}  [@{CLAY.citekey}, p. 2]  Cracks and their causes\n" in text
    assert f"\n  {first.id}  [@{CLAY.citekey}, p. 1]  How tiles were dried\n" in text
    alone = ingested.must("show", second.id, "--context", "0", "--json").json
    assert [item["chunk_id"] for item in alone] == [second.id]


def test_only_the_nearest_chunks_are_shown_around_one(sample: Desk) -> None:
    chunks = sorted(
        (s.chunk for s in sample.chunks("citeloom/demo") if "okafor" in s.source_path),
        key=lambda chunk: chunk.chunk_idx,
    )
    shown = sample.must("show", chunks[4].id, "--context", "2", "--json").json
    assert [item["chunk_id"] for item in shown] == [chunk.id for chunk in chunks[2:7]]


def test_what_is_not_there_is_told_with_where_to_look(ingested: Desk) -> None:
    missing = ingested.run("show", "nobody1999")
    assert (missing.code, missing.out) == (1, "")
    assert "no chunk, citekey, document id or path 'nobody1999'" in missing.err


def test_inspection_counts_what_there_is(ingested: Desk) -> None:
    chunks = ingested.chunks()
    text = ingested.must("inspect", "--sample", "2").out
    assert f"project     {SMALL}\n" in text
    assert "documents   6 (6 indexed)\n" in text
    assert f"chunks      {len(chunks)} ({len(chunks)} text)\n" in text
    assert "(384 dimensions, by " in text
    assert "), sparse Qdrant/bm25\n" in text
    assert f"languages   of {len(chunks)} passages " in text
    assert "recommended" not in text
    assert sum(chunk.chunk.id in text for chunk in chunks) == 2
    described = ingested.must("inspect", "--json", "--sample", "100").json
    assert described["description"]["points"] == len(chunks) == len(described["sample"])
    assert {s["chunk"]["id"] for s in described["sample"]} == {s.chunk.id for s in chunks}
    assert {"project_id", "doc_id", "citekey", "tags", "year"} <= set(
        described["description"]["indexed_fields"]
    )
    assert [entry["status"] for entry in described["documents"]] == ["indexed"] * 6


def test_inspection_recommends_a_model_for_other_languages(small: Desk) -> None:
    small.must("ingest")
    german = "Die Ernte war in diesem Jahr nicht so gut, weil der Regen zu spät auf die Felder kam."
    (small.folder / "ernte.md").write_text(f"# Ernte\n\n{german}\n", encoding="utf-8")
    small.must("ingest", "ernte.md")
    step = f'embedding_model = "{MULTILINGUAL_MODEL}", then citeloom ingest --project {SMALL}'
    [line] = [x for x in small.must("inspect").out.splitlines() if x.startswith("recommended ")]
    assert line.startswith(f"recommended {step} --rebuild (1 passage in German; ")
    assert small.must("inspect", "--json").json["recommended"]["languages"]["de"] == 1


def test_what_pages_leave_out_on_purpose_is_listed_by_page(small: Desk) -> None:
    folder = small.folder / "headed"
    folder.mkdir()
    for at, crop in enumerate(("rye", "oats"), 1):
        canvas = Canvas(str(folder / f"{crop}.pdf"), invariant=1)
        for page in range(1, 4):
            canvas.drawString(90, 800, "Yearbook of fields")
            canvas.drawString(280, 30, str(page))
            for line in range(12):
                grown = f"In yard {line} of {at} the {crop} of {page} grew well."
                canvas.drawString(90, 700 - 14 * line, grown)
            canvas.showPage()
        canvas.save()
    assert "left out on purpose: 24 words" in small.must("ingest", "headed").out
    listed = small.must("inspect", "--left-out").out.splitlines()
    assert [line for line in listed if line.startswith("left out")][:2] == [
        "left out    headed/oats.pdf, p. 1, header: Yearbook of fields",
        "left out    headed/oats.pdf, p. 1, footer: 1",
    ]
    counted = "left out    24 words on purpose; --left-out lists them"
    assert counted in small.must("inspect").out.splitlines()


def test_projects_are_listed_with_their_documents(ingested: Desk) -> None:
    text = ingested.must("projects").out
    assert text.splitlines()[1].split()[:3] == [SMALL, "6", "proj-lab-small"]
    [listed] = ingested.must("projects", "--json").json
    assert (listed["id"], listed["documents"], listed["references"]) == (
        SMALL,
        6,
        "references.json",
    )


def test_usable_models_are_listed_and_others_on_request(ingested: Desk) -> None:
    listed = ingested.must("models", "--json").json
    usable = listed["models"]
    assert {(model["kind"], model["name"]) for model in usable} >= {
        ("dense", "sentence-transformers/all-MiniLM-L6-v2"),
        ("sparse", "Qdrant/bm25"),
    }
    assert all(model["usable"] for model in usable)
    assert listed["recommended"] is None
    every = ingested.must("models", "--all").out.splitlines()
    assert every[0].split("  ")[0] == "kind"
    assert every[0].endswith("sends text to")
    assert len(every) > len(usable) + 1
    tesseract, rapidocr = listed["ocr_engines"]
    assert (tesseract["name"], rapidocr["name"]) == ("tesseract", "rapidocr")
    assert rapidocr["usable"]
    assert {"en", "de", "fr"} <= set(rapidocr["languages"])
    assert [tesseract["chosen"], rapidocr["chosen"]].count(True) == 1
    assert any(line.startswith(rapidocr["version"]) for line in every)


def test_a_mistyped_citekey_names_the_author_that_was_meant(ingested: Desk) -> None:
    assert "Did you mean tanaka2017?" in ingested.run("show", "tanaka1999x").err
    assert "nearest: tanaka2017" in ingested.run("query", "clay", "--citekey", "tanaka").err
    assert "nearest citekeys: tanaka2017" in ingested.must("list", "--citekey", "tanka2017").err
    listed = ingested.must("list", "tanaka2017", "--json").json
    assert [one["citekey"] for one in listed] == ["tanaka2017"]
    assert ingested.must("list", "tanaka2017", "--year", "1800", "--json").json == []
    assert "Did you mean tanaka2017?" in ingested.run("delete", "-y", "--citekey", "tana").err


def test_the_list_calls_a_copy_one(desk: Desk) -> None:
    desk.library.mkdir()
    for name, crop in (("a", "Barley"), ("b", "Barley"), ("c", "Millet")):
        text = f"# {crop}\n\n{crop} is sown in rows and cut in the summer after that.\n"
        (desk.library / f"{name}.md").write_text(text, encoding="utf-8")
    desk.must("init", "--source", "library/")
    desk.must("ingest")
    states = [line.split()[3] for line in desk.must("list").out.splitlines()[1:]]
    assert states == ["indexed", "copy", "indexed"]
    assert "1 file more with the content of one of them" in desk.must("inspect").out
