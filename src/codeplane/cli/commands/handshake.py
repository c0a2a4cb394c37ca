"""Check of the MCP transport: start the command that clients start, and list its tools."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from codeplane.cli.assemble import Invocation
from codeplane.cli.connect import own_command
from codeplane.operations.doctor import CheckGroup, DoctorCheck
from codeplane.processes.exchange import exchange
from codeplane.server.mcp_messages import HANDSHAKE_VERSIONS

if TYPE_CHECKING:
    from codeplane.operations.context import Context

_SECONDS = 10.0


def handshake(invocation: Invocation) -> CheckGroup:
    def check(context: Context) -> Iterable[DoctorCheck]:
        command = own_command(context.root, invocation, "mcp", "--no-engine")
        started = time.monotonic()
        answers = exchange(command, _requests(), lines=2, seconds=_SECONDS)
        took = round((time.monotonic() - started) * 1000)
        tools = _tools(answers)
        message = f"'cpl mcp' listed {tools} tools after {took} ms" if tools else "'cpl mcp' does not answer"
        yield DoctorCheck(
            "transport", tools > 0, "error", message, "Run 'cpl mcp' in a terminal and read its messages."
        )

    return check


def _requests() -> bytes:
    client = {"name": "cpl doctor", "version": "0"}
    params = {"protocolVersion": HANDSHAKE_VERSIONS[-1], "capabilities": {}, "clientInfo": client}
    messages: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def _tools(answers: list[bytes]) -> int:
    for answer in answers:
        try:
            found = json.loads(answer)
            if found.get("id") == 2:
                return len(found["result"]["tools"])
        except (ValueError, KeyError, TypeError, AttributeError):
            return 0
    return 0
