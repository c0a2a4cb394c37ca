"""Encoding of an answer: JSON bytes that are valid whatever file names contain, and their size."""

from __future__ import annotations

import json
from collections.abc import Mapping

import orjson

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_ANSWER_CHARS

_MAX_ECHO = 500


def encode(fields: Mapping[str, object]) -> bytes:
    try:
        return orjson.dumps(fields, default=str)
    except orjson.JSONEncodeError:
        return orjson.dumps(_escaped(fields), default=str)


def encode_error(fields: Mapping[str, object]) -> bytes:
    """Encode the envelope of an error. If it is too long, long values that it quotes are truncated."""
    body = encode(fields)
    if count_chars(body) <= MAX_ANSWER_CHARS:
        return body
    error = fields["error"]
    assert isinstance(error, dict)
    kept = {name: value for name, value in error.items() if name not in ("details", "example")}
    cut = {name: value[:_MAX_ECHO] if isinstance(value, str) else value for name, value in kept.items()}
    return encode({**fields, "error": cut})


def count_chars(body: bytes) -> int:
    """Return the number of characters; exact only above the limit, where it matters."""
    return len(body) if len(body) <= MAX_ANSWER_CHARS else len(body.decode("utf-8"))


def too_large(size: int) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ANSWER_TOO_LARGE,
        f"the answer has {size} characters; the maximum is {MAX_ANSWER_CHARS}",
        remedy="Ask for less: a smaller limit, a smaller depth, fewer sections.",
    )


def _escaped(value: object) -> object:
    """Escape names that are not valid UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return {str(_escaped(key)): _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def json_size(value: object) -> int:
    """Return the size of the value as JSON, in bytes."""
    try:
        return len(orjson.dumps(value, default=str))
    except orjson.JSONEncodeError:
        # File names may be undecodable.
        return len(json.dumps(value, default=str))
