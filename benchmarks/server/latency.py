"""Latency of a call: by tool and transport, in the pipeline, for the scan of the tree, and after a start.

    python -m benchmarks.server.latency REPOSITORY [--rounds N] [--starts N] [--json]

On unchanged indexed copies. Calls go to one engine in turns, over a pipe and over HTTP of both eras, one at a
time. Overhead is the median of a call less the median of the operation that it runs, both of the same run; a bare
`GET /health` of the same application stands beside it. A start is a new `cpl mcp` with a new engine, each followed by
its first query: asked at once after the handshake, or when the server says that it is ready. Files are in the cache
of the system all the while.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, Result, Table, amount, emit, parser
from benchmarks.server.clients import Client, HttpClient, StdioClient, call
from benchmarks.server.quantiles import COLUMNS, quantile, row_of
from benchmarks.server.repositories import (
    OutlineFile,
    Place,
    http_server,
    large_file,
    median_file,
    outline_files,
    served_copy,
)
from benchmarks.trees import scratch

MOST_HEALTH = 0.010
MOST_OUTLINE = 0.020
MOST_IN_MEMORY = 0.001
MOST_HTTP = 0.005
MOST_LOOK = 0.005
MOST_FIRST = 0.500
ROUNDS = 200
STARTS = 20
TRANSPORTS = ("stdio", "HTTP 2026", "HTTP 2025")

Times = dict[str, list[float]]
Timed = Callable[[], Awaitable[float]]


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--starts", type=int, default=STARTS, help=f"starts of each kind ({STARTS})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds, given.starts), given.json)


def measure(repository: Path, rounds: int, starts: int) -> Result:
    result = Result("server_latency", rounds)
    with (
        scratch() as place,
        served_copy(repository, place / "a") as home,
        served_copy(repository, place / "b") as other,
    ):
        files = outline_files(home.root)
        chosen = {"median file": median_file(files), "large file": large_file(files)}
        calls = asyncio.run(_calls(home, chosen, rounds))
        home.until_gone()
        inner = _in_memory(home, other, chosen["median file"], rounds)
        begun = asyncio.run(_starts(home, chosen["median file"], starts))
    name = repository.resolve().name
    sizes = ", ".join(f"{label} {file.symbols} symbols" for label, file in chosen.items())
    _report_calls(result, f"{name}: one engine, calls in turns; {sizes}", calls)
    _report_inner(result, inner, calls)
    _report_starts(result, begun, starts)
    result.data = {"calls": calls, "in_memory": inner, "starts": begun, "files": chosen}
    return result.finish()


async def _calls(place: Place, files: Mapping[str, OutlineFile], rounds: int) -> Times:
    async with http_server(place) as server:
        await asyncio.to_thread(place.until_warm)
        clients: dict[str, Client] = {
            "stdio": await StdioClient.start(place.command("mcp"), place.environment),
            "HTTP 2026": await HttpClient.open(server.port, server.token, modern=True),
            "HTTP 2025": await HttpClient.open(server.port, server.token, modern=False),
        }
        bare = await HttpClient.open(server.port, server.token, modern=True)
        calls: dict[str, Timed] = {"GET /health": lambda: _get(bare)}
        for transport, client in clients.items():
            calls[f"health_check, {transport}"] = _asking(client, "health_check", {})
            for label, file in files.items():
                calls[f"file_outline of the {label}, {transport}"] = _asking(
                    client, "file_outline", {"file": file.path}
                )
            calls[f"map_repo again, {transport}"] = _asking(client, "map_repo", {})
        try:
            await _in_turns(3, calls)
            return await _in_turns(rounds, calls)
        finally:
            for client in (*clients.values(), bare):
                await client.close()


def _asking(client: Client, tool: str, arguments: Mapping[str, Any]) -> Timed:
    async def ask() -> float:
        answered = await call(client, tool, arguments)
        if answered.envelope["status"] != "ok":
            raise RuntimeError(f"{tool}: {str(answered.envelope)[:300]}")
        return answered.seconds

    return ask


async def _get(client: HttpClient) -> float:
    return (await client.get("/health")).seconds


async def _in_turns(rounds: int, calls: Mapping[str, Timed]) -> Times:
    """One of each per round, starting with another one each time."""
    names = list(calls)
    found: Times = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in (*names[turn:], *names[:turn]):
            found[name].append(await calls[name]())
    return found


def _in_memory(home: Place, other: Place, file: OutlineFile, rounds: int) -> Times:
    module = [sys.executable, "-m", "benchmarks.server.pipeline_process"]
    words = [str(home.root), str(other.root), file.path, str(rounds)]
    done = subprocess.run([*module, *words], env=home.environment, check=True, stdout=subprocess.PIPE)
    found: Times = json.loads(done.stdout.splitlines()[-1])
    return found


async def _starts(place: Place, file: OutlineFile, starts: int) -> Times:
    """Three kinds of start, in turns."""
    found: Times = {}
    for number in range(starts + 1):
        for kind in ("at once", "ready", "ready, no prewarm"):
            # The first of each fills caches of the system, and does not count.
            await _start(place, file, kind, found if number else {})
    return found


async def _start(place: Place, file: OutlineFile, kind: str, found: Times) -> None:
    options = ("--no-prewarm",) if kind.endswith("no prewarm") else ()
    spawned = time.perf_counter()
    client = await StdioClient.start(place.command("mcp", *options), place.environment)
    try:
        if kind != "at once":
            await asyncio.to_thread(place.until_warm)
            found.setdefault(f"start to ready ({kind})", []).append(time.perf_counter() - spawned)
        first = await _asking(client, "file_outline", {"file": file.path})()
        found.setdefault(f"first query ({kind})", []).append(first)
        if kind == "at once":
            found.setdefault("start to first answer (at once)", []).append(time.perf_counter() - spawned)
        else:
            for which in ("first", "second"):
                seconds = await _asking(client, "map_repo", {})()
                found.setdefault(f"{which} map_repo ({kind})", []).append(seconds)
    finally:
        await client.close()
    await asyncio.to_thread(place.until_gone)


def _report_calls(result: Result, title: str, calls: Times) -> None:
    result.tables.append(Table(title, COLUMNS, tuple(row_of(name, values) for name, values in calls.items())))
    beside = f"GET /health {amount(quantile(calls['GET /health'], 0.5) * 1000, 'ms')}"
    for transport in TRANSPORTS:
        targets = (
            (f"health_check, {transport}", MOST_HEALTH),
            (f"file_outline of the median file, {transport}", MOST_OUTLINE),
            (f"file_outline of the large file, {transport}", MOST_OUTLINE),
        )
        for name, most in targets:
            result.figures.append(Figure(f"{name}: p95", quantile(calls[name], 0.95) * 1000, "ms", most * 1000, beside))


def _report_inner(result: Result, inner: Times, calls: Times) -> None:
    rows = tuple(row_of(name, values) for name, values in inner.items())
    result.tables.append(Table("in memory, and looks for changes", COLUMNS, rows))
    middle = {name: quantile(values, 0.5) * 1000 for name, values in (inner | calls).items()}
    for tool in ("health_check", "file_outline"):
        beside = f"the operation {amount(middle[f'operation {tool}'], 'ms')}"
        over = middle[f"pipeline {tool}"] - middle[f"operation {tool}"]
        result.figures.append(Figure(f"pipeline beyond {tool}, in memory", over, "ms", MOST_IN_MEMORY * 1000, beside))
    bare = f"a bare GET /health {amount(middle['GET /health'], 'ms')}"
    for transport in TRANSPORTS[1:]:
        over = middle[f"health_check, {transport}"] - middle["operation health_check"]
        name = f"beyond health_check, {transport}"
        result.figures.append(Figure(name, over, "ms", MOST_HTTP * 1000, bare))
    walk = f"a bare walk {amount(middle['bare walk'], 'ms')}, a whole look {amount(middle['look, watcher off'], 'ms')}"
    for name in ("look, watcher on", "look at one file, watcher off"):
        over = quantile(inner[name], 0.95) * 1000
        result.figures.append(Figure(f"{name}: p95", over, "ms", MOST_LOOK * 1000, walk))


def _report_starts(result: Result, begun: Times, starts: int) -> None:
    rows = tuple(row_of(name, values) for name, values in sorted(begun.items()))
    result.tables.append(Table(f"{starts} starts of each kind, over stdio", COLUMNS, rows))
    cold = quantile(begun["first query (ready, no prewarm)"], 0.95) * 1000
    result.figures.append(
        Figure(
            "first query after a start, once ready: p95",
            quantile(begun["first query (ready)"], 0.95) * 1000,
            "ms",
            MOST_FIRST * 1000,
            f"without prewarm {amount(cold, 'ms')}",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
