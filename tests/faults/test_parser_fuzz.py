"""Broken sources in every grammar, through the real workers: each comes back once, read or set aside with a reason.

The long version: `CPL_SECONDS=60 CPL_SEED=1 pytest -m sweep -s tests/faults/test_parser_fuzz.py` (seconds per
grammar, of those in CPL_GRAMMARS or of all); it prints inputs, deaths of workers and timeouts, and keeps what broke a
parser in the folder CPL_KEEP.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

from codeplane.base.digests import digest_bytes
from codeplane.base.limits import PARSE_ATTEMPTS, PARSE_MEMORY_BYTES
from codeplane.disk.encoding import decode
from codeplane.facts.blocks import unpack
from codeplane.facts.extract import extract
from codeplane.facts.model import Def
from codeplane.facts.passages import Passage
from codeplane.facts.pool import Job, Parsed, ParserPool
from codeplane.languages.registry import detect, languages
from support.mutations import MAX_BYTES, mutants

CASES = Path(__file__).parent.parent / "facts"
INPUTS = 25
"""Inputs per grammar in the default suite."""

ALONE = """
import sys
from codeplane.facts.extract import extract
from codeplane.processes.confinement import confine
source = sys.stdin.buffer.read()
confine(int(sys.argv[2]))
try:
    extract(sys.argv[1], "pkg/m", source)
except MemoryError:
    sys.exit(3)
"""
"""Ends with 1 where it is our own code that gives up, which it never may."""
_BLAMED = 10


@dataclass
class Tally:
    language: str
    inputs: int = 0
    deaths: int = 0
    aside: dict[str, list[bytes]] = field(default_factory=dict)
    """Quarantined inputs by reason."""

    def __str__(self) -> str:
        died, late = (len(self.aside.get(reason, ())) for reason in ("worker_died", "timeout"))
        return f"{self.language:<12} {self.inputs:>7} {self.deaths:>13} {died:>9} {late:>8}"


HEAD = f"{'grammar':<12} {'inputs':>7} {'worker deaths':>13} {'died from':>9} {'timeouts':>8}"


@cache
def sources(language: str) -> tuple[bytes, ...]:
    """The case files of a language."""
    files = (path for path in sorted(CASES.glob("*/*")) if path.is_file() and path.suffix != ".facts")
    read = ((path.name, path.read_bytes()) for path in files)
    return tuple(data for name, data in read if (found := detect(name, data)) is not None and found.name == language)


def as_text(data: bytes) -> bytes:
    """As the index would hand it to a parser; what it takes for binary is handed over all the same."""
    text = decode(data)
    return (text.data if text is not None else data.decode("latin-1").encode()).replace(b"\r\n", b"\n")


def check(parsed: Parsed) -> None:
    """Every row points into the source."""
    lines = parsed.job.source.count(b"\n") + 1
    defs = [Def(*row) for row in parsed.facts.defs]
    assert len({row.def_uid for row in defs}) == len(defs)
    for row in defs:
        assert 1 <= row.start_line <= row.name_line <= row.end_line <= lines
        assert row.parent is None or 0 <= row.parent < len(defs)
    held = unpack(parsed.facts.block)
    assert all(1 <= ref.start_line <= lines and (ref.bind is None or ref.bind < len(held.binds)) for ref in held.refs)
    for passage in (Passage(*row) for row in parsed.searchable.passages):
        assert 1 <= passage.first <= passage.last <= lines
        assert -1 <= passage.definition < len(defs)


def fuzz(language: str, seed: int, going: Callable[[int], bool], pool: ParserPool, most: int = MAX_BYTES) -> Tally:
    tally = Tally(language)
    before = pool.deaths
    handed: list[int] = []

    def jobs() -> Iterator[Job]:
        broken = mutants(sources(language), Random(f"{seed} {language}"), most)
        for number, data in zip(count(), broken):
            if not going(number):
                return
            handed.append(number)
            yield Job(language, f"pkg/m{number}", as_text(data), tag=number)

    back: list[int] = []
    for parsed in pool.parse(jobs()):
        back.append(parsed.job.tag)
        if parsed.failure is None:
            check(parsed)
        else:
            tally.aside.setdefault(parsed.failure, []).append(parsed.job.source)
    assert sorted(back) == handed, "each comes back exactly once"
    tally.inputs = len(handed)
    tally.deaths = pool.deaths - before
    assert set(tally.aside) <= {"worker_died", "timeout"}
    assert tally.deaths >= PARSE_ATTEMPTS * sum(map(len, tally.aside.values()))
    return tally


def blame(language: str, inputs: Sequence[bytes]) -> list[str]:
    """Last traceback line of the first sources that killed a worker in our own code."""
    found = []
    for source in inputs[:_BLAMED]:
        command = [sys.executable, "-c", ALONE, language, str(PARSE_MEMORY_BYTES)]
        done = subprocess.run(command, input=source, capture_output=True, timeout=60, check=False)
        if done.returncode == 1:
            found.append(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return found


def keep(tally: Tally, folder: Path) -> None:
    for reason, inputs in tally.aside.items():
        for source in inputs:
            place = folder / tally.language / f"{reason}-{digest_bytes(source)[:12]}"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(source)


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, second = (list(islice(mutants([b"def f(): pass\n"] * 2, Random("1 x")), 200)) for _ in range(2))
    assert first == second
    assert len(set(first)) > 150


@pytest.mark.parametrize("language", [language.name for language in languages()])
def test_broken_sources_yield_facts(language: str, shared_pool: ParserPool) -> None:
    assert sources(language), "a language without a case file"
    tally = fuzz(language, 1, lambda number: number < INPUTS, shared_pool, 8 * 1024)
    assert tally.inputs == INPUTS
    assert blame(language, tally.aside.get("worker_died", ())) == []


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[ParserPool]:
    pool = ParserPool(2)
    yield pool
    pool.close()


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_broken_sources_sweep() -> None:
    seconds = float(os.environ.get("CPL_SECONDS", "60"))
    seed = int(os.environ.get("CPL_SEED", "20261115"))
    chosen = os.environ.get("CPL_GRAMMARS", "").split() or [language.name for language in languages()]
    print(f"\nseed {seed}, {seconds:g} s for each grammar\n{HEAD}")
    ours: dict[str, list[str]] = {}
    for language in chosen:
        pool = ParserPool(2)
        end = time.monotonic() + seconds
        try:
            tally = fuzz(language, seed, lambda number, end=end: time.monotonic() < end, pool)  # type: ignore[misc]
        finally:
            pool.close()
        print(tally, flush=True)
        if os.environ.get("CPL_KEEP"):
            keep(tally, Path(os.environ["CPL_KEEP"]))
        failures = blame(language, tally.aside.get("worker_died", ()))
        if failures:
            ours[language] = failures
            print(f"  {len(failures)} by our own code: {sorted(set(failures))[:5]}", flush=True)
    assert not ours


def test_endless_word_is_linear() -> None:
    began = time.process_time()
    found = extract("toml", "m.toml", b"v = '" + b"x" * 400_000 + b"'\n")
    assert time.process_time() - began < 2
    assert [row.name for row in found.facts.defs] == ["v"]


def test_large_error_node_is_linear() -> None:
    source = f"defmodule A do\n  def f(a), do: a\n  @type t :: list(It{'ï»¿' * 8000})\n  def g(a), do: a\nend\n"
    began = time.process_time()
    found = extract("elixir", "m.ex", source.encode())
    assert time.process_time() - began < 5
    assert [row.name for row in found.facts.defs] == ["A", "f", "t", "g"]
    assert "cut" in {problem.code for problem in found.problems}


def test_long_operator_chain_is_accepted() -> None:
    source = b"defmodule A do\n  defstruct [" + b":a ++ " * 3000 + b":b]\nend\n"
    names = [row.name for row in extract("elixir", "m.ex", source).facts.defs]
    assert names[0] == "A"
    assert {"a", "b"} <= set(names)


@pytest.mark.parametrize("filling", [" ", "*", "\t*"])
def test_endless_comment_line_is_linear(filling: str) -> None:
    source = f"/** Told. {filling * 200_000} end */\nfunction f() {{}}\n"
    began = time.process_time()
    found = extract("javascript", "m.js", source.encode())
    assert time.process_time() - began < 2
    assert [row.name for row in found.facts.defs] == ["f"]
