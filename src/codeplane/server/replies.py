"""What the engine reads of a call besides its header, and what it says when no tool answers."""

from __future__ import annotations

import time
from collections.abc import Callable

import orjson

from codeplane import telemetry
from codeplane.base.envelope import error_envelope, new_request_id
from codeplane.base.errors import CodePlaneError, unforeseen
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


def refusal(number: int, error: CodePlaneError) -> Frame:
    return Frame({"id": number, "error": True}, orjson.dumps(error_envelope(error, {"request_id": new_request_id()})))


def failure(number: int, error: Exception) -> Frame:
    telemetry.error("call failed", **telemetry.describe(error))
    return refusal(number, unforeseen(error))


def parse_arguments(body: bytes) -> dict[str, object] | None:
    try:
        found = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
