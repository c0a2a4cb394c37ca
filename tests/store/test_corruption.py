"""Corruption of any file of an index: equal results or a typed error, and an equal index after a sync."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.integrity import Verdict, verify
from codeplane.store.layout import StateDirectory
from codeplane.store.open_writer import open_writer
from codeplane.store.reader import open_reader
from support.store_sample import Sample, search

EXPECTED_ERRORS = {ErrorCode.INDEX_CORRUPT, ErrorCode.NOT_READY}


def _damage(path: Path, chooser: random.Random) -> str:
    data = bytearray(path.read_bytes())
    kind = chooser.choice(("flip", "flip", "truncate", "zero", "swap", "empty", "grow", "remove"))
    at = chooser.randrange(len(data)) if data else 0
    if kind == "flip" and data:
        data[at] ^= 1 << chooser.randrange(8)
    elif kind == "truncate":
        del data[at:]
    elif kind == "zero":
        end = min(len(data), at + chooser.choice((1, 64, 8192)))
        data[at:end] = bytes(end - at)
    elif kind == "swap":
        end = min(len(data), at + 512)
        data[at:end] = chooser.randbytes(end - at)
    elif kind == "empty":
        data.clear()
    elif kind == "grow":
        data += chooser.randbytes(100)
    if kind == "remove":
        path.unlink()
    else:
        path.write_bytes(data)
    return kind


def _check(sample: Sample, state: StateDirectory, texts: dict[str, str], expected: list[str]) -> str:
    """Return how damage was handled: detected on open, detected by a read, repaired, or harmless."""
    found = verify(state, sample.fingerprint, sample.binding)
    if found.verdict is not Verdict.OK:
        assert found.verdict in (Verdict.CORRUPT, Verdict.BUILDING, Verdict.ABSENT)
        return found.verdict.value
    assert found.generation is not None
    if not found.needs_repair:
        try:
            assert sample.dump(found.generation) == expected
            with open_reader(found.generation) as reader:
                assert search(reader, "load_7", 1) == ["src/module_7.py"]
        except CodePlaneError as error:
            assert error.code in EXPECTED_ERRORS
            return "noticed while reading"
    try:
        with open_writer(found.generation).writer as writer:
            sample.sync(writer, texts)
        assert sample.dump(found.generation) == expected
    except CodePlaneError as error:
        assert error.code in EXPECTED_ERRORS
        return "noticed while writing"
    return "repaired" if found.needs_repair else "harmless"


def _sweep(sample: Sample, tmp_path: Path, texts: dict[str, str], seed: int, rounds: int) -> Counter[str]:
    root = tmp_path / "origin"
    state = StateDirectory(root / ".codeplane")
    later = {**texts, "src/module_3.py": "def load_3(): changed", "new.py": "def created(): pass"}
    expected = sample.dump(sample.build(state, later))
    shutil.rmtree(state.path)
    state = StateDirectory(root / ".codeplane")
    state.path.mkdir()
    generation = sample.build(state, texts)
    # Copied while the writer is open, so that the log is full, as after a kill.
    with open_writer(generation).writer as writer:
        sample.sync(writer, later)
        images = [tmp_path / "unclean", tmp_path / "clean"]
        shutil.copytree(root, images[0])
    shutil.copytree(root, images[1])
    outcomes: Counter[str] = Counter()
    chooser = random.Random(seed)
    for number in range(rounds):
        copy = tmp_path / "copy"
        shutil.copytree(images[number % 2], copy)
        files = sorted(path for path in copy.rglob("*") if path.is_file() and path.name != ".gitignore")
        victim = files[number // 2 % len(files)]
        kind = _damage(victim, chooser)
        outcome = _check(sample, StateDirectory(copy / ".codeplane"), later, expected)
        outcomes[outcome] += 1
        if victim.name in ("index.db", "CURRENT") and kind in ("empty", "remove"):
            assert outcome in ("corrupt", "building", "absent"), (victim, kind)
        _remove(copy)
    return outcomes


def _remove(path: Path) -> None:
    """Threads of a text index that panicked may still write while their directory goes."""
    for _ in range(200):
        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"{path} cannot be removed")


@pytest.fixture
def quiet_panics(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Tantivy prints its panics; they are expected here."""
    yield
    capfd.readouterr()


@pytest.mark.usefixtures("quiet_panics")
def test_corruption_never_gives_wrong_results(sample: Sample, tmp_path: Path, texts: dict[str, str]) -> None:
    (tmp_path / "origin" / ".codeplane").mkdir(parents=True)
    outcomes = _sweep(sample, tmp_path, texts, seed=7, rounds=150)
    # All ways must have been met, or the sweep shows nothing.
    assert outcomes["corrupt"] > 40
    assert outcomes["harmless"] > 3


@pytest.mark.sweep
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("quiet_panics")
def test_corruption_never_gives_wrong_results_exhaustively(
    sample: Sample, tmp_path: Path, texts: dict[str, str]
) -> None:
    (tmp_path / "origin" / ".codeplane").mkdir(parents=True)
    seed = int.from_bytes(os.urandom(4), "big")
    outcomes = _sweep(sample, tmp_path, texts, seed, 1000)
    assert outcomes["corrupt"] > 300, f"seed {seed}"


def test_undamaged_images_are_intact(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    expected = sample.dump(sample.build(state, texts))
    assert _check(sample, state, texts, expected) == "harmless"


@pytest.mark.parametrize("name", ["index.db", "tantivy/meta.json"])
def test_both_halves_are_required(sample: Sample, state: StateDirectory, texts: dict[str, str], name: str) -> None:
    generation = sample.build(state, texts)
    (generation.path / name).unlink()
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.CORRUPT


def test_every_segment_file_is_verified_on_open(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    checked = 0
    for path in sorted(generation.lexical.iterdir()):
        whole = path.read_bytes()
        if path.name.startswith(".") or not whole:
            continue
        path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.CORRUPT, path.name
        path.write_bytes(whole)
        checked += 1
    assert checked >= 7
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.OK
