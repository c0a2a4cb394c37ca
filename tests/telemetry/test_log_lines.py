"""Log lines: their shape, their levels, and what they must not carry."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane import telemetry
from codeplane.telemetry import LogDestination


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    telemetry.shut_down()


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_json_line_has_time_level_event_and_fields(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert telemetry.configure([LogDestination("json", str(path), "debug")], repository=None) == []
    with telemetry.bind(op_id="o_1"), telemetry.bind(request_id="r_1"):
        telemetry.warn("file set aside", path="src/a.py", attempts=2, fatal=False, owner=None)
    telemetry.info("after")
    first, second = lines(path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(first.pop("ts")))
    assert first == {
        "level": "warn",
        "request_id": "r_1",
        "op_id": "o_1",
        "event": "file set aside",
        "path": "src/a.py",
        "attempts": 2,
        "fatal": False,
        "owner": None,
    }
    assert set(second) == {"ts", "level", "event"}
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_each_output_has_its_own_level_and_format(tmp_path: Path) -> None:
    every, errors = tmp_path / "every.jsonl", tmp_path / "errors.log"
    outputs = [LogDestination("json", str(every), "debug"), LogDestination("console", str(errors), "error")]
    telemetry.configure(outputs, repository=None)
    telemetry.debug("one")
    telemetry.info("two")
    telemetry.warn("three")
    telemetry.error("four", code=7)
    assert [line["level"] for line in lines(every)] == ["debug", "info", "warn", "error"]
    assert re.fullmatch(r"\d\d:\d\d:\d\d error four  code=7\n", errors.read_text())


def test_standard_streams_are_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.configure(
        [LogDestination("console", "stderr", "info"), LogDestination("json", "stdout", "warn")], repository=None
    )
    telemetry.info("quiet")
    telemetry.warn("loud")
    out, err = capsys.readouterr()
    assert json.loads(out)["event"] == "loud"
    assert [line.split(maxsplit=2)[1:] for line in err.splitlines()] == [["info", "quiet"], ["warn", "loud"]]


def test_control_characters_are_escaped_and_long_text_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    telemetry.configure([LogDestination("console", str(path), "info")], repository=None)
    telemetry.info("seen", name="a\x1b[2Jb\nc\udcff", content="x" * 5000, data=b"secret bytes")
    text = path.read_text()
    assert "a\\x1b[2Jb\\nc\\udcff" in text
    assert text.count("\n") == 1
    assert len(text) < 500
    assert "secret" not in text and "<12 bytes>" in text


def test_an_exception_is_located_without_its_message(tmp_path: Path) -> None:
    try:
        raise ValueError("password = hunter2")
    except ValueError as error:
        fields = telemetry.describe(error)
    assert fields["exception"] == "ValueError"
    assert "test_log_lines.py:" in fields["trace"]
    assert "hunter2" not in str(fields)


def test_an_output_that_cannot_be_opened_is_reported_and_left_out(tmp_path: Path) -> None:
    good = tmp_path / "good.jsonl"
    os.mkfifo(tmp_path / "pipe")
    outputs = [
        LogDestination("json", str(tmp_path / "missing" / "x"), "info"),
        LogDestination("json", str(tmp_path / "pipe"), "info"),
        LogDestination("json", str(good), "info"),
    ]
    problems = telemetry.configure(outputs, repository=None)
    telemetry.info("still logged")
    assert len(problems) == 2
    assert "missing" in problems[0] and "pipe" in problems[1]
    assert len(lines(good)) == 1


def test_nothing_is_written_anywhere_before_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    telemetry.shut_down()
    telemetry.error("no listener")
    assert capfd.readouterr() == ("", "")
