"""The small ports a run leans on."""

from citeloom.application.ports.audit_log import AuditLog
from citeloom.application.ports.clock import Clock
from citeloom.application.ports.progress import Progress

__all__ = ["AuditLog", "Clock", "Progress"]
