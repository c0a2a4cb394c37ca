"""CPU time of an index by stage, in a fresh process: `python -m benchmarks.index.profile_stages PART ROOT [SCRATCH]`.

    build    a cold index: stages of the main thread, other threads, and worker processes by what they do
    extract  the work of the parse workers, by stage and language, on the finished index under ROOT

Functions of the product are replaced by ones that read the CPU clock of the thread. A stage has the time spent in its
functions without that of other stages called from there, so that the stages of a thread add up.
"""

from __future__ import annotations

import inspect
import json
import resource
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from benchmarks.index import stages

from codeplane.facts import extract, flow_captures, identifiers, pool, structure
from codeplane.index import extraction_cache, indexer, invalidation, pipeline, tree_scanner
from codeplane.processes.children import Child
from codeplane.store import lexical_writer, writer

OTHER = "other"
THREADS = "other threads (Tantivy, hashing)"
BUILD_STAGES: tuple[tuple[Any, str, str], ...] = (
    (tree_scanner.TreeScanner, "scan", "scan"),
    (pipeline, "read_many", "read and hash"),
    (pool.ParserPool, "parse", "send and receive"),
    (pool, "decode", "decode results"),
    (extraction_cache.ExtractionCache, "find", "extraction cache"),
    (extraction_cache.ExtractionCache, "store", "extraction cache"),
    (extraction_cache.ExtractionCache, "flush", "extraction cache"),
    (writer.Writer, "put_file", "rows of a file"),
    (lexical_writer.LexicalWriter, "add", "documents of a file"),
    (invalidation.Invalidation, "settle", "resolve: main process"),
    (invalidation.LinkResolution, "run", "resolve: main process"),
    (indexer, "publish", "publish"),
)
"""(owner, function, stage)"""
EXTRACT_STAGES: tuple[tuple[Any, str, str], ...] = (
    (extract, "_parse", "parse"),
    (extract, "read_structure", "structure"),
    (extract, "ScopeTree", "scopes"),
    (extract, "read_definitions", "definitions"),
    (extract, "read_references", "names"),
    (extract, "read_flow", "flow"),
    (extract, "read_document", "documents"),
    (stages, "read_searchable", "terms"),
    (stages, "encode", "packing"),
)
CURSORS = (structure, identifiers, flow_captures, extract)
"""Modules that run queries."""
QUERIES = "queries"
_WORKERS = {"codeplane.facts.worker": "parse workers", "codeplane.index.resolve.worker": "resolve workers"}


def main() -> None:
    part, root = sys.argv[1], Path(sys.argv[2]).resolve()
    place = Path(sys.argv[3]) if len(sys.argv) > 3 else root
    print(json.dumps(PARTS[part](root, place)))


class Meter:
    """Exclusive CPU time of one thread by stage. Calls from other threads are not counted."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._thread = threading.get_ident()
        self._stack = [OTHER]
        self._since = time.thread_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if threading.get_ident() != self._thread:
            yield
            return
        self._charge()
        self._stack.append(name)
        try:
            yield
        finally:
            self._charge()
            self._stack.pop()

    def take(self) -> dict[str, float]:
        """Return the times since the last call."""
        self._charge()
        taken, self.seconds = self.seconds, defaultdict(float)
        return taken

    def replace(self, owner: Any, name: str, stage: str) -> None:
        """Replace a function, or a class that a module calls, by one that is measured."""
        setattr(owner, name, self._measured(getattr(owner, name), stage))

    def replace_cursor(self, module: Any) -> None:
        cursor = module.QueryCursor
        meter = self

        class MeasuredCursor:
            def __init__(self, *arguments: Any, **options: Any) -> None:
                self._cursor = cursor(*arguments, **options)

            def __getattr__(self, name: str) -> Any:
                found = getattr(self._cursor, name)
                return meter._measured(found, QUERIES) if callable(found) else found

        module.QueryCursor = MeasuredCursor

    def _charge(self) -> None:
        now = time.thread_time()
        self.seconds[self._stack[-1]] += now - self._since
        self._since = now

    def _measured(self, function: Callable[..., Any], stage: str) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            with self.stage(stage):
                return function(*arguments, **options)

        @wraps(function)
        def iterate(*arguments: Any, **options: Any) -> Iterator[Any]:
            items = function(*arguments, **options)
            ended = object()
            while True:
                with self.stage(stage):
                    item = next(items, ended)
                if item is ended:
                    return
                yield item

        return iterate if inspect.isgeneratorfunction(function) else call


def build(root: Path, place: Path) -> dict[str, Any]:
    meter = Meter()
    workers: dict[str, float] = defaultdict(float)
    for owner, name, stage in BUILD_STAGES:
        meter.replace(owner, name, stage)
    _meter_children(workers)
    meter.take()
    others = time.process_time() - time.thread_time()
    found = stages.index(root, place)
    taken = dict(meter.take())
    taken[THREADS] = time.process_time() - time.thread_time() - others
    return found | {"stages": taken | workers}


def _meter_children(workers: dict[str, float]) -> None:
    """Charge the CPU time of each worker process to its kind when it ends."""
    start, kill = Child.__init__, Child.kill

    def started(self: Child, module: str, *arguments: Any) -> None:
        start(self, module, *arguments)
        self.kind = _WORKERS.get(module, module)  # type: ignore[attr-defined]

    def killed(self: Child) -> int:
        before = _children_cpu()
        status = kill(self)
        workers[self.kind] += _children_cpu() - before  # type: ignore[attr-defined]
        return status

    Child.__init__ = started  # type: ignore[assignment, method-assign]
    Child.kill = killed  # type: ignore[method-assign]


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def extraction(root: Path, place: Path) -> dict[str, Any]:
    sources = stages.list_sources(root)
    meter = Meter()
    for owner, name, stage in EXTRACT_STAGES:
        meter.replace(owner, name, stage)
    for module in CURSORS:
        meter.replace_cursor(module)
    meter.take()
    taken: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def charge(language: str) -> None:
        for stage, seconds in meter.take().items():
            taken[language][stage] += seconds

    return {"languages": stages.extract_all(sources, charge), "stages": taken}


PARTS: dict[str, Callable[[Path, Path], dict[str, Any]]] = {"build": build, "extract": extraction}


if __name__ == "__main__":
    main()
