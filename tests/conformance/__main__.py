"""Runs the official conformance suite: `PYTHONPATH=tests python -m conformance`, from the root of the project.

Every server scenario of both revisions runs against the test-only server, and those that do
not need what only that server has run against `cpl up`; which are left out is said by name.
Exit code: 0 all green, 1 something is not, 2 it could not be run. `npm ci` in this directory,
once, fetches the suite and a node that can run it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from codeplane.server.http.app import build_app
from codeplane.server.http.connections import Connections
from codeplane.server.http.guard import Guard
from codeplane.server.http.lifecycle import listen, run_app
from conformance.everything import MemoryEvents, build_everything

HERE = Path(__file__).resolve().parent
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
OWN_NODE = HERE / "node_modules" / "node" / "bin" / "node"
NODE_MAJOR = 22
TOKEN_VARIABLE = "CODEPLANE_CONFORMANCE_TOKEN"
REVISIONS = ("2025-11-25", "2026-07-28")
RED = ("FAILURE", "WARNING")

NOT_OURS = (
    "completion-complete",
    "logging-set-level",
    "prompts-",
    "resources-",
    "sep-2164-resource-not-found",
    "tools-call-",
    "elicitation-",
    "input-required-result-",
    "json-schema-2020-12",
    "server-sse-polling",
    "http-custom-header-server-validation",
    "caching",
)
"""Scenarios that need tools, prompts or resources of the suite, which a product does not have."""
OURS_AFTER_ALL = ("input-required-result-unsupported-methods",)
CHECKS_NOT_OURS = ("sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400")
"""Checks of other scenarios that call a tool of the suite; a product says that it has no such tool."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m conformance")
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=f"of {', '.join(SERVERS)}; all, if none is named")
    parser.add_argument("--scenario", action="append", help="only this one; may be given again")
    given = parser.parse_args()
    unknown = [name for name in given.servers if name not in SERVERS]
    node = find_node()
    if unknown:
        parser.error(f"there is no server {unknown[0]}")
    if node is None or not SUITE.exists():
        print(f"Run `npm ci` in tests/conformance: the suite or a node of {NODE_MAJOR} is missing.", file=sys.stderr)
        return 2
    red = 0
    for name in given.servers or SERVERS:
        print(f"{name}:")
        with SERVERS[name]() as (url, token):
            red += run(Suite(node, url, token), given.scenario, product=name == "product")
    print("all green" if not red else f"{red} not green")
    return 1 if red else 0


def find_node() -> str | None:
    """The node that came with the suite, or else one of the system that is new enough."""
    for node in (str(OWN_NODE), shutil.which("node")):
        if node and Path(node).exists():
            shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
            if shown.startswith("v") and int(shown[1:].partition(".")[0]) >= NODE_MAJOR:
                return node
    return None


@dataclass(frozen=True)
class Suite:
    node: str
    url: str
    token: str


def run(suite: Suite, only: list[str] | None, *, product: bool) -> int:
    """Return the number of failed scenarios."""
    red = 0
    for revision in REVISIONS:
        names = [name for name in scenarios(suite, revision) if not only or name in only]
        left_out = [name for name in names if product and name.startswith(NOT_OURS) and name not in OURS_AFTER_ALL]
        for name in names:
            if name not in left_out:
                red += not is_green(suite, name, revision, CHECKS_NOT_OURS if product else ())
        if left_out:
            print(f"{revision}  left out, as they need what only the suite's own server has: {', '.join(left_out)}")
    return red


def scenarios(suite: Suite, revision: str) -> list[str]:
    """Return every server scenario of the revision, without optional extensions."""
    listed = subprocess.run(
        [suite.node, SUITE, "list", "--server", "--spec-version", revision], capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in listed.stdout.splitlines() if line.strip().startswith("- ")]
    names = [words[1] for words in lines if revision in " ".join(words[2:])]
    if not names:
        print(f"The suite lists no scenario for {revision}.", file=sys.stderr)
        sys.exit(2)
    return names


def is_green(suite: Suite, name: str, revision: str, left_out: Collection[str]) -> bool:
    with tempfile.TemporaryDirectory() as output:
        ran = subprocess.run(
            [
                *(suite.node, "--import", HERE / "token.mjs", SUITE, "server"),
                *("--url", suite.url, "--scenario", name, "--spec-version", revision, "-o", output),
            ],
            capture_output=True,
            text=True,
            env={**os.environ, TOKEN_VARIABLE: suite.token},
            timeout=120,
        )
        checks = [check for path in Path(output).rglob("checks.json") for check in json.loads(path.read_text())]
    skipped = sorted({check["id"] for check in checks if check["status"] in RED and check["id"] in left_out})
    bad = [check for check in checks if check["status"] in RED and check["id"] not in left_out]
    good = sum(check["status"] == "SUCCESS" for check in checks)
    # The suite's own word counts too, unless it is about checks that are left out.
    green = not bad and good > 0 and (ran.returncode == 0 or bool(skipped))
    print(f"{revision}  {'green' if green else 'RED  '}  {name}  ({good} checks)", flush=True)
    if skipped:
        print(f"    left out: {', '.join(skipped)}")
    for check in bad:
        print(f"    {check['status']} {check['id']}: {check.get('errorMessage')}")
    if not green and not bad:
        print("    " + (ran.stdout + ran.stderr).strip().replace("\n", "\n    "))
    return green


@contextlib.contextmanager
def everything() -> Iterator[tuple[str, str]]:
    """The test-only server, in a thread of its own."""
    token = secrets.token_urlsafe(32)
    listener = listen(0)
    port = listener.getsockname()[1]
    started = threading.Event()
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        connections = Connections()
        guard = Guard(token, str(HERE), port)
        app = build_app(build_everything(token), guard, connections, event_store=MemoryEvents(), retry_milliseconds=500)
        loops.append((asyncio.get_running_loop(), stop := asyncio.Event()))
        await run_app(app, listener, connections, grace_seconds=0.5, on_started=started.set, stop=stop)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    if not started.wait(30):
        print("The test-only server did not start.", file=sys.stderr)
        sys.exit(2)
    try:
        yield f"http://localhost:{port}/mcp", token
    finally:
        loop, stop = loops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


@contextlib.contextmanager
def product() -> Iterator[tuple[str, str]]:
    """`cpl up` on a small repository."""
    with tempfile.TemporaryDirectory(prefix="cp") as base:
        root, runtime = Path(base) / "repository", Path(base) / "run"
        root.mkdir()
        runtime.mkdir(mode=0o700)
        (root / "one.py").write_text("def one() -> int:\n    return 1\n")
        subprocess.run(["git", "init", "-q", root], check=True)
        process = subprocess.Popen(
            [sys.executable, "-c", "from codeplane.cli.main import main; main()", "up", "--json"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=root,
            env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                print("cpl up did not start.", file=sys.stderr)
                sys.exit(2)
            place = json.loads(line)["result"]
            token = json.loads(Path(place["token_file"]).read_text())["token"]
            yield f"http://localhost:{place['port']}/mcp", token
        finally:
            process.terminate()
            process.communicate(timeout=30)


SERVERS = {"everything": everything, "product": product}


if __name__ == "__main__":
    sys.exit(main())
