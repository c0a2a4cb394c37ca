"""Damage to any file of `.codeplane`: a read gives the right result or a typed error, and the next build repairs it.

The long version: `pytest -m sweep tests/faults -k damage` (rounds by CPL_ROUNDS, seed by CPL_SEED).
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.index.indexer import Indexer
from codeplane.index.options import IndexOptions
from codeplane.query.defs import list_defs_by_name
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot
from codeplane.store.state_files import STATE_NAME
from codeplane.workspace.workspace import open_workspace
from support.index_dump import dump
from support.repositories import logical_dump, make_repository, options_for, state_files, write
from support.snapshots import open_view
from support.text_search import search_files

HONEST = {ErrorCode.INDEX_CORRUPT, ErrorCode.NOT_READY, ErrorCode.NOT_INDEXED, ErrorCode.STATE_DIRECTORY_UNSAFE}

pytestmark = pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")


def sources(count: int) -> dict[str, str | bytes]:
    return {
        f"pkg/m{number}.py": f"import os\n\ndef load_{number}(a):\n    return helper_{number}(a)\n" * 5
        for number in range(count)
    }


class Patient:
    """A repository with an index that is damaged again and again, always from the same healthy state."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = make_repository(tmp_path / "repo", sources(40))
        self.options: IndexOptions = options_for(self.root)
        with Indexer.open(self.options) as indexer:
            indexer.sync()
        write(self.root, "pkg/m3.py", "def changed():\n    return 1\n")
        with Indexer.open(self.options) as indexer:
            indexer.sync()
            self.expected = logical_dump(indexer)
            self.images = [tmp_path / "unclean", tmp_path / "clean"]
            # Copied while the writer is open, so that the log is there, as after a kill.
            shutil.copytree(self.state, self.images[0])
        shutil.copytree(self.state, self.images[1])
        self.trash = tmp_path / "trash"
        self.trash.mkdir()
        self.user_state = tmp_path / "user-image"
        shutil.copytree(self.options.user_state, self.user_state)

    @property
    def state(self) -> Path:
        return self.root / STATE_NAME

    def restore(self, image: int) -> None:
        for target, origin in ((self.state, self.images[image]), (self.options.user_state, self.user_state)):
            # Moved away first: the last merge of a damaged text index may still put a file there.
            gone = Path(tempfile.mkdtemp(dir=self.trash)) / "gone"
            target.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
            shutil.copytree(origin, target)

    def ask(self) -> str:
        """Read everything: the result is right, or the error is typed."""
        try:
            with open_workspace(self.options) as workspace:
                workspace.read(self._check, lexical=True, references=True)
        except CodePlaneError as error:
            assert error.code in HONEST, error
            return error.code.name
        return "answered"

    def _check(self, snapshot: Snapshot) -> None:
        require_links(snapshot)
        rows = list_defs_by_name(snapshot, "load_7", 20).rows
        assert [row.path for row in rows] == ["pkg/m7.py"] * 5
        assert search_files(snapshot, "helper_7", 1) == ["pkg/m7.py"]
        assert list(dump(snapshot.reader)) == self.expected

    def heal(self) -> None:
        with Indexer.open(self.options, rebuild=True) as indexer:
            indexer.sync()
            assert logical_dump(indexer) == self.expected
        assert self.ask() == "answered"


def damage(path: Path, chooser: random.Random) -> str:
    data = bytearray(path.read_bytes())
    kind = chooser.choice(("flip", "flip", "flip", "truncate", "zero", "swap", "empty", "grow", "remove", "directory"))
    at = chooser.randrange(len(data)) if data else 0
    end = min(len(data), at + chooser.choice((1, 64, 8192)))
    if kind == "flip" and data:
        data[at] ^= 1 << chooser.randrange(8)
    elif kind == "truncate":
        del data[at:]
    elif kind == "zero":
        data[at:end] = bytes(end - at)
    elif kind == "swap":
        data[at:end] = chooser.randbytes(end - at)
    elif kind == "empty":
        data.clear()
    elif kind == "grow":
        data += chooser.randbytes(100)
    if kind in ("remove", "directory"):
        path.unlink()
        if kind == "directory":
            path.mkdir()
    else:
        path.write_bytes(data)
    return kind


def sweep(patient: Patient, seed: int, rounds: int) -> Counter[str]:
    chooser = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for number in range(rounds):
        patient.restore(number % 2)
        files = sorted(path for path in patient.state.rglob("*") if path.is_file())
        # The database holds most bytes, and most of what can go wrong.
        weights = [8 if path.name.startswith("index.db") else 1 for path in files]
        victim = chooser.choices(files, weights)[0]
        kind = damage(victim, chooser)
        told = f"seed {seed}, round {number}: {kind} of {victim.relative_to(patient.state)}"
        try:
            outcome = patient.ask()
            outcomes[outcome] += 1
            if not (victim.name == "lock" and kind == "directory"):
                patient.heal()
        except BaseException as error:
            error.add_note(told)
            raise
    return outcomes


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(tmp_path)


def test_damage_never_gives_wrong_results(patient: Patient, capfd: pytest.CaptureFixture[str]) -> None:
    outcomes = sweep(patient, seed=11, rounds=60)
    capfd.readouterr()
    assert outcomes["answered"] > 20, outcomes


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_damage_never_gives_wrong_results_exhaustively(patient: Patient) -> None:
    rounds = int(os.environ.get("CPL_ROUNDS", "1000"))
    seed = int(os.environ.get("CPL_SEED", "20261115"))
    print(f"seed {seed}, {rounds} rounds")
    print(sweep(patient, seed, rounds))


def _flip_in_page(patient: Patient, page: int) -> None:
    (database,) = patient.state.glob("generations/*/index.db")
    data = bytearray(database.read_bytes())
    data[page * 8192 + 4000] ^= 1
    database.write_bytes(data)


def test_damage_to_any_page_is_repaired(patient: Patient) -> None:
    """Also a page that no reader happened to need: `init` must not call a damaged index fresh."""
    (database,) = patient.images[1].glob("generations/*/index.db")
    pages = database.stat().st_size // 8192
    for page in range(0, pages, max(1, pages // 12)):
        patient.restore(1)
        _flip_in_page(patient, page)
        patient.heal()


def test_read_that_meets_damage_triggers_a_rebuild(patient: Patient) -> None:
    """The query itself rebuilds the index, without a call of `init`."""
    (database,) = patient.images[1].glob("generations/*/index.db")
    pages = database.stat().st_size // 8192
    before = (patient.images[1] / "CURRENT").read_text()
    rebuilt = 0
    for page in range(1, pages, max(1, pages // 12)):
        patient.restore(1)
        _flip_in_page(patient, page)
        assert patient.ask() == "answered", f"page {page}"
        rebuilt += (patient.state / "CURRENT").read_text() != before
    assert rebuilt, "no page was met by the question, so nothing was shown"


def test_damage_met_while_writing_triggers_a_rebuild(patient: Patient) -> None:
    (database,) = patient.images[1].glob("generations/*/index.db")
    for page in range(1, database.stat().st_size // 8192, 5):
        patient.restore(1)
        _flip_in_page(patient, page)
        write(patient.root, "pkg/m5.py", f"def changed_{page}():\n    return 1\n")
        with Indexer.open(patient.options) as indexer:
            indexer.sync()
            found = indexer.verify("full")
        write(patient.root, "pkg/m5.py", sources(6)["pkg/m5.py"])
        # What the edit did not touch may still be damaged, but then the full check says so.
        if found.verdict.value == "ok":
            assert patient.ask() == "answered"


@pytest.mark.parametrize("name", ["CURRENT", ".gitignore"])
@pytest.mark.parametrize("made", [os.mkdir, os.mkfifo, lambda path: os.symlink("/etc/passwd", path)])
def test_small_files_of_another_type(patient: Patient, name: str, made: Callable[[Path], None]) -> None:
    path = patient.state / name
    path.unlink()
    made(path)
    patient.heal()
    assert path.is_file() and not path.is_symlink()


def test_older_index_is_rebuilt_by_init_and_refused_to_reads(patient: Patient) -> None:
    _set_fingerprint(patient, '"extractor":"', '"extractor":"older-')
    with pytest.raises(CodePlaneError) as raised, open_view(patient.options):
        pass
    assert raised.value.code is ErrorCode.REQUIRES_REINDEX
    patient.heal()


def test_newer_index_is_refused_and_unchanged(patient: Patient) -> None:
    _set_fingerprint(patient, '"schema":"', '"schema":"9')
    before = state_files(patient.root)
    for rebuild in (True, False):
        with pytest.raises(CodePlaneError) as raised:
            Indexer.open(patient.options, rebuild=rebuild)
        assert raised.value.code is ErrorCode.INDEX_NEWER
    with pytest.raises(CodePlaneError) as raised, open_view(patient.options):
        pass
    assert raised.value.code is ErrorCode.INDEX_NEWER
    after = state_files(patient.root)
    assert {name: data for name, data in after.items() if name in before} == before
    # A look at a database in WAL mode leaves an empty log and its map behind; nothing else may come.
    assert all(name.endswith("-shm") or not data for name, data in after.items() if name not in before)


def _set_fingerprint(patient: Patient, old: str, new: str) -> None:
    """As another version would have written it."""
    patient.restore(1)
    with Indexer.open(patient.options) as indexer:
        writer = indexer.writer
        assert writer is not None
        text = writer.read_meta("fingerprint")
        assert text is not None and old in text
        writer.put_meta({"fingerprint": text.replace(old, new)})
        epoch = writer.read_epoch()
        assert epoch is not None
        writer.connection.execute("COMMIT")
