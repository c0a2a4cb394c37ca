"""MCP over HTTP, of 2025 and of 2026, from one server: with the clients of the SDK and by hand."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from codeplane.server.http import mcp_server
from support.http_front import LATEST, TOKEN, TOOLS, Front, modern_headers, modern_message, running_front

ERAS = ("legacy", "auto")


@asynccontextmanager
async def connected(front: Front, era: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=20) as http,
        Client(
            streamable_http_client(front.url, http_client=http),
            mode=era,
            client_info=types.Implementation(name="tester", version="3"),
        ) as client,
    ):
        yield client


async def until(condition: Any, seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    return bool(condition())


@pytest.mark.parametrize("era", ERAS)
def test_sdk_client_lists_and_calls_tools(front: Front, era: str) -> None:
    async def talk() -> None:
        async with connected(front, era) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == [tool["name"] for tool in TOOLS]
            assert client.instructions == "Instructions."
            result = await client.call_tool("echo", {"value": ["é", 1, None]})
            assert result.structured_content == {
                "status": "ok",
                "result": {"tool": "echo", "value": ["é", 1, None]},
                "meta": {},
            }
            assert isinstance(result.content[0], types.TextContent)
            assert json.loads(result.content[0].text) == result.structured_content
            assert ", " not in result.content[0].text
            assert result.is_error is False
            assert front.caller.asked[-1]["client"] == "tester/3"

    asyncio.run(talk())


@pytest.mark.parametrize("era", ERAS)
def test_failures_are_envelopes(front: Front, era: str) -> None:
    async def talk() -> None:
        async with connected(front, era) as client:
            refused = await client.call_tool("refuse", {})
            assert refused.is_error
            assert refused.structured_content["status"] == "not_ready"
            assert refused.structured_content["error"]["error"] == "NOT_READY"
            crashed = await client.call_tool("crash", {})
            assert crashed.is_error
            assert crashed.structured_content["error"]["error"] == "INTERNAL"
            assert "secret" not in str(crashed)

    asyncio.run(talk())


@pytest.mark.parametrize("era", ERAS)
def test_progress_comes_before_the_answer(front: Front, era: str) -> None:
    async def talk() -> None:
        seen: list[tuple[float, float | None, str | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            seen.append((progress, total, message))

        async with connected(front, era) as client:
            await client.call_tool("sleep", {"seconds": 0.1}, progress_callback=on_progress)
            assert len(seen) > 3
            assert [item[0] for item in seen] == sorted({item[0] for item in seen})
            assert seen[0] == (0, 10, "step 0")
            count = len(seen)
            await asyncio.sleep(0.05)
            assert len(seen) == count

    asyncio.run(talk())


@pytest.mark.parametrize("era", ERAS)
def test_cancelled_call_ends(era: str) -> None:
    async def talk(front: Front) -> None:
        async with connected(front, era) as client:
            call = asyncio.create_task(client.call_tool("sleep", {"seconds": 30}))
            assert await until(lambda: front.caller.running == 1)
            call.cancel()
            assert await until(lambda: front.caller.running == 0)
            assert front.caller.cancelled == 1
            again = await client.call_tool("echo", {"value": 2})
            assert again.structured_content["result"]["value"] == 2

    with running_front() as front:
        asyncio.run(talk(front))


def test_closing_the_stream_ends_the_call() -> None:
    with running_front() as front:
        for progress in ({}, {"_meta": {"progressToken": "t"}}):
            cancelled = front.caller.cancelled
            body = json.dumps(modern_message("tools/call", {"name": "sleep", "arguments": {"seconds": 30}, **progress}))
            headers = {
                **front.own_headers,
                **modern_headers("tools/call", {"name": "sleep"}),
                "Accept": "application/json, text/event-stream",
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
            }
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            with front.connect() as connection:
                connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n{body}".encode())
                assert asyncio.run(until(lambda: front.caller.running == 1))
            assert asyncio.run(until(lambda: front.caller.running == 0))
            assert front.caller.cancelled == cancelled + 1


def test_calls_above_the_limit_are_rejected() -> None:
    async def talk(front: Front) -> None:
        async with connected(front, LATEST) as client:
            calls = [asyncio.create_task(client.call_tool("sleep", {"seconds": 0.5})) for _ in range(6)]
            results = await asyncio.gather(*calls)
            busy = [result for result in results if result.is_error]
            assert len(busy) == 2
            assert busy[0].structured_content["error"]["error"] == "TOO_BUSY"
            assert busy[0].structured_content["error"]["retryable"] is True
            assert not (await client.call_tool("echo", {})).is_error

    with running_front(max_calls=4) as front:
        asyncio.run(talk(front))


def test_many_clients_of_both_eras_at_once(front: Front) -> None:
    async def one(number: int) -> None:
        async with connected(front, ERAS[number % 2]) as client:
            for step in range(5):
                result = await client.call_tool("echo", {"value": [number, step]})
                assert result.structured_content["result"]["value"] == [number, step]

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(all_of_them())


def test_sessions_of_older_protocols_separate_clients(front: Front) -> None:
    async def talk() -> None:
        for era, distinct in (("legacy", 2), (LATEST, 1)):
            principals = set()
            for _ in range(2):
                async with connected(front, era) as client:
                    await client.call_tool("echo", {})
                    principals.add(front.caller.asked[-1]["principal"])
            assert len(principals) == distinct
            assert all(TOKEN not in principal for principal in principals)

    asyncio.run(talk())


def test_unknown_session_ids_are_rejected(front: Front) -> None:
    """A request of the newer revision ignores the session header of the older ones."""
    principals = []
    for headers in ({}, {"Mcp-Session-Id": "chosen-by-me"}, {"Mcp-Session-Id": "0" * 32}):
        assert front.modern("tools/call", CALL, **headers).status == 200
        principals.append(front.caller.asked[-1]["principal"])
    assert len(set(principals)) == 1


def test_session_end_is_forwarded_to_the_engine(front: Front) -> None:
    async def talk() -> str:
        async with connected(front, "legacy") as client:
            await client.call_tool("echo", {})
            assert front.caller.asked[-1]["principal"] not in front.caller.left
            return str(front.caller.asked[-1]["principal"])

    before = len(front.caller.left)
    principal = asyncio.run(talk())
    assert front.caller.left[before:] == [principal]
    unknown = {**front.own_headers, "Mcp-Session-Id": "0" * 32}
    assert front.ask("DELETE", "/mcp", unknown).status == 404
    assert len(front.caller.left) == before + 1


def test_a_hundred_clients_call_at_once() -> None:
    """More calls than the engine runs at a time are queued, not rejected."""

    async def talk(front: Front) -> None:
        async with connected(front, LATEST) as client:
            results = await asyncio.gather(*(client.call_tool("sleep", {"seconds": 0.5}) for _ in range(150)))
            assert not [result for result in results if result.is_error]

    with running_front() as front:
        asyncio.run(talk(front))


def test_one_session_cannot_use_all_call_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "MAX_CALLS_EACH", 3)

    async def talk(front: Front) -> None:
        async with connected(front, "legacy") as greedy, connected(front, "legacy") as other:
            calls = [asyncio.create_task(greedy.call_tool("sleep", {"seconds": 1})) for _ in range(4)]
            assert await until(lambda: front.caller.running == 3)
            assert not (await other.call_tool("echo", {})).is_error
            assert sum(result.is_error for result in await asyncio.gather(*calls)) == 1

    with running_front() as front:
        asyncio.run(talk(front))


def test_tool_list_is_deterministic_and_not_shared_cacheable(front: Front) -> None:
    first, second = front.modern("tools/list"), front.modern("tools/list")
    assert first.body == second.body
    assert first.json["result"]["cacheScope"] == "private"
    assert first.json["result"]["ttlMs"] > 0


def test_server_info_is_sent(front: Front) -> None:
    found = front.modern("server/discover").json["result"]
    assert found["supportedVersions"] == [LATEST]
    assert set(found["capabilities"]) == {"tools"}
    assert found["instructions"] == "Instructions."


CALL = {"name": "echo", "arguments": {}}


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Mcp-Name": "sleep"}, 400, -32020),
        ({"Mcp-Method": "tools/list"}, 400, -32020),
        ({"MCP-Protocol-Version": "2030-01-01"}, 400, -32020),
    ],
)
def test_headers_that_contradict_the_message_are_rejected(
    front: Front, headers: dict[str, str], status: int, code: int
) -> None:
    asked = len(front.caller.asked)
    reply = front.modern("tools/call", CALL, **headers)
    assert (reply.status, reply.json["error"]["code"]) == (status, code)
    assert len(front.caller.asked) == asked


@pytest.mark.parametrize("version", ["2030-01-01", "nonsense"])
def test_unknown_protocol_versions_are_rejected(front: Front, version: str) -> None:
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": version}}
    reply = front.modern("tools/call", {**CALL, **meta}, **{"MCP-Protocol-Version": version})
    assert (reply.status, reply.json["error"]["code"]) == (400, -32022)
    assert LATEST in reply.json["error"]["data"]["supported"]


def test_unknown_methods_are_not_found(front: Front) -> None:
    reply = front.modern("tools/destroy")
    assert (reply.status, reply.json["error"]["code"]) == (404, -32601)


def initialize(version: str) -> dict[str, object]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ],
)
def test_versions_are_negotiated(front: Front, asked: str, given: str) -> None:
    reply = front.rpc(initialize(asked))
    assert reply.status == 200
    assert len(reply.headers["mcp-session-id"]) >= 32
    data = next(line for line in reply.body.splitlines() if line.startswith(b"data: "))
    assert json.loads(data[6:])["result"]["protocolVersion"] == given


def test_delete_ends_a_session(front: Front) -> None:
    session = {"Mcp-Session-Id": front.rpc(initialize("2025-11-25")).headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    front.rpc({"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)
    assert front.rpc(ping, **session).status == 200
    assert front.ask("DELETE", "/mcp", {**front.own_headers, **session}).status == 200
    assert front.rpc(ping, **session).status == 404
    assert front.rpc(ping, **{"Mcp-Session-Id": "0" * 32}).status == 404


def test_a_session_cannot_be_used_without_the_token(front: Front) -> None:
    session = front.rpc(initialize("2025-11-25")).headers["mcp-session-id"]
    stranger = {"Host": f"127.0.0.1:{front.port}", "Mcp-Session-Id": session, "Accept": "text/event-stream"}
    assert front.ask("GET", "/mcp", stranger).status == 401
    assert front.ask("DELETE", "/mcp", stranger).status == 401


def test_status_reports_the_engine_state() -> None:
    with running_front() as front:
        status = front.ask("GET", "/status").json
        assert status["api_version"] == "0.1.0"
        assert status["version"] == "9.9.9"
        assert status["port"] == front.port
        assert status["engine"] == {"ready": True, "state": "ready"}
        assert front.ask("GET", "/ready").json == {"status": "ready"}
        front.caller.ready = False
        assert front.ask("GET", "/ready").status == 503
        front.caller.unreachable = True
        assert front.ask("GET", "/ready").status == 503
        assert front.ask("GET", "/status").json["engine"]["error"]["error"] == "ENGINE_UNREACHABLE"
        assert front.ask("GET", "/health").status == 200


def test_shutdown_is_announced_on_open_streams_and_ends_them() -> None:
    """A client of 2025 keeps a stream open on which nothing else may ever come."""
    with running_front(grace_seconds=600.0) as front:
        session = front.rpc(initialize("2025-11-25")).headers["mcp-session-id"]
        headers = {**front.own_headers, "Mcp-Session-Id": session, "Accept": "text/event-stream"}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with front.connect() as connection:
            connection.sendall(f"GET /mcp HTTP/1.1\r\n{head}\r\n".encode())
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")
            connection.settimeout(0.5)
            with pytest.raises(TimeoutError):
                connection.recv(4096)
            # Far less than the grace period: an idle stream must not be waited for.
            connection.settimeout(60)
            front.loop.call_soon_threadsafe(front.stop.set)
            received = b""
            while part := connection.recv(4096):
                received += part
            assert b"event: shutdown\ndata: {}\n\n" in received
            assert received.endswith(b"0\r\n\r\n")
