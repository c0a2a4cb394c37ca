"""Workers that die, hang or run out of memory cost one file, never the parent."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence

import pytest

from codeplane.facts.blocks import pack
from codeplane.facts.extract import extract
from codeplane.facts.model import Ref
from codeplane.facts.pool import Job, ParserPool

GOOD = b"def f(a):\n    return a\n"


@pytest.fixture
def pool() -> Iterator[ParserPool]:
    pool = ParserPool(2, seconds=2.0)
    yield pool
    pool.close()


def job(path: str, source: bytes = GOOD) -> Job:
    return Job("python", path, source, tag=path)


def test_the_wire_carries_every_fact_unchanged(pool: ParserPool) -> None:
    source = "@d\nclass Ä(B):\n    'doc'\n    x: int = getattr(y, 'k')\nfrom m import a as b\n__all__ = ['Ä']\n".encode()
    here = extract("python", "p/m.py", source)
    (there,) = pool.parse([job("p/m.py", source)])
    assert _plain(there.facts) == _plain(pack(here.facts))
    assert list(there.problems) == list(here.problems)


def test_results_belong_to_their_jobs(pool: ParserPool) -> None:
    jobs = [job(f"m{number}.py", b"x%d = 1\n" % number) for number in range(200)]
    results = {result.job.tag: result for result in pool.parse(jobs)}
    assert len(results) == 200
    for number in range(200):
        assert results[f"m{number}.py"].facts.defs[0][4] == f"x{number}"


def test_killed_workers_are_replaced(pool: ParserPool) -> None:
    def jobs() -> Iterator[Job]:
        for number in range(300):
            if number == 100:
                os.kill(pool.pids[0], signal.SIGKILL)
            yield job(f"m{number}.py")

    results = list(pool.parse(jobs()))
    assert len(results) == 300
    assert all(result.failure is None for result in results)
    assert pool.deaths == 1


def test_files_over_the_cpu_limit_fail_after_two_workers(pool: ParserPool) -> None:
    chain = b"a" + b".b" * 300_000
    results = list(pool.parse([job("before.py"), job("chain.py", chain), job("after.py")]))
    failures = {result.job.path: result.failure for result in results}
    assert failures == {"before.py": None, "chain.py": "timeout", "after.py": None}
    assert pool.deaths == 2


def test_memory_is_bounded() -> None:
    pool = ParserPool(1, seconds=10.0, memory_bytes=150 * 1024 * 1024)
    try:
        large = b"x = [" + b"a, " * 300_000 + b"]\n"
        results = {result.job.path: result.failure for result in pool.parse([job("large.py", large), job("ok.py")])}
    finally:
        pool.close()
    assert results == {"large.py": "worker_died", "ok.py": None}


def test_abandoning_the_iterator_kills_busy_workers(pool: ParserPool) -> None:
    results = pool.parse([job("chain.py", b"a" + b".b" * 300_000), *(job(f"m{n}.py") for n in range(50))])
    next(results)
    results.close()
    assert len(list(pool.parse([job("again.py")]))) == 1


def test_close_leaves_no_process(pool: ParserPool) -> None:
    list(pool.parse([job("a.py"), job("b.py")]))
    pids = pool.pids
    assert pids
    pool.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_undecodable_paths_are_accepted(pool: ParserPool) -> None:
    (result,) = pool.parse([job(os.fsdecode(b"caf\xe9.py"))])
    assert result.failure is None and result.job.path == os.fsdecode(b"caf\xe9.py")


def test_nesting_bombs_do_not_kill_a_worker(pool: ParserPool) -> None:
    bombs = [job(f"{depth}{opening!r}.py", opening * depth) for depth in (1_000, 20_000, 100_000, 500_000) for opening in (b"(", b"[", b"{", b"x(")]
    results = list(pool.parse(bombs))
    assert len(results) == len(bombs)
    assert pool.deaths == 0
    assert all(result.problems for result in results)


def _plain(rows: object) -> object:
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        return [_plain(row) for row in rows]
    return int(rows) if isinstance(rows, bool) else rows


def test_refs_have_the_columns_of_the_model() -> None:
    assert len(extract("python", "m.py", GOOD).facts.refs[0]) == len(Ref._fields)


def test_suspended_workers_do_not_lose_their_file(pool: ParserPool) -> None:
    """A worker that gets no CPU time for longer than the limit is not over it."""
    pool.warm()
    pid = pool.pids[0]
    os.kill(pid, signal.SIGSTOP)
    timer = threading.Timer(3.0, os.kill, (pid, signal.SIGCONT))
    timer.start()
    (result,) = pool.parse([job("a.py")])
    timer.join()
    assert (result.failure, pool.deaths) == (None, 0)


def test_stalled_workers_are_replaced(pool: ParserPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.facts.pool._STALL_SECONDS", 0.5)
    pool.warm()
    os.kill(pool.pids[0], signal.SIGSTOP)
    (result,) = pool.parse([job("a.py")])
    assert (result.failure, pool.deaths) == (None, 1)


def test_compiling_a_grammar_does_not_count_towards_the_cpu_limit() -> None:
    """The queries of C++ take longer to compile than this limit, which is ample for one line."""
    pool = ParserPool(1, seconds=0.15)
    try:
        (result,) = pool.parse([Job("cpp", "a.cc", b"int f() { return 1; }\n")])
    finally:
        pool.close()
    assert (result.failure, pool.deaths) == (None, 0)
