"""A client that starts the server elsewhere than in its project may tell where its project is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.mcp_client import CPL, HANDSHAKE, McpClient, Place, until


def start(place: Place, elsewhere: Path, capabilities: dict[str, Any]) -> McpClient:
    client = McpClient([*CPL, "mcp"], place.environment(), cwd=elsewhere)
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


def test_the_first_directory_in_a_repository_is_answered_about(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {"roots": {}})
    tell(client, "https://example.org/x", "file://other-host/x", 7, f"file://{elsewhere}", f"file://{place.root}/pkg")
    assert [symbol["name"] for symbol in outline(client)["result"]["symbols"]] == ["App", "main"]
    assert client.end(5) == 0


def test_without_one_every_call_says_why(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {"roots": {}})
    tell(client, f"file://{elsewhere}")
    assert outline(client)["error"]["error"] == "NOT_A_REPOSITORY"


def test_a_client_that_cannot_tell_is_not_asked(place: Place, tmp_path: Path) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    client = start(place, elsewhere, {})
    assert outline(client)["error"]["error"] == "NOT_A_REPOSITORY"
    assert "roots/list" not in json.dumps(client.notifications)


def test_in_a_repository_nobody_is_asked(place: Place) -> None:
    client = start(place, place.root, {"roots": {}})
    assert outline(client)["status"] == "ok"
    assert "roots/list" not in json.dumps(client.notifications)
