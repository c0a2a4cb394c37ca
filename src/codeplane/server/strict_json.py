"""One JSON-RPC message from bytes, or a refusal that says why.

Everything that makes two parsers see two messages is refused: duplicate keys, numbers
without a value, lone surrogates, batches. Nesting and counts are bounded by a scan of the
bytes before anything is built from them, in time linear in their length, and no input
reaches the recursion of Python.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode

MAX_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_MEMBERS: Final = 20_000
"""Members of all objects, and likewise elements of all arrays, of one message."""
MAX_ID_CHARS: Final = 256

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600

RequestId = str | int
Message = dict[str, object]

_STEPS: Final = bytes({0x5B: 1, 0x7B: 1, 0x5D: 255, 0x7D: 255}.get(byte, 0) for byte in range(256))
"""A bracket as one step into a value (1) or out of it (255, read as -1)."""
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if not _STEPS[byte])


class MalformedMessage(CodePlaneError):
    """A message that is refused unread. `rpc_code` and `request_id` are for the JSON-RPC error that answers it."""

    def __init__(self, rpc_code: int, message: str, request_id: RequestId | None = None) -> None:
        super().__init__(ErrorCode.ARGUMENT_INVALID, message)
        self.rpc_code = rpc_code
        self.request_id = request_id


def parse_message(body: bytes, *, max_bytes: int = MAX_BYTES) -> Message:
    """The message as a dict: a request, a notification (no `id`, or a null one) or a response."""
    if len(body) > max_bytes:
        raise MalformedMessage(INVALID_REQUEST, f"a message has at most {max_bytes} bytes")
    keys = _scan(body)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedMessage(PARSE_ERROR, "the message is not valid JSON") from error
    if isinstance(value, list):
        raise MalformedMessage(INVALID_REQUEST, "batches are not supported: send one message at a time")
    if not isinstance(value, dict):
        raise MalformedMessage(INVALID_REQUEST, "a message is one JSON object")
    # The parser keeps the last of two equal keys, however they were escaped: then there are fewer than were written.
    if _count_members(value) != keys:
        raise MalformedMessage(INVALID_REQUEST, "an object of the message has the same key twice")
    return _checked(value)


def error_response(error: MalformedMessage) -> bytes:
    """The JSON-RPC answer to a message that was refused."""
    return orjson.dumps(
        {"jsonrpc": "2.0", "id": error.request_id, "error": {"code": error.rpc_code, "message": error.message}}
    )


def _scan(body: bytes) -> int:
    """The number of keys as written, once nesting and counts are known to be in bounds."""
    # Without escapes a quote opens or closes a string, so that every second piece lies outside of strings.
    # Pairs of backslashes go first: of a run of them only an odd last one escapes the quote behind it.
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body
    if plain.count(b'"') > 4 * MAX_MEMBERS + 4:
        raise MalformedMessage(INVALID_REQUEST, "the message has too many strings")
    outside = b"".join(plain.split(b'"')[::2])
    keys = outside.count(b":")
    if keys > MAX_MEMBERS or outside.count(b",") > 2 * MAX_MEMBERS:
        raise MalformedMessage(INVALID_REQUEST, f"a message has at most {MAX_MEMBERS} members")
    brackets = outside.translate(_STEPS, _NOT_BRACKETS)
    if len(brackets) > 4 * MAX_MEMBERS:
        raise MalformedMessage(INVALID_REQUEST, "the message has too many objects and arrays")
    if max(accumulate(memoryview(brackets).cast("b")), default=0) > MAX_DEPTH:
        raise MalformedMessage(INVALID_REQUEST, f"a message is nested at most {MAX_DEPTH} deep")
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
        raise MalformedMessage(INVALID_REQUEST, "an id is a string or an integer")
    if isinstance(identity, str) and len(identity) > MAX_ID_CHARS:
        raise MalformedMessage(INVALID_REQUEST, f"an id has at most {MAX_ID_CHARS} characters")
    if message.get("jsonrpc") != "2.0":
        raise MalformedMessage(INVALID_REQUEST, 'a message says "jsonrpc": "2.0"', identity)
    method = message.get("method")
    if method is None and ("result" in message) != ("error" in message) and "id" in message:
        return message
    if not isinstance(method, str) or not method:
        raise MalformedMessage(INVALID_REQUEST, "a message names its method", identity)
    if not isinstance(message.get("params", {}), dict):
        raise MalformedMessage(INVALID_REQUEST, "params is an object", identity)
    return message
