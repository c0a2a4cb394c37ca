"""All configuration keys: type, bounds, description, and whether a repository may set them.

The reference page is generated from this table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeplane.base import limits
from codeplane.config.model import (
    TOOLSETS,
    EditsConfig,
    FreshnessConfig,
    IndexConfig,
    LedgerConfig,
    LoggingConfig,
    LogOutput,
    ReadingConfig,
    ServerConfig,
)

LEVELS = ("debug", "info", "warn", "error")
FORMATS = ("console", "json")
OVERLAYS = ("auto", "on", "off")
POLICIES = ("strict", "balanced", "best_effort")
MAX_PATTERNS = 1000
MAX_PATTERN_CHARS = 1000
MAX_ROOTS = 100


class InvalidValue(ValueError):
    """A value of the wrong type or out of bounds; the key says what was expected."""


@dataclass(frozen=True)
class ConfigKey:
    name: str
    parse: Callable[[object], object]
    default: object
    expected: str
    example: str
    doc: str
    outside: str = ""
    """Reason why an untrusted repository may not set it; empty if it may."""
    may_lower: bool = False
    """An untrusted repository may lower it."""
    tightens_to: object = None
    """The only value that a repository may set, trusted or not; None for any."""

    @property
    def trusted_only(self) -> bool:
        return bool(self.outside)


def _integer(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 20:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InvalidValue
        return value

    return parse


def _seconds(low: float, high: float) -> Callable[[object], float]:
    def parse(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidValue
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise InvalidValue from None
        if not low <= number <= high:
            raise InvalidValue
        return number

    return parse


def _choice(*words: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        # YAML reads a bare on/off, yes/no as a boolean.
        if isinstance(value, bool):
            value = "on" if value else "off"
        if not isinstance(value, str) or value.lower() not in words:
            raise InvalidValue
        return value.lower()

    return parse


def _switch(value: object) -> bool:
    words = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
    if isinstance(value, str):
        value = words.get(value.strip().lower())
    if not isinstance(value, bool):
        raise InvalidValue
    return value


def _toolsets(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items or not all(isinstance(item, str) for item in items):
        raise InvalidValue
    chosen = {item.strip().lower() for item in items}
    if not chosen <= set(TOOLSETS):
        raise InvalidValue
    return tuple(name for name in TOOLSETS if name in chosen)


def _directories(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) and value else value or ()
    if not isinstance(items, list | tuple) or len(items) > MAX_ROOTS:
        raise InvalidValue
    for item in items:
        if not isinstance(item, str) or not item.startswith("/") or "\0" in item or ".." in item.split("/"):
            raise InvalidValue
    return tuple(
        dict.fromkeys("/" + "/".join(part for part in item.split("/") if part not in ("", ".")) for item in items)
    )


def _level(value: object) -> str:
    return _choice(*LEVELS)("warn" if isinstance(value, str) and value.lower() == "warning" else value)


def _patterns(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) and value else value or ()
    if not isinstance(items, list | tuple) or len(items) > MAX_PATTERNS:
        raise InvalidValue
    for item in items:
        if not isinstance(item, str) or not 0 < len(item) <= MAX_PATTERN_CHARS or "\n" in item or "\0" in item:
            raise InvalidValue
    return tuple(items)


def _outputs(value: object) -> tuple[LogOutput, ...]:
    if not isinstance(value, list) or len(value) > 8:
        raise InvalidValue
    return tuple(_output(item) for item in value)


def _output(item: object) -> LogOutput:
    if not isinstance(item, dict) or not item.keys() <= {"format", "destination", "level"}:
        raise InvalidValue
    destination = item.get("destination", "stderr")
    if not isinstance(destination, str) or "\0" in destination:
        raise InvalidValue
    if destination not in ("stderr", "stdout") and not destination.startswith("/"):
        raise InvalidValue
    level = item.get("level")
    return LogOutput(
        format=_choice(*FORMATS)(item.get("format", "console")),
        destination=destination,
        level=None if level is None else _level(level),
    )


_MEBIBYTE = 1024 * 1024
_edits = EditsConfig()
_index = IndexConfig()
_logging = LoggingConfig()
_server = ServerConfig()
_freshness = FreshnessConfig()
_ledger = LedgerConfig()
_reading = ReadingConfig()

KEYS: tuple[ConfigKey, ...] = (
    ConfigKey(
        "edits.undo_bytes",
        _integer(0, 2**50),
        _edits.undo_bytes,
        "a whole number of bytes, 0 to keep nothing",
        "67108864",
        "Disk space for previous file contents, which undo needs; the oldest are deleted first.",
        outside="a repository may not choose how much disk space is taken",
        may_lower=True,
    ),
    ConfigKey(
        "edits.undo_days",
        _integer(0, 3650),
        _edits.undo_days,
        "a whole number of days from 0 to 3650",
        "30",
        "How long a mutation can be undone.",
        outside="a repository may not choose how long previous file contents are stored",
        may_lower=True,
    ),
    ConfigKey(
        "freshness.debounce_ms",
        _integer(0, 600_000),
        _freshness.debounce_ms,
        "a whole number of milliseconds from 0 to 600000",
        "1000",
        "How long the tree must be quiet before the watcher starts a sync in the background.",
    ),
    ConfigKey(
        "freshness.inline_ms",
        _integer(0, 60_000),
        _freshness.inline_ms,
        "a whole number of milliseconds from 0 to 60000",
        "500",
        "With `balanced`, how long a call may spend on updating the index before it answers.",
        outside="a repository may not make calls wait longer",
        may_lower=True,
    ),
    ConfigKey(
        "freshness.interval_sec",
        _seconds(0.0, 86_400.0),
        _freshness.interval_sec,
        "seconds from 0 to 86400",
        "600",
        "How often a running server syncs in the background, independent of the watcher; 0: never.",
        outside="a repository may not choose how often the server works in the background",
    ),
    ConfigKey(
        "freshness.policy",
        _choice(*POLICIES),
        _freshness.policy,
        "strict, balanced or best_effort",
        "strict",
        "How a call handles changes on disk, unless it has a `freshness` argument. `strict` waits until the index is "
        "up to date, `balanced` indexes a small change or reports stale files, `best_effort` answers at once.",
    ),
    ConfigKey(
        "freshness.strict_sec",
        _seconds(0.1, 3600.0),
        _freshness.strict_sec,
        "seconds from 0.1 to 3600",
        "60",
        "With `strict`, how long a call waits for a fresh index before it fails with `INDEX_STALE`.",
        outside="a repository may not choose how long calls wait",
    ),
    ConfigKey(
        "freshness.watcher",
        _switch,
        _freshness.watcher,
        "true or false",
        "false",
        "Whether a running server watches the tree. It affects speed only.",
    ),
    ConfigKey(
        "index.extractions_bytes",
        _integer(0, 2**50),
        _index.extractions_bytes,
        "a whole number of bytes, 0 to keep nothing",
        "268435456",
        "Disk space in the user's directory for the extraction cache: a text that was indexed once, in any repository, "
        "is not parsed again.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.full_hash_every",
        _integer(0, 1_000_000),
        _index.full_hash_every,
        "a whole number from 0 to 1000000",
        "50",
        "Hash all files on every n-th sync, regardless of timestamps; 0: never.",
    ),
    ConfigKey(
        "index.hash_concurrency",
        _integer(1, limits.MAX_HASH_CONCURRENCY),
        _index.hash_concurrency,
        f"a whole number from 1 to {limits.MAX_HASH_CONCURRENCY}",
        "8",
        "How many files are read and hashed at the same time.",
    ),
    ConfigKey(
        "index.ignore",
        _patterns,
        _index.ignore,
        f"a list of at most {MAX_PATTERNS} ignore patterns, each on one line",
        '["*.generated.ts", "fixtures/"]',
        "Patterns in `.gitignore` syntax for files that are not indexed, in addition to `.gitignore` and `.cplignore`.",
    ),
    ConfigKey(
        "index.max_bytes",
        _integer(0, 2**50),
        _index.max_bytes,
        "a whole number of bytes, 0 for the default rule",
        "1073741824",
        f"Maximum size of the index. 0: {limits.INDEX_BYTES_PER_SOURCE_BYTE} times the size of the sources plus "
        f"{limits.INDEX_BYTES_PER_FILE // 1024} KiB per file, at most "
        f"{limits.MAX_INDEX_BYTES // 1024**3} GiB.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.max_lexical_bytes",
        _integer(1024, 256 * _MEBIBYTE),
        _index.max_lexical_bytes,
        f"a whole number of bytes from 1024 to {256 * _MEBIBYTE}",
        "2097152",
        "Larger files are recorded by name only: their words are not indexed.",
        outside="a repository may not raise the size of files that are read",
        may_lower=True,
    ),
    ConfigKey(
        "index.max_parse_bytes",
        _integer(1024, 64 * _MEBIBYTE),
        _index.max_parse_bytes,
        f"a whole number of bytes from 1024 to {64 * _MEBIBYTE}",
        "524288",
        "Larger files are not parsed: their words are indexed, their definitions are not.",
        outside="a repository may not raise the size of files that are parsed",
        may_lower=True,
    ),
    ConfigKey(
        "index.overlay",
        _choice(*OVERLAYS),
        _index.overlay,
        "auto, on or off",
        "off",
        "Whether untracked files are indexed. `auto`: on, unless the variable `CI` is set.",
    ),
    ConfigKey(
        "index.parse_timeout_sec",
        _seconds(0.1, 300.0),
        _index.parse_timeout_sec,
        "seconds from 0.1 to 300",
        "10",
        "How long one file may take to parse before its worker is stopped.",
        outside="a repository may not raise the parse time of files",
        may_lower=True,
    ),
    ConfigKey(
        "index.shelf_bytes",
        _integer(0, 2**50),
        _index.shelf_bytes,
        "a whole number of bytes, 0 to keep nothing",
        "1073741824",
        "Disk space in the user's directory for the index cache: a new worktree, another clone or a branch that is "
        "checked out again starts from the most similar cached index.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.workers",
        _integer(0, 16),
        _index.workers,
        "a whole number from 0 to 16",
        "4",
        "Number of parse processes; 0: the number of cores.",
        outside="a repository may not choose how many processes are started",
    ),
    ConfigKey(
        "ledger.retention_days",
        _integer(0, 3650),
        _ledger.retention_days,
        "a whole number of days from 0 to 3650",
        "90",
        "How long the ledger of calls is kept; 0: forever.",
        outside="a repository may not choose how long the ledger is kept",
    ),
    ConfigKey(
        "logging.level",
        _level,
        _logging.level,
        "debug, info, warn or error",
        "debug",
        "Minimum level of log lines.",
    ),
    ConfigKey(
        "logging.outputs",
        _outputs,
        _logging.outputs,
        "a list of outputs, each with format (console, json), destination (stderr, stdout, an absolute path) and level",
        '[{"format": "json", "destination": "/var/log/codeplane.jsonl", "level": "debug"}]',
        "Destinations of log lines, in addition to the log file in `.codeplane/logs/`.",
        outside="a repository may not choose where log lines go",
    ),
    ConfigKey(
        "reading.enforce",
        _switch,
        _reading.enforce,
        "true or false",
        "true",
        "Whether read budgets are enforced in every session. Otherwise only in tasks that were opened with limits.",
        outside="a repository may not limit reading",
    ),
    ConfigKey(
        "reading.max_preview_chars",
        _integer(200, 20_000),
        _reading.max_preview_chars,
        "a whole number from 200 to 20000",
        "6000",
        "Default for the characters that `read` returns per target.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_reads",
        _integer(1, 1_000_000),
        _reading.max_reads,
        "a whole number from 1 to 1000000",
        "50",
        "Read budget of a session or task, in calls. If enforced, reads are refused above twice the budget.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_single_lines",
        _integer(1, 1_000),
        _reading.max_single_lines,
        "a whole number from 1 to 1000",
        "200",
        "Default for the lines that `read` returns per target; a maximum if budgets are enforced.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_total_lines",
        _integer(1, 100_000_000),
        _reading.max_total_lines,
        "a whole number from 1 to 100000000",
        "5000",
        "Read budget of a session or task, in lines. If enforced, reads are refused above twice the budget.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "server.allowed_roots",
        _directories,
        _server.allowed_roots,
        f"a list of at most {MAX_ROOTS} absolute directories, without '..'",
        '["/home/me/work"]',
        "Directories under which `manage_index` may register further repositories. Empty: only the home repository.",
        outside="a repository may not open other directories",
    ),
    ConfigKey(
        "server.keep_token",
        _switch,
        _server.keep_token,
        "true or false",
        "true",
        "Whether `cpl up` uses the same token at every start. The token is stored in the user's state directory.",
        outside="a repository may not make the token persistent",
    ),
    ConfigKey(
        "server.port",
        _integer(0, 65535),
        _server.port,
        "a whole number from 0 to 65535",
        "8080",
        "Port on 127.0.0.1 for `cpl up`; 0: chosen by the system.",
        outside="a repository may not choose the port",
    ),
    ConfigKey(
        "server.prewarm",
        _switch,
        _server.prewarm,
        "true or false",
        "false",
        "Whether the server preloads data for the first query right after the handshake.",
    ),
    ConfigKey(
        "server.read_only",
        _switch,
        _server.read_only,
        "true or false",
        "true",
        "Whether tools that change something are refused. A repository may only turn this on, trusted or not.",
        tightens_to=True,
    ),
    ConfigKey(
        "server.session_idle_sec",
        _seconds(1.0, 604_800.0),
        _server.session_idle_sec,
        "seconds from 1 to 604800",
        "3600",
        "Idle time after which a session ends and its handles expire.",
        outside="a repository may not choose when sessions end",
    ),
    ConfigKey(
        "server.shutdown_sec",
        _seconds(0.0, 300.0),
        _server.shutdown_sec,
        "seconds from 0 to 300",
        "10",
        "Grace period for running calls when the server stops.",
        outside="a repository may not choose how long the server takes to stop",
    ),
    ConfigKey(
        "server.format",
        _choice("text", "json"),
        _server.format,
        "text or json",
        "json",
        "Format of answers: text, or the JSON envelope. A call can override it with `format`.",
        outside="a repository may not choose the format of answers",
    ),
    ConfigKey(
        "server.toolsets",
        _toolsets,
        _server.toolsets,
        f"a list of {', '.join(TOOLSETS[:-1])} or {TOOLSETS[-1]}",
        '["core", "files"]',
        "Toolsets that clients see. `cpl call` reaches every tool.",
        outside="a repository may not choose which tools clients are shown",
    ),
)

BY_NAME = {key.name: key for key in KEYS}
