"""Concurrency limits of the engine: waiting calls do not block others, and every call is answered."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from codeplane import telemetry
from codeplane.server import client_session
from codeplane.server import engine as engine_module
from codeplane.server.engine import EngineServer, run_engine
from codeplane.server.engine_client import EngineClient
from codeplane.server.runtime_directory import RuntimeDirectory
from codeplane.tools.calls import CallReply, CallRequest
from codeplane.tools.pipeline import CallPipeline
from codeplane.tools.surface import Format, Surface


@dataclass
class Answering:
    """Answers like a pipeline: `wait` takes until it is let go, `deaf` hears of no cancellation, `fail` fails."""

    go: threading.Event = field(default_factory=threading.Event)
    state_go: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    begun: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    close_seconds: float | None = None

    def call(self, request: CallRequest) -> CallReply:
        self.begun.append(request.principal)
        if request.tool == "fail":
            raise {"recursion": RecursionError, "runtime": RuntimeError}[str(request.arguments["kind"])]("a secret")
        if request.tool in ("wait", "deaf"):
            self.waiting += 1
            while not self.go.wait(0.01) and not (request.cancelled() and request.tool == "wait"):
                pass
            self.waiting -= 1
        if request.cancelled():
            self.cancelled.append(request.principal)
        return CallReply(b'{"status":"ok"}', is_error=False)

    def state(self) -> dict[str, object]:
        self.state_go.wait(10)
        return {"ready": True}

    def drop_caches(self) -> None:
        """Nothing is cached."""

    def leave(self, principal: str) -> None:
        self.left.append(principal)

    def building(self) -> None:
        return None

    def close(self, timeout: float = 1.0) -> None:
        self.close_seconds = timeout


@asynccontextmanager
async def served(kind: str, pipeline: Answering) -> AsyncIterator[tuple[EngineServer, EngineClient]]:
    with tempfile.TemporaryDirectory(prefix="cpl-") as directory:
        path = Path(directory) / "engine.sock"
        server = EngineServer(cast(CallPipeline, pipeline))
        stop = asyncio.Event()
        serving = asyncio.ensure_future(server.serve(path, stop, 0.0))
        engine = EngineClient(path, None, Surface(format=Format.JSON), kind)
        engine.start()
        try:
            yield server, engine
        finally:
            pipeline.go.set()
            pipeline.state_go.set()
            await engine.close()
            stop.set()
            await serving


def talk(kind: str, conversation: Callable[[EngineServer, EngineClient, Answering], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        pipeline = Answering()
        async with served(kind, pipeline) as (server, engine):
            await conversation(server, engine, pipeline)

    asyncio.run(asyncio.wait_for(main(), 20))


async def until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        await asyncio.sleep(0.005)


def begin(engine: EngineClient, tool: str, principal: str, count: int = 1) -> list[asyncio.Task[Any]]:
    return [asyncio.ensure_future(engine.call(tool, {}, principal=principal)) for _ in range(count)]


@pytest.mark.parametrize("kind", ["mcp", "http"])
def test_immediate_tools_are_answered_at_the_call_limit(kind: str) -> None:
    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        limits = client_session.MANY_CLIENTS if kind == "http" else client_session.ONE_CLIENT
        calls = begin(engine, "wait", "p", limits.calls)
        await until(lambda: pipeline.waiting == limits.per_principal)
        for tool, arguments in (("health_check", {}), ("manage_index", {"action": "status"}), ("list_codebases", {})):
            reply = await asyncio.wait_for(engine.call(tool, arguments, principal="p"), 1.0)
            assert not reply.is_error
        (refused,) = await asyncio.wait_for(asyncio.gather(*begin(engine, "map_repo", "p")), 1.0)
        assert json.loads(refused.body)["error"]["error"] == "TOO_BUSY"
        pipeline.go.set()
        assert not any(reply.is_error for reply in await asyncio.gather(*calls))

    talk(kind, conversation)


def test_http_sessions_do_not_block_each_other() -> None:
    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        begin(engine, "wait", "greedy", 300)
        await until(lambda: pipeline.waiting == client_session.MANY_CLIENTS.per_principal)
        (reply,) = await asyncio.wait_for(asyncio.gather(*begin(engine, "map_repo", "other")), 1.0)
        assert not reply.is_error

    talk("http", conversation)


def test_cancelled_calls_leave_the_queue() -> None:
    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        begin(engine, "wait", "p", client_session.ONE_CLIENT.per_principal)
        await until(lambda: pipeline.waiting == client_session.ONE_CLIENT.per_principal)
        late = begin(engine, "wait", "p", 10)
        await until(lambda: len(server._tasks) == client_session.ONE_CLIENT.per_principal + 10)
        for call in late:
            call.cancel()
        # Each still leaves its outcome.
        await until(lambda: len(pipeline.cancelled) == 10)
        await until(lambda: len(server._tasks) == client_session.ONE_CLIENT.per_principal)
        assert pipeline.waiting == client_session.ONE_CLIENT.per_principal
        pipeline.go.set()
        await until(lambda: not server._tasks)
        # All slots were released.
        pipeline.go.clear()
        begin(engine, "wait", "p", client_session.ONE_CLIENT.per_principal)
        await until(lambda: pipeline.waiting == client_session.ONE_CLIENT.per_principal)

    talk("mcp", conversation)


@pytest.mark.parametrize("kind", ["recursion", "runtime"])
def test_unexpected_exceptions_become_internal_errors(kind: str) -> None:
    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        reply = await asyncio.wait_for(engine.call("fail", {"kind": kind}, principal="p"), 5.0)
        error = json.loads(reply.body)["error"]
        assert reply.is_error and error["error"] == "INTERNAL"
        assert "secret" not in str(error)

    talk("mcp", conversation)


def test_slow_state_requests_do_not_block_calls() -> None:
    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        asking = [asyncio.ensure_future(engine.state()) for _ in range(50)]
        await asyncio.sleep(0.05)
        for tool in ("map_repo", "health_check"):
            assert not (await asyncio.wait_for(engine.call(tool, {}, principal="p"), 1.0)).is_error
        pipeline.state_go.set()
        assert {state["ready"] for state in await asyncio.gather(*asking)} == {True}

    talk("mcp", conversation)


def test_sessions_end_on_request_and_least_recently_used_principals_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_session, "_MAX_PRINCIPALS", 3)

    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        for name in "abc":
            await engine.call("map_repo", {}, principal=name)
        engine.end_session("b")
        engine.end_session("of another client")
        await until(lambda: pipeline.left == ["b"])
        await engine.call("map_repo", {}, principal="a")
        for name in "de":
            await engine.call("map_repo", {}, principal=name)
        await until(lambda: pipeline.left == ["b", "c"])
        assert [front.principals for front in server._clients] == [("a", "d", "e")]
        await engine.close()
        await until(lambda: sorted(pipeline.left) == ["a", "b", "c", "d", "e"])

    talk("http", conversation)


def test_client_name_is_logged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[object] = []

    def noted(event: str, **fields: object) -> None:
        named.extend(value for name, value in fields.items() if name == "client")

    monkeypatch.setattr(telemetry, "debug", noted)

    async def conversation(server: EngineServer, engine: EngineClient, pipeline: Answering) -> None:
        for _ in range(3):
            await engine.call("map_repo", {}, principal="p", client="tester/3")

    talk("mcp", conversation)
    assert named == ["tester/3"]


def test_shutdown_leaves_the_remaining_time_to_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that ignores its cancellation does not delay the end."""
    monkeypatch.setattr(engine_module, "_END_SECONDS", 600.0)
    pipeline = Answering()
    with tempfile.TemporaryDirectory(prefix="cpl-") as base, RuntimeDirectory.open(Path(base), tmp_path) as runtime:
        ours, theirs = os.pipe()[::-1]

        async def ask() -> None:
            engine = EngineClient(runtime.socket_path, None, Surface(format=Format.JSON), "mcp")
            engine.start()
            calls = begin(engine, "deaf", "p")
            await until(lambda: pipeline.waiting)
            os.close(ours)
            await asyncio.wait(calls, timeout=1.5)
            await engine.close()

        asking = threading.Thread(target=lambda: asyncio.run(ask()))
        asking.start()
        run_engine(runtime, lambda: cast(CallPipeline, pipeline), lifeline=theirs, shutdown_seconds=0.3)
        # The call is still running.
        pipeline.go.set()
        asking.join()
        os.close(theirs)
    assert pipeline.close_seconds is not None and 300 < pipeline.close_seconds < 600
