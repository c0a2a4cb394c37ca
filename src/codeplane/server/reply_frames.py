"""Reply frames of the engine, and parsing of call arguments."""

from __future__ import annotations

import time
from collections.abc import Callable

import orjson

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, internal_error
from codeplane.server.frames import Frame
from codeplane.tools.calls import CallReply
from codeplane.tools.surface import Format
from codeplane.tools.text.failures import failure_reply

_PROGRESS_SECONDS = 0.1


def throttle_progress(send: Callable[[float, float | None, str], None]) -> Callable[[float, float | None, str], None]:
    """Limit progress to a few messages per second; the last one is always sent."""
    last = 0.0

    def throttled(done: float, total: float | None, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_SECONDS or (total is not None and done >= total):
            last = now
            send(done, total, message)

    return throttled


def reply_frame(number: int, reply: CallReply) -> Frame:
    header: dict[str, object] = {"id": number}
    header |= {"error": True} if reply.is_error else {}
    header |= {} if reply.is_json else {"text": True}
    return Frame(header, reply.body)


def error_frame(number: int, error: CodePlaneError, tool: str, form: Format) -> Frame:
    return reply_frame(number, failure_reply(error, tool, form))


def internal_error_frame(number: int, error: Exception, tool: str, form: Format) -> Frame:
    telemetry.error("call failed", **telemetry.describe(error))
    return error_frame(number, internal_error(error), tool, form)


def parse_arguments(body: bytes) -> dict[str, object] | None:
    try:
        found = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
