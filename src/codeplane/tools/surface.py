"""Surface: the tools that one client sees, whether it may change anything, and the format of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from codeplane.tools.spec import ToolSpec


class Format(StrEnum):
    TEXT = "text"
    """Lines for a model or a person. Default."""
    JSON = "json"
    """The envelope, for programs."""
    LINES = "lines"
    """The lines of the text form as JSON, for `cpl`, which prints them in colour or through a pipe."""


def requested_format(arguments: Mapping[str, object], default: Format) -> Format:
    """Return the format that a call requests, or the default of its client. Does not validate the value."""
    given = arguments.get("format")
    word = given.strip().lower() if isinstance(given, str) else ""
    return Format(word) if word in (Format.TEXT, Format.JSON) else default


@dataclass(frozen=True)
class Surface:
    """Fixed for the life of a server front. `everything` also reaches tools that are not listed, as people can."""

    toolsets: tuple[str, ...] = ("core",)
    read_only: bool = False
    everything: bool = False
    format: Format = Format.TEXT
    """Default format of answers."""

    def shows(self, spec: ToolSpec) -> bool:
        if self._is_hidden(spec):
            return False
        wanted = set(self.toolsets)
        if "all" in wanted:
            # Every capability once; deprecated names only if requested.
            return spec.deprecated is None or "compat" in wanted
        return not wanted.isdisjoint(spec.toolsets)

    def _is_hidden(self, spec: ToolSpec) -> bool:
        return self.read_only and not spec.read_only and not spec.read_only_when

    def reaches(self, spec: ToolSpec) -> bool:
        is_unlisted = not set(self.toolsets).isdisjoint(spec.unlisted_in)
        return self.everything or self.shows(spec) or (is_unlisted and not self._is_hidden(spec))


EVERYTHING = Surface(("all", "compat"), everything=True, format=Format.JSON)
