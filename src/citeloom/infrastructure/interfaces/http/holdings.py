"""Figures of what a service holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from citeloom.application.jobs import JobState
from citeloom.domain.errors import CiteloomError
from citeloom.infrastructure.interfaces.http.service import Service


class Holdings(Collector):
    """The jobs and the indexes of a service, looked up when the figures are asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield self._jobs()
        yield from self._indexes()
        calls = GaugeMetricFamily("citeloom_calls_running", "Calls of the library that run.")
        of = self._service
        lanes = (of.calls, of.drawings, of.answers, of.heavy.calls)
        calls.add_metric([], sum(lane.running for lane in lanes))
        yield calls

    def _jobs(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily("citeloom_jobs", "Jobs.", labels=["project", "state"])
        jobs = Counter((job.project, job.state) for job in self._service.jobs.list())
        for project in self._service.projects:
            for state in JobState:
                family.add_metric([project, state.value], jobs[project, state])
        return family

    def _indexes(self) -> list[GaugeMetricFamily]:
        labels = ["project"]
        chunks = GaugeMetricFamily("citeloom_index_chunks", "Chunks.", labels=labels)
        size = GaugeMetricFamily("citeloom_index_bytes", "Disk space of the index.", labels=labels)
        documents = GaugeMetricFamily(
            "citeloom_documents", "Documents in the manifest.", labels=["project", "status"]
        )
        for project in self._service.projects:
            try:
                known = self._service.library.project(project).inspect()
            except CiteloomError:
                continue  # nothing is ingested yet, or its index cannot be reached
            chunks.add_metric([project], known.description.points)
            size.add_metric([project], known.description.disk_bytes)
            for status, count in known.by_status.items():
                documents.add_metric([project, status], count)
        return [chunks, size, documents]
