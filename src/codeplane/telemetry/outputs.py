"""Log outputs: any number of destinations with their own level and format, and the repository's log file.

A destination that cannot be opened is reported and skipped; logging never stops the program.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from codeplane.telemetry.events import LOGGER, fields_of
from codeplane.telemetry.logfile import LogFileHandler

_NUMBERS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING, "error": logging.ERROR}


@dataclass(frozen=True)
class LogDestination:
    """`place` is stderr, stdout or an absolute path; `format` is console or json."""

    format: str
    place: str
    level: str


def configure(
    destinations: Iterable[LogDestination], *, repository: Path | None, file_level: str = "info"
) -> list[str]:
    """Configure the destinations and the log file of `repository`. Returns messages about failed destinations."""
    shut_down()
    problems: list[str] = []
    for destination in destinations:
        try:
            handler = _open(destination)
        except OSError as error:
            problems.append(f"cannot log to {destination.place}: {error.strerror or 'not usable'}")
            continue
        handler.setLevel(_NUMBERS[destination.level])
        handler.setFormatter(JsonFormatter() if destination.format == "json" else ConsoleFormatter())
        LOGGER.addHandler(handler)
    if repository is not None:
        file_handler = LogFileHandler(repository)
        file_handler.setLevel(_NUMBERS[file_level])
        file_handler.setFormatter(JsonFormatter())
        LOGGER.addHandler(file_handler)
    levels = [handler.level for handler in LOGGER.handlers if handler.level != logging.NOTSET]
    LOGGER.setLevel(min(levels, default=logging.CRITICAL))
    return problems


def shut_down() -> None:
    """Close every output."""
    for handler in list(LOGGER.handlers):
        LOGGER.removeHandler(handler)
        handler.close()
    LOGGER.addHandler(logging.NullHandler())


class _StreamHandler(logging.StreamHandler[TextIO]):
    """Stream handler that ignores write errors such as a closed pipe or a full disk."""

    def __init__(self, stream: TextIO, *, owned: bool = False) -> None:
        super().__init__(stream)
        self._owned = owned

    def handleError(self, record: logging.LogRecord) -> None:
        return

    def close(self) -> None:
        super().close()
        if self._owned:
            self.stream.close()


def _open(destination: LogDestination) -> logging.Handler:
    if destination.place in ("stderr", "stdout"):
        return _StreamHandler(sys.stderr if destination.place == "stderr" else sys.stdout)
    # Non-blocking, so a FIFO without a reader is an error.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(destination.place, flags, 0o600)
    return _StreamHandler(os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace"), owned=True)


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
