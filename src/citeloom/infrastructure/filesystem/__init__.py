"""Source files on disk."""

from citeloom.infrastructure.filesystem.source_files import DiskSourceFiles

__all__ = ["DiskSourceFiles"]
