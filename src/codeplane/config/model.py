"""Configuration values: one frozen dataclass per section.

A package gets its own section, never the whole. The defaults here are the lowest layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from codeplane.base import limits
from codeplane.base.warnings import Notice, WarningCode

DEFAULT_ORIGIN = "built-in default"
TOOLSETS = ("core", "files", "navigation", "git", "refactor", "tests", "tasks", "admin", "compat", "all")


@dataclass(frozen=True)
class LogOutput:
    """Destination of log lines. Default level: `logging.level`."""

    format: str = "console"
    destination: str = "stderr"
    level: str | None = None


@dataclass(frozen=True)
class LoggingConfig:
    level: str = "info"
    outputs: tuple[LogOutput, ...] = (LogOutput(),)


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
    extractions_bytes: int = limits.EXTRACTIONS_BYTES
    shelf_bytes: int = limits.INDEX_CACHE_BYTES


@dataclass(frozen=True)
class ServerConfig:
    port: int = 0
    """0: chosen by the system."""
    keep_token: bool = False
    toolsets: tuple[str, ...] = ("core",)
    format: str = "text"
    """Format of answers: text or json."""
    read_only: bool = False
    shutdown_sec: float = 5.0
    allowed_roots: tuple[str, ...] = ()
    """Absolute directories under which further repositories may be registered."""
    session_idle_sec: float = 1800.0
    prewarm: bool = True


@dataclass(frozen=True)
class FreshnessConfig:
    policy: str = "balanced"
    inline_ms: int = 250
    strict_sec: float = 30.0
    watcher: bool = True
    debounce_ms: int = 5000
    interval_sec: float = 180.0
    """0: never."""


@dataclass(frozen=True)
class LedgerConfig:
    retention_days: int = 14
    """0: unlimited."""


@dataclass(frozen=True)
class ReadingConfig:
    enforce: bool = False
    """Enforce budgets also outside of tasks with limits."""
    max_reads: int = 25
    max_total_lines: int = 2_500
    max_single_lines: int = 300
    max_preview_chars: int = 12_000


@dataclass(frozen=True)
class EditsConfig:
    undo_days: int = 14
    undo_bytes: int = limits.UNDO_BYTES


@dataclass(frozen=True)
class SecretsConfig:
    allow: tuple[str, ...] = ()
    redact: bool = True


class TrustState(StrEnum):
    """Trust of the user in the repository's configuration file."""

    ABSENT = "absent"
    """There is no configuration file."""
    UNTRUSTED = "untrusted"
    VOID = "void"
    """The file changed after it was trusted."""
    TRUSTED = "trusted"


@dataclass(frozen=True)
class IgnoredSetting:
    """A setting of the repository's configuration file that has no effect, and the reason."""

    key: str
    """As written, escaped and truncated; empty for the whole file."""
    origin: str
    reason: str
    code: WarningCode = WarningCode.CONFIG_UNTRUSTED

    def notice(self) -> Notice:
        about = {"key": self.key, "origin": self.origin, "reason": self.reason}
        return Notice(self.code, {name: value for name, value in about.items() if value})


@dataclass(frozen=True)
class Config:
    logging: LoggingConfig = LoggingConfig()
    index: IndexConfig = IndexConfig()
    server: ServerConfig = ServerConfig()
    freshness: FreshnessConfig = FreshnessConfig()
    ledger: LedgerConfig = LedgerConfig()
    reading: ReadingConfig = ReadingConfig()
    edits: EditsConfig = EditsConfig()
    secrets: SecretsConfig = SecretsConfig()
    origins: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[IgnoredSetting, ...] = ()
    trust: TrustState = TrustState.ABSENT

    def origin(self, key: str) -> str:
        """Return the layer that set `key`, as text for messages."""
        return self.origins.get(key, DEFAULT_ORIGIN)

    def value(self, key: str) -> object:
        section, _, name = key.partition(".")
        return getattr(getattr(self, section), name)
