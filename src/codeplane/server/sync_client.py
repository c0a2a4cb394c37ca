"""Blocking client that queries the state of a running engine, for commands. Never starts an engine."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeplane import __version__
from codeplane.server.frames import PROTOCOL, SIZES, Frame, WireError, check_sizes, is_own_peer


def query_state(socket_path: Path, seconds: float = 1.0) -> Mapping[str, Any] | None:
    """Return the state of the engine, or None if none answers; only the version if it is another one."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(str(socket_path))
            if not is_own_peer(connection):
                return None
            hello = {"protocol": PROTOCOL, "version": __version__, "kind": "ask"}
            connection.sendall(Frame({"hello": hello}).encode())
            greeting, _ = _receive(connection)
            if "refused" in greeting:
                refused = greeting["refused"]
                return {"version": refused.get("version"), "pid": refused.get("pid"), "other_version": True}
            connection.sendall(Frame({"id": 1, "ask": "state"}).encode())
            _, body = _receive(connection)
            state = json.loads(body)
            return state if isinstance(state, dict) else None
    except (OSError, ValueError, WireError):
        return None


def _receive(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    header_size, body_size = SIZES.unpack(_receive_exactly(connection, SIZES.size))
    check_sizes(header_size, body_size)
    header = json.loads(_receive_exactly(connection, header_size))
    return header, _receive_exactly(connection, body_size)


def _receive_exactly(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 65536))
        if not part:
            raise WireError("closed within a frame")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
