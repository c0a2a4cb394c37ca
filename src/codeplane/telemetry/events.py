"""How the program says that something happened: an event in plain words, and named fields.

Fields are numbers, booleans, None, or short text such as a path. Text is cut and
escaped, and bytes are never shown, so that no line can carry what stands in a file.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from codeplane.base.paths import display

Field = str | int | float | bool | None

MAX_TEXT_CHARS = 300
LOGGER = logging.getLogger("codeplane")
LOGGER.propagate = False
LOGGER.addHandler(logging.NullHandler())

_bound: ContextVar[Mapping[str, Field] | None] = ContextVar("codeplane_log_fields", default=None)


def debug(event: str, **fields: object) -> None:
    _emit(logging.DEBUG, event, fields)


def info(event: str, **fields: object) -> None:
    _emit(logging.INFO, event, fields)


def warn(event: str, **fields: object) -> None:
    _emit(logging.WARNING, event, fields)


def error(event: str, **fields: object) -> None:
    _emit(logging.ERROR, event, fields)


@contextmanager
def bind(**fields: object) -> Iterator[None]:
    """Give every line logged inside the block these fields: op_id, request_id, task_id."""
    token = _bound.set({**(_bound.get() or {}), **_clean(fields)})
    try:
        yield
    finally:
        _bound.reset(token)


def describe(exception: BaseException) -> dict[str, str]:
    """Fields that locate an exception. Its message is left out: it may quote what was being read."""
    frames = traceback.extract_tb(exception.__traceback__)[-6:]
    places = (f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames)
    return {"exception": type(exception).__name__, "trace": " < ".join(reversed(list(places)))}


def fields_of(record: logging.LogRecord) -> Mapping[str, Field]:
    fields = getattr(record, "codeplane_fields", None)
    return fields if isinstance(fields, dict) else {}


def _emit(level: int, event: str, fields: Mapping[str, object]) -> None:
    if LOGGER.isEnabledFor(level):
        known = {**(_bound.get() or {}), **_clean(fields)}
        LOGGER.log(level, "%s", _text(event), extra={"codeplane_fields": known})


def _clean(fields: Mapping[str, object]) -> dict[str, Field]:
    return {name: _value(value) for name, value in fields.items()}


def _value(value: object) -> Field:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    return _text(str(value))


def _text(text: str) -> str:
    cut = text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"
    return display(cut)
