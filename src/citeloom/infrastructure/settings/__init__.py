"""Settings: the keys a user may configure, their sources and their meaning."""

from citeloom.infrastructure.settings.loading import load_settings
from citeloom.infrastructure.settings.resolved import Settings

__all__ = ["Settings", "load_settings"]
