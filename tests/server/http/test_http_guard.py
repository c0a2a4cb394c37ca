"""The guard: hosts, origins, tokens, sizes and timeouts, on every route and with every method."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import time
from collections.abc import Callable

import pytest

from codeplane.server.http.connections import Connections
from codeplane.server.runtime_directory import prove
from support.http_front import REPOSITORY, TOKEN, Front, modern_headers, modern_message, running_front

ROUTES = ("/mcp", "/health", "/ready", "/status", "/", "/mcp/", "/nowhere", "/metrics", "/mcp?x=1")
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD")
CALL = json.dumps(modern_message("tools/call", {"name": "echo", "arguments": {"value": 1}})).encode()
CALL_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    **modern_headers("tools/call", {"name": "echo"}),
}


def body_of(method: str) -> bytes:
    return CALL if method in ("POST", "PUT", "PATCH") else b""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("route", ROUTES)
def test_foreign_host_headers_are_rejected(front: Front, route: str, method: str) -> None:
    wrong = [
        "evil.example",
        "localhost.evil.example",
        f"localhost.evil.example:{front.port}",
        "127.0.0.1",
        "localhost",
        f"127.0.0.1:{front.port + 1}",
        f"127.0.0.1:{front.port}@evil",
        f"evil@127.0.0.1:{front.port}",
        f"127.0.0.1:{front.port}.evil.example",
        f"127.0.0.2:{front.port}",
        f"[::]:{front.port}",
        "",
    ]
    asked = len(front.caller.asked)
    for host in wrong:
        reply = front.ask(method, route, {**front.own_headers, **CALL_HEADERS, "Host": host}, body_of(method))
        assert reply.status in (400, 421), host
        assert_says_nothing(reply)
    assert len(front.caller.asked) == asked


def assert_says_nothing(reply: object) -> None:
    shown = str(reply)
    assert "somewhere" not in shown and "9.9.9" not in shown and "x-codeplane-repo" not in shown
    assert "access-control" not in shown


@pytest.mark.parametrize(
    "head",
    [
        "GET /status HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /status HTTP/1.0\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /status HTTP/1.1\r\nHost: {own}\r\nHost: evil\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /status HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\nAuthorization: Bearer {token}\r\n\r\n",
        "GET /status HTTP/1.0\r\nHost: evil\r\nHost: {own}\r\nAuthorization: Bearer {token}\r\n\r\n",
    ],
)
def test_missing_or_duplicate_host_headers_are_rejected(front: Front, head: str) -> None:
    reply = front.send_raw(head.format(own=f"127.0.0.1:{front.port}", token=TOKEN).encode())
    assert reply.status in (400, 421)
    assert_says_nothing(reply)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_every_name_of_loopback_with_the_port_passes(front: Front, name: str) -> None:
    host = f"{name}:{front.port}"
    for origin in ({}, {"Origin": f"http://{host}"}):
        assert front.ask("GET", "/status", {**front.own_headers, "Host": host, **origin}).status == 200


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("route", ROUTES)
def test_foreign_origins_are_rejected(front: Front, route: str, method: str) -> None:
    own = f"127.0.0.1:{front.port}"
    wrong = [
        {"Origin": origin}
        for origin in (
            "http://evil.example",
            "null",
            "http://localhost:3000",
            "http://127.0.0.1",
            f"https://{own}",
            f"http://{own}.evil.example",
            f"http://localhost:{front.port}",
            f"http://{own}/",
            "",
        )
    ]
    wrong += [{"Sec-Fetch-Site": site} for site in ("cross-site", "same-site", "")]
    wrong += [{"Origin": f"http://{own}", "Sec-Fetch-Site": "cross-site"}]
    asked = len(front.caller.asked)
    for headers in wrong:
        reply = front.ask(method, route, {**front.own_headers, **CALL_HEADERS, **headers}, body_of(method))
        assert reply.status == 403, headers
        assert_says_nothing(reply)
    assert len(front.caller.asked) == asked


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("route", ROUTES)
def test_only_health_answers_without_the_token(front: Front, route: str, method: str) -> None:
    own = {"Host": f"127.0.0.1:{front.port}", **CALL_HEADERS}
    wrong = [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xe9",
    ]
    asked = len(front.caller.asked)
    for headers in (own, *({**own, "Authorization": value} for value in wrong)):
        reply = front.ask(method, route, headers, body_of(method))
        if route == "/health" and method in ("GET", "HEAD"):
            assert reply.status == 200
            assert reply.body == (b'{"status":"ok"}' if method == "GET" else b"")
        else:
            assert reply.status == 401, headers
            assert reply.headers["www-authenticate"] == "Bearer"
        assert_says_nothing(reply)
    assert len(front.caller.asked) == asked


def test_duplicate_authorization_headers_are_rejected(front: Front) -> None:
    head = f"GET /status HTTP/1.1\r\nHost: 127.0.0.1:{front.port}\r\n" + f"Authorization: Bearer {TOKEN}\r\n" * 2
    assert front.send_raw(head.encode() + b"\r\n").status == 401


def test_repository_is_named_only_to_authorized_clients(front: Front) -> None:
    for route, status in (("/health", 200), ("/status", 200), ("/ready", 200), ("/nowhere", 404), ("/mcp", 405)):
        reply = front.ask("GET", route)
        assert reply.status == status
        assert reply.headers["x-codeplane-repo"] == REPOSITORY.replace("é", "%C3%A9")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
def test_only_post_changes_state(front: Front, method: str) -> None:
    asked = len(front.caller.asked)
    for path in ("/mcp", "/mcp?method=tools/call"):
        reply = front.ask(method, path, {**front.own_headers, **CALL_HEADERS}, body_of(method))
        assert reply.status == 405
        assert "POST" in reply.headers["allow"]
        assert not [name for name in reply.headers if name.startswith("access-control")]
    assert len(front.caller.asked) == asked


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain;application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
        "text/plain, application/json",
        "",
    ],
)
def test_form_posts_are_rejected(front: Front, kind: str) -> None:
    asked = len(front.caller.asked)
    reply = front.ask("POST", "/mcp", {**front.own_headers, **CALL_HEADERS, "Content-Type": kind}, CALL)
    assert reply.status == 400
    assert len(front.caller.asked) == asked


def test_cors_preflight_is_denied(front: Front) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    own = f"http://127.0.0.1:{front.port}"
    for headers, status in (
        ({"Host": f"127.0.0.1:{front.port}", "Origin": "http://evil.example", **preflight}, 403),
        ({"Host": f"127.0.0.1:{front.port}", "Origin": own, **preflight}, 401),
        ({**front.own_headers, "Origin": own, **preflight}, 405),
    ):
        reply = front.ask("OPTIONS", "/mcp", headers)
        assert reply.status == status
        assert "access-control" not in str(reply.headers)


def test_websockets_do_not_bypass_the_guard(front: Front) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "eA==",
        "Sec-WebSocket-Version": "13",
    }
    for route in ("/mcp", "/status"):
        assert front.ask("GET", route, {"Host": f"127.0.0.1:{front.port}", **upgrade}).status == 401
    assert front.ask("GET", "/mcp", {**front.own_headers, **upgrade}).status == 405


@pytest.mark.parametrize(
    "target", ["http://evil.example/status", "//evil.example/status", "/../status", "/%2e%2e/status"]
)
def test_odd_request_targets_are_not_found(front: Front, target: str) -> None:
    assert front.ask("GET", target).status == 404
    assert front.ask("GET", target, {"Host": f"127.0.0.1:{front.port}"}).status == 401


def test_server_proves_its_identity(front: Front) -> None:
    own = {"Host": f"127.0.0.1:{front.port}"}
    reply = front.ask("GET", "/health", {**own, "X-CodePlane-Challenge": "abc"})
    assert reply.headers["x-codeplane-proof"] == prove(TOKEN, "abc")
    assert "x-codeplane-proof" not in front.ask("GET", "/health", own).headers
    assert "x-codeplane-proof" not in front.ask("GET", "/health", {**own, "X-CodePlane-Challenge": "x" * 129}).headers


MALFORMED = {
    "nested 100,000 deep": b"[" * 100_000 + b"]" * 100_000,
    "a million keys": b"{" + b",".join(b'"%d":0' % n for n in range(300_000)) + b"}",
    "the same key twice": b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
    "1e999": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}',
    "lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    "odd id": b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    "batch": b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "not JSON": b"<html>",
    "cut off": b'{"jsonrpc":"2.0"',
    "Method": b'{"jsonrpc":"2.0","id":1,"Method":"ping"}',
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "1900-01-01"])
def test_malformed_requests_are_rejected(front: Front, name: str, version: str) -> None:
    reply = front.rpc(MALFORMED[name], **{"MCP-Protocol-Version": version, "Mcp-Method": "ping"})
    assert reply.status == 400
    assert reply.json["error"]["code"] in (-32700, -32600)
    assert b"Traceback" not in reply.body and b"File" not in reply.body


def test_body_size_is_bounded(front: Front) -> None:
    limit = 4 * 1024 * 1024
    big = json.dumps(modern_message("tools/call", {"name": "echo", "arguments": {"value": "x" * limit}})).encode()
    asked = len(front.caller.asked)
    assert front.ask("POST", "/mcp", {**front.own_headers, **CALL_HEADERS}, big).status == 413
    chunked = {**front.own_headers, **CALL_HEADERS, "Transfer-Encoding": "chunked"}
    head = "".join(f"{name}: {value}\r\n" for name, value in chunked.items())
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in split(big, 65_536))
    assert front.send_raw(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + chunks + b"0\r\n\r\n", "POST").status == 413
    assert len(front.caller.asked) == asked
    fits = json.dumps(
        modern_message("tools/call", {"name": "echo", "arguments": {"value": "x" * (limit - 500)}})
    ).encode()
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in split(fits, 65_536))
    assert front.send_raw(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + chunks + b"0\r\n\r\n", "POST").status == 200


def split(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_oversized_content_length_is_rejected_early(front: Front) -> None:
    headers = {**front.own_headers, **CALL_HEADERS, "Content-Length": str(10**12)}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    assert front.send_raw(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode(), "POST").status == 413


def test_bodies_of_unauthenticated_requests_are_not_read(front: Front) -> None:
    """The refusal comes before the body, which is not waited for."""
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{front.port}\r\nContent-Type: application/json\r\n"
    assert front.send_raw(f"{head}Content-Length: 1000000\r\n\r\n".encode(), "POST").status == 401


def test_headers_are_bounded(front: Front) -> None:
    assert front.ask("GET", "/status", {**front.own_headers, "X-Big": "x" * 14_000}).status == 200
    assert front.ask("GET", "/status", {**front.own_headers, "X-Big": "x" * 17_000}).status in (400, 431)
    assert front.ask("GET", "/" + "x" * 20_000).status in (400, 431)


def test_garbage_is_answered_and_closed(front: Front) -> None:
    for garbage in (
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"HELO\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00" * 100 + b"\r\n\r\n",
    ):
        with front.connect() as connection:
            connection.sendall(garbage + b"\r\n\r\n")
            received = b""
            while part := connection.recv(4096):
                received += part
            assert received.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421"))
    assert front.ask("GET", "/health").status == 200


def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def status_over(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/status", headers={"Authorization": f"Bearer {TOKEN}"})
    reply = connection.getresponse()
    reply.read()
    return reply.status


def test_half_open_sockets_do_not_lock_out_clients() -> None:
    with running_front() as front, contextlib.ExitStack() as stack:
        persistent = http.client.HTTPConnection("127.0.0.1", front.port, timeout=20)
        stack.callback(persistent.close)
        assert status_over(persistent) == 200
        persistent_socket = persistent.sock
        for number in range(500):
            stranger = stack.enter_context(front.connect())
            if number % 2:
                stranger.sendall(b"GET /mcp HTTP/1.1\r\nHost: 127")
            if number % 50 == 0:
                assert front.modern("tools/call", {"name": "echo", "arguments": {}}).status == 200
        assert front.connections.count <= 256
        assert front.ask("GET", "/health").status == 200
        # Who has shown the token keeps its connection while strangers come and go.
        assert status_over(persistent) == 200
        assert persistent.sock is persistent_socket


def test_busy_connections_are_not_dropped_for_new_ones() -> None:
    with running_front(connections=Connections(limit=2)) as front, front.connect() as one, front.connect() as two:
        body = json.dumps(modern_message("tools/call", {"name": "sleep", "arguments": {"seconds": 1.0}})).encode()
        headers = {**front.own_headers, **CALL_HEADERS, "Mcp-Name": "sleep", "Content-Length": str(len(body))}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        for connection in (one, two):
            connection.sendall(head.encode() + body)
        assert eventually(lambda: front.caller.running == 2)
        with front.connect() as late, contextlib.suppress(ConnectionError):
            late.sendall(b"GET /health HTTP/1.1\r\n\r\n")
            assert late.recv(100) == b""
        for connection in (one, two):
            assert connection.recv(4096).startswith(b"HTTP/1.1 200")


def test_slow_headers_time_out() -> None:
    with running_front(connections=Connections(header_seconds=0.3)) as front:
        with front.connect() as silent, front.connect() as dripping, front.connect() as second:
            second.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{front.port}\r\n\r\n".encode())
            assert second.recv(4096).startswith(b"HTTP/1.1 200")
            second.sendall(b"GET /health HT")
            with contextlib.suppress(ConnectionError):
                for byte in b"GET /health HTTP/1.1\r\nX-Slow: " + b"x" * 200:
                    dripping.sendall(bytes([byte]))
                    time.sleep(0.02)
            for connection in (silent, dripping, second):
                assert is_gone(connection)
        assert eventually(lambda: front.connections.count == 0)
        slow = front.modern("tools/call", {"name": "sleep", "arguments": {"seconds": 0.6}})
        assert slow.status == 200


def is_gone(connection: socket.socket) -> bool:
    """True if the connection ends after the pending data."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


def test_slow_bodies_time_out() -> None:
    with running_front(body_seconds=0.3) as front:
        headers = {**front.own_headers, **CALL_HEADERS, "Content-Length": "1000"}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        reply = front.send_raw(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + b'{"jsonrpc"', "POST")
        assert reply.status == 408
        with front.connect() as connection:
            connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + b'{"jsonrpc"')
        assert eventually(lambda: front.connections.count == 0)
        assert front.caller.asked == []


def test_clients_that_do_not_read_are_dropped_without_blocking_others() -> None:
    with running_front(stall_seconds=0.5) as front, front.connect() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        params = {
            "name": "sleep",
            "arguments": {"seconds": 30, "padding": 200_000},
            "_meta": {"progressToken": "p"},
        }
        body = json.dumps(modern_message("tools/call", params)).encode()
        headers = {**front.own_headers, **CALL_HEADERS, "Mcp-Name": "sleep", "Content-Length": str(len(body))}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        deaf.sendall(head.encode() + body)
        assert eventually(lambda: front.caller.running == 1)
        answered = 0
        while front.caller.running:
            assert front.modern("tools/call", {"name": "echo", "arguments": {}}).status == 200
            answered += 1
        assert answered, "others are answered while one does not read"
        assert front.caller.cancelled == 1
        assert eventually(lambda: front.connections.count == 0)


def test_shutdown_finishes_calls_and_closes_streams() -> None:
    with running_front(grace_seconds=3.0) as front, front.connect() as connection:
        body = json.dumps(modern_message("tools/call", {"name": "sleep", "arguments": {"seconds": 0.5}})).encode()
        headers = {**front.own_headers, **CALL_HEADERS, "Mcp-Name": "sleep", "Content-Length": str(len(body))}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        connection.sendall(head.encode() + body)
        assert eventually(lambda: front.caller.running == 1)
        front.loop.call_soon_threadsafe(front.stop.set)
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        assert front.caller.cancelled == 0


def test_shutdown_aborts_calls_after_the_grace_period() -> None:
    with running_front(grace_seconds=0.2) as front, front.connect() as connection:
        params = {"name": "sleep", "arguments": {"seconds": 60}, "_meta": {"progressToken": 1}}
        body = json.dumps(modern_message("tools/call", params)).encode()
        headers = {**front.own_headers, **CALL_HEADERS, "Mcp-Name": "sleep", "Content-Length": str(len(body))}
        head = "POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        connection.sendall(head.encode() + body)
        assert eventually(lambda: front.caller.running == 1)
        front.loop.call_soon_threadsafe(front.stop.set)
        received = b""
        while part := connection.recv(65_536):
            received += part
        # The stream ends as a stream should, and says nothing that was not so.
        assert received.endswith(b"0\r\n\r\n")
        assert b"result" not in received.split(b"\r\n\r\n", 1)[1].replace(b"notifications/progress", b"")
        assert front.caller.cancelled == 1


def test_event_loop_stays_responsive_under_malformed_requests(front: Front) -> None:
    """A small request is answered before the large refusals that were requested earlier."""

    async def race() -> int:
        loop = asyncio.get_running_loop()
        flood = [loop.run_in_executor(None, front.rpc, MALFORMED["a million keys"]) for _ in range(4)]
        await loop.run_in_executor(None, front.ask, "GET", "/health")
        refused = sum(request.done() for request in flood)
        await asyncio.gather(*flood)
        return refused

    assert asyncio.run(race()) < 4
