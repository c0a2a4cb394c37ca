"""All configuration keys: type, description, and whether a repository may set them.

The reference page is generated from this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base import limits
from codeplane.config.model import Config
from codeplane.config.value_types import (
    ABSOLUTE_PATTERNS,
    DIRECTORIES,
    LEVEL,
    OUTPUTS,
    PATTERNS,
    SWITCH,
    TOOLSET_NAMES,
    ValueType,
    choice,
    disk_space,
    integer,
    seconds,
)

OVERLAYS = ("auto", "on", "off")
POLICIES = ("strict", "balanced", "best_effort")
_DEFAULTS = Config()
_MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class ConfigKey:
    name: str
    type: ValueType
    example: str
    doc: str
    outside: str = ""
    """Reason why an untrusted repository may not set it; empty if it may."""
    may_lower: bool = False
    """An untrusted repository may lower it."""
    tightens_to: object = None
    """The only value that a repository may set, trusted or not; None for any."""

    @property
    def default(self) -> object:
        return _DEFAULTS.value(self.name)

    @property
    def trusted_only(self) -> bool:
        return bool(self.outside)


KEYS: tuple[ConfigKey, ...] = (
    ConfigKey(
        "edits.undo_bytes",
        disk_space("0 to keep nothing"),
        "67108864",
        "Disk space for previous file contents, which undo needs; the oldest are deleted first.",
        outside="a repository may not choose how much disk space is taken",
        may_lower=True,
    ),
    ConfigKey(
        "edits.undo_days",
        integer(0, 3650, "days"),
        "30",
        "How long a mutation can be undone.",
        outside="a repository may not choose how long previous file contents are stored",
        may_lower=True,
    ),
    ConfigKey(
        "freshness.debounce_ms",
        integer(0, 600_000, "milliseconds"),
        "1000",
        "How long the tree must be quiet before the watcher starts a sync in the background.",
    ),
    ConfigKey(
        "freshness.inline_ms",
        integer(0, 60_000, "milliseconds"),
        "500",
        "With `balanced`, how long a call may spend on updating the index before it answers.",
        outside="a repository may not make calls wait longer",
        may_lower=True,
    ),
    ConfigKey(
        "freshness.interval_sec",
        seconds(0.0, 86_400.0),
        "600",
        "How often a running server syncs in the background, independent of the watcher; 0: never.",
        outside="a repository may not choose how often the server works in the background",
    ),
    ConfigKey(
        "freshness.policy",
        choice(*POLICIES),
        "strict",
        "How a call handles changes on disk, unless it has a `freshness` argument. `strict` waits until the index is "
        "up to date, `balanced` indexes a small change or reports stale files, `best_effort` answers at once.",
    ),
    ConfigKey(
        "freshness.strict_sec",
        seconds(0.1, 3600.0),
        "60",
        "With `strict`, how long a call waits for a fresh index before it fails with `INDEX_STALE`.",
        outside="a repository may not choose how long calls wait",
    ),
    ConfigKey(
        "freshness.watcher",
        SWITCH,
        "false",
        "Whether a running server watches the tree. It affects speed only.",
    ),
    ConfigKey(
        "index.extractions_bytes",
        disk_space("0 to keep nothing"),
        "268435456",
        "Disk space in the user's directory for the extraction cache: a text that was indexed once, in any repository, "
        "is not parsed again.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.full_hash_every",
        integer(0, 1_000_000),
        "50",
        "Hash all files on every n-th sync, regardless of timestamps; 0: never.",
    ),
    ConfigKey(
        "index.hash_concurrency",
        integer(1, limits.MAX_HASH_CONCURRENCY),
        "8",
        "How many files are read and hashed at the same time.",
    ),
    ConfigKey(
        "index.ignore",
        PATTERNS,
        '["*.generated.ts", "fixtures/"]',
        "Patterns in `.gitignore` syntax for files that are not indexed, in addition to `.gitignore` and `.cplignore`.",
    ),
    ConfigKey(
        "index.max_bytes",
        disk_space("0 for the default rule"),
        "1073741824",
        f"Maximum size of the index. 0: {limits.INDEX_BYTES_PER_SOURCE_BYTE} times the size of the sources plus "
        f"{limits.INDEX_BYTES_PER_FILE // 1024} KiB per file, at most "
        f"{limits.MAX_INDEX_BYTES // 1024**3} GiB.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.max_lexical_bytes",
        integer(1024, 256 * _MEBIBYTE, "bytes"),
        "2097152",
        "Larger files are recorded by name only: their words are not indexed.",
        outside="a repository may not raise the size of files that are read",
        may_lower=True,
    ),
    ConfigKey(
        "index.max_parse_bytes",
        integer(1024, 64 * _MEBIBYTE, "bytes"),
        "524288",
        "Larger files are not parsed: their words are indexed, their definitions are not.",
        outside="a repository may not raise the size of files that are parsed",
        may_lower=True,
    ),
    ConfigKey(
        "index.overlay",
        choice(*OVERLAYS),
        "off",
        "Whether untracked files are indexed. `auto`: on, unless the variable `CI` is set.",
    ),
    ConfigKey(
        "index.parse_timeout_sec",
        seconds(0.1, 300.0),
        "10",
        "CPU time that one file may take to parse before its worker is stopped.",
        outside="a repository may not raise the parse time of files",
        may_lower=True,
    ),
    ConfigKey(
        "index.shelf_bytes",
        disk_space("0 to keep nothing"),
        "1073741824",
        "Disk space in the user's directory for the index cache: a new worktree, another clone or a branch that is "
        "checked out again starts from the most similar cached index.",
        outside="a repository may not choose how much disk space is taken",
    ),
    ConfigKey(
        "index.workers",
        integer(0, 16),
        "4",
        "Number of parse processes; 0: the number of cores.",
        outside="a repository may not choose how many processes are started",
    ),
    ConfigKey(
        "ledger.retention_days",
        integer(0, 3650, "days"),
        "90",
        "How many days the ledger of calls is kept at least; 0: forever.",
        outside="a repository may not choose how long the ledger is kept",
    ),
    ConfigKey(
        "logging.level",
        LEVEL,
        "debug",
        "Minimum level of log lines.",
    ),
    ConfigKey(
        "logging.outputs",
        OUTPUTS,
        '[{"format": "json", "destination": "/var/log/codeplane.jsonl", "level": "debug"}]',
        "Destinations of log lines, in addition to the log file in `.codeplane/logs/`.",
        outside="a repository may not choose where log lines go",
    ),
    ConfigKey(
        "reading.enforce",
        SWITCH,
        "true",
        "Whether read budgets are enforced in every session. Otherwise only in tasks that were opened with limits.",
        outside="a repository may not limit reading",
    ),
    ConfigKey(
        "reading.max_preview_chars",
        integer(200, 20_000),
        "6000",
        "Default for the characters that `read` returns per target.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_reads",
        integer(1, 1_000_000),
        "50",
        "Read budget of a session or task, in calls. If enforced, reads are refused above twice the budget.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_single_lines",
        integer(1, 1_000),
        "200",
        "Default for the lines that `read` returns per target; a maximum if budgets are enforced.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "reading.max_total_lines",
        integer(1, 100_000_000),
        "5000",
        "Read budget of a session or task, in lines. If enforced, reads are refused above twice the budget.",
        outside="a repository may not choose how much is read",
    ),
    ConfigKey(
        "secrets.allow",
        ABSOLUTE_PATTERNS,
        '["/home/me/shop/.npmrc", "/home/me/shop/tests/**/*.pem"]',
        "Files that tools may index, read and change although their names indicate secrets. Absolute paths, as "
        "`cpl status` shows them; a directory includes everything in it. Every access is logged. A repository "
        "may only empty the list.",
        tightens_to=(),
    ),
    ConfigKey(
        "secrets.redact",
        SWITCH,
        "false",
        "Whether text that looks like a key or token is replaced in answers. `read` shows it with `show_secrets`. "
        "A repository may only turn this on, trusted or not.",
        tightens_to=True,
    ),
    ConfigKey(
        "server.allowed_roots",
        DIRECTORIES,
        '["/home/me/work"]',
        "Directories under which `manage_index` may register further repositories. Empty: only the home repository.",
        outside="a repository may not open other directories",
    ),
    ConfigKey(
        "server.keep_token",
        SWITCH,
        "true",
        "Whether `cpl up` uses the same token at every start. The token is stored in the user's state directory.",
        outside="a repository may not make the token persistent",
    ),
    ConfigKey(
        "server.port",
        integer(0, 65535),
        "8080",
        "Port on 127.0.0.1 for `cpl up`; 0: chosen by the system.",
        outside="a repository may not choose the port",
    ),
    ConfigKey(
        "server.prewarm",
        SWITCH,
        "false",
        "Whether the server preloads data for the first query right after the handshake.",
    ),
    ConfigKey(
        "server.read_only",
        SWITCH,
        "true",
        "Whether tools that change something are refused. A repository may only turn this on, trusted or not.",
        tightens_to=True,
    ),
    ConfigKey(
        "server.session_idle_sec",
        seconds(1.0, 604_800.0),
        "3600",
        "Idle time after which a session ends and its handles expire.",
        outside="a repository may not choose when sessions end",
    ),
    ConfigKey(
        "server.shutdown_sec",
        seconds(0.0, 300.0),
        "10",
        "Grace period for running calls when the server stops.",
        outside="a repository may not choose how long the server takes to stop",
    ),
    ConfigKey(
        "server.format",
        choice("text", "json"),
        "json",
        "Format of answers: text, or the JSON envelope. A call can override it with `format`.",
        outside="a repository may not choose the format of answers",
    ),
    ConfigKey(
        "server.toolsets",
        TOOLSET_NAMES,
        '["core", "files"]',
        "Toolsets that clients see. `cpl call` reaches every tool.",
        outside="a repository may not choose which tools clients are shown",
    ),
)

BY_NAME = {key.name: key for key in KEYS}
