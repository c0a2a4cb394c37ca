"""What the rest of the program receives: plain frozen values, one section per concern.

A package gets its own section and never the whole. The defaults written here are the
lowest layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeplane.base import limits

DEFAULT_ORIGIN = "built-in default"


@dataclass(frozen=True)
class Output:
    """One place that log lines go to. Without a level of its own it has that of `logging.level`."""

    format: str = "console"
    destination: str = "stderr"
    level: str | None = None


@dataclass(frozen=True)
class LoggingConfig:
    level: str = "info"
    outputs: tuple[Output, ...] = (Output(),)


@dataclass(frozen=True)
class IndexConfig:
    overlay: str = "auto"
    workers: int = 0
    max_parse_bytes: int = limits.MAX_PARSE_BYTES
    max_lexical_bytes: int = limits.MAX_LEXICAL_BYTES
    parse_timeout_sec: float = limits.PARSE_SECONDS
    full_hash_every: int = 0
    hash_concurrency: int = limits.HASH_CONCURRENCY
    ignore: tuple[str, ...] = ()
    max_bytes: int = 0


@dataclass(frozen=True)
class Ignored:
    """A value that was not accepted because its layer is not trusted."""

    key: str
    origin: str
    reason: str


@dataclass(frozen=True)
class Config:
    logging: LoggingConfig = LoggingConfig()
    index: IndexConfig = IndexConfig()
    origins: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Ignored, ...] = ()

    def origin(self, key: str) -> str:
        """Which layer set `key`, in words that lead to the place."""
        return self.origins.get(key, DEFAULT_ORIGIN)
