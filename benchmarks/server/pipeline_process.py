"""The pipeline without a transport: `python -m benchmarks.server.pipeline_process ROOT OTHER_ROOT FILE ROUNDS`.

In one process, in turns: calls through the pipeline and the operation itself, and looks for changes with the watcher
(ROOT) and without it (OTHER_ROOT, a like tree) beside a bare walk. Both are indexed already. Prints JSON: seconds by
name.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.measure import interleaved, timed
from benchmarks.trees import bare_walk, pruned_directories

from codeplane.base.paths import RepoPath
from codeplane.cli.assemble import Invocation, assemble
from codeplane.cli.connect import loader
from codeplane.operations.health import health_fields
from codeplane.operations.outline import file_outline
from codeplane.operations.roots import open_root
from codeplane.query.snapshot import Snapshot
from codeplane.server.assembly import open_pipeline
from codeplane.tools.calls import CallRequest
from codeplane.workspace.workspace import Workspace

_READY_SECONDS = 60.0


def main() -> None:
    watched, unwatched, file, rounds = Path(sys.argv[1]), Path(sys.argv[2]), RepoPath(sys.argv[3]), int(sys.argv[4])
    with_watcher = Invocation(start=watched)
    without = Invocation(start=unwatched, overrides=("freshness.watcher=false",))
    pipeline = open_pipeline(assemble(with_watcher).context, loader(with_watcher))
    other = open_root(assemble(without).context)
    # The operation is asked of the very same door.
    home = pipeline._roots.home
    try:
        _await_ready(home.workspace, "on")
        _await_ready(other.workspace, "off")
        pruned = pruned_directories(unwatched)

        def through_pipeline(tool: str, **arguments: object) -> None:
            body, is_error, _ = pipeline.call(CallRequest(tool, arguments, principal="benchmark"))
            if is_error:
                raise RuntimeError(body.decode())

        def look(workspace: Workspace, only: RepoPath | None = None) -> None:
            read = workspace.read(_nothing, "strict", file=only)
            if read.freshness.status != "fresh":
                raise RuntimeError(f"not fresh: {read.freshness}")

        def outline() -> None:
            home.workspace.read(lambda snapshot: file_outline(snapshot, file).as_dict(), "balanced", file=file)

        calls = {
            "pipeline health_check": lambda: through_pipeline("health_check"),
            "operation health_check": lambda: health_fields(home.workspace.state()) and None,
            "pipeline file_outline": lambda: through_pipeline("file_outline", file=file),
            "operation file_outline": outline,
            "look, watcher on": lambda: look(home.workspace),
            "look, watcher off": lambda: look(other.workspace),
            "look at one file, watcher off": lambda: look(other.workspace, file),
            "bare walk": lambda: bare_walk(unwatched, pruned) and None,
        }
        clocked = {name: (lambda work=work: timed(work)) for name, work in calls.items()}
        interleaved(3, clocked)
        found = interleaved(rounds, clocked)
    finally:
        other.workspace.close()
        pipeline.close()
    print(json.dumps({name: series.values for name, series in found.items()}))


def _nothing(snapshot: Snapshot) -> None:
    """The look alone is what is timed."""


def _await_ready(workspace: Workspace, watcher: str) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while (state := workspace.state()).phase != "ready" or state.prewarm != "complete" or state.watcher != watcher:
        if time.monotonic() > deadline:
            raise SystemExit(f"not ready: {state.phase}, prewarm {state.prewarm}, watcher {state.watcher}")
        time.sleep(0.02)
    # What was too young to be trusted when it was indexed is read once more.
    workspace.sync()


if __name__ == "__main__":
    main()
