"""One phase of a load: what clients ask, who edits meanwhile, and how each answer is judged.

Editor and clients live in one event loop, so that what was edited before a question is known exactly. A clock runs
for the exchange alone, never for the judgement.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import orjson
from benchmarks.server.clients import Client, call
from benchmarks.server.repositories import Place, outline_files

MARKER = "bench_marker.py"
_FILES = 200
_EDIT_SECONDS = 0.2
_LAG_SECONDS = 0.02
_MARK = re.compile(rb"marker_\d{8}")


@dataclass(frozen=True)
class Question:
    tool: str
    arguments: dict[str, Any]

    @property
    def key(self) -> str:
        return f"{self.tool} {self.arguments}"


@dataclass
class Found:
    """Results of all clients of a phase."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    said_stale: int = 0
    edits: int = 0
    read_back: int = 0
    wall: float = 0.0
    own_lag: list[float] = field(default_factory=list)
    lag_ms: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        return sum(map(len, self.seconds.values()))


class Editor:
    """Concurrent editor: writes a number of fixed size to a file, alternately by rename and in place."""

    def __init__(self, place: Place) -> None:
        self._file = place.root / MARKER
        self._beside = place.root.parent / MARKER
        self.begun = 0
        self.done = 0

    @staticmethod
    def text(number: int) -> bytes:
        return f"def marker_{number:08}():\n    pass\n".encode()

    def edit(self) -> None:
        number = self.begun + 1
        self.begun = number
        if number % 2:
            self._beside.write_bytes(self.text(number))
            self._beside.rename(self._file)
        else:
            # Without truncation: there is no moment at which the file has neither the old text nor the new one.
            with open(self._file, "r+b", buffering=0) as file:
                file.write(self.text(number))
        self.done = number

    async def run(self, until: float) -> None:
        while time.perf_counter() < until:
            self.edit()
            await asyncio.sleep(_EDIT_SECONDS)


class Phase:
    """One phase."""

    def __init__(
        self,
        questions: list[Question],
        expected: dict[str, bytes],
        think: tuple[float, float],
        seed: int,
        editor: Editor | None,
    ) -> None:
        self._questions = questions
        self._expected = expected
        self._think = think
        self._seed = seed
        self._editor = editor
        self._found = Found()

    async def run(self, clients: list[Client], seconds: float) -> Found:
        started = time.perf_counter()
        until = started + seconds
        lag = asyncio.ensure_future(self._watch_lag())
        working = [self._client(number, client, until) for number, client in enumerate(clients)]
        first = self._editor.done if self._editor is not None else 0
        await asyncio.gather(*working, *([self._editor.run(until)] if self._editor is not None else []))
        lag.cancel()
        self._found.wall = time.perf_counter() - started
        self._found.edits = self._editor.done - first if self._editor is not None else 0
        return self._found

    async def _client(self, number: int, client: Client, until: float) -> None:
        chance = random.Random(self._seed * 1000 + number)
        await asyncio.sleep(chance.uniform(0, self._think[1]))
        while time.perf_counter() < until:
            reads_back = self._editor is not None and chance.random() < 0.5
            try:
                await (self._read_back(client) if reads_back else self._ask(client, chance.choice(self._questions)))
            except (RuntimeError, OSError, TimeoutError, EOFError, ValueError, KeyError) as error:
                self._found.errors[f"{type(error).__name__}: {str(error)[:120]}"] += 1
                if isinstance(error, OSError | TimeoutError | EOFError):
                    return
            await asyncio.sleep(chance.uniform(*self._think))

    async def _ask(self, client: Client, question: Question) -> None:
        answered = await call(client, question.tool, question.arguments)
        envelope = answered.envelope
        self._found.seconds.setdefault(question.tool, []).append(answered.seconds)
        if envelope["status"] != "ok":
            self._found.errors[f"{question.tool}: {str(envelope.get('error'))[:120]}"] += 1
        elif _stable(question.tool, envelope) != self._expected[question.key]:
            self._found.wrong.append(question.key)
        self._note_stale(envelope)

    async def _read_back(self, client: Client) -> None:
        assert self._editor is not None
        least = self._editor.done
        answered = await call(client, "file_outline", {"file": MARKER, "freshness_policy": "strict"})
        most = self._editor.begun
        envelope = answered.envelope
        self._found.seconds.setdefault("file_outline, strict, edited", []).append(answered.seconds)
        self._found.read_back += 1
        if envelope["status"] != "ok":
            self._found.errors[f"read back: {str(envelope.get('error'))[:120]}"] += 1
            return
        names = [symbol["name"] for symbol in envelope["result"]["symbols"]]
        seen = int(names[0].removeprefix("marker_")) if len(names) == 1 else -1
        freshness = envelope["meta"]["freshness"]["status"]
        if not least <= seen <= most or freshness != "fresh":
            self._found.wrong.append(f"read back {seen} ({freshness}), edits done {least}, begun {most}")

    def _note_stale(self, envelope: dict[str, Any]) -> None:
        self._found.said_stale += envelope["meta"].get("freshness", {}).get("status") == "stale"

    async def _watch_lag(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(_LAG_SECONDS)
            self._found.own_lag.append(time.perf_counter() - before - _LAG_SECONDS)


def choose_questions(place: Place, seed: int) -> list[Question]:
    """Half of what is asked are outlines."""
    files = [file.path for file in outline_files(place.root) if file.path != MARKER]
    chosen = random.Random(seed).sample(files, min(_FILES, len(files)))
    outlines = [Question("file_outline", {"file": path}) for path in chosen]
    others = [
        Question("health_check", {}),
        Question("map_repo", {}),
        Question("map_repo", {"include": ["structure"], "depth": 2}),
        Question("describe", {}),
        Question("describe", {"action": "tool", "name": "file_outline"}),
    ]
    return outlines + others * max(1, len(outlines) // len(others))


async def first_answers(client: Client, questions: list[Question]) -> dict[str, bytes]:
    expected = {}
    for question in {question.key: question for question in questions}.values():
        envelope = (await call(client, question.tool, question.arguments)).envelope
        if envelope["status"] != "ok":
            raise RuntimeError(f"{question.key}: {str(envelope)[:300]}")
        expected[question.key] = _stable(question.tool, envelope)
    return expected


def _stable(tool: str, envelope: dict[str, Any]) -> bytes:
    """Return the part of an answer that must not vary: without handles, epochs, jobs and the edited number."""
    result = dict(envelope["result"])
    result.pop("epoch", None)
    if tool == "health_check":
        # What changes by itself while a server runs is no answer that could be wrong.
        for name in ("active_job", "prewarm_status", "watcher"):
            result.pop(name, None)
    if "pagination" in result:
        result["pagination"] = {**result["pagination"], "next_cursor": None}
    return _MARK.sub(b"marker_", orjson.dumps(result, option=orjson.OPT_SORT_KEYS))
