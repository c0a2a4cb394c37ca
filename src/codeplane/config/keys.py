"""Every key that configuration knows: its type, its bounds, what it does, and who may set it.

This table is the reference page as well. A key is listed only when it has an effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeplane.base import limits
from codeplane.config.model import IndexConfig, LoggingConfig, Output

LEVELS = ("debug", "info", "warn", "error")
FORMATS = ("console", "json")
OVERLAYS = ("auto", "on", "off")
MAX_PATTERNS = 1000
MAX_PATTERN_CHARS = 1000


class Refused(ValueError):
    """A value of the wrong type or out of bounds; the key's own words say what was expected."""


@dataclass(frozen=True)
class Key:
    name: str
    parse: Callable[[object], object]
    default: object
    expected: str
    example: str
    doc: str
    trusted_only: bool = False
    """Not accepted from a repository's own file: it names a place outside the repository."""


def _integer(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 20:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise Refused
        return value

    return parse


def _seconds(low: float, high: float) -> Callable[[object], float]:
    def parse(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise Refused
        try:
            number = float(value)
        except (ValueError, OverflowError):
            raise Refused from None
        if not low <= number <= high:
            raise Refused
        return number

    return parse


def _choice(*words: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        # YAML reads a bare on/off, yes/no as a boolean.
        if isinstance(value, bool):
            value = "on" if value else "off"
        if not isinstance(value, str) or value.lower() not in words:
            raise Refused
        return value.lower()

    return parse


def _level(value: object) -> str:
    return _choice(*LEVELS)("warn" if isinstance(value, str) and value.lower() == "warning" else value)


def _patterns(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) and value else value or ()
    if not isinstance(items, list | tuple) or len(items) > MAX_PATTERNS:
        raise Refused
    for item in items:
        if not isinstance(item, str) or not 0 < len(item) <= MAX_PATTERN_CHARS or "\n" in item or "\0" in item:
            raise Refused
    return tuple(items)


def _outputs(value: object) -> tuple[Output, ...]:
    if not isinstance(value, list) or len(value) > 8:
        raise Refused
    return tuple(_output(item) for item in value)


def _output(item: object) -> Output:
    if not isinstance(item, dict) or not item.keys() <= {"format", "destination", "level"}:
        raise Refused
    destination = item.get("destination", "stderr")
    if not isinstance(destination, str) or "\0" in destination:
        raise Refused
    if destination not in ("stderr", "stdout") and not destination.startswith("/"):
        raise Refused
    level = item.get("level")
    return Output(
        format=_choice(*FORMATS)(item.get("format", "console")),
        destination=destination,
        level=None if level is None else _level(level),
    )


_MEBIBYTE = 1024 * 1024
_index = IndexConfig()
_logging = LoggingConfig()

KEYS: tuple[Key, ...] = (
    Key(
        "index.full_hash_every",
        _integer(0, 1_000_000),
        _index.full_hash_every,
        "a whole number from 0 to 1000000",
        "50",
        "Every how many syncs all files are hashed, whatever their timestamps say; 0 never.",
    ),
    Key(
        "index.hash_concurrency",
        _integer(1, limits.MAX_HASH_CONCURRENCY),
        _index.hash_concurrency,
        f"a whole number from 1 to {limits.MAX_HASH_CONCURRENCY}",
        "8",
        "How many files are read and hashed at the same time.",
    ),
    Key(
        "index.ignore",
        _patterns,
        _index.ignore,
        f"a list of at most {MAX_PATTERNS} ignore patterns, each on one line",
        '["*.generated.ts", "fixtures/"]',
        "Patterns in `.gitignore` syntax of what is not indexed, besides those of `.gitignore` and `.cplignore`.",
    ),
    Key(
        "index.max_bytes",
        _integer(0, 2**50),
        _index.max_bytes,
        "a whole number of bytes, 0 for the default rule",
        "1073741824",
        f"The most disk space that the index may take. 0 stands for {limits.INDEX_BYTES_PER_SOURCE_BYTE} times "
        f"the size of the sources or {limits.MAX_INDEX_BYTES // 1024**3} GiB.",
    ),
    Key(
        "index.max_lexical_bytes",
        _integer(1024, 256 * _MEBIBYTE),
        _index.max_lexical_bytes,
        f"a whole number of bytes from 1024 to {256 * _MEBIBYTE}",
        "2097152",
        "Larger files are recorded by name only: their words are not indexed.",
    ),
    Key(
        "index.max_parse_bytes",
        _integer(1024, 64 * _MEBIBYTE),
        _index.max_parse_bytes,
        f"a whole number of bytes from 1024 to {64 * _MEBIBYTE}",
        "524288",
        "Larger files are not parsed: their words are indexed, their definitions are not.",
    ),
    Key(
        "index.overlay",
        _choice(*OVERLAYS),
        _index.overlay,
        "auto, on or off",
        "off",
        "Whether files that git does not track are indexed. `auto` is on, and off where the variable `CI` is set.",
    ),
    Key(
        "index.parse_timeout_sec",
        _seconds(0.1, 300.0),
        _index.parse_timeout_sec,
        "seconds from 0.1 to 300",
        "10",
        "How long one file may take to parse before its worker is stopped.",
    ),
    Key(
        "index.workers",
        _integer(0, 16),
        _index.workers,
        "a whole number from 0 to 16",
        "4",
        "Processes that parse; 0 stands for the number of cores.",
    ),
    Key(
        "logging.level",
        _level,
        _logging.level,
        "debug, info, warn or error",
        "debug",
        "The least serious level that is logged.",
    ),
    Key(
        "logging.outputs",
        _outputs,
        _logging.outputs,
        "a list of outputs, each with format (console, json), destination (stderr, stdout, an absolute path) and level",
        '[{"format": "json", "destination": "/var/log/codeplane.jsonl", "level": "debug"}]',
        "Where log lines go, besides the log file in `.codeplane/logs/`.",
        trusted_only=True,
    ),
)

BY_NAME = {key.name: key for key in KEYS}
