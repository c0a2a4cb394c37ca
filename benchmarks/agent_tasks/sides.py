"""The two ways to do a task: tools of a real `cpl mcp` process, or a shell with `rg` and a str_replace edit.

Every task begins a new session of the server. What a step printed is returned as the model would read it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.agent_tasks.model import SHELL, Step, TaskError
from benchmarks.server.cli_startup import user_environment
from benchmarks.server.clients import StdioClient
from benchmarks.server.repositories import Place

_SHELL_SECONDS = 60
_EDITED = "The file {path} has been updated."


class Exchange(NamedTuple):
    """Text that the model wrote, and text that it read in return."""

    step: Step
    output: str
    failed: bool


class FixedCosts(NamedTuple):
    """Text that a client puts before the model once, for any question."""

    tools: str
    instructions: str


@contextmanager
def served(tree: Path, user: Path) -> Iterator[Place]:
    """An index of the tree that is up to date, and what it takes to start `cpl` on it."""
    # The path of a socket must be short, whatever the work folder is.
    runtime = Path(tempfile.mkdtemp(prefix="cpl-bench-", dir="/tmp"))
    place = Place(tree, runtime, user_environment(user) | {"XDG_RUNTIME_DIR": str(runtime)})
    try:
        subprocess.run(place.command("init"), env=place.environment, check=True, capture_output=True, cwd=tree)
        yield place
    finally:
        place.end()
        shutil.rmtree(runtime, ignore_errors=True)


async def run_calls(place: Place, steps: Sequence[Step]) -> list[Exchange]:
    client = await StdioClient.start(place.command("mcp"), place.environment)
    try:
        place.until_warm()
        return [await _call(client, step) for step in steps]
    finally:
        await client.close()


async def fixed_costs(place: Place) -> FixedCosts:
    client = await StdioClient.start(place.command("mcp"), place.environment, handshake=False)
    try:
        greeting = (await client.shake_hands()).message["result"]
        listed = await client.ask("tools/list", {})
    finally:
        await client.close()
    return FixedCosts(_compact(listed.message["result"]["tools"]), str(greeting.get("instructions", "")))


def run_commands(tree: Path, steps: Sequence[Step]) -> list[Exchange]:
    with tempfile.TemporaryDirectory(prefix="codeplane-rg-") as folder:
        settings = Path(folder) / "ripgreprc"
        # Only the order changes, which would otherwise depend on threads and decide what `head` keeps.
        settings.write_text("--sort=path\n")
        environment = _shell_environment(settings)
        return [_command(tree, step, environment) if step.tool == SHELL else _edit(tree, step) for step in steps]


async def _call(client: StdioClient, step: Step) -> Exchange:
    answered = await client.ask("tools/call", {"name": step.tool, "arguments": step.arguments})
    if "error" in answered.message:
        return Exchange(step, _compact(answered.message["error"]), True)
    result = answered.message["result"]
    return Exchange(step, "\n".join(item["text"] for item in result["content"]), bool(result.get("isError")))


def _command(tree: Path, step: Step, environment: Mapping[str, str]) -> Exchange:
    done = subprocess.run(
        ["bash", "-c", step.arguments["command"]],
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_SHELL_SECONDS,
    )
    # 1 only says that rg found nothing.
    return Exchange(step, done.stdout.rstrip("\n"), done.returncode > 1)


def _edit(tree: Path, step: Step) -> Exchange:
    path, old, new = (step.arguments[name] for name in ("path", "old_text", "new_text"))
    file = tree / path
    before = file.read_bytes().decode()
    if (times := before.count(old)) != 1:
        raise TaskError(f"edit of {path}: the old text occurs {times} times: {old!r}")
    file.write_bytes(before.replace(old, new).encode())
    return Exchange(step, _EDITED.format(path=path), False)


def _shell_environment(settings: Path) -> dict[str, str]:
    programs = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    if shutil.which("rg", path=environment["PATH"]) is None:
        raise TaskError("rg is not on the PATH")
    return environment | {"RIPGREP_CONFIG_PATH": str(settings), "LC_ALL": "C.UTF-8"}


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
