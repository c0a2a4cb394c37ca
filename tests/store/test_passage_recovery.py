"""Passages go with their files: through cut-off publishes, recoveries and merges."""

from __future__ import annotations

import pytest

from codeplane.base.paths import RepoPath
from codeplane.query.snapshot import Snapshot
from codeplane.query.text import list_candidate_files, list_passages_named, rank_passages, read_file_briefs
from codeplane.store.integrity import Verdict, verify
from codeplane.store.layout import Generation, StateDirectory
from codeplane.store.open_writer import open_writer
from codeplane.store.reader import open_reader
from support.store_sample import Sample


def passages(generation: Generation) -> list[object]:
    """Return everything about passages, in the order of the reader."""
    with open_reader(generation) as reader:
        snapshot = Snapshot(reader)
        found = [
            *rank_passages(snapshot, {"load": 3, "pars": 2, "path": 1, "fresh": 9}, 100, per_file=9),
            *list_passages_named(snapshot, {f"load{number}": 1 for number in range(12)}, 100),
        ]
        plain = [(hit.file.path, *hit[1:]) for hit in found]
        candidates = read_file_briefs(snapshot, list_candidate_files(snapshot, [["fresh"], ["arse_1"]]) or ())
        return [reader.lexical.document_count, plain, sorted(file.path for file in candidates.values())]


class Cut(Exception):
    pass


def cut(point: str) -> None:
    if point == "lexical-committed":
        raise Cut


def change(sample: Sample, texts: dict[str, str]) -> dict[str, str]:
    later = dict(texts)
    del later["src/module_3.py"]
    later["src/module_4.py"] = "def fresh_load(x):\n    return load_5(x)\n\n\ndef load_4(path):\n    return path\n"
    later["new.py"] = texts["src/module_5.py"] + "fresh_words\n"
    return later


def test_check_detects_damage(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    before = passages(sample.build(state, texts))
    after = passages(sample.build(state, change(sample, texts)))
    assert before != after
    assert "load_7" in repr(after)
    assert "fresh_load" in repr(after)
    assert after[2] == ["new.py", "src/module_1.py", "src/module_10.py", "src/module_4.py", "src/module_7.py"]


def test_next_writer_repairs_an_interrupted_publish(
    sample: Sample, state: StateDirectory, texts: dict[str, str]
) -> None:
    generation = sample.build(state, texts)
    later = change(sample, texts)
    writer = open_writer(generation, barrier=cut).writer
    with pytest.raises(Cut):
        sample.sync(writer, later)
    # As after a kill: nothing is rolled back.
    writer.lexical.close()
    writer.connection.close()
    opened = open_writer(generation)
    with opened.writer as writer:
        assert opened.was_inconsistent
        # The removed file is there again in the database, and the new one is not.
        assert set(opened.repaired) == {RepoPath("src/module_3.py"), RepoPath("src/module_4.py")}
        sample.sync(writer, later)
    assert passages(generation) == passages(sample.build(state, later))


def test_rollback_after_an_interrupted_publish(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    before = passages(generation)
    with open_writer(generation, barrier=cut).writer as writer, pytest.raises(Cut):
        sample.sync(writer, change(sample, texts))
    with open_writer(generation).writer as writer:
        sample.sync(writer, texts)
    assert passages(generation) == before
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK


def test_passages_survive_edits_and_merges(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    with open_writer(generation).writer as writer:
        for number in range(24):
            path = f"src/module_{number % 12}.py"
            sample.sync(writer, {**texts, path: f"def fresh_{number}(path):\n    return load_{number}\n"})
            if number % 5 == 0:
                writer.settle()
        sample.sync(writer, texts)
    assert passages(generation) == passages(sample.build(state, texts))


def test_recoding_keeps_the_document(sample: Sample, state: StateDirectory) -> None:
    text = "def load_1(path):\n    return path\n"
    generation = sample.build(state, {"a.py": text})
    before = passages(generation)
    with open_writer(generation).writer as writer:
        unix = sample.row("a.py", text)
        dos = sample.row("a.py", text.replace("\n", "\r\n"))._replace(text_digest=unix.digest)
        assert dos.document_digest == unix.document_digest != dos.digest
        writer.recode_file(dos)
        assert sample.publish(writer) == 2
    assert passages(generation) == before
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK
