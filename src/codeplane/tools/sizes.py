"""How much room a value takes in an answer."""

from __future__ import annotations

import json

import orjson


def json_size(value: object) -> int:
    """Of the value as JSON, in bytes."""
    try:
        return len(orjson.dumps(value, default=str))
    except orjson.JSONEncodeError:
        # Names on disk need not be valid text.
        return len(json.dumps(value, default=str))
