"""The log as it grows: nothing lost and nothing twice, whatever happens to the file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import Queue

import pytest

from codeplane.telemetry.follow import Follower

Start = Callable[[], Queue[str]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    directory = tmp_path / ".codeplane" / "logs"
    directory.mkdir(parents=True)
    return directory / "codeplane.jsonl"


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


@pytest.fixture
def following(tmp_path: Path) -> Start:
    """Start a follower in a thread; what it sees comes out of a queue."""

    def start() -> Queue[str]:
        seen: Queue[str] = Queue()
        follower = Follower(tmp_path, pause=0.005)

        def run() -> None:
            for line in follower.lines():
                seen.put(line)

        threading.Thread(target=run, daemon=True).start()
        return seen

    return start


def test_only_new_complete_lines_are_followed(log: Path, following: Start) -> None:
    append(log, "old\n")
    seen = following()
    append(log, "first\nsec")
    assert seen.get(timeout=5) == "first"
    append(log, "ond\n")
    assert seen.get(timeout=5) == "second"
    assert seen.empty()


def test_rotation_neither_loses_nor_repeats_lines(log: Path, following: Start) -> None:
    append(log, "old\n")
    seen = following()
    for number in range(50):
        append(log, f"{number}\n")
        if number % 10 == 9:
            log.rename(log.with_name("codeplane.jsonl.1"))
            append(log, f"{number}b\n")
            wanted = [str(number - 9 + step) for step in range(10)] + [f"{number}b"]
            assert [seen.get(timeout=5) for _ in wanted] == wanted
    assert seen.empty()


def test_log_created_or_truncated_later_is_followed(log: Path, following: Start) -> None:
    seen = following()
    append(log, "born\n")
    assert seen.get(timeout=5) == "born"
    log.write_text("")
    append(log, "a\n")
    assert seen.get(timeout=5) == "a"


def test_control_characters_are_escaped_and_links_are_not_followed(log: Path, tmp_path: Path, following: Start) -> None:
    secret = tmp_path / "secret"
    secret.write_text("")
    log.symlink_to(secret)
    seen = following()
    append(secret, "hunter2\n")
    log.unlink()
    append(log, "\x1b[2J\n")
    assert seen.get(timeout=5) == "\\x1b[2J"
