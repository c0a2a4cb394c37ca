"""From the start of a process to its list of tools, beside other servers and a bare Python.

    python -m benchmarks.server.startup REPOSITORY [--peers FOLDER] [--rounds N] [--json]

Every contender is a fresh process on an indexed copy: the clock runs from its start over the handshake to the
answer of `tools/list`, as a client asks. `cpl mcp` once starts an engine, and once finds one. Peers are installed
into FOLDER, in fixed versions, the first time that it is named; without it they are left out, and the output says
so. The floor is a Python that answers with fixed lines. The first round is not counted: it writes compiled modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread
from benchmarks.server.cli_startup import find_cpl, user_environment
from benchmarks.server.clients import HANDSHAKE
from benchmarks.server.peers import PEERS, Peer, PeerFailed, last_words
from benchmarks.server.repositories import Place, served_copy
from benchmarks.trees import copy_repository, scratch

from codeplane.base.limits import CHARS_PER_TOKEN

MOST_SECONDS = 0.400
MOST_TOKENS = 4000
MOST_END_SECONDS = 2.0
ROUNDS = 10
_PATIENCE_SECONDS = 60.0
_END_SECONDS = 5.0
FRESH, ATTACHED, FLOOR = "cpl mcp, starting an engine", "cpl mcp, engine running", "floor: a bare Python"
_BARE = (
    "import sys\n"
    "for line in sys.stdin:\n"
    '    if \'"id":1\' in line: print(\'{"jsonrpc":"2.0","id":1,"result":{}}\', flush=True)\n'
    '    if \'"id":2\' in line: print(\'{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}\', flush=True)\n'
)


@dataclass
class Contender:
    """One server, and what its starts showed."""

    command: list[str]
    environment: Mapping[str, str]
    root: Path
    after: Callable[[], None] = lambda: None
    """Run when a process has ended, out of the clock."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    shook: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)

    def start(self) -> float:
        """Seconds from the start of the process to its list of tools."""
        with tempfile.TemporaryFile() as errors:
            started = time.perf_counter()
            process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(self.environment),
                cwd=self.root,
            )
            with _bounded(process):
                try:
                    self.shook.append(self._handshake(process, started))
                    seconds = self._list(process, started)
                except OSError as error:
                    raise PeerFailed(_complaint(errors, str(error))) from error
                except EOFError as error:
                    raise PeerFailed(_complaint(errors, "it ended without an answer")) from error
                self.ended.append(_end(process))
        self.after()
        return seconds

    def _handshake(self, process: subprocess.Popen[bytes], started: float) -> float:
        client = {"name": "benchmark", "version": "1"}
        _send(process, 1, "initialize", {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client})
        _receive(process, 1)
        return time.perf_counter() - started

    def _list(self, process: subprocess.Popen[bytes], started: float) -> float:
        _send(process, None, "notifications/initialized", {})
        _send(process, 2, "tools/list", {})
        answer = _receive(process, 2)
        seconds = time.perf_counter() - started
        self.tools = answer["tools"]
        return seconds

    @property
    def schema_tokens(self) -> int:
        return len(json.dumps(self.tools, separators=(",", ":"), ensure_ascii=False)) // CHARS_PER_TOKEN


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--peers", type=Path, metavar="FOLDER", help="where peers are, or are to be, installed")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds, given.peers), given.json)


def measure(repository: Path, rounds: int, cache: Path | None) -> Result:
    result = Result("server_startup", rounds)
    failed: dict[str, str] = {}
    with (
        scratch() as room,
        served_copy(repository, room / "a") as fresh,
        served_copy(repository, room / "b") as held,
    ):
        contenders = {
            FRESH: Contender(fresh.command("mcp"), fresh.environment, fresh.root, fresh.until_gone),
            ATTACHED: Contender(held.command("mcp"), held.environment, held.root),
            FLOOR: Contender([sys.executable, "-c", _BARE], fresh.environment, fresh.root),
        }
        for peer in PEERS if cache is not None else ():
            assert cache is not None
            try:
                contenders[peer.title] = _ready(peer, cache, repository, room / peer.name)
            except PeerFailed as error:
                failed[peer.title] = str(error)
        with _engine(held):
            for name in list(contenders):
                try:
                    contenders[name].start()
                except PeerFailed as error:
                    if not name.startswith("peer"):
                        raise
                    failed[name] = str(error)
                    del contenders[name]
            for contender in contenders.values():
                contender.shook.clear()
                contender.ended.clear()
            found = interleaved(rounds, {name: contender.start for name, contender in contenders.items()})
    _report(result, repository.resolve().name, contenders, found, failed, cache)
    return result.finish()


def _ready(peer: Peer, cache: Path, repository: Path, place: Path) -> Contender:
    programs = peer.install(cache)
    home = place / "home"
    home.mkdir(parents=True)
    root = copy_repository(repository, place / "tree")
    environment = {**user_environment(place), "HOME": str(home), **peer.variables}
    # It has modules of its own.
    environment.pop("PYTHONPATH", None)
    return Contender(peer.command(programs, root, home), environment, root)


@contextmanager
def _engine(place: Place) -> Iterator[None]:
    """A client that stays, and with it an engine."""
    connection = subprocess.Popen(
        place.command("mcp"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=place.environment,
    )
    try:
        place.until_warm()
        yield
    finally:
        _end(connection)


@contextmanager
def _bounded(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """A process that does not answer is ended, and so is one that is left behind."""
    timer = threading.Timer(_PATIENCE_SECONDS, process.kill)
    timer.start()
    try:
        with process:
            try:
                yield
            finally:
                if process.poll() is None:
                    process.kill()
    finally:
        timer.cancel()


def _send(process: subprocess.Popen[bytes], identity: int | None, method: str, params: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    numbered = {} if identity is None else {"id": identity}
    message = {"jsonrpc": "2.0", **numbered, "method": method, "params": params}
    process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
    process.stdin.flush()


def _receive(process: subprocess.Popen[bytes], identity: int) -> dict[str, Any]:
    """Return the response; other messages and lines that are not JSON are skipped."""
    assert process.stdout is not None
    while line := process.stdout.readline():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and message.get("id") == identity and "method" not in message:
            if "result" not in message:
                raise PeerFailed(str(message.get("error"))[:200])
            result: dict[str, Any] = message["result"]
            return result
    raise EOFError


def _end(process: subprocess.Popen[bytes]) -> float:
    """Seconds from the end of its input to the end of the process."""
    assert process.stdin is not None
    started = time.perf_counter()
    process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return time.perf_counter() - started


def _complaint(errors: IO[bytes], otherwise: str) -> str:
    errors.seek(0)
    return last_words(errors.read().decode("utf-8", "replace")) or otherwise


def _report(
    result: Result,
    name: str,
    contenders: Mapping[str, Contender],
    found: Mapping[str, Series],
    failed: Mapping[str, str],
    cache: Path | None,
) -> None:
    rows = []
    for title, contender in contenders.items():
        shook, ended = Series(tuple(contender.shook)), Series(tuple(contender.ended))
        listed = ("", "") if title == FLOOR else (str(len(contender.tools)), f"{contender.schema_tokens:,}")
        rows.append((title, *spread(found[title]), spread(shook)[0], *listed, spread(ended)[1]))
    rows += [(title, "could not be started", "", "", "", "", "") for title in failed]
    columns = ("", "to tools/list", "p95", "handshake", "tools", "schema tokens", "EOF to exit, p95")
    result.tables.append(Table(f"{name}; cpl is {find_cpl()[1]}", columns, tuple(rows)))
    result.notes += [f"{title} could not be started: {why}" for title, why in failed.items()]
    if cache is None:
        result.notes.append("no peers were started: --peers names a folder for them")
    peers = {title: series for title, series in found.items() if title.startswith("peer")}
    floor = f"a bare Python {amount(found[FLOOR].median * 1000, 'ms')}"
    beside = ", ".join([floor, *(f"{t[6:]} {amount(s.median * 1000, 'ms')}" for t, s in peers.items())])
    for title in (FRESH, ATTACHED):
        value = found[title].median * 1000
        result.figures.append(Figure(f"{title}: to tools/list", value, "ms", MOST_SECONDS * 1000, beside))
    if peers:
        best = min(series.median for series in peers.values())
        result.figures.append(Figure(f"{FRESH} / the fastest peer", found[FRESH].median / best, "×", 1.0, beside))
    ended = Series(tuple(contenders[FRESH].ended))
    result.figures.append(Figure("EOF to the end of cpl mcp, p95", ended.p95, "s", MOST_END_SECONDS, ""))
    tokens = contenders[FRESH].schema_tokens
    others = ", ".join(f"{title[6:]} {contenders[title].schema_tokens:,}" for title in peers)
    result.figures.append(Figure("schema tokens of the default tools", tokens, "", MOST_TOKENS, others))
    result.data = {
        "to_tools_list": {title: series.values for title, series in found.items()},
        "handshake": {title: contender.shook for title, contender in contenders.items()},
        "eof_to_exit": {title: contender.ended for title, contender in contenders.items()},
        "tools": {title: len(contender.tools) for title, contender in contenders.items()},
        "schema_tokens": {title: contender.schema_tokens for title, contender in contenders.items()},
        "failed": dict(failed),
    }


if __name__ == "__main__":
    sys.exit(main())
