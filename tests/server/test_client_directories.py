"""A client that starts the server elsewhere than in its project may tell where its project is."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.server.engine_client import EngineClient, UnavailableEngine
from codeplane.server.mcp_messages import parse_roots
from codeplane.server.stdio import StdioFrontend
from codeplane.tools.surface import Format, Surface
from support.mcp_client import CPL, HANDSHAKE, McpClient, Place, until


def start(place: Place, elsewhere: Path, capabilities: dict[str, Any]) -> McpClient:
    client = McpClient([*CPL, "mcp", "--format", "json"], place.environment(), cwd=elsewhere)
    place.clients.append(client)
    info = {"name": "t", "version": "1"}
    client.ask("initialize", {"protocolVersion": HANDSHAKE, "capabilities": capabilities, "clientInfo": info})
    client.notify("notifications/initialized", {})
    return client


def tell(client: McpClient, *uris: object) -> None:
    """Answer the question for roots, which has an id of the server's own."""
    until(lambda: client.notifications)
    (asked,) = client.notifications
    assert asked["method"] == "roots/list"
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri} for uri in uris]}})


def outline(client: McpClient) -> dict[str, Any]:
    return client.call("file_outline", file="app.py", freshness_policy="strict")


def test_first_client_root_inside_a_repository_is_served(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {"roots": {}})
    tell(client, "https://example.org/x", "file://other-host/x", 7, f"file://{elsewhere}", f"file://{place.root}/pkg")
    assert [symbol["name"] for symbol in outline(client)["result"]["symbols"]] == ["App", "main"]
    assert client.end(5) == 0


def test_client_roots_that_are_not_directories_are_skipped() -> None:
    uris = ["file://[x", "file:///a%00b", "file:///a%20b", "file://localhost/c", "", 7, None]
    assert parse_roots({"roots": [{"uri": uri} for uri in uris]}) == ["/a b", "/c"]


def test_unsolicited_roots_responses_are_ignored(client: McpClient) -> None:
    for uri in ("file://[x", "file:///"):
        client.send({"jsonrpc": "2.0", "id": "codeplane-roots", "result": {"roots": [{"uri": uri}]}})
    assert client.call("health_check")["status"] == "ok"


def test_slow_root_selection_delays_only_calls() -> None:
    """The front reads on while it is made, ends in time, and says afterwards what it said before."""
    asked: list[list[str]] = []

    def choose(directories: list[str]) -> EngineClient | None:
        asked.append(directories)
        time.sleep(0.3)
        raise RuntimeError("a disk that fails")

    async def talk() -> list[dict[str, Any]]:
        (their_input, our_output), (our_input, their_output) = os.pipe(), os.pipe()
        front = StdioFrontend(
            UnavailableEngine(CodePlaneError(ErrorCode.NOT_A_REPOSITORY, "none"), Format.JSON), Surface(), choose
        )
        serving = asyncio.ensure_future(front.run(their_input, their_output))
        told: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": {"capabilities": {"roots": {}}}},
            {"method": "notifications/initialized"},
            {"id": "codeplane-roots", "result": {"roots": [{"uri": "file:///somewhere"}]}},
            {"id": 2, "method": "tools/call", "params": {"name": "health_check"}},
            {"id": "codeplane-roots", "result": {"roots": [{"uri": "file:///elsewhere"}]}},
            {"id": 3, "method": "ping"},
        ]
        os.write(our_output, b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in told))
        os.close(our_output)
        await serving
        os.close(their_output)
        with open(our_input) as answers:
            return [json.loads(line) for line in answers]

    answers = [line for line in asyncio.run(asyncio.wait_for(talk(), 10)) if "method" not in line]
    assert asked == [["/somewhere"]]
    assert [answer["id"] for answer in answers] == [1, 3, 2]
    assert answers[2]["result"]["isError"] is True


def test_calls_without_a_repository_explain_the_error(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {"roots": {}})
    tell(client, f"file://{elsewhere}")
    assert outline(client)["error"]["error"] == "NOT_A_REPOSITORY"


def test_client_without_roots_capability_is_not_asked(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {})
    assert outline(client)["error"]["error"] == "NOT_A_REPOSITORY"
    assert "roots/list" not in json.dumps(client.notifications)


def test_roots_are_not_requested_inside_a_repository(place: Place) -> None:
    client = start(place, place.root, {"roots": {}})
    assert outline(client)["status"] == "ok"
    assert "roots/list" not in json.dumps(client.notifications)
