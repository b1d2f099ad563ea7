"""What the views of the reading room are made of: a visit, templates, pages that are rendered."""

from __future__ import annotations

import asyncio
import gettext
import logging
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial, wraps
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response, StreamingResponse

from citeloom.application.manuscript.check import LONGEST_QUOTATION
from citeloom.application.manuscript.decisions import LONGEST_NOTE
from citeloom.application.requests.manuscript import LONGEST_CHAPTER, LONGEST_COMMENT
from citeloom.application.requests.passages import LONGEST_QUESTION
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.answers.text import printable
from citeloom.infrastructure.interfaces.calls import Calls
from citeloom.infrastructure.interfaces.http.problems import Refusal, refusal_for
from citeloom.infrastructure.interfaces.http.served_library import (
    VISIT_SECONDS,
    ServedLibrary,
    request_id_of,
    service_of,
)
from citeloom.infrastructure.library.project import ProjectLibrary

T = TypeVar("T")
LANGUAGES = ("en", "de", "pt")
_log = logging.getLogger(__name__)
FOLDER = Path(__file__).parent
_PARAGRAPH = re.compile(r"\n\s*\n")
_WANTED = re.compile(r"\s*([a-zA-Z]{2})[-\w]*(?:\s*;\s*q=([0-9.]+))?")

# A visit: who asks for which page.


@dataclass(frozen=True)
class Visit:
    """A request for a page, the project it is of, and the language of its reader."""

    request: Request
    service: ServedLibrary

    @property
    def project_id(self) -> str:
        return self.request.query_params["project"]

    @cached_property
    def project(self) -> ProjectLibrary:
        """Raises `InvalidProject` for one that is not served."""
        return self.service.project(self.project_id)

    @property
    def path(self) -> str:
        return self.request.url.path

    @property
    def csrf(self) -> str:
        """What a form of this page sends with every change."""
        return str(self.request.app.state.sessions.csrf(self.request.state.session))

    @property
    def read_only(self) -> bool:
        return self.service.library.server.read_only

    @property
    def is_own(self) -> bool:
        """Whether the reader comes from a page of this server, or from none."""
        site = self.request.headers.get("sec-fetch-site", "none")
        return site in {"none", "same-origin"}

    @cached_property
    def language(self) -> str:
        return language_of(self.request.headers.get("accept-language", ""))

    def address(self, path: str, **parameters: object) -> str:
        """The address of a view of this project; a parameter without a value is left out."""
        given = [
            (name.removesuffix("_"), one)
            for name, value in {**parameters, "project": self.project_id}.items()
            for one in (value if isinstance(value, (list, tuple)) else (value,))
            if one not in (None, "", False)
        ]
        return f"{path}?{urlencode(given)}"

    async def run(
        self, call: Callable[[], T], seconds: float | None = None, lane: Calls | None = None
    ) -> T:
        """What a call of the library returns, made in a thread. Raises as `ServedLibrary.run`."""
        return await self.service.run(call, seconds or VISIT_SECONDS, lane or self.service.visits)

    async def outcome(self, call: Awaitable[T]) -> PageOutcome:
        """What came of a call, for a page of which the first part is sent already."""
        try:
            return PageOutcome(answer=await call)
        except Exception as error:  # noqa: BLE001 - the page is begun, and says so
            return PageOutcome(refusal=self.refusal(error))

    def refusal(self, error: Exception) -> Refusal:
        """What a page that is begun says of an error."""
        if not isinstance(error, CiteloomError):
            request_id = request_id_of(self.request)
            _log.error("a page failed", exc_info=error, extra={"request_id": request_id})
        return refusal_for(error, self.service.paths)

    def check_changes(self) -> None:
        """Refuse with 403 where the room is read-only."""
        if self.read_only:
            raise HTTPException(403, "this server is read-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOutcome:
    """An answer, or why there is none."""

    answer: Any = None
    refusal: Refusal | None = None


def _visit(request: Request) -> Visit:
    return Visit(request, service_of(request))


Visiting = Annotated[Visit, Depends(_visit)]


def _changing(visit: Visiting) -> None:
    visit.check_changes()


Changing = Depends(_changing)
"""What a route that changes the library depends on."""


def language_of(header: str) -> str:
    """The language of the pages that a browser likes best; English if it likes none of them."""
    wanted = {
        match[1].lower(): float(match[2] or 1)
        for match in map(_WANTED.match, reversed(header.split(",")[:20]))
        if match
    }
    known = [name for name in wanted if name in LANGUAGES and wanted[name]]
    return max(known, key=wanted.__getitem__, default="en")


# What visitors looked at last.

FRESH_SECONDS = 600.0
"""After so long what was made of the library is made anew: the library may have grown."""


class LatestValues(Generic[T]):
    """Values by their keys, the last used: at most `most`, which together weigh `most_weight`, or a
    single heavier one. Any thread may call.
    """

    def __init__(
        self, most: int, *, weight: Callable[[T], int] = lambda _: 0, most_weight: int = 0
    ) -> None:
        self._most, self._weight, self._most_weight = most, weight, most_weight
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        with self._lock:
            return self._values.get(key)

    def keep(self, key: Hashable, value: T) -> T:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > 1 and (
                len(self._values) > self._most
                or sum(map(self._weight, self._values.values())) > self._most_weight
            ):
                self._values.popitem(last=False)
        return value

    def take(self, key: Hashable) -> T | None:
        """The value, which is then no longer kept."""
        with self._lock:
            return self._values.pop(key, None)


# Templates.

_LONGEST = {
    "question": LONGEST_QUESTION,
    "quotation": LONGEST_QUOTATION,
    "chapter": LONGEST_CHAPTER,
    "comment": LONGEST_COMMENT,
    "note": LONGEST_NOTE,
}
"""Characters that the fields of forms take."""


@cache
def environment_of(language: str) -> Environment:
    """The templates of a language."""
    environment = Environment(
        loader=PackageLoader("citeloom.infrastructure.interfaces.web"),
        autoescape=True,
        auto_reload=False,
        enable_async=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n", "jinja2.ext.do"],
        finalize=_finalized,
    )
    environment.policies["ext.i18n.trimmed"] = True
    translations = gettext.translation("citeloom", FOLDER / "locale", [language], fallback=True)
    environment.globals |= {
        "paragraphs": paragraphs,
        "in_own_words": in_own_words,
        "longest": _LONGEST,
    }
    environment.install_gettext_translations(translations, newstyle=True)  # type: ignore[attr-defined]
    return environment


def in_own_words(message: str, sentences: Mapping[str, str]) -> str:
    """A message with each of its sentences in the reader's language, by what they are in English,
    with fields for what varies; another sentence stays as it is.
    """
    return "; ".join(_in_own_words(part, sentences) for part in message.split("; "))


def _in_own_words(sentence: str, sentences: Mapping[str, str]) -> str:
    if own := sentences.get(sentence):
        return own
    for english, own in sentences.items():
        if found := _pattern(english).fullmatch(sentence):
            fields = found.groupdict()
            if "words" in fields:  # a sentence that goes on
                fields["words"] = _in_own_words(fields["words"], sentences)
            return own.format_map(fields)
    return sentence


@cache
def _pattern(english: str) -> re.Pattern[str]:
    """What a sentence with fields may be."""
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(english)), re.DOTALL)


def paragraphs(text: str, spans: Iterable[tuple[int, int]] = ()) -> list[list[tuple[str, bool]]]:
    """The paragraphs of a text in parts, each with whether it is in one of the ascending spans."""
    parts, at = [], 0
    for start, end in spans:
        parts += [(text[at : max(start, at)], False), (text[max(start, at) : end], True)]
        at = max(end, at)
    parts.append((text[at:], False))
    found: list[list[tuple[str, bool]]] = [[]]
    for part, is_marked in parts:
        first, *others = _PARAGRAPH.split(part)
        found[-1].append((first, is_marked))
        found += ([(other, is_marked)] for other in others)
    whole = ([pair for pair in paragraph if pair[0]] for paragraph in found)
    return [paragraph for paragraph in whole if paragraph]


def _finalized(value: object) -> object:
    """What a page shows of a value: nothing for None, and of a text what a reader can see."""
    if value is None:
        return ""
    return printable(value) if type(value) is str else value


def _template(name: str, visit: Visit) -> tuple[Template, dict[str, object]]:
    environment = environment_of(visit.language)
    common = {
        "visit": visit,
        "address": visit.address,
        "projects": visit.service.projects,
        "version": visit.request.app.version,
    }
    return environment.get_template(name), common


async def rendered(
    name: str, visit: Visit, values: Mapping[str, object], status: int = 200
) -> Response:
    """A page, made whole before any of it is sent."""
    template, common = _template(name, visit)
    return HTMLResponse(await template.render_async({**common, **values}), status)


async def joined(parts: AsyncIterator[str]) -> AsyncIterator[str]:
    """The same text in fewer parts: what is made without waiting for anything is one."""
    made: list[str] = []
    is_more = asyncio.Event()

    async def make() -> None:
        async for part in parts:
            made.append(part)
            is_more.set()

    making = asyncio.create_task(make())
    making.add_done_callback(lambda _: is_more.set())
    try:
        while not making.done() or made:
            await is_more.wait()
            is_more.clear()
            text = "".join(made)
            made.clear()
            if text:
                yield text
        await making
    finally:
        making.cancel()


def streamed(name: str, visit: Visit, values: Mapping[str, object]) -> Response:
    """A page that is sent as it is made; what it awaits in `values` may come later."""
    template, common = _template(name, visit)
    return StreamingResponse(
        joined(template.generate_async({**common, **values})),
        media_type="text/html",
        headers={"Content-Encoding": "identity", "X-Accel-Buffering": "no"},
    )


def view(
    template: str, *, seconds: Callable[[ServedLibrary], float] | None = None, reading: bool = False
) -> Callable[[Callable[..., Mapping[str, object] | Response]], Callable[..., Awaitable[Response]]]:
    """Makes a page of a function that asks the library for what its template shows; it runs in a
    thread of its own, so many `seconds` at most.
    """

    def decorate(
        function: Callable[..., Mapping[str, object] | Response],
    ) -> Callable[..., Awaitable[Response]]:
        @wraps(function)
        async def respond(*, visit: Visit, **given: Any) -> Response:
            service = visit.service
            limit = seconds(service) if seconds else VISIT_SECONDS
            lane = service.reading if reading else service.visits
            values = await service.run(partial(function, visit=visit, **given), limit, lane)
            if isinstance(values, Response):
                return values
            return await rendered(template, visit, values)

        return respond

    return decorate
