from __future__ import annotations

import os

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.facts.blocks import PackedFacts, pack
from codeplane.facts.links import NAMES, Links, Use, pack_uses
from codeplane.facts.model import Problem, Tier
from codeplane.facts.passages import read_searchable
from codeplane.store import epochs
from codeplane.store.codec import path_from_text, path_to_text
from codeplane.store.files import list_stored
from codeplane.store.integrity import Verdict, verify
from codeplane.store.layout import StateDirectory
from codeplane.store.link_table import make_links
from codeplane.store.open_writer import open_writer
from codeplane.store.reader import open_reader
from codeplane.store.records import ChangeKind, FileState, ObservedStat
from support.store_sample import Sample, search


def test_updated_index_equals_a_new_one(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    updated = sample.build(state, texts)
    later = dict(texts)
    del later["src/module_3.py"]
    later["src/module_4.py"] = "def other(x):\n    return load_5(x)\n"
    later["new/file.py"] = texts["src/module_5.py"]
    with open_writer(updated).writer as writer:
        assert sample.sync(writer, later) == 2
    fresh = sample.build(state, later)
    assert sample.dump(updated) == sample.dump(fresh)
    assert sample.dump(fresh)
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK


def test_rows_may_be_plain_lists(sample: Sample, state: StateDirectory) -> None:
    """As they are when they come out of another process."""
    text = "def load(path):\n    return load(path)\n"
    facts = sample.facts(text)
    packed = pack(facts)
    parts = ([list(row) if isinstance(row, tuple) else row for row in part] for part in packed[3:-3])
    lists = PackedFacts(*packed[:3], *parts, *packed[-3:])  # type: ignore[arg-type, call-arg]
    named = sample.build(state, {"a.py": text})
    with sample.create(state) as writer:
        writer.put_file(sample.row("a.py", text), lists, (), read_searchable(text.encode(), facts.defs))
        sample.publish(writer)
    assert sample.dump(named) == sample.dump(writer.generation)


def test_many_rows_of_one_file(sample: Sample, state: StateDirectory) -> None:
    for count in (1, 15, 16, 17, 33, 1000):
        text = " ".join(f"word{number}" for number in range(count))
        generation = sample.build(state, {"a.py": text})
        with open_reader(generation) as reader:
            assert reader.count("SELECT sum(count) FROM name_files") == count
            assert reader.count("SELECT count(DISTINCT name) FROM name_files") == count


def test_file_round_trips(sample: Sample, state: StateDirectory) -> None:
    big = ObservedStat(1, 2, 3, (1 << 64) - 5, 9, 1 << 62)
    row = sample.row("a.py", "text")._replace(stat=big, state=FileState.SKIPPED, reason="too_large", language=None)
    with sample.create(state) as writer:
        writer.put_file(row, PackedFacts())
        sample.publish(writer)
        known = dict(list_stored(writer))[RepoPath("a.py")]
        assert ObservedStat(*known[:6]) == big._replace(inode=-5)
        assert (known.digest, known.state) == (row.digest, FileState.SKIPPED)


@pytest.mark.parametrize(
    "path", ["a.py", "größe.py", "d/\udcff\udc80.py", "\U0010ff80.py", "\U0010ffff\udcff", "变.py"]
)
def test_paths_round_trip(sample: Sample, state: StateDirectory, path: str) -> None:
    assert path_from_text(path_to_text(path)) == path
    generation = sample.build(state, {path: "def f(): pass"})
    with open_writer(generation).writer as writer:
        assert set(dict(list_stored(writer))) == {RepoPath(path)}
        assert writer.remove_file(RepoPath(path))


def test_stored_paths_are_unique() -> None:
    names = [b"\x80", b"\xff", "\U0010ff80".encode(), "\U0010ffff".encode(), b"\xf4\x8f\xbe", b"\xf4\x8f\xbe\xf4"]
    paths = [os.fsdecode(name) for name in names]
    assert len({path_to_text(path) for path in paths}) == len(paths)
    assert [os.fsencode(path_from_text(path_to_text(path))) for path in paths] == names


def test_lone_surrogates_are_stored(sample: Sample, state: StateDirectory) -> None:
    facts = sample.facts("def f(): pass")
    packed = pack(facts)
    odd = packed._replace(
        names=("a\udc80", *facts.names[1:]), defs=tuple(row._replace(doc="x\ud800y") for row in facts.defs)
    )
    searchable = read_searchable("a\udc80 b".encode("utf-8", "surrogatepass"), facts.defs)
    with sample.create(state) as writer:
        writer.put_file(sample.row("a.py", "t"), odd, [Problem("syntax", 1, "near x")], searchable)
        sample.publish(writer)
        assert writer.rows("SELECT doc FROM defs") == [("x?y",)]
        assert writer.rows("SELECT refs FROM files") == [(len(facts.refs),)]


def test_malformed_facts_change_nothing(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {"a.py": "def f(): pass"})
    before = sample.dump(generation)
    wrong = PackedFacts(names=("a",), counts=(1, 2))
    with open_writer(generation).writer as writer:
        with pytest.raises(CodePlaneError) as raised:
            writer.put_file(sample.row("a.py", "other"), wrong)
        assert raised.value.code is ErrorCode.INTERNAL
        assert not writer.changed
        sample.publish(writer)
    assert sample.dump(generation) == before


def test_no_changes_make_no_epoch(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    with open_writer(generation).writer as writer:
        assert sample.sync(writer, texts) == 1
        stat = ObservedStat(5, 6, 7, 8, 9, 10)
        writer.touch_files([(RepoPath("src/module_1.py"), stat)])
        assert sample.publish(writer, head="another commit") == 1
    with open_reader(generation) as reader:
        assert reader.epoch.epoch == 1
        assert reader.epoch.head == "another commit"
        assert dict(list_stored(reader))[RepoPath("src/module_1.py")][:6] == stat


def test_an_empty_repository_has_an_epoch(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {})
    with open_reader(generation) as reader:
        assert (reader.epoch.epoch, reader.epoch.files) == (1, 0)
        assert search(reader, "x") == []


def test_epochs_may_continue_from_an_older_generation(sample: Sample, state: StateDirectory) -> None:
    with sample.create(state, first_epoch=41) as writer:
        assert sample.publish(writer) == 41
        sample.put(writer, "a.py", "x")
        assert sample.publish(writer) == 42


def test_one_change_per_path_and_epoch(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    def history(epoch: int) -> list[tuple[object, ...]]:
        sql = "SELECT change, path, old_path FROM epoch_files WHERE epoch = ? ORDER BY path"
        return writer.rows(sql, (epoch,))

    one, two, three = (RepoPath(f"src/module_{number}.py") for number in (1, 2, 3))
    with open_writer(sample.build(state, texts)).writer as writer:
        assert history(1) == []
        sample.put(writer, one, "a")
        sample.put(writer, one, "b")
        writer.remove_file(two)
        sample.put(writer, two, "c")
        sample.put(writer, "gone.py", "d")
        writer.remove_file(RepoPath("gone.py"))
        writer.remove_file(three)
        sample.put(writer, "moved.py", texts[three])
        writer.note_rename(three, RepoPath("moved.py"))
        assert sample.publish(writer) == 2
        assert history(2) == [
            (ChangeKind.RENAMED, "moved.py", three),
            (ChangeKind.MODIFIED, one, None),
            (ChangeKind.MODIFIED, two, None),
        ]
        writer.remove_file(RepoPath("moved.py"))
        sample.put(writer, "again.py", texts[three])
        writer.note_rename(RepoPath("moved.py"), RepoPath("again.py"))
        writer.remove_file(RepoPath("again.py"))
        assert sample.publish(writer) == 3
        assert history(3) == [(ChangeKind.REMOVED, "moved.py", None)]


def test_links_are_deleted_when_the_file_changes(sample: Sample, state: StateDirectory) -> None:
    texts = {"a.py": "def load(): pass", "b.py": "load"}
    with open_writer(sample.build(state, texts)).writer as writer:
        ids: dict[str, int] = dict(writer.rows("SELECT path, file_id FROM files"))
        place = pack_uses([Use(1, 0, Tier.STRONG, 0, 0, NAMES)])
        found = make_links(
            Links([7], [0], [0], [int(Tier.STRONG)], tokens=["x"], seen=[ids["a.py"]]), {7: place}, {"x": place}
        )
        writer.links.mark_unresolved(ids.values())
        assert writer.links.list_unresolved() == [ids["a.py"], ids["b.py"]]
        writer.links.put(ids["b.py"], found)
        assert writer.links.list_unresolved() == [ids["a.py"]]
        writer.commit_links()
        assert sample.publish(writer) == 1, "links belong to the epoch that is there"
        held = [
            writer.rows(f"SELECT file_id FROM {table}")
            for table in ("def_references", "unresolved_members", "link_dependencies", "file_links")
        ]
        assert held == [[(ids["b.py"],)]] * 4
        sample.put(writer, "a.py", "def other(): pass\ndef load(): pass")
        assert writer.rows("SELECT target, file_id FROM def_references") == [(7, ids["b.py"])]
        sample.put(writer, "b.py", "load()")
        assert not any(
            writer.rows(f"SELECT file_id FROM {table}")
            for table in ("def_references", "unresolved_members", "link_dependencies", "file_links")
        )


def test_rollback_returns_to_the_last_epoch(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    before = sample.dump(generation)
    with open_writer(generation).writer as writer:
        sample.put(writer, "new.py", "brand_new_name")
        writer.remove_file(RepoPath("src/module_1.py"))
        writer.rollback()
        assert not writer.changed
        assert sample.publish(writer) == 1
        sample.put(writer, "new.py", "brand_new_name")
        writer.remove_file(RepoPath("new.py"))
    assert sample.dump(generation) == before


def test_rollback_after_a_partial_publish_repairs_the_text_index(
    sample: Sample, state: StateDirectory, texts: dict[str, str]
) -> None:
    def fail(point: str) -> None:
        if point == "lexical-committed" and failing:
            raise OSError("disk full")

    generation = sample.build(state, texts)
    failing = True
    with open_writer(generation, barrier=fail).writer as writer:
        sample.put(writer, "new.py", "fresh_words")
        sample.put(writer, "src/module_1.py", "changed_words")
        with pytest.raises(OSError, match="disk full"):
            sample.publish(writer)
        writer.rollback()
        failing = False
        later = {**texts, "new.py": "fresh_words", "src/module_1.py": "changed_words"}
        assert sample.sync(writer, later) == 2
    assert sample.dump(generation) == sample.dump(sample.build(state, later))


def test_history_is_bounded(sample: Sample, state: StateDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epochs, "KEPT_EPOCHS", 5)
    with sample.create(state) as writer:
        for number in range(20):
            sample.put(writer, "a.py", f"def f{number}(): pass")
            sample.publish(writer)
        assert writer.rows("SELECT min(epoch), max(epoch) FROM epochs") == [(16, 20)]
        assert writer.rows("SELECT min(epoch), max(epoch) FROM epoch_files") == [(16, 20)]
        assert writer.rows("SELECT min(until_epoch), max(until_epoch) FROM def_snapshots") == [(16, 19)]
        assert writer.rows("SELECT count(*) FROM epochs WHERE lexical_state IS NOT NULL") == [(1,)]


def test_many_single_edits_and_merges(sample: Sample, state: StateDirectory, texts: dict[str, str]) -> None:
    generation = sample.build(state, texts)
    later = dict(texts)
    with open_writer(generation).writer as writer, open_reader(generation) as reader:
        for number in range(20):
            later["src/module_1.py"] = f"edited_{number}"
            sample.sync(writer, later)
            assert reader.refresh().epoch == number + 2
            assert search(reader, f"edited_{number}", 3)[0] == "src/module_1.py"
            if number % 3 == 0:
                writer.settle()
        assert len(list(generation.lexical.iterdir())) < 80
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK
