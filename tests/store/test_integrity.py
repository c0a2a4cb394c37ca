from __future__ import annotations

from dataclasses import replace

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.database import open_for_writing
from codeplane.store.fingerprint import Fingerprint, differences, is_newer, parse_fingerprint
from codeplane.store.integrity import Verdict, verify
from codeplane.store.layout import StateDirectory
from codeplane.store.records import EpochInfo
from support.store_sample import Sample


def test_missing_directory_or_generation_is_absent(sample: Sample, state: StateDirectory) -> None:
    assert verify(None, sample.fingerprint, sample.binding).verdict is Verdict.ABSENT
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.ABSENT


def test_building_until_the_first_switch(sample: Sample, state: StateDirectory) -> None:
    with sample.create(state) as writer:
        assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.BUILDING
        sample.publish(writer)
        state.switch(writer.generation)
        found = verify(state, sample.fingerprint, sample.binding)
        assert (found.verdict, found.needs_repair) == (Verdict.OK, False)
        assert found.epoch is not None and found.epoch.epoch == 1
        assert found.repo_uuid == sample.binding.repo_uuid


def test_index_of_another_user_is_absent(sample: Sample, state: StateDirectory) -> None:
    sample.build(state, {"a.py": "x"})
    for binding in (
        None,
        replace(sample.binding, repo_uuid="c" * 32),
        replace(sample.binding, index_id="c" * 32),
    ):
        found = verify(state, sample.fingerprint, binding)
        assert found.verdict is Verdict.ABSENT
        assert found.reason
    previous = replace(sample.binding, index_id="c" * 32, previous_index_id=sample.binding.index_id)
    assert verify(state, sample.fingerprint, previous).verdict is Verdict.OK


@pytest.mark.parametrize("field", ["schema", "extractor", "grammars", "tokenizer"])
def test_fingerprint_differences_require_a_reindex(sample: Sample, state: StateDirectory, field: str) -> None:
    sample.build(state, {"a.py": "x"})
    now = replace(sample.fingerprint, **{field: "9", "product": "0.2.0"})
    found = verify(state, now, sample.binding)
    assert found.verdict is Verdict.REQUIRES_REINDEX
    assert found.differences == {field: (getattr(sample.fingerprint, field), "9")}
    with pytest.raises(CodePlaneError) as raised:
        found.require_usable()
    assert raised.value.code is ErrorCode.REQUIRES_REINDEX


@pytest.mark.parametrize("change", [{"schema": "0"}, {"product": "0.0.9", "extractor": "older"}])
def test_a_newer_index_is_refused_and_not_touched(
    sample: Sample, state: StateDirectory, change: dict[str, str]
) -> None:
    generation = sample.build(state, {"a.py": "x"})
    before = {path: path.read_bytes() for path in generation.path.rglob("*") if path.is_file()}
    found = verify(state, replace(sample.fingerprint, **change), sample.binding)
    assert found.verdict is Verdict.NEWER
    with pytest.raises(CodePlaneError) as raised:
        found.require_usable()
    assert raised.value.code is ErrorCode.INDEX_NEWER
    after = {path: path.read_bytes() for path in generation.path.rglob("*") if path.is_file() and path in before}
    assert after == before


def test_newer_product_with_equal_fingerprint_is_usable(sample: Sample, state: StateDirectory) -> None:
    sample.build(state, {"a.py": "x"})
    older = replace(sample.fingerprint, product="0.0.9")
    assert verify(state, older, sample.binding).verdict is Verdict.OK


def test_version_comparison() -> None:
    base = Fingerprint("1", "e", "g", "t", "1.2.0")
    assert is_newer(replace(base, product="1.10.0", extractor="x"), base)
    assert not is_newer(replace(base, product="1.1.9", extractor="x"), base)
    assert not is_newer(replace(base, product="2.0.0"), base)
    assert parse_fingerprint(base.as_json()) == base
    assert differences(base, base) == {}
    for text in ("", "[]", "{}", "null"):
        with pytest.raises(CodePlaneError):
            parse_fingerprint(text)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM files WHERE path = 'a.py'",
        "DELETE FROM name_files",
        "UPDATE files SET digest = NULL WHERE path = 'a.py'",
        "INSERT INTO problems VALUES (99 << 20, 'c', 1, 'm')",
    ],
)
def test_full_check_finds_inconsistent_rows(sample: Sample, state: StateDirectory, sql: str) -> None:
    generation = sample.build(state, {"a.py": "def f(): pass", "b.py": "f"})
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK
    connection = open_for_writing(generation.database)
    connection.execute(sql)
    connection.close()
    assert verify(state, sample.fingerprint, sample.binding, "open").verdict is Verdict.OK
    assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.CORRUPT


def test_a_missing_meta_is_corrupt(sample: Sample, state: StateDirectory) -> None:
    generation = sample.build(state, {"a.py": "x"})
    connection = open_for_writing(generation.database)
    connection.execute("DELETE FROM meta")
    connection.close()
    assert verify(state, sample.fingerprint, sample.binding).verdict is Verdict.CORRUPT


def test_check_works_beside_an_active_writer(sample: Sample, state: StateDirectory) -> None:
    sample.build(state, {"a.py": "x"})
    with sample.create(state) as writer:
        sample.put(writer, "b.py", "y")
        assert verify(state, sample.fingerprint, sample.binding, "full").verdict is Verdict.OK
        writer.publish(EpochInfo("m", None, {}, 1))
