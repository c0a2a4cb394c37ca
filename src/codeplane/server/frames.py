"""Frames between a frontend and the engine: a JSON header and an opaque body.

The body of an answer is the finished envelope; a frontend forwards its bytes unchanged.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PROTOCOL = 1
MAX_HEADER_BYTES = 64 * 1024
MAX_BODY_BYTES = 32 * 1024 * 1024

SIZES = struct.Struct(">II")
"""Lengths of header and body."""


class WireError(Exception):
    """The other side does not speak this protocol."""


@dataclass(frozen=True)
class Frame:
    header: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""

    def encode(self) -> bytes:
        header = json.dumps(self.header, separators=(",", ":")).encode("ascii")
        return SIZES.pack(len(header), len(self.body)) + header + self.body


def check_sizes(header_size: int, body_size: int) -> None:
    if header_size > MAX_HEADER_BYTES or body_size > MAX_BODY_BYTES:
        raise WireError("a frame is too large")


def is_own_peer(connection: socket.socket) -> bool:
    """True if the peer process runs as the same user."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return bool(uid == os.geteuid())
