"""Edits of random files preserve all bytes outside of the edited text."""

from __future__ import annotations

import os
import random

import pytest

from codeplane.disk import encoding as texts
from codeplane.edits.locate import line_count
from codeplane.edits.splice import edit_text
from codeplane.edits.text_edit import Replacement

_ENDS = ("\n", "\r\n", "\r", "\u2028", "\x0c", "\x85")
_WORDS = ("a", "é", "日本", "\U0001f600", " ", "\t", "x = 1", "", "\ufffd", "\x1b")
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "shift-jis")


def random_file(chance: random.Random) -> bytes:
    ends = [chance.choice(_ENDS)] if chance.random() < 0.7 else list(_ENDS)
    text = "".join(chance.choice(_WORDS) + chance.choice(ends) for _ in range(chance.randrange(0, 9)))
    text += chance.choice(("", "last"))
    encoding = chance.choice(_ENCODINGS)
    data = text.encode(encoding, "replace")
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    if chance.random() < 0.1:
        data += bytes(chance.randrange(256) for _ in range(3))
    return data


def survive(rounds: int, seed: int) -> int:
    chance = random.Random(seed)
    edited = 0
    for number in range(rounds):
        data = random_file(chance)
        found = texts.decode(data)
        if found is None:
            continue
        text = found.data.decode("utf-8")
        if texts.encode(text, found) != data:
            # Damage that cannot be encoded again is refused before planning.
            assert found.encoding.startswith(("utf-16", "utf-32")), f"seed {seed}, file {number}"
            continue
        lines = line_count(text)
        if not lines:
            continue
        edited += 1
        at = chance.randrange(1, lines + 1)
        start = sum(len(line) + 1 for line in text.split("\n")[: at - 1])
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        same = edit_text(text, [Replacement(line, line, at)], found.line_ending).text if line else text
        same_by_line = edit_text(text, [Replacement(line or "\n", None, at, at)], found.line_ending).text
        assert texts.encode(same, found) == data, f"seed {seed}, file {number}"
        assert texts.encode(same_by_line, found) == data, f"seed {seed}, file {number}"
        whole = edit_text(text, [Replacement(text, text, 1)], found.line_ending).text
        assert texts.encode(whole, found) == data, f"seed {seed}, file {number}"
        other = edit_text(text, [Replacement("N", None, at, at)], found.line_ending).text
        assert other.startswith(text[:start]) and other.endswith(text[end:])
    return edited


def test_unedited_bytes_are_preserved() -> None:
    assert survive(3_000, 4) > 1_000


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_unedited_bytes_are_preserved_in_many_files() -> None:
    """`CPL_ROUNDS=100000 pytest -m sweep -s tests/edits/test_unedited_bytes.py`"""
    rounds, seed = int(os.environ.get("CPL_ROUNDS", "100000")), int(os.environ.get("CPL_SEED", "1"))
    print(f"seed {seed}: {survive(rounds, seed)} of {rounds} files were edited")
