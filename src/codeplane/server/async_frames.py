"""Read frames from an asyncio stream. Separate from `frames`, which commands use without asyncio."""

from __future__ import annotations

import asyncio
import json

from codeplane.server.frames import SIZES, Frame, WireError, check_sizes


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """Read the next frame; None if the connection was closed between two frames."""
    try:
        sizes = await reader.readexactly(SIZES.size)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise WireError("connection closed inside a frame") from None
    header_size, body_size = SIZES.unpack(sizes)
    check_sizes(header_size, body_size)
    try:
        header = json.loads(await reader.readexactly(header_size))
        body = await reader.readexactly(body_size)
    except asyncio.IncompleteReadError:
        raise WireError("connection closed inside a frame") from None
    except (ValueError, RecursionError):
        raise WireError("a header is not JSON") from None
    if not isinstance(header, dict):
        raise WireError("a header is not an object")
    return Frame(header, body)
