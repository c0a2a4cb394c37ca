"""MCP messages of the stdio frontend, written by hand instead of with the MCP SDK.

The reason is start-up time: agents start `cpl mcp` for every session and wait for `tools/list`, and importing the SDK
takes about three times as long as importing this whole frontend. The HTTP server is started once and uses the SDK
(`http/mcp_server.py`).

There are two protocol generations: with an `initialize` handshake (up to 2025-11-25) and stateless (from 2026-07-28). A
request with a protocol version in its `_meta` is stateless. One connection may mix both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from codeplane import __version__
from codeplane.tools.calls import CallReply
from codeplane.tools.catalog import INSTRUCTIONS, SERVER_NAME

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS: Final = ("2026-07-28",)

INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
UNSUPPORTED_VERSION: Final = -32022

_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
_SERVER_INFO: Final = {"name": SERVER_NAME, "version": __version__}
_CAPABILITIES: Final[Mapping[str, object]] = {"tools": {}}
_CACHE: Final = {"ttlMs": 3_600_000, "cacheScope": "private"}
"""The list of tools does not change while a server runs."""

_MAX_ROOTS: Final = 32

RequestId = str | int


class RpcError(Exception):
    """A JSON-RPC error response."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def uses_stateless_protocol(params: Mapping[str, Any]) -> bool:
    """True if a request is stateless; raises RpcError if its `_meta` is incomplete."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or _VERSION_KEY not in meta:
        return False
    version = meta[_VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, "the protocol version must be a string")
    if not isinstance(meta.get(_CAPABILITIES_KEY), dict):
        raise RpcError(INVALID_PARAMS, f"_meta lacks {_CAPABILITIES_KEY}")
    if version not in STATELESS_VERSIONS:
        data = {"supported": list(STATELESS_VERSIONS), "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    return True


def client_name(params: Mapping[str, Any]) -> str | None:
    """Return the name of the client, for the log."""
    meta = params.get("_meta")
    info = params.get("clientInfo") or (meta.get(_CLIENT_KEY) if isinstance(meta, dict) else None)
    name = info.get("name") if isinstance(info, dict) else None
    return name[:100] if isinstance(name, str) else None


def progress_token(params: Mapping[str, Any]) -> RequestId | None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) and not isinstance(token, bool) else None


def initialize_result(params: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the handshake; an unknown version is answered with the newest supported one."""
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        "capabilities": _CAPABILITIES,
        "serverInfo": _SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


def discover_result() -> dict[str, Any]:
    return {
        "supportedVersions": list(STATELESS_VERSIONS),
        "capabilities": _CAPABILITIES,
        "instructions": INSTRUCTIONS,
        **_CACHE,
    }


def tools_list_result(tools: list[dict[str, object]], *, stateless: bool) -> dict[str, Any]:
    return {"tools": tools, **_CACHE} if stateless else {"tools": tools}


def result(identity: RequestId, fields: Mapping[str, Any], *, stateless: bool) -> bytes:
    if stateless:
        fields = {**fields, "resultType": "complete", "_meta": {_SERVER_KEY: _SERVER_INFO}}
    return _line({"jsonrpc": "2.0", "id": identity, "result": fields})


def call_result(identity: RequestId, reply: CallReply, *, stateless: bool) -> bytes:
    """Build a tool result from the bytes of the engine: text, and for an envelope also structured content."""
    text = json.dumps(reply.body.decode("utf-8"), ensure_ascii=False).encode("utf-8")
    parts = [b'{"jsonrpc":"2.0","id":', json.dumps(identity).encode("ascii")]
    parts += [b',"result":{"content":[{"type":"text","text":']
    parts += [text, b"}]"]
    if reply.is_json:
        parts += [b',"structuredContent":', reply.body]
    parts += [b',"isError":', b"true" if reply.is_error else b"false"]
    if stateless:
        parts += [b',"resultType":"complete","_meta":', json.dumps({_SERVER_KEY: _SERVER_INFO}).encode("ascii")]
    return b"".join([*parts, b"}}\n"])


def error_response(identity: RequestId | None, error: RpcError) -> bytes:
    fields: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        fields["data"] = error.data
    return _line({"jsonrpc": "2.0", "id": identity, "error": fields})


def offers_roots(params: Mapping[str, Any]) -> bool:
    """True if the client declares the `roots` capability."""
    capabilities = params.get("capabilities")
    return isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)


def request(identity: RequestId, method: str) -> bytes:
    return _line({"jsonrpc": "2.0", "id": identity, "method": method})


def parse_roots(fields: object) -> list[str]:
    """Return the local directories of a `roots/list` result, in its order."""
    listed = fields.get("roots") if isinstance(fields, dict) else None
    found = []
    for item in listed[:_MAX_ROOTS] if isinstance(listed, list) else ():
        directory = _file_uri_path(item.get("uri") if isinstance(item, dict) else None)
        if directory is not None:
            found.append(directory)
    return found


def progress_notification(token: RequestId, done: float, total: float | None, message: str) -> bytes:
    params: dict[str, Any] = {"progressToken": token, "progress": done}
    if total is not None:
        params["total"] = total
    if message:
        params["message"] = message
    return _line({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _file_uri_path(uri: object) -> str | None:
    try:
        parts = urlsplit(uri) if isinstance(uri, str) else None
    except ValueError:
        return None
    if parts is None or parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path)
    return path if "\0" not in path else None


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8") + b"\n"
