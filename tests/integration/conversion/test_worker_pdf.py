"""PDFs through worker processes: the preflight, the converter and what the parent is spared."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from citeloom.application.ports.conversion import DEFAULT_OPTIONS
from citeloom.domain.errors import (
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.conversions import Conversions
from tests.fakes.sources import source_of

PROGRAM = """
import sys
from functools import partial
from pathlib import Path
from citeloom.application.ports.conversion import DEFAULT_OPTIONS
from citeloom.infrastructure.wiring.conversion import open_file_converter
from tests.fakes.conversions import Conversions
from tests.fakes.sources import source_of

if __name__ == "__main__":
    pool = Conversions(partial(open_file_converter, ".pdf", DEFAULT_OPTIONS))
    (outcome,) = pool.convert([source_of(Path(sys.argv[1]))])
    print(outcome.result.plain_text)
    print([name for name in ("docling", "docling_core", "pypdfium2") if name in sys.modules])
"""


def write_pdf(path: Path, *pages: str, encrypt: str | None = None) -> Path:
    canvas = Canvas(str(path), encrypt=encrypt)
    for text in pages:
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return path


@pytest.mark.slow
def test_the_parent_loads_nothing_a_worker_needs(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    paper = write_pdf(tmp_path / "paper.pdf", "Words on a page.")
    ran = subprocess.run(
        [sys.executable, str(program), str(paper)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.stdout.splitlines() == ["Words on a page.", "[]"]


@pytest.mark.slow
def test_each_bad_file_gets_its_error_and_the_good_ones_go_on(tmp_path: Path) -> None:
    truncated = write_pdf(tmp_path / "truncated.pdf", "Words.")
    truncated.write_bytes(truncated.read_bytes()[:-300])
    empty = tmp_path / "empty.pdf"
    empty.touch()
    web_page = tmp_path / "web-page.pdf"
    web_page.write_text("<html>Not found</html>")
    expected = {
        write_pdf(tmp_path / "first.pdf", "First.", "Page two."): None,
        write_pdf(tmp_path / "blank.pdf", ""): EmptyDocument,
        empty: EmptyDocument,
        write_pdf(tmp_path / "locked.pdf", "Words.", encrypt="secret"): EncryptedDocument,
        truncated: UnreadableDocument,
        web_page: UnreadableDocument,
        tmp_path / "gone.pdf": UnreadableDocument,
        tmp_path / "paper.docx": UnsupportedFormat,
        write_pdf(tmp_path / "last.pdf", "Last."): None,
    }
    pool = Conversions(partial(open_file_converter, ".pdf", DEFAULT_OPTIONS))
    outcomes = list(pool.convert(map(source_of, expected)))
    assert {o.task.source.path: o.error and type(o.error) for o in outcomes} == expected
    assert outcomes[0].result is not None
    assert outcomes[0].result.page_count == 2
    assert all(o.error.hint for o in outcomes if o.error)
