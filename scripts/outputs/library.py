"""The made library whose outputs are compared: the same bytes on every day, by no code of citeloom.

What can be written down lies in `material/`; papers are typeset, and files of other formats are
made from what is written here.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from io import BytesIO
from pathlib import Path
from time import gmtime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import docx
import pypdfium2
from scripts.make_sample_library import make_library

MATERIAL = Path(__file__).with_name("material")
MODIFIED = 1_704_067_200
"""The time of every file, in seconds since 1970: 1 January 2024."""
_ZOTERO_FILES = {
    "PDFRM222/rooms.pdf": "lindqvist-2019.pdf",
    "PDFSKY22/queues.pdf": "marchetti-etal-2022.pdf",
}
"""The files in Zotero's storage that are there, each a copy of a paper."""


def make_compared_library(folder: Path) -> None:
    """Write papers, notes, a scan, faulty files, a Zotero database, drafts, the configuration."""
    shutil.copytree(MATERIAL, folder, dirs_exist_ok=True)
    configuration = (folder / "citeloom.toml").read_bytes()
    make_library(folder)
    (folder / "citeloom.toml").write_bytes(configuration)
    library = folder / "library"
    _write_docx(library / "beekeeping.docx")
    _write_scan(library / "lindqvist-2019.pdf", library / "scan.pdf")
    for name, paper in _ZOTERO_FILES.items():
        stored = folder / "zotero" / "storage" / name
        stored.parent.mkdir(parents=True)
        shutil.copyfile(library / paper, stored)
    _write_database(folder / "zotero")
    for path in folder.rglob("*"):
        os.utime(path, (MODIFIED, MODIFIED))


def _write_docx(path: Path) -> None:
    document = docx.Document()
    document.add_heading("Bees in a dry year", level=1)
    document.add_paragraph(
        "In a dry year the colonies stop breeding three weeks earlier. A hive on the north slope "
        "kept nineteen kilograms of honey; the hives on the south slope kept eleven."
    )
    document.add_heading("Feeding", level=2)
    document.add_paragraph("Sugar water is given in the evening, so that no robbing begins.")
    content = BytesIO()
    document.save(content)
    with ZipFile(content) as dated, ZipFile(path, "w") as undated:
        for name in dated.namelist():
            undated.writestr(ZipInfo(name), dated.read(name), ZIP_DEFLATED)


def _write_scan(paper: Path, path: Path) -> None:
    """The upper part of a paper's first page as an image."""
    document = pypdfium2.PdfDocument(paper)
    image = document[0].render(scale=150 / 72, grayscale=True).to_pil()
    upper = image.crop((0, 0, image.width, image.height // 3))
    dates = {"creationDate": gmtime(MODIFIED), "modDate": gmtime(MODIFIED)}
    upper.save(path, "PDF", resolution=150, **dates)
    document.close()


def _write_database(folder: Path) -> None:
    written = folder / "zotero.sql"
    database = sqlite3.connect(folder / "zotero.sqlite")
    database.executescript(written.read_text(encoding="utf-8"))
    database.close()
    written.unlink()
