"""Client of the engine: connects to the running engine of a repository, or starts one.

When the engine ends, one of its clients starts the next engine and the others connect to it; if that client ends too,
another one takes over. Running calls are sent again, unless they could have an effect twice. Calls that change files
carry a key of their own, by which the next engine recognises a call that was carried out and not answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
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
from codeplane.tools.surface import Format, Surface, requested_format
from codeplane.tools.text.failures import failure_reply

START_LOCK_NAME = "start.lock"
_PAUSES = (0.01, 0.02, 0.03, 0.05)
_CONNECT_SECONDS = 12.0
_RESPAWN_SECONDS = 0.1
_HELLO_SECONDS = 5.0
_CLOSE_SECONDS = 0.2
_MAX_ATTEMPTS = 3
_KEY_BYTES = 12
_QUICK_STARTS = 5
_START_LOCK_SECONDS = 5.0
_LATER_START_SECONDS = 1.0


@dataclass
class _Pending:
    frame: Frame
    future: asyncio.Future[CallReply]
    on_progress: OnProgress | None
    repeatable: bool
    """True if the call may be sent twice."""
    in_doubt: bool
    """True if the client must not repeat a call that was not answered: it may have had its effect."""
    form: Format
    attempts: int = 0
    deferred: bool = False
    """True if an engine that is shutting down left the call to the next engine."""
    progress_tasks: set[asyncio.Task[None]] = field(default_factory=set)


class EngineClient:
    """Connection of a frontend to the engine. All methods run in the event loop that called `start`."""

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
        self._resolved = asyncio.Event()
        """Set while the client is connected or was rejected."""
        self._refusal: CodePlaneError | None = None
        # Without it, several engines would start at once and all but one would exit.
        self._start_lock = FileLock(socket_path.parent / START_LOCK_NAME)
        self._starts = 0
        self._start_after = 0.0
        self._process: LifelineProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._lost_at = 0.0

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._keep_connected())

    async def close(self, seconds: float = 1.2) -> None:
        """Disconnect. An engine started by this client is stopped within `seconds`."""
        self._closing = True
        process, self._process = self._process, None
        if process is not None:
            process.release()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        self._disconnect()
        self._start_lock.release()
        if process is not None:
            await asyncio.get_running_loop().run_in_executor(None, process.end, seconds)

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
        has_key = spec is not None and spec.records_intent
        if has_key:
            header["key"] = f"call:{secrets.token_urlsafe(_KEY_BYTES)}"
        return await self._ask(
            header, body, on_progress, repeatable=is_repeatable or has_key, in_doubt=not is_repeatable, form=form
        )

    def end_session(self, principal: str) -> None:
        """End the session of a principal. Without a connection there is no session to end."""
        self._write(Frame({"leave": principal}))

    async def state(self) -> Mapping[str, object]:
        reply = await self._ask({"ask": "state"}, b"", None, repeatable=True, in_doubt=False, form=Format.JSON)
        found = json.loads(reply.body)
        return found if isinstance(found, dict) else {}

    async def _ask(
        self,
        header: dict[str, Any],
        body: bytes,
        on_progress: OnProgress | None,
        *,
        repeatable: bool,
        in_doubt: bool,
        form: Format,
    ) -> CallReply:
        loop = asyncio.get_running_loop()
        self._next += 1
        number = self._next
        frame = Frame({"id": number, **header}, body)
        pending = _Pending(frame, loop.create_future(), on_progress, repeatable, in_doubt, form)
        self._pending[number] = pending
        try:
            if not await self._wait_connected():
                return self._unreachable_reply(pending)
            self._send(pending)
            return await pending.future
        except asyncio.CancelledError:
            self._write(Frame({"cancel": number}))
            raise
        finally:
            self._pending.pop(number, None)
            for task in pending.progress_tasks:
                task.cancel()

    async def _wait_connected(self) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CONNECT_SECONDS):
                while self._writer is None and self._refusal is None:
                    await self._resolved.wait()
        return self._writer is not None

    def _unreachable_reply(self, pending: _Pending) -> CallReply:
        tool = str(pending.frame.header.get("call", ""))
        error = self._refusal or CodePlaneError(
            ErrorCode.ENGINE_UNREACHABLE,
            "the engine of this repository cannot be reached",
            remedy="Retry. If the error persists, run 'cpl doctor'.",
        )
        if pending.attempts and pending.in_doubt:
            error = CodePlaneError(
                ErrorCode.OUTCOME_UNKNOWN,
                f"the engine ended during the call; it is unknown whether '{tool}' took effect",
                remedy="Read the files, or run 'cpl mutations', before you repeat it."
                if "key" in pending.frame.header
                else "Check with health_check or 'cpl status' before you repeat it.",
            )
        return failure_reply(error, tool, pending.form)

    def _send(self, pending: _Pending) -> None:
        frame = pending.frame
        self._write(Frame({**frame.header, "again": True}, frame.body) if pending.attempts else frame)
        pending.attempts += 1
        pending.deferred = False

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
                # Retry after any error; otherwise this frontend would never answer again.
                telemetry.error("the engine connection failed", **telemetry.describe(error))
                await asyncio.sleep(_RESPAWN_SECONDS)

    async def _connect(self) -> bool:
        """Connect, and serve the connection until it ends; False if no engine listens."""
        loop = asyncio.get_running_loop()
        if loop.time() - self._lost_at > _CONNECT_SECONDS:
            self._fail_all()
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._socket_path))
        except OSError:
            self._refusal = None
            self._resolved.clear()
            self._ensure_engine(loop.time(), since=self._lost_at)
            return False
        try:
            if await self._greet(reader, writer):
                self._start_lock.release()
                self._starts = 0
                try:
                    await self._listen(reader)
                finally:
                    self._lost_at = loop.time()
            else:
                # An engine of another version runs. It may end, so check again later.
                self._fail_all()
                await asyncio.sleep(1.0)
        except (WireError, OSError, TimeoutError):
            telemetry.debug("the engine closed the connection")
        finally:
            self._disconnect()
            writer.close()
        return True

    def _ensure_engine(self, now: float, since: float) -> None:
        if self._start_engine is None or now < self._start_after:
            return
        if self._process is not None and self._process.exit_code() is None:
            return
        if self._start_lock.is_held:
            # The engine did not come up; let another client try.
            self._start_lock.release()
            return
        try:
            self._start_lock.acquire()
        except CodePlaneError:
            # The client that holds the start lock may be stopped. The engine lock prevents two engines.
            if now - since < _START_LOCK_SECONDS:
                return
        self._starts += 1
        # Another process may hold the engine lock for long: start less often after a few attempts.
        self._start_after = now + (_LATER_START_SECONDS if self._starts > _QUICK_STARTS else 0.0)
        try:
            self._process = self._start_engine()
        except OSError as error:
            telemetry.warn("the engine could not be started", error=type(error).__name__)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if not is_own_peer(writer.get_extra_info("socket")):
            raise WireError("another user serves the socket")
        writer.write(Frame({"hello": self._hello}).encode())
        async with asyncio.timeout(_HELLO_SECONDS):
            frame = await read_frame(reader)
        if frame is None:
            raise WireError("connection closed before the greeting")
        if "refused" in frame.header:
            self._refusal = _refusal(frame.header["refused"])
            self._resolved.set()
            return False
        self._refusal = None
        self._writer = writer
        self._resolved.set()
        for pending in self._pending.values():
            if pending.attempts or pending.deferred:
                self._send(pending)
        return True

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while (frame := await read_frame(reader)) is not None:
            pending = self._pending.get(frame.header.get("id", 0))
            if pending is None or pending.future.done():
                continue
            progress = frame.header.get("progress")
            if frame.header.get("later"):
                pending.attempts -= 1
                pending.deferred = True
            elif progress is None:
                pending.future.set_result(
                    CallReply(frame.body, bool(frame.header.get("error")), not frame.header.get("text"))
                )
            elif pending.on_progress is not None:
                task = asyncio.ensure_future(pending.on_progress(*progress))
                pending.progress_tasks.add(task)
                task.add_done_callback(pending.progress_tasks.discard)

    def _disconnect(self) -> None:
        self._writer = None
        if self._refusal is None:
            self._resolved.clear()
        for pending in self._pending.values():
            if not pending.deferred and not (pending.repeatable and pending.attempts < _MAX_ATTEMPTS):
                self._fail(pending)

    def _fail_all(self) -> None:
        for pending in self._pending.values():
            self._fail(pending)

    def _fail(self, pending: _Pending) -> None:
        if (pending.attempts or pending.deferred) and not pending.future.done():
            pending.future.set_result(self._unreachable_reply(pending))


def _refusal(fields: Mapping[str, Any]) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.VERSION_MISMATCH,
        f"version {fields.get('version')} (process {fields.get('pid')}) serves this repository, this is {__version__}",
        expected=__version__,
        received=str(fields.get("version")),
        remedy="Stop the other process, or use the same version everywhere.",
    )


class UnavailableEngine:
    """Replacement for an engine that cannot run; every call returns the reason."""

    def __init__(self, error: CodePlaneError, form: Format) -> None:
        self._error = error
        self._format = form

    def start(self) -> None:
        """Do nothing."""

    async def close(self, seconds: float = 0.0) -> None:
        """Do nothing."""

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
