"""Log events with named fields.

Fields are numbers, booleans, None, or short text such as a path. Text is truncated and escaped, and bytes are never
logged, so no line can contain file content.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from codeplane.base.paths import basename, display

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
    """Add fields such as op_id, request_id and task_id to every line logged in the block."""
    token = _bound.set({**(_bound.get() or {}), **_clean(fields)})
    try:
        yield
    finally:
        _bound.reset(token)


def describe(exception: BaseException) -> dict[str, str]:
    """Return type and trace of an exception. Its message is omitted, because it may quote file content."""
    frames = traceback.extract_tb(exception.__traceback__)[-6:]
    places = (f"{basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
    return {"exception": type(exception).__name__, "trace": " < ".join(reversed(list(places)))}


def fields_of(record: logging.LogRecord) -> Mapping[str, Field]:
    fields = getattr(record, "codeplane_fields", None)
    return fields if isinstance(fields, dict) else {}


def _emit(level: int, event: str, fields: Mapping[str, object]) -> None:
    if LOGGER.isEnabledFor(level):
        all_fields = {**(_bound.get() or {}), **_clean(fields)}
        LOGGER.log(level, "%s", _text(event), extra={"codeplane_fields": all_fields})


def _clean(fields: Mapping[str, object]) -> dict[str, Field]:
    return {name: _value(value) for name, value in fields.items()}


def _value(value: object) -> Field:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return f"<{len(value)} bytes>"
    return _text(str(value))


def _text(text: str) -> str:
    short = text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"
    return display(short)
