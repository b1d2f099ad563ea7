"""The use case `watch`."""

from citeloom.application.watching.watch import Watch, WatchEvents, WatchPolicy

__all__ = ["Watch", "WatchEvents", "WatchPolicy"]
