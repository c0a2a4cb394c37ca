"""Pool of parse workers that survives files which kill a worker.

Jobs are handed out a few at a time, so that no worker waits for the parent. A worker that dies or exceeds the CPU
limit for one file is replaced; its current file is retried once, alone in a new worker, and then reported as failed.
No file can affect the parent, and no wall clock decides: on a busy machine a file takes longer, but it is parsed.
"""

from __future__ import annotations

import selectors
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from codeplane.base.errors import system_error
from codeplane.base.limits import PARSE_ATTEMPTS, PARSE_MEMORY_BYTES, PARSE_SECONDS
from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Problem
from codeplane.facts.passages import Searchable
from codeplane.facts.wire import decode, path_text
from codeplane.processes.children import Child
from codeplane.processes.confinement import CPU_LIMIT_SIGNAL

_QUEUED_JOBS = 12
_QUEUED_BYTES = 1 << 20
_MODULE = "codeplane.facts.worker"
_STALL_SECONDS = 60.0
"""A worker that neither answers nor uses CPU time for this long (it was stopped) is replaced."""


class Job(NamedTuple):
    language: str
    """Empty for a text of which only the words are extracted."""
    path: str
    source: bytes
    tag: Any = None
    """Opaque value, returned with the result."""


class Parsed(NamedTuple):
    """Result of one job. Rows are plain sequences in the column order of the model. `failure` says why extraction
    failed.
    """

    job: Job
    facts: PackedFacts = PackedFacts()
    problems: Sequence[Problem] = ()
    searchable: Searchable = Searchable()
    failure: str | None = None
    frame: bytes = b""
    """The worker's response without the failure, as received."""


@dataclass
class _Worker:
    child: Child
    jobs: deque[int] = field(default_factory=deque)
    queued_bytes: int = 0
    cpu_seconds: float = -1.0
    """CPU time at the last check for a stall."""


class ParserPool:
    """Worker processes, started on first use and kept until closed."""

    def __init__(self, workers: int, *, seconds: float = PARSE_SECONDS, memory_bytes: int = PARSE_MEMORY_BYTES) -> None:
        self._size = max(1, workers)
        self._seconds = seconds
        self._memory = memory_bytes
        self._workers: list[_Worker] = []
        self.deaths = 0

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(worker.child.pid for worker in self._workers)

    def warm(self) -> None:
        """Start one worker now, so that the first edit does not wait for it."""
        if not self._workers:
            self._workers.append(self._start())

    def keep_one(self) -> None:
        """Replace the workers of a large batch by a fresh one, which holds little memory."""
        if len(self._workers) != 1:
            self.close()
            self.warm()

    def close(self) -> None:
        for worker in self._workers:
            worker.child.kill()
        self._workers.clear()

    def parse(self, jobs: Iterable[Job]) -> Generator[Parsed, None, None]:
        """Yield results as they become ready. Abandoning the iterator kills the busy workers."""
        run = _Run(self, iter(jobs))
        try:
            yield from run.results()
        finally:
            run.abandon()

    def _start(self) -> _Worker:
        try:
            return _Worker(Child(_MODULE, (str(self._memory), str(self._seconds))))
        except OSError as error:
            raise system_error(error, "a parse worker cannot be started") from error

    def _retire(self, worker: _Worker) -> int:
        status = worker.child.kill()
        self._workers.remove(worker)
        self.deaths += 1
        return status


class _Run:
    """One pass over a stream of jobs."""

    def __init__(self, pool: ParserPool, jobs: Iterator[Job]) -> None:
        self._pool = pool
        self._incoming = jobs
        self._exhausted = False
        self._retry: deque[int] = deque()
        self._pending: dict[int, Job] = {}
        self._attempts: dict[int, int] = {}
        self._next = 0

    def results(self) -> Iterator[Parsed]:
        while True:
            self._feed()
            if not self._pending:
                return
            finished = self._collect()
            # Refill before the caller processes the results: workers must not wait for it.
            self._feed()
            yield from finished

    def abandon(self) -> None:
        for worker in [worker for worker in self._pool._workers if worker.jobs]:
            worker.child.kill()
            self._pool._workers.remove(worker)

    def _feed(self) -> None:
        """Hand out jobs until every worker is busy or no job is left."""
        while True:
            number = self._take()
            if number is None:
                return
            worker = self._choose(alone=number in self._attempts)
            if worker is None:
                self._retry.appendleft(number)
                return
            job = self._pending[number]
            worker.jobs.append(number)
            worker.queued_bytes += len(job.source)
            head = orjson.dumps((number, job.language, path_text(job.path)))
            worker.child.send(head + b"\n", job.source)

    def _take(self) -> int | None:
        if self._retry:
            return self._retry.popleft()
        if self._exhausted or not self._has_room():
            return None
        job = next(self._incoming, None)
        if job is None:
            self._exhausted = True
            return None
        number, self._next = self._next, self._next + 1
        self._pending[number] = job
        return number

    def _has_room(self) -> bool:
        return len(self._pool._workers) < self._pool._size or self._choose(alone=False) is not None

    def _choose(self, *, alone: bool) -> _Worker | None:
        """Return the least busy worker; a retried file gets a worker of its own."""
        pool = self._pool
        idle = [worker for worker in pool._workers if not worker.jobs]
        if alone and idle:
            # A worker whose memory other files have used up is not reused.
            idle[0].child.kill()
            pool._workers.remove(idle.pop(0))
        if not idle and len(pool._workers) < pool._size:
            pool._workers.append(pool._start())
            return pool._workers[-1]
        if alone:
            return idle[0] if idle else None
        open_workers = [
            worker
            for worker in pool._workers
            if len(worker.jobs) < _QUEUED_JOBS
            and worker.queued_bytes < _QUEUED_BYTES
            and not (self._attempts and any(number in self._attempts for number in worker.jobs))
        ]
        return min(open_workers, key=lambda worker: worker.queued_bytes + len(worker.jobs), default=None)

    def _collect(self) -> list[Parsed]:
        """Wait for an event, and yield finished results."""
        busy = [worker for worker in self._pool._workers if worker.jobs]
        with selectors.DefaultSelector() as selector:
            for worker in busy:
                selector.register(worker.child.output, selectors.EVENT_READ, worker)
                if worker.child.wants_to_write:
                    selector.register(worker.child.input, selectors.EVENT_WRITE, worker)
            events = selector.select(_STALL_SECONDS)
        finished: list[Parsed] = []
        for key, mask in events:
            if mask & selectors.EVENT_WRITE:
                key.data.child.flush()
        for worker in busy:
            frames, alive = worker.child.receive()
            finished += [self._finish(worker, frame) for frame in frames]
            if not alive or (not events and not frames and _has_stalled(worker)):
                finished += self._lost(worker)
        return finished

    def _finish(self, worker: _Worker, frame: bytes) -> Parsed:
        number, facts, problems, searchable = decode(frame)
        worker.jobs.remove(number)
        job = self._pending.pop(number)
        worker.queued_bytes -= len(job.source)
        return Parsed(job, facts, problems, searchable, frame=frame)

    def _lost(self, worker: _Worker) -> list[Parsed]:
        """Replace a dead worker. Its current file is to blame; the others were only queued."""
        status = self._pool._retire(worker)
        if not worker.jobs:
            return []
        blamed, *innocent = worker.jobs
        worker.jobs.clear()
        self._retry.extend(innocent)
        self._attempts[blamed] = self._attempts.get(blamed, 0) + 1
        if self._attempts[blamed] < PARSE_ATTEMPTS:
            self._retry.appendleft(blamed)
            return []
        return [Parsed(self._pending.pop(blamed), failure="timeout" if status == -CPU_LIMIT_SIGNAL else "worker_died")]


def _has_stalled(worker: _Worker) -> bool:
    before, worker.cpu_seconds = worker.cpu_seconds, worker.child.cpu_seconds()
    return worker.cpu_seconds == before
