"""Types of configuration values: each parses YAML, JSON or text within its bounds, and says what it expects."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from codeplane.config.model import TOOLSETS, LogOutput

LEVELS = ("debug", "info", "warn", "error")
FORMATS = ("console", "json")
MAX_PATTERNS = 1000
MAX_PATTERN_CHARS = 1000
MAX_ROOTS = 100


class InvalidValue(ValueError):
    """A value of the wrong type or out of bounds; the type says what was expected."""


class ValueType(NamedTuple):
    parse: Callable[[object], object]
    expected: str


def integer(low: int, high: int, unit: str = "") -> ValueType:
    return ValueType(_integer_parser(low, high), f"a whole number{f' of {unit}' if unit else ''} from {low} to {high}")


def disk_space(zero: str) -> ValueType:
    """Return the type of a size in bytes; `zero` is the meaning of 0."""
    return ValueType(_integer_parser(0, 2**50), f"a whole number of bytes, {zero}")


def seconds(low: float, high: float) -> ValueType:
    return ValueType(_seconds_parser(low, high), f"seconds from {low:g} to {high:g}")


def choice(*words: str) -> ValueType:
    return ValueType(_choice_parser(*words), f"{', '.join(words[:-1])} or {words[-1]}")


def _integer_parser(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 20:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise InvalidValue
        return value

    return parse


def _seconds_parser(low: float, high: float) -> Callable[[object], float]:
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


def _choice_parser(*words: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        # YAML reads a bare on/off, yes/no as a boolean.
        if isinstance(value, bool):
            value = "on" if value else "off"
        if not isinstance(value, str) or value.lower() not in words:
            raise InvalidValue
        return value.lower()

    return parse


def _parse_switch(value: object) -> bool:
    words = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
    if isinstance(value, str):
        value = words.get(value.strip().lower())
    if not isinstance(value, bool):
        raise InvalidValue
    return value


def _parse_toolsets(value: object) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items or not all(isinstance(item, str) for item in items):
        raise InvalidValue
    chosen = {item.strip().lower() for item in items}
    if not chosen <= set(TOOLSETS):
        raise InvalidValue
    return tuple(name for name in TOOLSETS if name in chosen)


def _parse_directories(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) and value else value or ()
    if not isinstance(items, list | tuple) or len(items) > MAX_ROOTS:
        raise InvalidValue
    for item in items:
        if not isinstance(item, str) or not item.startswith("/") or "\0" in item or ".." in item.split("/"):
            raise InvalidValue
    return tuple(
        dict.fromkeys("/" + "/".join(part for part in item.split("/") if part not in ("", ".")) for item in items)
    )


def _parse_level(value: object) -> str:
    return _choice_parser(*LEVELS)("warn" if isinstance(value, str) and value.lower() == "warning" else value)


def _parse_patterns(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) and value else value or ()
    if not isinstance(items, list | tuple) or len(items) > MAX_PATTERNS:
        raise InvalidValue
    for item in items:
        if not isinstance(item, str) or not 0 < len(item) <= MAX_PATTERN_CHARS or "\n" in item or "\0" in item:
            raise InvalidValue
    return tuple(items)


def _parse_absolute_patterns(value: object) -> tuple[str, ...]:
    patterns = _parse_patterns(value)
    if not all(item.startswith("/") and ".." not in item.split("/") for item in patterns):
        raise InvalidValue
    return patterns


def _parse_outputs(value: object) -> tuple[LogOutput, ...]:
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
        format=_choice_parser(*FORMATS)(item.get("format", "console")),
        destination=destination,
        level=None if level is None else _parse_level(level),
    )


SWITCH = ValueType(_parse_switch, "true or false")
LEVEL = ValueType(_parse_level, choice(*LEVELS).expected)
TOOLSET_NAMES = ValueType(_parse_toolsets, f"a list of {', '.join(TOOLSETS[:-1])} or {TOOLSETS[-1]}")
DIRECTORIES = ValueType(_parse_directories, f"a list of at most {MAX_ROOTS} absolute directories, without '..'")
PATTERNS = ValueType(_parse_patterns, f"a list of at most {MAX_PATTERNS} ignore patterns, each on one line")
ABSOLUTE_PATTERNS = ValueType(
    _parse_absolute_patterns,
    f"a list of at most {MAX_PATTERNS} absolute paths, without '..', with * and ** as wildcards",
)
OUTPUTS = ValueType(
    _parse_outputs,
    "a list of outputs, each with format (console, json), destination (stderr, stdout, an absolute path) and level",
)
