"""Real processes: killed between the two commits, reading beside a writer, fighting for the same index."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import codeplane
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.integrity import Verdict, verify
from codeplane.store.layout import StateDirectory
from codeplane.store.open_writer import open_writer
from codeplane.store.reader import open_reader
from support.store_sample import Sample, search

_PREFACE = """
import os, signal, sys
from pathlib import Path
from support.store_sample import Sample, search
from codeplane.store.layout import StateDirectory
from codeplane.store.reader import open_reader
from codeplane.store.open_writer import open_writer
sample = Sample()
state = StateDirectory(Path(sys.argv[1]))
"""


def _start(state: StateDirectory, script: str) -> subprocess.Popen[str]:
    source = Path(codeplane.__file__).parents[1]
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(source), str(tests)])
    command = [sys.executable, "-c", _PREFACE + textwrap.dedent(script), str(state.path)]
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("point", ["lexical-committed", "published"])
def test_kill_during_publish_is_repaired(
    sample: Sample, state: StateDirectory, texts: dict[str, str], point: str
) -> None:
    generation = sample.build(state, texts)
    child = _start(
        state,
        f"""
        def kill(point):
            if point == "{point}":
                os.kill(os.getpid(), signal.SIGKILL)
        with open_writer(state.current(), barrier=kill).writer as writer:
            sample.put(writer, "src/module_1.py", "def rewritten(): pass")
            sample.put(writer, "new.py", "def created(): pass")
            writer.remove_file("src/module_2.py")
            sample.publish(writer)
        """,
    )
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    later = {**texts, "src/module_1.py": "def rewritten(): pass", "new.py": "def created(): pass"}
    del later["src/module_2.py"]
    found = verify(state, sample.fingerprint, sample.binding)
    assert found.verdict is Verdict.OK
    assert found.needs_repair == (point == "lexical-committed")
    if found.needs_repair:
        with pytest.raises(CodePlaneError) as raised:
            open_reader(generation, wait_seconds=0.05)
        assert raised.value.code is ErrorCode.NOT_READY
    opened = open_writer(generation)
    expected = {"src/module_1.py", "src/module_2.py"} if found.needs_repair else set()
    assert set(opened.repaired) == expected
    with opened.writer as writer:
        assert sample.sync(writer, later) == 2
    assert sample.dump(generation) == sample.dump(sample.build(state, later))


def test_stale_text_index_is_repaired(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    old = state.path / "old"
    shutil.copytree(generation.lexical, old)
    later = {**texts, "src/module_1.py": "def rewritten(): pass", "new.py": "def created(): pass"}
    with open_writer(generation).writer as writer:
        sample.sync(writer, later)
    shutil.rmtree(generation.lexical)
    old.rename(generation.lexical)
    opened = open_writer(generation)
    assert set(opened.repaired) == {"src/module_1.py", "new.py"}
    with opened.writer as writer:
        assert sample.sync(writer, later) == 3
    assert sample.dump(generation) == sample.dump(sample.build(state, later))


def test_orphaned_documents_are_removed_without_a_new_epoch(
    sample: Sample, state: StateDirectory, texts: dict[str, str]
) -> None:
    """A kill while a file that never was published was on its way: nothing has to be read again."""
    generation = sample.build(state, texts)
    before = sample.dump(generation)
    child = _start(
        state,
        """
        def kill(point):
            os.kill(os.getpid(), signal.SIGKILL)
        with open_writer(state.current(), barrier=kill).writer as writer:
            sample.put(writer, "new.py", "def created(): pass")
            sample.publish(writer)
        """,
    )
    child.communicate()
    opened = open_writer(generation)
    assert (opened.repaired, opened.was_inconsistent) == ((), True)
    with opened.writer as writer:
        assert sample.sync(writer, texts) == 1
    assert sample.dump(generation) == before


def test_kill_during_build_leaves_no_current_generation(sample: Sample, state: StateDirectory) -> None:
    child = _start(
        state,
        """
        writer = sample.create(state)
        sample.put(writer, "a.py", "x")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    child.communicate()
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.BUILDING
    assert state.sweep() == ["generations/1"]
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.ABSENT


def test_reader_sees_a_consistent_epoch(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    with open_reader(generation) as before, open_writer(generation).writer as writer:
        sample.put(writer, "src/module_1.py", "def rewritten(): pass")
        assert search(before, "rewritten") == []
        sample.publish(writer)
        count = "SELECT count(*) FROM defs WHERE name = 'rewritten'"
        assert before.count(count) == 0
        assert search(before, "rewritten") == []
        assert search(before, "load_1", 1) == ["src/module_1.py"]
        with open_reader(generation) as after:
            assert (before.epoch.epoch, after.epoch.epoch) == (1, 2)
            assert after.count(count) == 1
            assert search(after, "rewritten") == ["src/module_1.py"]
        assert before.refresh().epoch == 2
        assert before.count(count) == 1
        assert search(before, "rewritten") == ["src/module_1.py"]


def test_the_text_index_is_loaded_on_demand(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    with open_reader(generation, lexical=False) as reader, open_writer(generation).writer as writer:
        with pytest.raises(CodePlaneError):
            search(reader, "load_1")
        assert reader.load_lexical()
        sample.put(writer, "src/module_1.py", "def rewritten(): pass")
        sample.publish(writer)
        assert reader.load_lexical()
        assert search(reader, "rewritten") == [], "the text index is that of the reader's epoch"
        reader.refresh()
        with pytest.raises(CodePlaneError):
            search(reader, "rewritten")
        assert reader.load_lexical()
        assert search(reader, "rewritten") == ["src/module_1.py"]
        reader.refresh()
        sample.put(writer, "src/module_1.py", "def again(): pass")
        sample.publish(writer)
        assert not reader.load_lexical(), "the text index on disk belongs to a later epoch"


def test_reader_of_a_removed_generation_continues(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    old = sample.build(state, texts)
    with open_reader(old) as reader:
        new = sample.build(state, {"a.py": "x"})
        state.sweep()
        assert state.generations() == [new]
        assert reader.count("SELECT count(*) FROM files") == len(texts)
        assert search(reader, "load_3", 1)[0] == "src/module_3.py"


def test_other_processes_never_see_a_partial_epoch(
    sample: Sample, state: StateDirectory, texts: dict[str, str]
) -> None:
    generation = sample.build(state, {**texts, "counter.py": "def epoch_1(): pass"})
    child = _start(
        state,
        """
        print("ready", flush=True)
        sys.stdin.readline()
        seen = set()
        with open_reader(state.current()) as reader:
            while max(seen, default=0) < 25:
                epoch = reader.refresh().epoch
                names = [row[0] for row in reader.rows("SELECT name FROM defs WHERE name LIKE 'epoch%'")]
                assert names == [f"epoch_{epoch}"], (epoch, names)
                documents = {path: digest for _, digest, path in reader.documents()}
                stored = dict(reader.rows("SELECT path, lower(hex(digest)) FROM files"))
                assert documents == stored, epoch
                seen.add(epoch)
        print(len(seen), flush=True)
        """,
    )
    assert child.stdout is not None and child.stdin is not None
    assert child.stdout.readline() == "ready\n"
    child.stdin.write("\n")
    child.stdin.flush()
    with open_writer(generation).writer as writer:
        for number in range(2, 26):
            sample.put(writer, "counter.py", f"def epoch_{number}(): pass")
            assert sample.publish(writer) == number
        output, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert int(output) >= 2


def test_second_writer_is_refused(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    with open_writer(generation).writer as writer:
        sample.put(writer, "src/module_1.py", "def rewritten(): pass")
        child = _start(
            state,
            """
            from codeplane.base.errors import CodePlaneError
            from codeplane.store import database
            database._BUSY_MS = 50
            try:
                with open_writer(state.current()).writer as writer:
                    sample.put(writer, "other.py", "def intruder(): pass")
                    sample.publish(writer)
            except CodePlaneError as error:
                print(error.code.name)
            """,
        )
        output, _ = child.communicate(timeout=60)
        assert output == "INDEX_LOCKED\n"
        sample.publish(writer)
    later = {**texts, "src/module_1.py": "def rewritten(): pass"}
    assert sample.dump(generation) == sample.dump(sample.build(state, later))
