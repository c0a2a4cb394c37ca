"""Our own search as an agent asks it: through the pipeline of tools, with default arguments, in this process.

A tree is indexed once and kept up to date afterwards. What an index is made by has a fingerprint of its own here, so
that an index of other code is not taken for one of this. Settings of the real user do not count.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.search.data import Place

import codeplane
from codeplane.cli.assemble import Invocation, context_at, load_config
from codeplane.operations.context import Context
from codeplane.operations.search.finder import Finder
from codeplane.operations.search.weights import WEIGHTS, Weights
from codeplane.server.assembly import open_pipeline
from codeplane.server.engine import tune_garbage_collector
from codeplane.store.state_files import STATE_NAME
from codeplane.tools.calls import CallRequest
from codeplane.tools.pipeline import CallPipeline
from codeplane.tools.surface import Surface
from codeplane.workspace.workspace import Workspace

_SOURCES = (".py", ".scm", ".toml", ".json", ".yaml")
_INDEX_PACKAGES = ("languages", "facts", "store", "index", "disk")
_READY_SECONDS = 600.0
AGENT = Surface()
"""The tools that a client of `cpl mcp` is offered."""


class Ours:
    """Keeps one tree open."""

    def __init__(self, work: Path, weights: Weights = WEIGHTS) -> None:
        self._work = work
        self._weights = weights
        names = {"XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
        self._environment = {variable: str(work / "user" / name) for variable, name in names.items()}
        self._tree: Path | None = None
        self._pipeline: CallPipeline | None = None
        self._finder: Finder | None = None
        """Only where it has other weights than the one of the pipeline."""

    def turn_to(self, tree: Path) -> None:
        tree = tree.resolve()
        if tree != self._tree:
            self.close()
            mark = self._drop_if_older(tree)
            self._pipeline, self._tree = open_pipeline(self._context(tree), self._context), tree
            # As the engine does.
            tune_garbage_collector()
            self._await_ready()
            mark.write_text(fingerprint(_INDEX_PACKAGES))
            if self._weights != WEIGHTS:
                roots = self.pipeline._roots
                self._finder = Finder(tree, self._weights)
                roots.home = replace(roots.home, finder=self._finder)
        self.workspace.sync()

    def ask(self, query: str) -> list[Place]:
        """The first page."""
        rows = json.loads(self.send({"query": query}))["result"]["results"]
        return [Place(row["path"], row["line_start"], row["line_end"]) for row in rows]

    def send(self, arguments: Mapping[str, object], tool: str = "search", surface: Surface = AGENT) -> bytes:
        """The envelope as it is sent; SystemExit where it is an error."""
        request = CallRequest(tool, {**arguments, "format": "json"}, "benchmark", surface)
        body, is_error, _ = self.pipeline.call(request)
        if is_error:
            raise SystemExit(f"{str(arguments)[:200]}: {body.decode()[:500]}")
        return body

    @property
    def workspace(self) -> Workspace:
        return self.pipeline._roots.home.workspace

    @property
    def pipeline(self) -> CallPipeline:
        assert self._pipeline is not None
        return self._pipeline

    def close(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close(10.0)
            gc.unfreeze()
        if self._finder is not None:
            self._finder.close()
        self._pipeline = self._tree = self._finder = None

    def _context(self, tree: Path) -> Context:
        config = load_config(tree, Invocation(), self._environment)
        return context_at(tree, config, self._environment)

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while (state := self.workspace.state()).phase != "ready":
            if state.phase in ("error", "incompatible") or time.monotonic() > deadline:
                raise SystemExit(f"{self._tree} has no index: {state.phase}, {state.last_error}")
            time.sleep(0.01)

    def _drop_if_older(self, tree: Path) -> Path:
        """File with the fingerprint of the code that built the index."""
        mark = self._work / "indexed" / hashlib.sha256(os.fsencode(tree)).hexdigest()[:16]
        mark.parent.mkdir(parents=True, exist_ok=True)
        if not mark.exists() or mark.read_text() != fingerprint(_INDEX_PACKAGES):
            shutil.rmtree(tree / STATE_NAME, ignore_errors=True)
        return mark


def fingerprint(packages: tuple[str, ...] = ()) -> str:
    """Return a fingerprint of the code, or of some of its packages."""
    root = Path(codeplane.__file__).parent
    digest = hashlib.sha256()
    for base in [root / package for package in packages] or [root]:
        for file in sorted(base.rglob("*")):
            if file.suffix in _SOURCES and file.is_file():
                digest.update(f"{file.relative_to(root)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
