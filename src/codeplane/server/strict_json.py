"""Strict parser for one JSON-RPC message.

Rejects everything on which two parsers could disagree: duplicate keys, NaN and infinity, lone surrogates, batches. A
linear scan of the bytes bounds nesting and counts before anything is built, and no input reaches Python's recursion
limit.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode

MAX_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_MEMBERS: Final = 20_000
"""Maximum number of object members in a message, and of array elements."""
MAX_ID_CHARS: Final = 256

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

RequestId = str | int
Message = dict[str, object]

_STEPS: Final = bytes({0x5B: 1, 0x7B: 1, 0x5D: 255, 0x7D: 255}.get(byte, 0) for byte in range(256))
"""Change of nesting depth per byte: 1 for an opening bracket, 255 (read as -1) for a closing one."""
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if not _STEPS[byte])


class MalformedMessage(CodePlaneError):
    """A rejected message. `rpc_code` and `request_id` are for the JSON-RPC error response."""

    def __init__(self, rpc_code: int, message: str, request_id: RequestId | None = None) -> None:
        super().__init__(ErrorCode.ARGUMENT_INVALID, message)
        self.rpc_code = rpc_code
        self.request_id = request_id


def parse_message(body: bytes, *, max_bytes: int = MAX_BYTES) -> Message:
    """Parse a request, a notification (no `id`, or null) or a response."""
    if len(body) > max_bytes:
        raise MalformedMessage(INVALID_REQUEST, f"the message is longer than {max_bytes} bytes")
    keys = _scan(body)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedMessage(PARSE_ERROR, "the message is not valid JSON") from error
    if isinstance(value, list):
        raise MalformedMessage(INVALID_REQUEST, "batches are not supported")
    if not isinstance(value, dict):
        raise MalformedMessage(INVALID_REQUEST, "the message is not a JSON object")
    # orjson keeps the last of two equal keys, however they are escaped, so duplicates reduce the count.
    if _count_members(value) != keys:
        raise MalformedMessage(INVALID_REQUEST, "the message has a duplicate key")
    return _checked(value)


def error_response(error: MalformedMessage) -> bytes:
    """Return the JSON-RPC error response for a rejected message."""
    return orjson.dumps(
        {"jsonrpc": "2.0", "id": error.request_id, "error": {"code": error.rpc_code, "message": error.message}}
    )


def _scan(body: bytes) -> int:
    """Check nesting and counts; return the number of keys as written."""
    # Without escapes, each quote opens or closes a string, so every second piece is outside of strings.
    # Pairs of backslashes are removed first: in a run, only an odd last one escapes the next quote.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body
    if plain.count(b'"') > 4 * MAX_MEMBERS + 4:
        raise MalformedMessage(INVALID_REQUEST, "the message has too many strings")
    outside = b"".join(plain.split(b'"')[::2])
    keys = outside.count(b":")
    if keys > MAX_MEMBERS or outside.count(b",") > 2 * MAX_MEMBERS:
        raise MalformedMessage(INVALID_REQUEST, f"the message has more than {MAX_MEMBERS} members")
    brackets = outside.translate(_STEPS, _NOT_BRACKETS)
    if len(brackets) > 4 * MAX_MEMBERS:
        raise MalformedMessage(INVALID_REQUEST, "the message has too many objects and arrays")
    if max(accumulate(memoryview(brackets).cast("b")), default=0) > MAX_DEPTH:
        raise MalformedMessage(INVALID_REQUEST, f"the message is nested deeper than {MAX_DEPTH} levels")
    return keys


def _count_members(value: dict[str, object]) -> int:
    count = 0
    level: list[dict[str, object] | list[object]] = [value]
    while level:
        count += sum(len(inner) for inner in level if type(inner) is dict)
        level = [
            item
            for inner in level
            for item in (inner.values() if isinstance(inner, dict) else inner)
            if isinstance(item, (dict, list))
        ]
    return count


def _checked(message: Message) -> Message:
    identity = message.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (str, int, type(None))):
        raise MalformedMessage(INVALID_REQUEST, "the id must be a string or an integer")
    if isinstance(identity, str) and len(identity) > MAX_ID_CHARS:
        raise MalformedMessage(INVALID_REQUEST, f"the id is longer than {MAX_ID_CHARS} characters")
    if message.get("jsonrpc") != "2.0":
        raise MalformedMessage(INVALID_REQUEST, '"jsonrpc" must be "2.0"', identity)
    method = message.get("method")
    if method is None and ("result" in message) != ("error" in message) and "id" in message:
        return message
    if not isinstance(method, str) or not method:
        raise MalformedMessage(INVALID_REQUEST, "the message has no method", identity)
    if not isinstance(message.get("params", {}), dict):
        raise MalformedMessage(INVALID_REQUEST, "params must be an object", identity)
    return message
