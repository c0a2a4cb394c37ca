"""How a front reaches the engine of its repository: the one that listens, or else one that it starts.

When the engine ends, one of the fronts that were attached starts the next, and the others
find its socket; should that front end too, another takes its turn. A call that was under way
is asked again, unless it might do something twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeplane import __version__, telemetry
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.disk.locks import FileLock
from codeplane.processes.lifeline import LifelineProcess
from codeplane.server.async_frames import read_frame
from codeplane.server.frames import PROTOCOL, Frame, WireError, is_own_peer
from codeplane.server.tool_caller import OnProgress
from codeplane.tools.calls import CallReply
from codeplane.tools.catalog import BY_NAME
from codeplane.tools.formats import Format, requested_format
from codeplane.tools.surface import Surface
from codeplane.tools.text.failures import failure_reply

START_LOCK_NAME = "start.lock"
_PAUSES = (0.01, 0.02, 0.03, 0.05)
_CONNECT_SECONDS = 12.0
_RESPAWN_SECONDS = 0.1
_HELLO_SECONDS = 5.0
_CLOSE_SECONDS = 0.2
_MAX_ATTEMPTS = 3
_QUICK_STARTS = 5
_TURN_SECONDS = 5.0
_LATER_START_SECONDS = 1.0


@dataclass
class _Pending:
    frame: Frame
    future: asyncio.Future[CallReply]
    on_progress: OnProgress | None
    again: bool
    """Whether asking twice is harmless."""
    form: Format
    attempts: int = 0
    set_aside: bool = False
    """Whether an engine that was about to end has left it to the next one."""
    telling: set[asyncio.Task[None]] = field(default_factory=set)


class EngineClient:
    """A front's end of the line. Everything runs in the loop that called `start`."""

    def __init__(
        self, socket_path: Path, start_engine: Callable[[], LifelineProcess] | None, surface: Surface, kind: str
    ) -> None:
        self._socket_path = socket_path
        self._start_engine = start_engine
        self._format = surface.format
        self._hello = {
            "protocol": PROTOCOL,
            "version": __version__,
            "kind": kind,
            "toolsets": list(surface.toolsets),
            "read_only": surface.read_only,
            "everything": surface.everything,
            "format": surface.format.value,
        }
        self._pending: dict[int, _Pending] = {}
        self._next = 0
        self._writer: asyncio.StreamWriter | None = None
        self._settled = asyncio.Event()
        """Set while it is known whom to ask, or that there is nobody."""
        self._refusal: CodePlaneError | None = None
        # Several engines that start at once are in each other's way, and all but one in vain.
        self._turn = FileLock(socket_path.parent / START_LOCK_NAME)
        self._starts = 0
        self._start_after = 0.0
        self._companion: LifelineProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._lost_at = 0.0

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._keep_connected())

    async def close(self, seconds: float = 1.2) -> None:
        """Let go; an engine that we started ends with us, within `seconds`."""
        self._closing = True
        companion, self._companion = self._companion, None
        if companion is not None:
            companion.release()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        self._disconnect()
        self._turn.release()
        if companion is not None:
            await asyncio.get_running_loop().run_in_executor(None, companion.end, seconds)

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        principal: str,
        client: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CallReply:
        header: dict[str, Any] = {"call": tool, "principal": principal}
        if client:
            header["client"] = client
        if on_progress is not None:
            header["progress"] = True
        body = json.dumps(arguments, separators=(",", ":")).encode("ascii")
        spec = BY_NAME.get(tool)
        form = requested_format(arguments, self._format)
        is_repeatable = spec is None or spec.is_repeatable(arguments)
        return await self._ask(header, body, on_progress, again=is_repeatable, form=form)

    def leave(self, principal: str) -> None:
        """Say that somebody will not ask again. An engine that nobody reaches has nothing of theirs."""
        self._write(Frame({"leave": principal}))

    async def state(self) -> Mapping[str, object]:
        reply = await self._ask({"ask": "state"}, b"", None, again=True, form=Format.JSON)
        found = json.loads(reply.body)
        return found if isinstance(found, dict) else {}

    async def _ask(
        self, header: dict[str, Any], body: bytes, on_progress: OnProgress | None, *, again: bool, form: Format
    ) -> CallReply:
        loop = asyncio.get_running_loop()
        self._next += 1
        number = self._next
        pending = _Pending(Frame({"id": number, **header}, body), loop.create_future(), on_progress, again, form)
        self._pending[number] = pending
        try:
            if not await self._reachable():
                return self._unreachable(pending)
            self._send(pending)
            return await pending.future
        except asyncio.CancelledError:
            self._write(Frame({"cancel": number}))
            raise
        finally:
            self._pending.pop(number, None)
            for task in pending.telling:
                task.cancel()

    async def _reachable(self) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CONNECT_SECONDS):
                while self._writer is None and self._refusal is None:
                    await self._settled.wait()
        return self._writer is not None

    def _unreachable(self, pending: _Pending) -> CallReply:
        error = self._refusal or CodePlaneError(
            ErrorCode.ENGINE_UNREACHABLE,
            "the process that answers for this repository cannot be reached",
            remedy="Try again; if it stays so, 'cpl doctor' says why.",
        )
        return failure_reply(error, str(pending.frame.header.get("call", "")), pending.form)

    def _send(self, pending: _Pending) -> None:
        pending.attempts += 1
        pending.set_aside = False
        self._write(pending.frame)

    def _write(self, frame: Frame) -> None:
        if self._writer is not None:
            self._writer.write(frame.encode())

    async def _keep_connected(self) -> None:
        self._lost_at = asyncio.get_running_loop().time()
        pauses = iter(_PAUSES)
        while not self._closing:
            try:
                if await self._connect():
                    pauses = iter(_PAUSES)
                await asyncio.sleep(next(pauses, _RESPAWN_SECONDS))
            except Exception as error:
                # Whatever it was: a front that does not try again never answers again.
                telemetry.error("the line to the engine failed", **telemetry.describe(error))
                await asyncio.sleep(_RESPAWN_SECONDS)

    async def _connect(self) -> bool:
        """Use the line for as long as it holds; False when nobody listens."""
        loop = asyncio.get_running_loop()
        if loop.time() - self._lost_at > _CONNECT_SECONDS:
            self._give_up()
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._socket_path))
        except OSError:
            self._refusal = None
            self._settled.clear()
            self._ensure_engine(loop.time(), since=self._lost_at)
            return False
        try:
            if await self._greet(reader, writer):
                self._turn.release()
                self._starts = 0
                try:
                    await self._listen(reader)
                finally:
                    self._lost_at = loop.time()
            else:
                # Another version serves. It may end some day, so look again from time to time.
                self._give_up()
                await asyncio.sleep(1.0)
        except (WireError, OSError, TimeoutError):
            telemetry.debug("the engine hung up")
        finally:
            self._disconnect()
            writer.close()
        return True

    def _ensure_engine(self, now: float, since: float) -> None:
        if self._start_engine is None or now < self._start_after:
            return
        if self._companion is not None and self._companion.exit_code() is None:
            return
        if self._turn.is_held:
            # It was in vain; another may have more luck.
            self._turn.release()
            return
        try:
            self._turn.acquire()
        except CodePlaneError:
            # Whose turn it is may have been stopped: the lock of the engine decides in the end.
            if now - since < _TURN_SECONDS:
                return
        self._starts += 1
        # Whoever holds the lock of the engine may hold it for long: after a few attempts there is no hurry.
        self._start_after = now + (_LATER_START_SECONDS if self._starts > _QUICK_STARTS else 0.0)
        try:
            self._companion = self._start_engine()
        except OSError as error:
            telemetry.warn("the engine could not be started", error=type(error).__name__)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if not is_own_peer(writer.get_extra_info("socket")):
            raise WireError("the socket is served by another user")
        writer.write(Frame({"hello": self._hello}).encode())
        async with asyncio.timeout(_HELLO_SECONDS):
            frame = await read_frame(reader)
        if frame is None:
            raise WireError("closed before it answered")
        if "refused" in frame.header:
            self._refusal = _refusal(frame.header["refused"])
            self._settled.set()
            return False
        self._refusal = None
        self._writer = writer
        self._settled.set()
        for pending in self._pending.values():
            if pending.attempts or pending.set_aside:
                self._send(pending)
        return True

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while (frame := await read_frame(reader)) is not None:
            pending = self._pending.get(frame.header.get("id", 0))
            if pending is None or pending.future.done():
                continue
            told = frame.header.get("progress")
            if frame.header.get("later"):
                pending.attempts -= 1
                pending.set_aside = True
            elif told is None:
                pending.future.set_result(
                    CallReply(frame.body, bool(frame.header.get("error")), not frame.header.get("text"))
                )
            elif pending.on_progress is not None:
                task = asyncio.ensure_future(pending.on_progress(*told))
                pending.telling.add(task)
                task.add_done_callback(pending.telling.discard)

    def _disconnect(self) -> None:
        self._writer = None
        if self._refusal is None:
            self._settled.clear()
        for pending in self._pending.values():
            if not pending.set_aside and not (pending.again and pending.attempts < _MAX_ATTEMPTS):
                self._fail(pending)

    def _give_up(self) -> None:
        for pending in self._pending.values():
            self._fail(pending)

    def _fail(self, pending: _Pending) -> None:
        if (pending.attempts or pending.set_aside) and not pending.future.done():
            pending.future.set_result(self._unreachable(pending))


def _refusal(fields: Mapping[str, Any]) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.VERSION_MISMATCH,
        f"version {fields.get('version')} (process {fields.get('pid')}) serves this repository, this is {__version__}",
        expected=__version__,
        received=str(fields.get("version")),
        remedy="End the other one, or use the same version everywhere.",
    )


class UnavailableEngine:
    """Stands for an engine where there can be none, so that a client learns why from its first call."""

    def __init__(self, error: CodePlaneError, form: Format) -> None:
        self._error = error
        self._format = form

    def start(self) -> None:
        """There is nothing to start."""

    async def close(self, seconds: float = 0.0) -> None:
        """There is nothing to end."""

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        principal: str,
        client: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> CallReply:
        return failure_reply(self._error, tool, requested_format(arguments, self._format))

    async def state(self) -> Mapping[str, object]:
        return {"ready": False, "error": self._error.as_dict()}
