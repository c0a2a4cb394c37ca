"""The repository's own log file: bounded, private, and never through a link."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane import telemetry
from codeplane.telemetry.logfile import LogFileHandler
from codeplane.telemetry.outputs import JsonFormatter

WRITER = """
import sys
from pathlib import Path
from codeplane import telemetry
telemetry.configure([], repository=Path(sys.argv[1]))
for number in range(200):
    telemetry.info("line", writer=sys.argv[2], number=number)
"""


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    telemetry.shut_down()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".codeplane").mkdir()
    return tmp_path


def log(root: Path) -> Path:
    return root / ".codeplane" / "logs" / "codeplane.jsonl"


def events(root: Path, lines: int = 50) -> list[str]:
    return [json.loads(line)["event"] for line in telemetry.read_tail(root, lines)]


def test_log_file_is_private(root: Path) -> None:
    telemetry.configure([], repository=root, file_level="info")
    telemetry.debug("not this")
    for number in range(60):
        telemetry.info(f"event {number}")
    assert events(root) == [f"event {number}" for number in range(10, 60)]
    assert os.stat(log(root)).st_mode & 0o777 == 0o600
    assert os.stat(log(root).parent).st_mode & 0o777 == 0o700


def test_log_never_creates_the_state_directory(tmp_path: Path) -> None:
    telemetry.configure([], repository=tmp_path)
    telemetry.info("early")
    assert list(tmp_path.iterdir()) == []
    assert telemetry.read_tail(tmp_path) == []
    (tmp_path / ".codeplane").mkdir()
    telemetry.info("late")
    assert events(tmp_path) == ["early", "late"]


def test_log_rotates_and_stays_bounded(root: Path) -> None:
    handler = LogFileHandler(root, max_bytes=2000)
    handler.setFormatter(JsonFormatter())
    logger = logging.Logger("rotation")
    logger.addHandler(handler)
    for number in range(100):
        logger.info("event %d", number)
    assert sorted(path.name for path in log(root).parent.iterdir()) == ["codeplane.jsonl", "codeplane.jsonl.1"]
    assert all(path.stat().st_size <= 2000 for path in log(root).parent.iterdir())
    kept = events(root, lines=1000)
    assert kept == [f"event {number}" for number in range(100 - len(kept), 100)]
    assert len(kept) > 20


@pytest.mark.parametrize("link", [".codeplane", ".codeplane/logs", ".codeplane/logs/codeplane.jsonl"])
def test_nothing_is_written_or_read_through_a_link(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / link).parent.mkdir(parents=True)
    outside.mkdir()
    victim = outside / "victim"
    victim.write_text("keep\n")
    (root / link).symlink_to(victim if link.endswith("jsonl") else outside)
    telemetry.configure([], repository=root)
    telemetry.info("event")
    assert victim.read_text() == "keep\n"
    assert list(outside.iterdir()) == [victim]
    assert telemetry.read_tail(root) == []


def test_hard_link_or_fifo_is_left_alone(root: Path) -> None:
    victim = root / "victim"
    victim.write_text("keep\n")
    log(root).parent.mkdir()
    os.link(victim, log(root))
    telemetry.configure([], repository=root)
    telemetry.info("event")
    assert victim.read_text() == "keep\n"
    log(root).unlink()
    os.mkfifo(log(root))
    telemetry.info("event")
    assert telemetry.read_tail(root) == []


def test_concurrent_processes_write_whole_lines(root: Path) -> None:
    children = [subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(number)]) for number in range(3)]
    assert [child.wait(timeout=60) for child in children] == [0, 0, 0]
    written = [json.loads(line) for line in log(root).read_text().splitlines()]
    seen = [(line["writer"], line["number"]) for line in written]
    assert sorted(seen) == sorted((str(writer), number) for writer in range(3) for number in range(200))


def test_foreign_log_lines_are_escaped(root: Path) -> None:
    log(root).parent.mkdir()
    log(root).write_bytes(b"\x1b]52;c;aGk=\x07 \xff\n")
    assert telemetry.read_tail(root) == ["\\x1b]52;c;aGk=\\x07 \\xff"]
