"""Photograph the reading room of the sample library: an answer, and the page of its first citation.

    python scripts/make_screenshot.py [FOLDER]    # an ingested sample library; else one is made

It needs Debian's chromium. The picture has few colours, so that it stays small.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright

from citeloom.application.jobs import Jobs
from citeloom.application.limits import ServerOptions
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.http_server import HttpServer
from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary
from citeloom.infrastructure.library.library import open_library

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "pictures" / "reading-room.png"
PROJECT, QUESTION = "citeloom/demo", "What makes a reading room quiet?"
SIZE: ViewportSize = {"width": 1280, "height": 680}
COLOURS = 96


def main(arguments: list[str]) -> int:
    if arguments:
        photograph(Path(arguments[0]))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        maker = Path(__file__).with_name("make_sample_library.py")
        subprocess.run([sys.executable, maker, folder], check=True, stdout=subprocess.DEVNULL)
        command = [sys.executable, "-m", "citeloom", "ingest", "--project", PROJECT]
        subprocess.run(command, cwd=folder, check=True)
        photograph(Path(folder))
    return 0


def photograph(folder: Path) -> None:
    """Write the picture of the question's answer in an ingested library."""
    with open_library(folder) as library:
        jobs = Jobs(library.ingest_target, clock=SystemClock())
        service = ServedLibrary(
            library=library, jobs=jobs, projects=(PROJECT,), calls=Calls(library.limits)
        )
        server = HttpServer(service, ServerOptions(port=0))
        server.start()
        try:
            picture = taken(f"{server.url}/ask?{urlencode({'text': QUESTION})}")
        finally:
            server.close(print)
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")


def taken(address: str) -> bytes:
    """What Chromium shows of an answer whose first citation was clicked."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.locator("a.cite").first.click()
        page.mouse.move(1, 1)
        page.locator("#beside img").first.wait_for()
        page.wait_for_load_state("networkidle")
        return page.screenshot()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
