"""Many clients at once, every answer checked: half of them over HTTP, half with a `cpl mcp` of their own.

    python -m benchmarks.server.load REPOSITORY [--clients 100] [--seconds 60] [--think 0.5 1.5] [--seed N]
        [--variant think|saturating|both] [--json]

Against one engine on an indexed copy, mixed calls: health_check, file_outline of random files, map_repo, describe. In
the first phase there are no edits, and every answer must equal the first one. In the second, an editor
edits a file all the while, by rename and in place, and clients read it back with the policy `strict`: what they see
must be no older than the last edit that was done when they asked. With `think`, each client pauses between calls; the
saturating variant does not. The lag of the clients' own event loop is printed too: it is part of every time.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
from benchmarks.measure import MEGABYTE, Figure, Result, Table, amount, emit, parser, resident
from benchmarks.server.clients import Client, HttpClient, StdioClient, call
from benchmarks.server.phase import MARKER, Editor, Found, Phase, choose_questions, first_answers
from benchmarks.server.quantiles import quantile
from benchmarks.server.repositories import HttpServer, Place, http_server, served_copy
from benchmarks.trees import SEED, commit_all, copy_repository, scratch

CLIENTS = 100
SECONDS = 60.0
THINK = (0.5, 1.5)
VARIANTS = ("think", "saturating")
MOST_LAG_MS = 50.0
_FRONT_BYTES = 60 * MEGABYTE
"""Generous estimate of the memory of a `cpl mcp`."""
_STARTS_AT_ONCE = 4
_SHARES = (0.5, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Plan:
    rounds: int = 1
    clients: int = CLIENTS
    seconds: float = SECONDS
    """Duration of each phase."""
    think: tuple[float, float] = THINK
    seed: int = SEED
    variants: tuple[str, ...] = VARIANTS


def main() -> int:
    arguments = parser(__doc__, 1)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--clients", type=int, default=CLIENTS, help=f"at once ({CLIENTS})")
    arguments.add_argument("--seconds", type=float, default=SECONDS, help=f"of each phase ({SECONDS:g})")
    arguments.add_argument("--think", type=float, nargs=2, default=THINK, metavar=("LEAST", "MOST"), help="pause, in s")
    arguments.add_argument("--seed", type=int, default=SEED)
    arguments.add_argument("--variant", choices=(*VARIANTS, "both"), default="both")
    given = arguments.parse_args()
    variants = VARIANTS if given.variant == "both" else (given.variant,)
    plan = Plan(given.rounds, given.clients, given.seconds, tuple(given.think), given.seed, variants)
    return emit(measure(given.repository, plan), given.json)


def measure(repository: Path, plan: Plan) -> Result:
    result = Result("server_load", plan.rounds)
    with scratch() as room:
        source = copy_repository(repository, room / "source")
        (source / MARKER).write_bytes(Editor.text(0))
        commit_all(source)
        for name in plan.variants:
            for number in range(plan.rounds):
                # New processes each time, so that memory and lag are those of this load alone.
                with served_copy(source, room / f"{name}-{number}") as place:
                    asyncio.run(_variant(result, place, name, plan))
    result.notes.append(f"seed {plan.seed}")
    return result.finish()


async def _variant(result: Result, place: Place, name: str, plan: Plan) -> None:
    think = plan.think if name == "think" else (0.0, 0.0)
    half = plan.clients - plan.clients // 2
    over_stdio = _affordable(half)
    over_http = plan.clients - over_stdio
    async with _connected(place, over_http, over_stdio) as (server, clients):
        questions = choose_questions(place, plan.seed)
        expected = await first_answers(clients[0], questions)
        editor = Editor(place)
        before = _memory(place, server)
        phases = {}
        for phase in ("no edits", "edits"):
            load = Phase(questions, expected, think, plan.seed, editor if phase == "edits" else None)
            phases[phase] = await load.run(clients, plan.seconds)
            phases[phase].lag_ms = await _lag(server)
        after = _memory(place, server)
    pause = "no pause" if think == (0.0, 0.0) else f"{think[0]:g}–{think[1]:g} s pause"
    title = f"{name}: {over_http} clients over HTTP, {over_stdio} with a cpl mcp each, {pause}"
    if over_stdio < half:
        result.notes.append(f"{name}: memory was enough for {over_stdio} processes of clients, the others used HTTP")
    _report(result, name, title, phases, before, after)


@asynccontextmanager
async def _connected(place: Place, over_http: int, over_stdio: int) -> AsyncIterator[tuple[HttpServer, list[Client]]]:
    """Fronts first, so that their start does not count as lag of the engine; they wait for one to come."""
    gate = asyncio.Semaphore(_STARTS_AT_ONCE)

    async def front() -> StdioClient:
        async with gate:
            return await StdioClient.start(place.command("mcp", "--no-engine", "--toolsets", "all"), place.environment)

    fronts = await asyncio.gather(*(front() for _ in range(over_stdio)))
    try:
        async with http_server(place, "--toolsets", "all") as server:
            await asyncio.to_thread(place.until_warm)
            opening = (HttpClient.open(server.port, server.token, modern=bool(n % 2)) for n in range(over_http))
            kept = await asyncio.gather(*opening)
            clients: list[Client] = [*kept, *fronts]
            # Each has reached the engine once before a clock runs.
            await asyncio.gather(*(call(client, "health_check") for client in clients))
            yield server, clients
            await asyncio.gather(*(client.close() for client in kept))
    finally:
        await asyncio.gather(*(client.close() for client in fronts))


def _affordable(wanted: int) -> int:
    free = int(psutil.virtual_memory().available)
    return max(1, min(wanted, free // 2 // _FRONT_BYTES))


def _memory(place: Place, server: HttpServer) -> dict[str, float]:
    """Megabytes; what belongs to the engine is not counted with the front that started it."""
    engine = place.engine_pid()
    whole = sum(resident(server.pid))
    of_engine = resident(engine)
    fronts = [sum(resident(pid)) for pid in _fronts(place, {engine, server.pid})]
    found = {
        "engine": of_engine[0],
        "its workers": sum(of_engine[1:]),
        "HTTP front": whole - sum(of_engine),
        "each cpl mcp": _mean(fronts),
        "all": whole + sum(fronts),
    }
    return {name: value / MEGABYTE for name, value in found.items()}


def _fronts(place: Place, others: set[int]) -> Iterator[int]:
    for process in place.processes():
        with contextlib.suppress(psutil.Error):
            if process.pid not in others and "mcp" in process.cmdline():
                yield process.pid


def _mean(values: list[int]) -> float:
    return sum(values) / len(values) if values else 0.0


async def _lag(server: HttpServer) -> dict[str, dict[str, float]]:
    client = await HttpClient.open(server.port, server.token, modern=True)
    status = (await client.get("/status")).message
    await client.close()
    return {"engine": status["engine"]["lag_ms"], "HTTP front": status["event_loop_lag_ms"]}


def _report(
    result: Result, name: str, title: str, phases: dict[str, Found], before: dict[str, float], after: dict[str, float]
) -> None:
    for phase, found in phases.items():
        rows = []
        everything = [seconds for values in found.seconds.values() for seconds in values]
        for tool, values in (*sorted(found.seconds.items()), ("all", everything)):
            tail = (amount(quantile(values, share) * 1000, "ms") for share in _SHARES)
            rows.append((tool, f"{len(values):,}", *tail))
        columns = ("", "calls", "median", "p95", "p99", "p99.9")
        result.tables.append(Table(f"{title}; {phase}", columns, tuple(rows)))
        lags = [
            (who, *(f"{lag.get(key, 0):g} ms" for key in ("p50", "p99_9", "max"))) for who, lag in found.lag_ms.items()
        ]
        own = (amount(quantile(found.own_lag, share) * 1000, "ms") for share in (0.5, 0.999, 1.0))
        lags.append(("the clients themselves", *own))
        result.tables.append(Table("event-loop lag since the start", ("", "median", "p99.9", "worst"), tuple(lags)))
        said = (
            f"{found.calls / found.wall:,.0f} calls/s, {found.errors.total()} errors, {len(found.wrong)} wrong answers"
        )
        edited = f", {found.edits} edits read back {found.read_back:,} times" if found.edits else ""
        result.notes.append(f"{name}, {phase}: {said}, {found.said_stale} that said they are stale{edited}")
        result.notes += [f"{name}, {phase}: {count} × {error}" for error, count in found.errors.most_common(5)]
        result.notes += [f"{name}, {phase}: wrong: {what}" for what in found.wrong[:5]]
        beside = f"{found.calls:,} calls, p99 {amount(quantile(everything, 0.99) * 1000, 'ms')}"
        result.figures += [
            Figure(f"errors, {name}, {phase}", found.errors.total(), "", 0, beside),
            Figure(f"wrong answers, {name}, {phase}", len(found.wrong), "", 0, beside),
        ]
        if name == "think":
            for who, lag in found.lag_ms.items():
                figure = f"event-loop lag of the {who}, p99.9, {phase}"
                own_lag = amount(quantile(found.own_lag, 0.999) * 1000, "ms")
                result.figures.append(
                    Figure(figure, lag.get("p99_9", 0.0), "ms", MOST_LAG_MS, f"the clients themselves {own_lag}")
                )
    rows = [(what, f"{before[what]:,.0f} MB", f"{after[what]:,.0f} MB") for what in before]
    result.tables.append(Table(f"{name}: resident memory", ("", "before", "after"), tuple(rows)))
    result.data.setdefault(name, []).append(
        {
            "memory_mb": {"before": before, "after": after},
            "phases": {
                phase: {
                    "wall_s": found.wall,
                    "seconds": found.seconds,
                    "errors": dict(found.errors),
                    "wrong": found.wrong,
                    "said_stale": found.said_stale,
                    "edits": found.edits,
                    "lag_ms": found.lag_ms,
                }
                for phase, found in phases.items()
            },
        }
    )


if __name__ == "__main__":
    sys.exit(main())
