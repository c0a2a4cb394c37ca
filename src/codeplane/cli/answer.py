"""Output of every command: an envelope for programs or text for people, and an exit code.

No command prints a traceback. An unexpected exception becomes INTERNAL, with a log line that locates it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from codeplane import telemetry
from codeplane.base.envelope import error_envelope, new_request_id
from codeplane.base.errors import CodePlaneError, ErrorCode, internal_error
from codeplane.base.paths import display
from codeplane.cli.terminal import Style

OK, FAILED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130

_EXITS = {
    ErrorCode.ARGUMENT_INVALID: USAGE,
    ErrorCode.UNKNOWN_PARAMETER: USAGE,
    ErrorCode.UNKNOWN_TOOL: USAGE,
    ErrorCode.INDEX_LOCKED: UNREACHABLE,
    ErrorCode.ENGINE_UNREACHABLE: UNREACHABLE,
    ErrorCode.VERSION_MISMATCH: UNREACHABLE,
}


@dataclass(frozen=True)
class Reply:
    """An answer before it is printed. `text` is for people, who get the warnings on stderr."""

    result: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    status: str = "ok"
    message: str | None = None
    warnings: Sequence[str] = ()
    notes: Sequence[str] = ()
    """Lines for stderr: information for a person that is not output."""
    hints: Mapping[str, object] = field(default_factory=dict)
    meta: Mapping[str, object] = field(default_factory=dict)
    exit_code: int | None = None
    is_envelope: bool = False
    """True if `text` is the envelope of a tool, which is printed unchanged."""


def answer(command: str, work: Callable[[], Reply], *, json: bool) -> int:
    """Run `work`, print its reply, and return the exit code."""
    started = time.monotonic()
    request_id = new_request_id()
    with telemetry.bind(op_id=request_id):
        try:
            reply = work()
        except CodePlaneError as error:
            telemetry.debug("command failed", command=command, error=error.code.name)
            return _fail(error, request_id, json=json)
        except KeyboardInterrupt:
            telemetry.info("stopped on request", command=command)
            print("Stopped.", file=sys.stderr)
            return INTERRUPTED
        except OSError as error:
            telemetry.error("command failed", command=command, **telemetry.describe(error))
            return _fail(internal_error(error, error.strerror), request_id, json=json)
        except Exception as error:
            telemetry.error("command failed", command=command, **telemetry.describe(error))
            return _fail(internal_error(error), request_id, json=json)
        telemetry.debug("command done", command=command, status=reply.status)
    if json and not reply.is_envelope:
        meta = {"request_id": request_id, "elapsed_ms": round((time.monotonic() - started) * 1000), **reply.meta}
        _write_json(_envelope(reply, meta))
    else:
        write_warnings(reply.warnings)
        if reply.text:
            _write(reply.text)
        for words in reply.notes:
            print(words, file=sys.stderr)
    if reply.exit_code is not None:
        return reply.exit_code
    return OK if reply.status == "ok" else FAILED


def tool_reply(found: Mapping[str, Any]) -> Reply:
    """Return the envelope of a tool unchanged, with the exit code of its status."""
    error = found.get("error")
    code = OK if found["status"] == "ok" else FAILED
    if isinstance(error, dict):
        code = _EXITS.get(ErrorCode[error["error"]], FAILED)
    return Reply(text=json.dumps(found, separators=(",", ":")), exit_code=code, is_envelope=True)


def require_answer(found: Mapping[str, Any]) -> None:
    """Raise the error of a tool's envelope, if it has one."""
    error = found.get("error")
    if isinstance(error, dict):
        fields = {name: error.get(name) for name in ("details", "expected", "received", "example", "remedy")}
        raise CodePlaneError(ErrorCode[error["error"]], error["message"], **fields)


def warning_lines(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the warnings of a tool's envelope as lines, with their details."""
    lines = []
    for warning in found.get("warnings", ()):
        about = [str(value) for name, value in warning.items() if name not in ("code", "message")]
        lines.append(f"{warning['message']} ({'; '.join(about)})" if about else warning["message"])
    return tuple(lines)


def usage_failed(message: str) -> None:
    """Answer a command line that cannot be parsed, for a program."""
    error = CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, example="cpl --help")
    _fail(error, new_request_id(), json=True)


def write_warnings(warnings: Sequence[str]) -> None:
    style = Style.of(sys.stderr)
    for warning in warnings:
        print(f"{style.yellow('warning:')} {display(warning)}", file=sys.stderr)


def _fail(error: CodePlaneError, request_id: str, *, json: bool) -> int:
    if json:
        _write_json(error_envelope(error, {"request_id": request_id}))
    else:
        sys.stdout.flush()
        from codeplane.cli.errors import Typed, error_text

        print(error_text(error, Style.of(sys.stderr), Typed.current()), file=sys.stderr)
    return _EXITS.get(error.code, FAILED)


def _envelope(reply: Reply, meta: Mapping[str, object]) -> dict[str, object]:
    envelope: dict[str, object] = {"status": reply.status}
    if reply.message:
        envelope["message"] = reply.message
    envelope["result"] = reply.result
    envelope["warnings"] = list(reply.warnings)
    envelope["hints"] = reply.hints
    envelope["meta"] = meta
    return envelope


def _write_json(envelope: Mapping[str, object]) -> None:
    _write(json.dumps(envelope, separators=(",", ":")))


def _write(text: str) -> None:
    try:
        print(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the pipe (head, less) has closed it. Python would report it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
