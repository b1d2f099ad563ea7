"""Settings: what a user may configure, where values come from, and what they mean."""

from citeloom.infrastructure.settings.loading import load_settings
from citeloom.infrastructure.settings.resolved import Settings

__all__ = ["Settings", "load_settings"]
