"""Text and columns for people, without a repository."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.text_lines import plural, table
from codeplane.cli.answer import Reply, answer
from codeplane.cli.errors import error_text
from codeplane.cli.plain import plain, record
from codeplane.cli.progress import line
from codeplane.cli.terminal import Style, duration, facts, fit, size

PLAIN = Style()


@dataclass(frozen=True)
class Step:
    """The shape of a Progress."""

    phase: str
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0
    elapsed_s: float = 0.0


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (46_800_000, "46.8 MB"), (2_147_483_648, "2.1 GB")],
)
def test_size(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (4.84, "4.8 s"), (59, "59 s"), (61, "1 min 01 s"), (7260, "2 h 01 min")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_numbers_and_words() -> None:
    assert plural(1, "file") == "1 file"
    assert plural(12345, "file") == "12,345 files"
    assert fit("abcdef", 4) == "abc…"
    assert fit("a\x1bb", 10) == "a\\x1bb"


def test_columns_line_up() -> None:
    rows = [("python", "2,929", "x"), ("go", "7", "")]
    assert table(rows, right=frozenset({1})) == ["  python  2,929  x", "  go          7"]
    assert facts([("a", "1"), ("none", ""), ("long", "2")], PLAIN) == ["  a     1", "  long  2"]


def test_colour_only_on_a_terminal() -> None:
    assert Style(colour=True).bold("x") == "\x1b[1mx\x1b[0m"
    assert PLAIN.bold("x") == "x"
    assert Style.of(io.StringIO()) == PLAIN


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_progress_line_fits_its_terminal(width: int) -> None:
    step = Step("index", 1234, 7081, 12_000_000, 46_800_000, 3.2)
    text = line(step, width, PLAIN)  # type: ignore[arg-type]
    assert len(text) < width
    assert text.startswith("Indexing")
    assert "1,234 / 7,081" in text


def test_progress_line_has_rate_and_time_left() -> None:
    text = line(Step("index", 1000, 4000, 25, 100, 2.0), 120, PLAIN)  # type: ignore[arg-type]
    assert "500 files/s" in text
    assert "6.0 s left" in text
    assert "━" * 8 + "─" * 22 in text


@pytest.mark.parametrize("step", [Step("scan"), Step("scan", 5), Step("index"), Step("finish", 9, 9)])
def test_progress_without_totals_is_a_word(step: Step) -> None:
    text = line(step, 80, PLAIN)  # type: ignore[arg-type]
    assert "━" not in text and "left" not in text


class Colour(Enum):
    RED = "red"


class Row(NamedTuple):
    path: str
    doc: str | None


@dataclass(frozen=True)
class Sample:
    where: Path
    rows: tuple[Row, ...]
    colour: Colour
    counts: dict[str, int]


def test_domain_values_are_serialized() -> None:
    sample = Sample(Path("/x"), (Row("a.py", None),), Colour.RED, {"n": 1})
    assert plain(sample) == {
        "where": "/x",
        "rows": [{"path": "a.py", "doc": None}],
        "colour": "red",
        "counts": {"n": 1},
    }
    assert record(Row("a.py", None)) == {"path": "a.py"}
    assert record(Row("a.py", "d"), "doc") == {"path": "a.py"}
    with pytest.raises(TypeError):
        plain(object())


def test_an_error_says_expected_received_and_an_example_escaped() -> None:
    error = CodePlaneError(
        ErrorCode.ARGUMENT_INVALID, "bad \x1b[2J", expected="good", received="b\x07", example="cpl a\nx", remedy="r"
    )
    assert error_text(error, PLAIN).splitlines() == [
        "error: bad \\x1b[2J",
        "  expected  good",
        "  received  b\\x07",
        "  example   cpl a",
        "            x",
        "  try       r",
    ]


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        (ErrorCode.NOT_INDEXED, "not_indexed", 1),
        (ErrorCode.NOT_READY, "not_ready", 1),
        (ErrorCode.FILE_NOT_FOUND, "not_found", 1),
        (ErrorCode.LANGUAGE_UNSUPPORTED, "unsupported", 1),
        (ErrorCode.INDEX_LOCKED, "blocked", 3),
        (ErrorCode.ARGUMENT_INVALID, "error", 2),
        (ErrorCode.INDEX_CORRUPT, "error", 1),
    ],
)
def test_every_error_code_has_an_exit_code(
    code: ErrorCode, status: str, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> Reply:
        raise CodePlaneError(code, "no")

    assert answer("test", refuse, json=True) == exit_code
    envelope = json.loads(capsys.readouterr().out)
    assert envelope["status"] == status
    assert envelope["error"]["error"] == code.name
    assert set(envelope) == {"status", "error", "meta"}


def test_unexpected_exception_is_internal_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> Reply:
        raise ZeroDivisionError("password=hunter2")

    assert answer("test", fail, json=False) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "ZeroDivisionError" in err
    assert "Traceback" not in err and "hunter2" not in err


def test_undecodable_names_survive_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer("test", lambda: Reply(result={"path": "a\udcff\x1b"}), json=True) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and out.isascii() and "\x1b" not in out
    assert json.loads(out)["result"] == {"path": "a\udcff\x1b"}
