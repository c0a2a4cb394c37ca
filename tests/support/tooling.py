"""Tools as a client meets them: a real pipeline on a real repository, asked as a transport asks it.

Every envelope that passes through here is checked against what all of them promise, so that
a test says only what is special about its own call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from codeplane.base.envelope import STATUSES
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_ANSWER_CHARS
from codeplane.base.warnings import WarningCode
from codeplane.config.model import Config, FreshnessConfig, IndexConfig, ServerConfig
from codeplane.operations.context import Context
from codeplane.server.assembly import open_pipeline
from codeplane.tools.calls import CallRequest, Progress, never, no_progress
from codeplane.tools.pipeline import CallPipeline
from codeplane.tools.surface import Format, Surface
from support.workspaces import until

Envelope = dict[str, Any]

AGENT = Surface(("all", "compat"), format=Format.JSON)
"""An agent with all tools that asks for JSON."""

QUIET = Config(
    index=IndexConfig(workers=1),
    freshness=FreshnessConfig(inline_ms=20_000, watcher=False),
    server=ServerConfig(prewarm=False),
)
"""Nothing goes on that was not asked for, and every look is waited for."""

_FIELDS = {"status", "reason", "message", "result", "error", "warnings", "hints", "meta"}
_NAMES_ROOTS = {"describe", "list_codebases"}
_META = {
    "session_id",
    "task_id",
    "task_state",
    "request_id",
    "timestamp_ms",
    "epoch",
    "freshness",
    "completeness",
    "suppressed",
    "query_time_ms",
    "token_estimate",
    "truncated",
    "preview_degraded",
    "source",
    "stabilization",
}
_TOLD = {"noise_mitigation", "noiseMitigation", "debug_search", "debugSearch"}
"""Hints that are no calls."""
_ERROR = {"code", "error", "message", "retryable", "details", "expected", "received", "example", "remedy"}


@dataclass(frozen=True)
class Server:
    """An engine without its transports."""

    root: Path
    pipeline: CallPipeline

    def call(
        self,
        tool: str,
        arguments: Mapping[str, object] | None = None,
        *,
        surface: Surface = AGENT,
        principal: str = "test",
        cancelled: Callable[[], bool] = never,
        progress: Progress = no_progress,
        shared: bool = False,
    ) -> Envelope:
        surface = replace(surface, format=Format.JSON)
        request = CallRequest(tool, arguments or {}, principal, surface, progress, cancelled, shared)
        body, is_error, _ = self.pipeline.call(request)
        assert len(body.decode("utf-8")) <= MAX_ANSWER_CHARS
        envelope: Envelope = json.loads(body)
        if tool not in _NAMES_ROOTS and str(self.root) not in json.dumps(dict(request.arguments), default=str):
            assert str(self.root) not in body.decode("utf-8"), "paths are relative to the repository"
        check_envelope(envelope)
        assert is_error == (envelope["status"] == "error")
        return envelope

    def text(self, tool: str, arguments: Mapping[str, object] | None = None, *, surface: Surface = AGENT) -> str:
        """The answer as an agent reads it by default."""
        surface = replace(surface, format=Format.TEXT)
        body, _, is_json = self.pipeline.call(CallRequest(tool, arguments or {}, "test", surface))
        shown = body.decode("utf-8")
        assert not is_json and len(shown) <= MAX_ANSWER_CHARS
        return shown

    def manage(self, action: str, **arguments: object) -> Envelope:
        return self.call("manage_index", {"action": action, **arguments})

    def health(self) -> Envelope:
        found: Envelope = self.call("health_check")["result"]
        return found

    def wait_ready(self) -> None:
        """Wait until the index can be asked and its references are resolved."""
        until(lambda: self.manage("status").get("result", {}).get("index_status") == "indexed")
        try:
            self.pipeline._roots.home.workspace.sync()
        except CodePlaneError as error:
            if error.code is not ErrorCode.INDEX_LOCKED:
                raise


def context_for(root: Path, config: Config = QUIET) -> Context:
    """The user's own directory lies beside the repository, as in other tests."""
    return Context(root.resolve(), config, root.resolve().parent / "user-state")


@contextmanager
def serving(root: Path, *, config: Config = QUIET, once: bool = False, ready: bool = True) -> Iterator[Server]:
    """An engine for as long as the block; with `ready`, one whose index can be asked."""

    def load(other: Path) -> Context:
        return Context(other, config, root.resolve().parent / "user-state")

    pipeline = open_pipeline(context_for(root, config), load, once=once)
    server = Server(root.resolve(), pipeline)
    try:
        if ready:
            server.wait_ready()
        yield server
    finally:
        pipeline.close(10)


def call_tool(
    root: Path,
    tool: str,
    arguments: Mapping[str, object] | None = None,
    *,
    surface: Surface = AGENT,
    principal: str = "test",
) -> Envelope:
    """One call as `cpl call` makes it where no engine runs: nothing is built unasked."""
    with serving(root, once=True, ready=False) as server:
        return server.call(tool, arguments, surface=surface, principal=principal)


def check_envelope(envelope: Envelope) -> None:
    """Assert what holds for every result of every tool."""
    assert set(envelope) <= _FIELDS
    assert envelope["status"] in STATUSES
    assert ("result" in envelope) != ("error" in envelope)
    assert not list(_nulls(envelope)), "a field with nothing to say is left out"
    meta = envelope["meta"]
    assert {"request_id", "timestamp_ms"} <= set(meta) <= _META
    assert meta.get("freshness", {"status": "fresh"})["status"] in ("fresh", "stale")
    if "message" in envelope:
        names_symbols = envelope["status"] == "ambiguous" or "; did you mean " in envelope["message"]
        assert "\n" not in envelope["message"] and len(envelope["message"]) < (600 if names_symbols else 120)
    for warning in envelope.get("warnings", []):
        assert warning["message"] == WarningCode[warning["code"]].sentence
    for name, hint in envelope.get("hints", {}).items():
        assert name in _TOLD or set(hint) in ({"tool", "args"}, {"command"}, {"probe_failed"})
    if "error" in envelope:
        error = envelope["error"]
        assert {"code", "error", "message", "retryable"} <= set(error) <= _ERROR
        known = ErrorCode[error["error"]]
        assert (known.number, known.retryable) == (error["code"], error["retryable"])
        assert known is not ErrorCode.INTERNAL, error


def error_of(envelope: Envelope, code: ErrorCode) -> Envelope:
    found: Envelope = envelope["error"]
    assert found["error"] == code.name, found
    return found


def codes_of(envelope: Envelope) -> list[str]:
    return [warning["code"] for warning in envelope.get("warnings", [])]


def follow(server: Server, hint: Mapping[str, Any], **more: object) -> Envelope:
    """Make the call that an answer suggests, as it stands there."""
    return server.call(hint["tool"], {**hint["args"], **more})


def _nulls(value: object, at: str = "$") -> Iterator[str]:
    if value is None:
        yield at
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _nulls(item, f"{at}.{key}")
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _nulls(item, f"{at}[{position}]")
