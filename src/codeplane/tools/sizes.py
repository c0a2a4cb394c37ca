"""Size of a value in an answer."""

from __future__ import annotations

import json

import orjson


def json_size(value: object) -> int:
    """Return the size of the value as JSON, in bytes."""
    try:
        return len(orjson.dumps(value, default=str))
    except orjson.JSONEncodeError:
        # File names may be undecodable.
        return len(json.dumps(value, default=str))
