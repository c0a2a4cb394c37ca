"""Formats of an answer. Quick to import: a server front needs it before anything else is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


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
