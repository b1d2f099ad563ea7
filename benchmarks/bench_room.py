"""The reading room beside the HTTP API: searches, pages of a long book, many visitors, memory.

python -m benchmarks.bench_room PAPERS [--library FOLDER] [--visitors 100]

PAPERS has pdf/ and references.csl.json. They and a made book of 600 pages are ingested, in the
folder of --library if it is named, where they are kept. Each view is measured beside the JSON of
the same content, from the same server in the same run. The clients are on the same processors.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from threading import Barrier
from urllib.parse import quote_plus

from benchmarks.bench_http import resident, served
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from citeloom import open_library

PROJECT = "bench/room"
QUESTIONS = (
    "How are gravitational waves detected?",
    "Which optimizers are available?",
    "How is uncertainty propagated?",
    "parallel computing on GPUs",
    "What does the package do that others do not?",
    "How are the results validated against experiments?",
)
ROUNDS = 8
PAGES, TURNED = 600, 40
_TOPICS = ("tides", "granite", "lichens", "ferries", "orchards", "glaciers", "looms", "bees")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("papers", type=Path)
    options.add_argument("--library", type=Path)
    options.add_argument("--visitors", type=int, default=100)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.library or Path(temporary)
        book, chunks = made(folder, asked.papers)
        print(f"{chunks} chunks, a book of {PAGES} pages", flush=True)
        with served(folder) as address:
            print(f"memory: {resident(address):.0f} MB when ready")
            searches(address)
            pages(address, book)
            print(f"memory: {resident(address):.0f} MB after searches and pages")
            crowd(address, asked.visitors, book)
            print(f"memory: {resident(address):.0f} MB after the visitors")
            reader(address, book)
            print(f"memory: {resident(address):.0f} MB after 600 pages")


def made(folder: Path, papers: Path) -> tuple[str, int]:
    """Ingest what is not ingested yet; the book's id, and how many chunks there are."""
    folder.mkdir(parents=True, exist_ok=True)
    book = folder / "book" / "almanac.pdf"
    if not book.exists():
        book.parent.mkdir(exist_ok=True)
        write_book(book)
    (folder / "citeloom.toml").write_text(
        f'[project."{PROJECT}"]\nreferences = "{papers.resolve()}/references.csl.json"\n'
        f'sources = ["{papers.resolve()}/pdf", "book"]\n',
        encoding="utf-8",
    )
    with open_library(folder) as library:
        project = library.project()
        project.ingest()
        documents = project.documents()
        [found] = [each for each in documents if each.path.endswith("almanac.pdf")]
        return found.doc_id, sum(each.chunks for each in documents)


def write_book(path: Path) -> None:
    """A book of 30 chapters; every page is full of lines that no other page has."""
    canvas = Canvas(str(path), pagesize=A5, invariant=1)
    for page in range(1, PAGES + 1):
        canvas.setFont("Times-Bold", 14)
        if page % 20 == 1:
            canvas.drawString(50, 550, f"{page // 20 + 1} On {_TOPICS[page // 20 % 8]}")
        canvas.setFont("Times-Roman", 9)
        for line in range(38):
            topic, other = _TOPICS[(page + line) % 8], _TOPICS[(page * 3 + line) % 8]
            words = f"In year {1200 + page} entry {line + 1} of the {topic} was"
            canvas.drawString(50, 520 - line * 12, f"{words} compared with {other} of plot {page}.")
        canvas.showPage()
    canvas.save()


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and after how many milliseconds its first part, its first hit and its end came."""

    status: int
    body: bytes
    first: float
    hit: float
    end: float


class Visitor:
    """A browser's connection, with its cookie."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=120)
        self._cookie = ""

    def get(self, path: str, body: str | None = None) -> Answered:
        headers = {"Cookie": self._cookie, "Sec-Fetch-Site": "same-origin"}
        method = "GET" if body is None else "POST"
        began, parts, hit = time.perf_counter(), bytearray(), 0.0
        self._connection.request(
            method, path, body, {**headers, "Content-Type": "application/json"} if body else headers
        )
        answer = self._connection.getresponse()
        self._cookie = (answer.getheader("Set-Cookie") or self._cookie).partition(";")[0]
        first = 0.0
        while part := answer.read1(1 << 16):
            first = first or time.perf_counter() - began
            parts += part
            hit = hit or (b"data-item" in parts and time.perf_counter() - began)
        answer.close()
        end = time.perf_counter() - began
        return Answered(answer.status, bytes(parts), 1000 * first, 1000 * hit, 1000 * end)


def search_address(question: str) -> str:
    return f"/search?project={quote_plus(PROJECT)}&text={quote_plus(question)}"


def query(question: str) -> str:
    return json.dumps({"project": PROJECT, "text": question})


def middle(answers: list[Answered], value: Callable[[Answered], float]) -> float:
    assert {answer.status for answer in answers} == {200}, Counter(a.status for a in answers)
    return statistics.median(map(value, answers))


def searches(address: str) -> None:
    """The search page beside the query's JSON, each question new, one after the other."""
    visitor = Visitor(address)
    for question in QUESTIONS:
        visitor.get(search_address(question))
    found, data = [], []
    for number in range(ROUNDS * len(QUESTIONS)):
        question = f"{QUESTIONS[number % len(QUESTIONS)]} {number}"
        found.append(visitor.get(search_address(question)))
        data.append(visitor.get("/api/v1/query", query(f"{question}0")))
    first, hit = middle(found, lambda a: a.first), middle(found, lambda a: a.hit)
    end, of_json = middle(found, lambda a: a.end), middle(data, lambda a: a.end)
    print(
        f"search: form after {first:.0f} ms, first hit {hit:.0f}, whole page {end:.0f} "
        f"(JSON {of_json:.0f}: {end / of_json:.2f} times); p95 {p95(found):.0f}",
        flush=True,
    )


def p95(answers: list[Answered]) -> float:
    return statistics.quantiles([answer.end for answer in answers], n=20)[18]


def page_of(visitor: Visitor, book: str, page: int) -> tuple[Answered, Answered]:
    """A page of the book: the view, and its picture."""
    base = f"/works/{book}"
    view = visitor.get(f"{base}?project={quote_plus(PROJECT)}&page={page}")
    picture = f"{base}/pages/{page}.png?project={quote_plus(PROJECT)}&scale=1.5"
    return view, visitor.get(picture)


def pages(address: str, book: str) -> None:
    """A page of the book cold, then others turned one after the other."""
    visitor = Visitor(address)
    view, picture = page_of(visitor, book, PAGES // 2)
    both = view.end + picture.end
    print(f"page, cold: view {view.end:.0f} ms, picture {picture.end:.0f}, together {both:.0f}")
    turned = [page_of(visitor, book, PAGES // 2 + number) for number in range(1, TURNED + 1)]
    views, pictures = [one for one, _ in turned], [other for _, other in turned]
    detail = f"/api/v1/documents/{book}?project={quote_plus(PROJECT)}"
    data = [visitor.get(detail) for _ in range(5)]
    view_ms, picture_ms = middle(views, lambda a: a.end), middle(pictures, lambda a: a.end)
    both = statistics.quantiles([a.end + b.end for a, b in turned], n=20)[18]
    of_json = middle(data, lambda a: a.end)
    print(
        f"page, turned: view {view_ms:.0f} ms ({view_ms / of_json:.2f} times the document's JSON, "
        f"{of_json:.0f}), picture {picture_ms:.0f}; together {view_ms + picture_ms:.0f}, "
        f"p95 {both:.0f}",
        flush=True,
    )


@contextmanager
def measured(what: str) -> Iterator[list[Answered]]:
    answers: list[Answered] = []
    began = time.perf_counter()
    yield answers
    seconds = time.perf_counter() - began
    statuses = Counter(answer.status for answer in answers)
    times = [answer.end for answer in answers]
    cuts = statistics.quantiles(times, n=20)
    refused = sum(count for status, count in statuses.items() if status != 200)
    print(
        f"{what}: {len(answers)} answers in {seconds:.1f} s, {refused} not 200 {dict(statuses)}; "
        f"{cuts[9]:.0f} ms p50, {cuts[18]:.0f} p95, {max(times):.0f} at most",
        flush=True,
    )


def crowd(address: str, visitors: int, book: str) -> None:
    """Many visitors, who all begin at once: a search, then a page of the book with its picture."""
    start = Barrier(visitors)

    def visit(number: int) -> list[Answered]:
        visitor = Visitor(address)
        start.wait()
        found = visitor.get(search_address(f"{QUESTIONS[number % len(QUESTIONS)]} {number}"))
        return [found, *page_of(visitor, book, 1 + number * 5 % PAGES)]

    with measured(f"{visitors} visitors at once") as answers, ThreadPoolExecutor(visitors) as pool:
        answers.extend(chain.from_iterable(pool.map(visit, range(visitors))))
    for number, kind in enumerate(("searches", "pages", "pictures")):
        cuts = statistics.quantiles((answer.end for answer in answers[number::3]), n=20)
        print(f"  {kind}: {cuts[9]:.0f} ms p50, {cuts[18]:.0f} p95")
    problems = sum(b'class="problem"' in answer.body for answer in answers)
    print(f"  {problems} pages say that something could not be answered")

    def ask(number: int) -> Answered:
        visitor = Visitor(address)
        start.wait()
        return visitor.get("/api/v1/query", query(f"{QUESTIONS[number % len(QUESTIONS)]} {number}"))

    what = f"{visitors} queries of programs at once"
    with measured(what) as data, ThreadPoolExecutor(visitors) as pool:
        data.extend(pool.map(ask, range(visitors)))


def reader(address: str, book: str) -> None:
    """One who turns every page of the book."""
    visitor = Visitor(address)
    with measured("a reader of 600 pages") as answers:
        for page in range(1, PAGES + 1):
            answers.extend(page_of(visitor, book, page))


if __name__ == "__main__":
    main()
