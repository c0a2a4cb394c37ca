"""What the engine reads of a call besides its header, and what it says when no tool answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import orjson

from codeplane import telemetry
from codeplane.base.envelope import error_envelope
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.wire import Frame

_PROGRESS_SECONDS = 0.1


def at_intervals(tell: Callable[[float, float | None, str], None]) -> Callable[[float, float | None, str], None]:
    """A few tellings a second are enough for anybody; the last one always comes through."""
    last = 0.0

    def told(done: float, total: float | None, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _PROGRESS_SECONDS or (total is not None and done >= total):
            last = now
            tell(done, total, message)

    return told


def refusal(number: int, code: ErrorCode, message: str, remedy: str = "Try again.") -> Frame:
    meta = {"request_id": "r_" + os.urandom(8).hex()}
    body = orjson.dumps(error_envelope(CodePlaneError(code, message, remedy=remedy), meta))
    return Frame({"id": number, "error": True}, body)


def unforeseen(number: int, error: Exception) -> Frame:
    telemetry.error("call failed", **telemetry.describe(error))
    message = f"something went wrong that should not ({type(error).__name__})"
    return refusal(number, ErrorCode.INTERNAL, message, "Run 'cpl doctor'.")


def parse_arguments(body: bytes) -> dict[str, object] | None:
    try:
        found = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
