"""A packed block gives back every reference that was put into it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.facts.blocks import NO_REFS, Refs, pack_rows, unpack
from codeplane.facts.extract import extract
from codeplane.facts.model import Ref

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
@settings(max_examples=300, deadline=None, derandomize=True)
def test_round_trip(rows: list[Ref]) -> None:
    packed = pack_rows(NAMES, rows)
    assert len(packed) == len(rows)
    assert list(packed) == rows
    assert list(Refs(packed.block, packed.counts)) == rows
    if rows:
        assert unpack(packed.block)[0] == list(NAMES)
        assert packed.counts == [sum(row.name == ordinal for row in rows) for ordinal in range(len(NAMES))]


def test_nothing_is_an_empty_block() -> None:
    assert pack_rows((), ()) is NO_REFS
    assert unpack(b"") [0] == [] and list(NO_REFS) == []


def test_rows_out_of_order_keep_their_order() -> None:
    rows = [Ref(0, 0, line, 0, 1, 0, 0, 0, 0, None) for line in (9, 3, 400, 1)]
    assert [row.start_line for row in pack_rows(NAMES, rows)] == [9, 3, 400, 1]


def test_a_reference_costs_a_few_bytes() -> None:
    source = b"".join(b"def function_%d(first, second):\n    return first.attribute(second, key=first)\n" % n for n in range(500))
    refs = extract("python", "m.py", 0, source).facts.refs
    assert isinstance(refs, Refs)
    assert len(refs) == 500 * 8
    assert len(refs.block) < 8 * len(refs)
