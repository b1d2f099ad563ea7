"""Who may ask: the right host, no foreign web page, and where there is a token, who knows it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from citeloom.infrastructure.interfaces.access_token import AccessToken
from citeloom.infrastructure.interfaces.http.problems import Refusal

MAX_BODY_BYTES = 64_000
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
OPEN_TO_ALL = frozenset({"/api/docs", "/api/openapi.json", "/api/v1/health", "/api/v1/ready"})
"""What is answered without a token: the documentation, and whether the server is up."""

TOO_LARGE = Refusal(
    status=413,
    code="TOO_LARGE",
    message=f"the request is larger than {MAX_BODY_BYTES:,} bytes",
    hint="Ask for one thing at a time.",
)
_LENGTH = re.compile("[0-9]{1,12}")
_OWN_SITES = frozenset({"none", "same-origin"})
"""Where a browser says a request without an Origin comes from, if not from a page elsewhere: an
image or a link there sends none.
"""
_ANY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Checks requests before anything of them is read but their headers.

    `hosts` are the names by which clients may call the server, `origins` the web pages whose
    scripts may ask, besides the server's own.
    """

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    token: AccessToken | None = None
    max_body_bytes: int = MAX_BODY_BYTES

    @classmethod
    def of(
        cls,
        *,
        address: str,
        hosts: Collection[str],
        origins: Collection[str],
        token: AccessToken | None,
    ) -> Guard:
        """The guard of a server at an address."""
        own = {f"[{address}]" if ":" in address else address} - _ANY_ADDRESS
        return cls(
            hosts=frozenset(name.lower() for name in {*LOCAL_NAMES, *own, *hosts}),
            origins=frozenset(origin.lower().rstrip("/") for origin in origins),
            token=token,
        )

    def refusal(self, connection: HTTPConnection) -> Refusal | None:
        """Why the request is refused; None when it is not."""
        headers, path = connection.headers, connection.scope["path"]
        if not self._is_host(headers):
            return Refusal(
                status=421,
                code="HOST_NOT_ALLOWED",
                message="this server is not known by the name in the Host header",
                hint="Add the name to [server] hosts if clients should use it.",
            )
        is_open = path in OPEN_TO_ALL or path.startswith("/api/docs/")
        is_link = is_open and headers.get("sec-fetch-mode") == "navigate"
        if not (is_link or self.is_origin(headers)):
            return Refusal(
                status=403,
                code="ORIGIN_NOT_ALLOWED",
                message="web pages from elsewhere may not use this server",
                hint="Add the page's origin to [server] origins if it should.",
            )
        if not (is_open or self._is_preflight(connection) or self._knows_token(headers)):
            return Refusal(
                status=401,
                code="UNAUTHORIZED",
                message="this server wants a token",
                hint="Send it as the header Authorization: Bearer TOKEN.",
            )
        if self._is_too_large(headers):
            return TOO_LARGE
        return None

    def is_origin(self, headers: Headers) -> bool:
        """Whether a request comes from no web page, or from one that may ask."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site", "none").lower() in _OWN_SITES
        own = headers.get("host", "").lower()
        return origin.lower() in self.origins or origin.lower().partition("://")[2] == own

    def _is_host(self, headers: Headers) -> bool:
        given = headers.getlist("host")
        return len(given) == 1 and _name(given[0]) in self.hosts

    def _is_preflight(self, connection: HTTPConnection) -> bool:
        """Whether a browser asks what a page may do; it sends no token with that."""
        asks = "access-control-request-method" in connection.headers
        return asks and bool(self.origins) and connection.scope["method"] == "OPTIONS"

    def _knows_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if self.token is None:
            return True
        return kind.lower() == "bearer" and self.token.matches(given.strip())

    def _is_too_large(self, headers: Headers) -> bool:
        """Whether a body is larger than it may be by its own account; others are counted."""
        length = headers.get("content-length", "0")
        return not _LENGTH.fullmatch(length) or int(length) > self.max_body_bytes


def _name(host: str) -> str:
    """The name or address in a Host header, without its port."""
    name, separator, port = host.lower().rpartition(":")
    return name if separator and port.isdigit() else host.lower()
