"""Figures of the requests, and of what is served, in Prometheus's text format."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import prometheus_client as prometheus
from prometheus_client.registry import Collector
from starlette.types import Scope

from citeloom.infrastructure.interfaces.mcp.mcp_app import MCP_PATH

MEDIA_TYPE = prometheus.CONTENT_TYPE_LATEST
_METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS"})
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


def route_of(scope: Scope) -> str:
    """The template of a request's path, which has nothing of the client's in it."""
    is_mcp = scope["path"] == MCP_PATH
    return MCP_PATH if is_mcp else getattr(scope.get("route"), "path", "none")


class Metrics:
    """Counts and times requests."""

    def __init__(self) -> None:
        self._now_open = 0
        self._last_end = time.monotonic()
        self._registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self._registry)
        labels = ("method", "route")
        self._requests = prometheus.Counter(
            "citeloom_http_requests", "Requests.", (*labels, "status"), registry=self._registry
        )
        self._seconds = prometheus.Histogram(
            "citeloom_http_request_seconds",
            "Time until the end of the answer.",
            labels,
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._open = prometheus.Gauge(
            "citeloom_http_requests_in_progress", "Open requests.", registry=self._registry
        )

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last request ended; 0 while one is open."""
        return 0.0 if self._now_open else time.monotonic() - self._last_end

    @property
    def last_end(self) -> float:
        """When the last request ended, by the monotonic clock."""
        return self._last_end

    @contextmanager
    def in_progress(self) -> Iterator[None]:
        """Counts an open request."""
        self._now_open += 1
        try:
            with self._open.track_inprogress():
                yield
        finally:
            self._now_open -= 1
            self._last_end = time.monotonic()

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def include(self, collector: Collector) -> None:
        self._registry.register(collector)

    def text(self) -> bytes:
        return prometheus.generate_latest(self._registry)
