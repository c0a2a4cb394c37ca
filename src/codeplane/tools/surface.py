"""Surface: the tools that one client sees, and whether it may change anything."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.tools.formats import Format
from codeplane.tools.spec import ToolSpec


@dataclass(frozen=True)
class Surface:
    """Fixed for the life of a server front. `everything` also reaches tools that are not listed, as people can."""

    toolsets: tuple[str, ...] = ("core",)
    read_only: bool = False
    everything: bool = False
    format: Format = Format.TEXT
    """Default format of answers."""

    def shows(self, spec: ToolSpec) -> bool:
        if self.read_only and not spec.read_only and not spec.read_only_when:
            return False
        wanted = set(self.toolsets)
        if "all" in wanted:
            # Every capability once; deprecated names only if requested.
            return spec.deprecated is None or "compat" in wanted
        return not wanted.isdisjoint(spec.toolsets)

    def reaches(self, spec: ToolSpec) -> bool:
        return self.everything or self.shows(spec)


EVERYTHING = Surface(("all", "compat"), everything=True, format=Format.JSON)
