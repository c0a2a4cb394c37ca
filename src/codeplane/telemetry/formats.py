"""Formats of a log line: JSON for programs, a short line for people."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from codeplane.telemetry.events import fields_of

_LEVELS = ((logging.ERROR, "error"), (logging.WARNING, "warn"), (logging.INFO, "info"))
_RESERVED = ("ts", "level", "event")


class JsonFormatter(logging.Formatter):
    """One JSON object per line, with `ts`, `level` and `event`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"ts": timestamp(record.created), "level": level_name(record.levelno)}
        fields = fields_of(record)
        line.update((name, fields[name]) for name in ("request_id", "op_id", "task_id") if name in fields)
        line["event"] = record.getMessage()
        line.update((name, value) for name, value in fields.items() if name not in _RESERVED)
        return json.dumps(line, separators=(",", ":"))


class ConsoleFormatter(logging.Formatter):
    """`12:30:01 info  index built  files=12 seconds=0.4`"""

    def format(self, record: logging.LogRecord) -> str:
        clock = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in fields_of(record).items())
        line = f"{clock} {level_name(record.levelno):<5} {record.getMessage()}"
        return f"{line}  {fields}" if fields else line


def level_name(number: int) -> str:
    return next((name for least, name in _LEVELS if number >= least), "debug")


def timestamp(seconds: float) -> str:
    """ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
