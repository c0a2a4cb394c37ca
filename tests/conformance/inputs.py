"""Asking a client back, in the way of 2026-07-28: an interim result, and state that it cannot change."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="

_KEY = secrets.token_bytes(32)


def elicit(message: str, **properties: str) -> dict[str, Any]:
    """A request for fields of these types."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(text: str, tokens: int) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


def list_roots() -> dict[str, Any]:
    return {"method": "roots/list", "params": {}}


def input_required(requests: Mapping[str, Any], state: str | None = None) -> dict[str, Any]:
    result: dict[str, Any] = {"resultType": "input_required", "inputRequests": dict(requests)}
    return {**result, "requestState": _seal(state)} if state is not None else result


def responses(ctx: ServerRequestContext[Any, Any]) -> dict[str, Any]:
    given = (ctx.params or {}).get("inputResponses")
    return given if isinstance(given, dict) else {}


def asked_input(ctx: ServerRequestContext[Any, Any], key: str, field: str) -> object | None:
    """Return the client's answer to an elicitation, or None if it is not an answer."""
    response = responses(ctx).get(key)
    content = response.get("content") if isinstance(response, dict) else None
    return content.get(field) if isinstance(content, dict) else None


def state_of(ctx: ServerRequestContext[Any, Any]) -> str | None:
    """The state that was handed out, or None where there is none; what we did not sign is refused."""
    given = (ctx.params or {}).get("requestState")
    if given is None:
        return None
    text, _, signature = str(given).rpartition(".")
    if not hmac.compare_digest(signature, _sign(text)):
        raise MCPError(types.INVALID_PARAMS, "Invalid requestState")
    return text


def _seal(state: str) -> str:
    return f"{state}.{_sign(state)}"


def _sign(state: str) -> str:
    return hmac.new(_KEY, state.encode(), "sha256").hexdigest()
