"""The engine ends, however it ends: another front starts the next one, and no call is lost or answered twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from codeplane.disk.locks import find_owner
from codeplane.ledger.chain import verify_chain
from codeplane.server import engine_client
from codeplane.server.async_frames import read_frame
from codeplane.server.engine_client import EngineClient
from codeplane.server.frames import Frame
from codeplane.tools.surface import Format, Surface
from support.mcp_client import McpClient, Place, index_held, until

# What is promised is 1 and 3 seconds, and is measured by the sweep; a busy machine is given more.


class Asking:
    """A client that asks without a pause in a thread of its own."""

    def __init__(self, client: McpClient) -> None:
        self.client = client
        self.envelopes: list[dict[str, Any]] = []
        self.finished: list[float] = []
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self._thread.start()

    def _ask(self) -> None:
        try:
            while not self._stop.is_set():
                self.envelopes.append(self.client.call("file_outline", file="app.py"))
                self.finished.append(time.monotonic())
                time.sleep(0.005)
        except BaseException as error:
            self.failure = error

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        assert self.failure is None, self.failure
        assert self.client.answered.count(self.client._next) == 1
        assert len(self.client.answered) == len(set(self.client.answered)) == self.client._next
        wrong = [envelope for envelope in self.envelopes if envelope["status"] != "ok"]
        assert not wrong, wrong[:3]


def owner_of(place: Place) -> int | None:
    return find_owner(place.socket.parent / "engine.lock")


def next_owner(place: Place, former: int, began: float) -> float:
    until(lambda: owner_of(place) not in (None, former), pause=0.005)
    return time.monotonic() - began


def end_engine(place: Place, owner: McpClient) -> None:
    os.kill(place.engine_pid(), signal.SIGKILL)


def kill_owner(place: Place, owner: McpClient) -> None:
    owner.process.kill()


def close_owner(place: Place, owner: McpClient) -> None:
    owner.close_input()


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("end", [end_engine, kill_owner, close_owner], ids=lambda end: end.__name__)
def test_the_next_engine_answers(place: Place, end: Callable[[Place, McpClient], None], count: int) -> None:
    owner = place.ready()
    others = [place.mcp() for _ in range(count)]
    for other in others:
        other.call("health_check")
    asking = [Asking(other) for other in others]
    time.sleep(0.1)
    former = place.engine_pid()
    began = time.monotonic()
    end(place, owner)
    locked = next_owner(place, former, began)
    until(lambda: all(asked.finished and asked.finished[-1] > began + locked for asked in asking))
    time.sleep(0.1)
    for asked in asking:
        asked.stop()
    assert [process.pid for process in place.engines()] == [place.engine_pid()]
    assert place.engine_pid() != former
    for client in place.clients:
        client.end(5)
    assert not place.processes()
    assert verify_chain(place.root / ".codeplane").is_intact


def test_calls_in_flight_are_retried(place: Place) -> None:
    with index_held(place):
        one, two = place.mcp(), place.mcp()
        for client in (one, two):
            client.call("health_check")
        reads = [client.begin("map_repo", freshness_policy="strict") for client in (one, two)]
        until(lambda: place.state()["calls"] >= 2)  # type: ignore[index]
        time.sleep(0.2)
        os.kill(place.engine_pid(), signal.SIGKILL)
        until(lambda: (place.state() or {}).get("calls") == 2)
    assert [client.finish(number)["status"] for client, number in zip((one, two), reads, strict=True)] == ["ok", "ok"]
    for client in (one, two):
        assert len(client.answered) == len(set(client.answered)) == client._next


def test_late_calls_go_to_the_next_engine(place: Place) -> None:
    """Calls that arrive during the shutdown have not started, so even calls with effects are sent again."""
    owner, other = place.ready(), place.mcp()
    other.call("health_check")
    for _ in range(3):
        os.kill(place.engine_pid(), signal.SIGTERM)
        numbers = []
        for _ in range(20):
            numbers.append(other.begin("manage_index", action="sync"))
            numbers.append(other.begin("file_outline", file="app.py"))
            time.sleep(0.01)
        statuses = [other.finish(number) for number in numbers]
        wrong = [envelope for envelope in statuses if envelope["status"] != "ok"]
        # One that was being carried out at the very moment is in doubt; nothing else may fail.
        assert all(envelope["error"]["error"] == "OUTCOME_UNKNOWN" for envelope in wrong) and len(wrong) <= 1
        assert owner.call("health_check")["status"] == "ok"


async def _asked(place: Place, replies: list[dict[str, Any] | None], *, again: bool) -> tuple[dict[str, Any], int]:
    """The answer to one call, and how often it was asked, by engines that reply so (None: that hang up)."""
    asked = 0

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        await read_frame(reader)
        writer.write(Frame({"welcome": {}}).encode())
        while (frame := await read_frame(reader)) is not None:
            reply = replies[asked]
            asked += 1
            if reply is not None:
                writer.write(Frame({"id": frame.header["id"], **reply}, b'{"status":"ok"}').encode())
            if reply is None or "later" in reply:
                writer.close()
                return
        writer.close()

    place.socket.parent.mkdir(parents=True, mode=0o700)
    async with await asyncio.start_unix_server(attend, str(place.socket)):
        engine = EngineClient(place.socket, None, Surface(format=Format.JSON), "mcp")
        engine.start()
        reply = await engine._ask(
            {"call": "x", "principal": "p"}, b"{}", None, repeatable=again, in_doubt=not again, form=Format.JSON
        )
        await engine.close()
    return json.loads(reply.body), asked


@pytest.mark.parametrize(
    ("replies", "again", "status", "times"),
    [
        ([{}], False, "ok", 1),
        ([None], False, "OUTCOME_UNKNOWN", 1),
        ([None, {}], True, "ok", 2),
        ([None, None, None], True, "ENGINE_UNREACHABLE", 3),
        ([{"later": True}, {}], False, "ok", 2),
        ([{"later": True}, None], False, "OUTCOME_UNKNOWN", 2),
        ([{"later": True}, None, {}], True, "ok", 3),
    ],
)
def test_calls_with_effects_are_not_repeated(
    place: Place, replies: list[dict[str, Any] | None], again: bool, status: str, times: int
) -> None:
    """Unless an engine says that it has not begun; and nothing is asked for ever."""
    envelope, asked = asyncio.run(asyncio.wait_for(_asked(place, replies, again=again), 10))
    assert envelope.get("error", {}).get("error", envelope["status"]) == status
    assert asked == times


ODD_HEADERS: list[dict[str, Any]] = [{"id": []}, {"id": 1, "progress": 7}, {"id": 1, "progress": [1, 2, 3, 4, 5]}]


@pytest.mark.parametrize("odd", [*ODD_HEADERS, {"refused": []}])
def test_invalid_engine_frames_close_the_connection(place: Place, odd: dict[str, Any]) -> None:
    async def ask() -> dict[str, Any]:
        lines = 0

        async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal lines
            lines += 1
            is_first = lines == 1
            await read_frame(reader)
            writer.write(Frame(odd if is_first and "refused" in odd else {"welcome": {}}).encode())
            while (frame := await read_frame(reader)) is not None:
                writer.write(Frame(odd if is_first else {"id": frame.header["id"]}, b'{"status":"ok"}').encode())
            writer.close()

        async def tell(done: float, total: float | None, message: str) -> None:
            """It is never told anything that it could understand."""

        place.socket.parent.mkdir(parents=True, mode=0o700)
        async with await asyncio.start_unix_server(attend, str(place.socket)):
            engine = EngineClient(place.socket, None, Surface(format=Format.JSON), "mcp")
            engine.start()
            reply = await engine.call("map_repo", {}, principal="p", on_progress=tell)
            await engine.close()
        return dict(json.loads(reply.body))

    assert asyncio.run(asyncio.wait_for(ask(), 5)) == {"status": "ok"}


def test_refusal_reaches_earlier_calls(place: Place) -> None:
    async def ask() -> dict[str, Any]:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_frame(reader)
            await asyncio.sleep(0.3)
            writer.write(Frame({"refused": {"version": "7.7.7", "pid": 1, "protocol": 1}}).encode())
            writer.close()

        place.socket.parent.mkdir(parents=True, mode=0o700)
        async with await asyncio.start_unix_server(refuse, str(place.socket)):
            engine = EngineClient(place.socket, None, Surface(format=Format.JSON), "mcp")
            engine.start()
            reply = await engine.call("map_repo", {}, principal="p")
            await engine.close()
        return cast(dict[str, Any], json.loads(reply.body))

    envelope = asyncio.run(asyncio.wait_for(ask(), 60))
    assert (envelope["error"]["error"], envelope["error"]["received"]) == ("VERSION_MISMATCH", "7.7.7")


def test_late_connection_loss_is_retried(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed engine may leave unread calls behind: the line is then reset instead of closed."""
    monkeypatch.setattr(engine_client, "_CONNECT_SECONDS", 0.4)

    async def ask() -> dict[str, Any]:
        lines = 0

        async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal lines
            lines += 1
            await read_frame(reader)
            if lines == 1:
                writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(Frame({"welcome": {}}).encode())
            if lines == 1:
                await asyncio.sleep(0.8)
                writer.transport.abort()
                return
            frame = await read_frame(reader)
            assert frame is not None
            writer.write(Frame({"id": frame.header["id"]}, b'{"status":"ok"}').encode())
            await read_frame(reader)
            writer.close()

        place.socket.parent.mkdir(parents=True, mode=0o700)
        async with await asyncio.start_unix_server(attend, str(place.socket)):
            engine = EngineClient(place.socket, None, Surface(format=Format.JSON), "mcp")
            engine.start()
            reply = await engine.call("map_repo", {}, principal="p")
            await engine.close()
        return dict(json.loads(reply.body))

    assert asyncio.run(asyncio.wait_for(ask(), 20)) == {"status": "ok"}


@pytest.mark.sweep
@pytest.mark.timeout(600)
def test_takeover_times_are_printed(place: Place) -> None:
    """Prints the distribution; CPL_ROUNDS is the number of kills."""
    owner = place.ready()
    others = [place.mcp() for _ in range(3)]
    for other in others:
        other.call("health_check")
    locks, answers = [], []
    for _ in range(int(os.environ.get("CPL_ROUNDS", "30"))):
        former = place.engine_pid()
        began = time.monotonic()
        os.kill(former, signal.SIGKILL)
        waiting = [(client, client.begin("file_outline", file="app.py")) for client in (owner, *others)]
        locks.append(next_owner(place, former, began))
        assert all(client.finish(number)["status"] == "ok" for client, number in waiting)
        answers.append(time.monotonic() - began)
        assert len(place.engines()) == 1
    for name, times in (("lock", sorted(locks)), ("answers", sorted(answers))):
        picks = [times[int((len(times) - 1) * part)] * 1000 for part in (0.0, 0.5, 0.9, 1.0)]
        print(f"{name}: min {picks[0]:.0f}, p50 {picks[1]:.0f}, p90 {picks[2]:.0f}, max {picks[3]:.0f} ms")


def test_lock_held_by_a_command_is_awaited(place: Place, tmp_path: Path) -> None:
    """Without a server a command is its own engine; a server that starts meanwhile has its turn afterwards."""
    place.ready().end()
    commands = [place.spawn("call", "map_repo") for _ in range(3)]
    client = place.mcp()
    assert client.call("health_check")["status"] == "ok"
    assert [command.wait(20) for command in commands] == [0, 0, 0]
    until(lambda: len(place.engines()) == 1)
    assert verify_chain(place.root / ".codeplane").is_intact
