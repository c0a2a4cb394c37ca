"""Operator routes: `/health`, `/ready` and `/status`.

`/health` is the only route without authentication, so it reveals nothing else. A client can verify the server with a
challenge that only a holder of the token can answer.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from codeplane import telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.http.guard import HEALTH_PATH, Guard
from codeplane.server.runtime_directory import prove
from codeplane.server.tool_caller import ToolCaller

CHALLENGE_HEADER: Final = "x-codeplane-challenge"
PROOF_HEADER: Final = "x-codeplane-proof"
READY_PATH: Final = "/ready"
STATUS_PATH: Final = "/status"

_MAX_CHALLENGE_CHARS: Final = 128
_STATE_SECONDS: Final = 5.0


def operator_routes(
    caller: ToolCaller,
    guard: Guard,
    *,
    version: str,
    api_version: str,
    figures: Callable[[], Mapping[str, object]],
) -> Sequence[BaseRoute]:
    """Return the routes. `figures` returns connection count and event loop lag of this frontend."""
    started = time.monotonic()

    async def health(request: Request) -> Response:
        challenge = request.headers.get(CHALLENGE_HEADER, "")
        headers = {PROOF_HEADER: prove(guard.token, challenge)} if 0 < len(challenge) <= _MAX_CHALLENGE_CHARS else {}
        return _json({"status": "ok"}, headers=headers)

    async def ready(request: Request) -> Response:
        is_ready = (await _state(caller)).get("ready") is True
        return _json({"status": "ready" if is_ready else "not_ready"}, 200 if is_ready else 503)

    async def status(request: Request) -> Response:
        return _json(
            {
                "api_version": api_version,
                "version": version,
                "pid": os.getpid(),
                "port": guard.port,
                "uptime_seconds": round(time.monotonic() - started, 3),
                "engine": await _state(caller),
                **figures(),
            }
        )

    return (Route(HEALTH_PATH, health), Route(READY_PATH, ready), Route(STATUS_PATH, status))


async def _state(caller: ToolCaller) -> Mapping[str, object]:
    try:
        async with asyncio.timeout(_STATE_SECONDS):
            return await caller.state()
    except TimeoutError:
        error = CodePlaneError(ErrorCode.ENGINE_UNREACHABLE, f"no answer within {_STATE_SECONDS:g} seconds")
    except CodePlaneError as raised:
        error = raised
    except Exception as raised:
        telemetry.error("state failed", **telemetry.describe(raised))
        error = CodePlaneError(ErrorCode.INTERNAL, "the state of the engine could not be read")
    return {"ready": False, "error": error.as_dict()}


def _json(body: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(body), status, dict(headers or {}), media_type="application/json")
