"""A packed block gives back everything that was put into it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.facts.blocks import PackedFacts, pack, unpack
from codeplane.facts.extract import extract
from codeplane.facts.model import Bind, BindReason, Facts, Ref, Scope

NAMES = ("a", "größe", "long_identifier", "$x", "变量")


@st.composite
def references(draw: st.DrawFn) -> list[Ref]:
    rows = []
    line = 1
    for _ in range(draw(st.integers(0, 40))):
        line += draw(st.sampled_from((0, 0, 1, 2, 300, 70_000)))
        name = draw(st.integers(0, len(NAMES) - 1))
        column = draw(st.integers(0, 100_000))
        bind = draw(st.none() | st.integers(0, 100_000))
        said = (draw(st.integers(0, 3)), draw(st.integers(0, 5)), draw(st.integers(0, 3)), draw(st.integers(0, 1)))
        scope = draw(st.integers(0, 70_000))
        rows.append(Ref(scope, name, line, column, column + len(NAMES[name]), *said, bind))
    return rows


@given(references())
@settings(max_examples=300, derandomize=True)
def test_round_trip(rows: list[Ref]) -> None:
    scopes = [Scope(None, "file", 1, 0, 9, 0), Scope(0, "class", 2, 1, 3, 4)]
    binds = [Bind(0, "größe", 2, 1, 5, 0, BindReason.PARAM), Bind(1, "a", 0, 0, None, 1, BindReason.LOCAL_ASSIGN)]
    packed = pack(Facts(NAMES, scopes, (), (), binds, rows))
    assert (packed.ref_count, packed.scope_count) == (len(rows), 2)
    assert list(packed.counts) == [sum(row.name == ordinal for row in rows) for ordinal in range(len(NAMES))]
    held = unpack(packed.block)
    assert (held.names, held.scopes, held.binds, list(held.refs)) == (list(NAMES), scopes, binds, rows)


def test_no_facts_pack_into_an_empty_block() -> None:
    assert pack(Facts()) == PackedFacts()
    assert [len(part) for part in unpack(b"")] == [0, 0, 0, 0]


def test_unordered_rows_keep_their_order() -> None:
    rows = [Ref(0, 0, line, 0, 1, 0, 0, 0, 0, None) for line in (9, 3, 400, 1)]
    held = unpack(pack(Facts(NAMES, refs=rows)).block)
    assert [row.start_line for row in held.refs] == [9, 3, 400, 1]


def test_packed_reference_takes_a_few_bytes() -> None:
    lines = (b"def function_%d(first, second):\n    return first.attribute(second, key=first)\n" % n for n in range(500))
    packed = pack(extract("python", "m.py", b"".join(lines)).facts)
    assert packed.ref_count == 500 * 8
    assert len(packed.block) < 10 * packed.ref_count
