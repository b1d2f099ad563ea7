"""Figures of the requests, and of what is served, in Prometheus's text format."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import prometheus_client as prometheus
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import Scope

from citeloom.application.jobs import JobState
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.mcp.mcp_app import MCP_PATH

if TYPE_CHECKING:
    from citeloom.infrastructure.interfaces.http.served_library import ServedLibrary

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


class LibraryCollector(Collector):
    """The jobs and the indexes of a service, looked up when the figures are asked for."""

    def __init__(self, service: ServedLibrary) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        service, per_project = self._service, ["project"]
        jobs = GaugeMetricFamily("citeloom_jobs", "Jobs.", labels=["project", "state"])
        chunks = GaugeMetricFamily("citeloom_index_chunks", "Chunks.", labels=per_project)
        size = GaugeMetricFamily(
            "citeloom_index_bytes", "Disk space of the index.", labels=per_project
        )
        documents = GaugeMetricFamily(
            "citeloom_documents", "Documents in the manifest.", labels=["project", "status"]
        )
        states = Counter((job.project, job.state) for job in service.jobs.list())
        for project in service.projects:
            for state in JobState:
                jobs.add_metric([project, state.value], states[project, state])
            try:
                inspection = service.library.project(project).inspect()
            except CiteloomError:
                continue  # nothing is ingested yet, or its index cannot be reached
            chunks.add_metric([project], inspection.description.points)
            if inspection.description.disk_bytes:  # else the store does not say
                size.add_metric([project], inspection.description.disk_bytes)
            for status, count in inspection.by_status.items():
                documents.add_metric([project, status], count)
        calls = GaugeMetricFamily("citeloom_calls_running", "Calls of the library that run.")
        lanes = (service.calls, service.drawings, service.answers, service.heavy.calls)
        calls.add_metric([], sum(lane.running for lane in lanes))
        yield from (jobs, chunks, size, documents, calls)
