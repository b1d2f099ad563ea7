"""Jobs: ingests that run in the background, are followed by their events, and can be cancelled."""

from citeloom.application.jobs.job import Job, JobCounts, JobEvent, JobState
from citeloom.application.jobs.jobs import Jobs

__all__ = ["Job", "JobCounts", "JobEvent", "JobState", "Jobs"]
