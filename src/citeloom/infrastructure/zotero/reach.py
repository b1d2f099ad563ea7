"""The ways to read Zotero: its database, the running program, or the account on the web."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from citeloom.application.ports.sources import ZoteroLibrary
from citeloom.domain.errors import LibraryLocked, SourceUnavailable
from citeloom.domain.zotero.items import ZoteroContent, ZoteroLibraryRef
from citeloom.infrastructure.zotero.local import LocalZotero
from citeloom.infrastructure.zotero.places import FileLocations, Machine, locate

if TYPE_CHECKING:
    from citeloom.infrastructure.zotero.web_api import WebZotero

AccessName = Literal["auto", "local", "api", "web"]
Open = Callable[[], ZoteroLibrary]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroAccess:
    """Where Zotero is looked for; what is read from the web is kept in `folder`."""

    data_dir: Path | None
    base_dir: Path | None
    key: str
    timeout: float
    folder: Path
    most_bytes: int
    local_url: str
    web_url: str

    def places(self) -> FileLocations:
        """Where this machine's Zotero keeps its files."""
        try:
            home = Path.home()
        except RuntimeError as error:
            raise SourceUnavailable(
                "nothing says where the home folder with Zotero is",
                "Set HOME, or data_dir under [zotero].",
            ) from error
        machine = Machine(platform=sys.platform, home=home, environment=os.environ)
        return locate(machine, self.data_dir, self.base_dir)

    def database(self) -> ZoteroLibrary:
        """The database on this machine."""
        places = self.places()
        return LocalZotero(places.data_dir, base_dir=places.base_dir)

    def program(self) -> ZoteroLibrary:
        """The program that runs on this machine."""
        from citeloom.infrastructure.zotero.local_api import LocalApiZotero

        return LocalApiZotero(self.local_url, timeout=self.timeout)

    def account(self) -> WebZotero:
        """The account on the web. Raises `SourceUnavailable` without a key."""
        from citeloom.infrastructure.zotero.web_api import WebZotero

        if not self.key:
            raise SourceUnavailable(
                "the web API of Zotero needs a key, and there is none",
                "Make one at https://www.zotero.org/settings/keys and set ZOTERO_API_KEY to it.",
            )
        return WebZotero(
            self.key,
            self.folder,
            base_dir=self.base_dir,
            url=self.web_url,
            timeout=self.timeout,
            most_bytes=self.most_bytes,
        )


def reached(name: AccessName, access: ZoteroAccess) -> ZoteroLibrary:
    """Zotero by the way named, or by the first that works; the web is tried only with a key."""
    ways: dict[str, Open] = {
        "local database": access.database,
        "local API": access.program,
        "web API": access.account,
    }
    if name == "auto":
        if not access.key:
            del ways["web API"]
        return first_reached(ways)
    return {"local": access.database, "api": access.program, "web": access.account}[name]()


def first_reached(ways: Mapping[str, Open]) -> ZoteroLibrary:
    """Zotero by the first way on which its libraries can be listed; earlier ones are warned of.

    Raises `SourceUnavailable` with what is wrong with each when there is none.
    """
    failures: dict[str, SourceUnavailable | LibraryLocked] = {}
    for name, open_ in ways.items():
        try:
            zotero = open_()
            zotero.libraries()
        except (SourceUnavailable, LibraryLocked) as error:
            failures[name] = error
            continue
        if not failures:
            return zotero
        notices = [f"Zotero's {failed} cannot be read: {why}." for failed, why in failures.items()]
        return FallbackZotero(zotero, (*notices, f"Its {name} is read instead."))
    reasons = "; ".join(f"{name}: {error}" for name, error in failures.items())
    hints = " ".join(error.hint for error in failures.values())
    raise SourceUnavailable(f"Zotero cannot be reached. {reasons}", hints)


class FallbackZotero(ZoteroLibrary):
    """A Zotero that was not the first choice, which its warnings say."""

    def __init__(self, zotero: ZoteroLibrary, notices: tuple[str, ...]) -> None:
        self._zotero = zotero
        self._notices = notices

    @property
    def source(self) -> str:
        return self._zotero.source

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self._notices, *self._zotero.warnings)

    def fingerprint(self) -> str:
        return self._zotero.fingerprint()

    def libraries(self) -> tuple[ZoteroLibraryRef, ...]:
        return self._zotero.libraries()

    def read(self, library: ZoteroLibraryRef) -> ZoteroContent:
        return self._zotero.read(library)
