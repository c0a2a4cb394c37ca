"""Several processes share an index: one writes, the others wait or read, and none sees a mix of epochs."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.query.defs import list_defs_by_name
from codeplane.query.snapshot import open_current
from codeplane.store.integrity import Verdict
from codeplane.store.layout import StateDirectory
from support.children import run, start
from support.repositories import git, logical_dump, make_repository, options_for, scratch_dump, sync, write
from support.snapshots import open_view
from support.text_search import search_files
from support.workspaces import until


def sources(count: int) -> dict[str, str | bytes]:
    return {f"pkg/m{number}.py": f"def load_{number}(a):\n    return a\n" * 5 for number in range(count)}


INIT = """
sys.stdin.readline()
try:
    with Indexer.open(options_for(root), rebuild=True, lock_timeout={timeout}) as indexer:
        print(indexer.sync().decision)
except CodePlaneError as error:
    print(error.code.name)
"""


@pytest.mark.parametrize("timeout", [0.0, 30.0])
def test_concurrent_starts(tmp_path: Path, timeout: float) -> None:
    root = make_repository(tmp_path / "repo", sources(40))
    for _ in range(3):
        shutil.rmtree(root / ".codeplane", ignore_errors=True)
        children = [start(root, INIT.format(timeout=timeout)) for _ in range(4)]
        time.sleep(0.4)
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        said = []
        for child in children:
            output, errors = child.communicate(timeout=60)
            assert child.returncode == 0, errors
            said.append(output.strip())
        assert said.count("built") == 1 or (timeout == 0.0 and said.count("built") >= 1)
        assert set(said) <= (
            {"built", "fresh", "synced", "INDEX_LOCKED"} if timeout == 0 else {"built", "fresh", "synced"}
        )
        with Indexer.open(options_for(root)) as indexer:
            assert indexer.sync().rebuild_reason is None
            assert logical_dump(indexer) == scratch_dump(root, tmp_path)
            assert indexer.verify("full").verdict is Verdict.OK


def test_reader_keeps_its_epoch_across_publishes(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", sources(20))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            first = snapshot.epoch.epoch
            names = [f"renewed{first_letter}{second}" for first_letter in "abcd" for second in "abcdefghij"]
            for name in names:
                write(root, "pkg/m1.py", f"def {name}():\n    return 1\n")
                indexer.sync()
                assert len(list_defs_by_name(snapshot, "load_1", 20).rows) == 5
                assert list_defs_by_name(snapshot, name, 20).rows == ()
                assert search_files(snapshot, name, 5) == []
            assert snapshot.epoch.epoch == first
            assert snapshot.refresh().epoch == first + 40
            assert len(list_defs_by_name(snapshot, names[-1], 20).rows) == 1
            assert search_files(snapshot, names[-1], 1) == ["pkg/m1.py"]


def test_second_process_reads_during_a_rebuild(tmp_path: Path) -> None:
    """The old index answers, says that it was not checked, and does not wait for the build."""
    root = make_repository(tmp_path / "repo", sources(40))
    with pytest.raises(CodePlaneError) as raised, open_view(options_for(root)):
        pass
    assert raised.value.code is ErrorCode.NOT_INDEXED
    sync(root)
    for number in range(30):
        write(root, f"pkg/m{number}.py", f"def renewed_{number}():\n    return 1\n")
    outputs: list[str] = []

    def ask(progress: object) -> None:
        if getattr(progress, "phase", "") == "finish":
            # The build goes on when this returns, so an answer here has not waited for it.
            output = run(
                root,
                """
                from codeplane.query.defs import list_defs_by_name
                with open_view(options_for(root)) as view:
                    print(view.freshness.status, view.freshness.decision, len(view.notices))
                    print(len(list_defs_by_name(view.snapshot, "load_3", 20).rows))
                """,
            )
            outputs.append(output)

    with Indexer.open(options_for(root)) as indexer:
        indexer.sync(ask)
    assert outputs and all(output.splitlines() == ["stale unchecked 1", "5"] for output in outputs)
    with open_view(options_for(root)) as view:
        assert view.freshness.status == "fresh"
        assert list_defs_by_name(view.snapshot, "load_3", 20).rows == ()


def test_first_build_is_unreadable_until_finished(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", sources(40))
    said: list[str] = []

    def ask(progress: object) -> None:
        if getattr(progress, "phase", "") == "finish":
            said.append(
                run(
                    root,
                    """
                    try:
                        with open_view(options_for(root)):
                            print("answered")
                    except CodePlaneError as error:
                        print(error.code.name)
                    """,
                ).strip()
            )

    with Indexer.open(options_for(root)) as indexer:
        indexer.sync(ask)
    assert said == ["NOT_READY"]


@pytest.mark.parametrize("why", ["foreign", "older"])
def test_foreign_index_is_not_read_while_it_is_replaced(tmp_path: Path, why: str) -> None:
    root = make_repository(tmp_path / "repo", sources(10))
    sync(root)
    if why == "foreign":
        shutil.rmtree(tmp_path / "user-state")
    else:
        with Indexer.open(options_for(root)) as indexer:
            writer = indexer.writer
            assert writer is not None
            text = writer.read_meta("fingerprint")
            assert text is not None
            writer.put_meta({"fingerprint": text.replace('"extractor":"', '"extractor":"older-')})
            writer.connection.execute("COMMIT")
    said: list[str] = []

    def ask(progress: object) -> None:
        if getattr(progress, "phase", "") == "finish":
            with pytest.raises(CodePlaneError) as raised, open_view(options_for(root)):
                pass
            said.append(raised.value.code.name)

    with Indexer.open(options_for(root), rebuild=True) as indexer:
        indexer.sync(ask)
    assert said == ["NOT_READY" if why == "foreign" else "REQUIRES_REINDEX"]
    with open_view(options_for(root)) as view:
        assert view.freshness.status == "fresh"


def test_status_while_another_process_writes(tmp_path: Path) -> None:
    """A status read without the lock never reports a healthy index as damaged."""
    root = make_repository(tmp_path / "repo", sources(30))
    sync(root)
    child = start(
        root,
        """
        from codeplane.operations.context import Context
        from codeplane.operations.status import status
        from codeplane.config.model import Config
        context = Context(root, Config(), root.parent / "user-state")
        print("ready", flush=True)
        seen = {}
        while not (root.parent / "stop").exists():
            state = status(context)
            seen[state.state] = state.reason
        print(sorted(seen.items()))
        """,
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    with Indexer.open(options_for(root)) as indexer:
        for number in range(60):
            write(root, f"pkg/m{number % 30}.py", f"def version_{number}():\n    return 1\n")
            indexer.sync()
    (tmp_path / "stop").touch()
    output, errors = child.communicate(timeout=60)
    assert child.returncode == 0, errors
    assert output.strip() == "[('ready', None)]"


def test_reads_from_many_processes_while_files_change(tmp_path: Path) -> None:
    """A fresh result contains the version that was on disk when the read began."""
    root = make_repository(tmp_path / "repo", {**sources(10), "counter.py": "def version_0():\n    return 1\n"})
    sync(root)
    script = """
    import os
    from codeplane.query.defs import list_defs_in_file
    fresh = 0
    (root.parent / f"started-{os.getpid()}").touch()
    while not (root.parent / "stop").exists():
        asked = int((root.parent / "written").read_text())
        with open_view(options_for(root)) as view:
            (row,) = list_defs_in_file(view.snapshot, "counter.py", 5).rows
            shown = int(row.name.split("_")[1])
            assert view.freshness.status != "fresh" or shown >= asked, (asked, shown)
            fresh += view.freshness.status == "fresh"
    print(fresh)
    """
    (tmp_path / "written").write_text("0")
    children = [start(root, script) for _ in range(2)]
    until(lambda: len(list(tmp_path.glob("started-*"))) == len(children), 60)
    for number in range(1, 40):
        time.sleep(0.05)
        write(root, "next", f"def version_{number}():\n    return 1\n")
        (root / "next").replace(root / "counter.py")
        (tmp_path / "next").write_text(str(number))
        (tmp_path / "next").replace(tmp_path / "written")
    (tmp_path / "stop").touch()
    fresh = 0
    for child in children:
        output, errors = child.communicate(timeout=60)
        assert child.returncode == 0, errors
        fresh += int(output)
    assert fresh > 0
    git(root, "status")
    assert StateDirectory(root / ".codeplane").generations()
