"""Arguments as agents send them: lenient about form, strict about meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools.arguments import validate
from codeplane.tools.catalog import BY_NAME, TOOLS
from codeplane.tools.spec import ToolSpec

TAKEN = [
    ("file_outline", {"file": "a.py"}, {"file": "a.py", "depth": "all"}),
    ("file_outline", {"file_path": "a.py"}, {"file": "a.py"}),
    ("file_outline", {"filePath": "a.py"}, {"file": "a.py"}),
    ("file_outline", {"path": "a.py"}, {"file": "a.py"}),
    ("file_outline", {"path": "/r", "file": "a.py"}, {"file": "a.py", "path": "/r"}),
    ("file_outline", {"file": ["a.py"]}, {"file": "a.py"}),
    ("file_outline", {"file": "a.py", "limit": "20"}, {"limit_symbols": 20}),
    ("file_outline", {"file": "a.py", "limitSymbols": 20.0}, {"limit_symbols": 20}),
    ("file_outline", {"file": "a.py", "limit": 10**9}, {"limit_symbols": 1000}),
    ("file_outline", {"file": "a.py", "line_start": " 7 "}, {"start_line": 7}),
    ("file_outline", {"file": "a.py", "depth": "TOP"}, {"depth": "top"}),
    ("file_outline", {"file": "a.py", "freshness_policy": "best-effort"}, {"freshness_policy": "best_effort"}),
    ("file_outline", {"file": "a.py", "symbol_id": None}, {"file": "a.py"}),
    (
        "file_outline",
        {"file": "a.py", "symbol_id": "", "depth": "", "limit": ""},
        {"depth": "all", "limit_symbols": None},
    ),
    ("manage_index", {"action": "reindex", "ignore_patterns": ""}, {"ignore_patterns": ()}),
    ("map_repo", {"include": "structure"}, {"include": ("structure",)}),
    ("map_repo", {"include": "structure, languages"}, {"include": ("structure", "languages")}),
    ("map_repo", {"include": '["structure","entryPoints"]'}, {"include": ("structure", "entry_points")}),
    ("search", {"query": "x", "mode": "literal", "lang": "py"}, {"mode": "lexical", "languages": ("py",)}),
    ("search", {"query": "x", "mode": "semantic"}, {"mode": "semantic"}),
    ("search", {"query": "x", "scope": "all"}, {"scope": "mixed"}),
    (
        "search",
        {"query": "x", "scope": {"paths": ["src/"], "language": "go", "kinds": []}},
        {"paths": ("src/",), "languages": ("go",), "kinds": (), "scope": None},
    ),
    ("search", {"query": "x", "scope": '{"paths": "a, b", "scope": "docs"}'}, {"paths": ("a", "b"), "scope": "docs"}),
    ("search", {"query": "x" * 100_000}, {"query": "x" * 100_000}),
    ("search_codebase", {"query": "x", "result_mode": "RAW"}, {"resultMode": "raw", "scope": "runtime"}),
    # A cursor is enough, and nothing is assumed besides it.
    ("search_codebase", {"cursor": "c"}, {"cursor": "c", "scope": None, "resultMode": None, "query": None}),
    ("search_codebase", {"cursor": "c", "scope": "docs"}, {"scope": "docs", "groupBy": None}),
    ("search_code", {"cursor": "c"}, {"cursor": "c"}),
    ("locate_symbol", {"cursor": "c", "compact": True}, {"cursor": "c", "compact": True}),
    ("map_repo", {"cursor": "c"}, {"depth": 3}),
    ("manage_index", {"action": "clear", "confirm": "true"}, {"confirm": True}),
    ("manage_index", {"action": "clear", "confirm": "no"}, {"confirm": False}),
    ("manage_index", {"action": "clear", "confirm": 1}, {"confirm": True}),
    ("manage_index", {"action": "create", "customExtensions": ".pyx=python"}, {"custom_extensions": (".pyx=python",)}),
]

REFUSED = [
    ("file_outline", {}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("file_outline", {"fil": "a.py"}, ErrorCode.UNKNOWN_PARAMETER, "file"),
    ("file_outline", {"file": "a.py", "dept": "top"}, ErrorCode.UNKNOWN_PARAMETER, "depth"),
    ("file_outline", {"file": "a.py", "zzzz": 1}, ErrorCode.UNKNOWN_PARAMETER, "path, symbol, depth"),
    ("file_outline", {"file": "a.py", "depth": "tip"}, ErrorCode.ARGUMENT_INVALID, "all | top"),
    ("file_outline", {"file": "a.py", "limit": 0}, ErrorCode.ARGUMENT_INVALID, "from 1 to 1000"),
    ("file_outline", {"file": "a.py", "limit": "1e999"}, ErrorCode.ARGUMENT_INVALID, "a whole number"),
    ("file_outline", {"file": "a.py", "limit": True}, ErrorCode.ARGUMENT_INVALID, "a whole number"),
    ("file_outline", {"file": "a.py", "limit": 2.5}, ErrorCode.ARGUMENT_INVALID, "a whole number"),
    ("file_outline", {"file": "a.py", "start_line": "٣"}, ErrorCode.ARGUMENT_INVALID, "a whole number"),
    ("file_outline", {"file": ["a.py", "b.py"]}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("file_outline", {"file": {"path": "a.py"}}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("file_outline", {"file": "a\0b"}, ErrorCode.ARGUMENT_INVALID, "text, without NUL"),
    ("file_outline", {"file": "a" * 20_000}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("file_outline", {"file": "\ud800.py"}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("file_outline", {"file": "a.py", "file_path": "b.py"}, ErrorCode.ARGUMENT_INVALID, "file"),
    ("search", {"query": "x", "scope": "src/"}, ErrorCode.ARGUMENT_INVALID, "runtime | mixed | docs"),
    ("search", {"query": "x", "scope": {"query": "y"}}, ErrorCode.UNKNOWN_PARAMETER, "paths, languages, kinds"),
    ("search", {"query": "x", "scope": {"paths": "a"}, "paths": "b"}, ErrorCode.ARGUMENT_INVALID, "paths"),
    ("search", {"query": "x" * 1_000_000}, ErrorCode.ARGUMENT_INVALID, "at most 262144 characters"),
    ("search_codebase", {}, ErrorCode.ARGUMENT_INVALID, "at most 262144 characters"),
    ("search_code", {"limit": 5}, ErrorCode.ARGUMENT_INVALID, "at most 262144 characters"),
    ("locate_symbol", {"cursor": ""}, ErrorCode.ARGUMENT_INVALID, "text"),
    ("map_repo", {"include": ["structur"]}, ErrorCode.ARGUMENT_INVALID, "a list of structure"),
    ("map_repo", {"include": ["x"] * 2000}, ErrorCode.ARGUMENT_INVALID, "a list of structure"),
    ("manage_index", {"action": "drop"}, ErrorCode.ARGUMENT_INVALID, "create | reindex"),
    ("manage_index", {"action": "clear", "confirm": "maybe"}, ErrorCode.ARGUMENT_INVALID, "true or false"),
]


@pytest.mark.parametrize(("tool", "sent", "meant"), TAKEN)
def test_lenient_forms_are_accepted(tool: str, sent: dict[str, object], meant: dict[str, object]) -> None:
    found = validate(BY_NAME[tool], sent)
    assert {name: found.get(name) for name in meant} == meant


@pytest.mark.parametrize(("tool", "sent", "code", "expected"), REFUSED)
def test_invalid_values_are_rejected(tool: str, sent: dict[str, object], code: ErrorCode, expected: str) -> None:
    with pytest.raises(CodePlaneError) as refused:
        validate(BY_NAME[tool], sent)
    error = refused.value
    assert error.code is code
    assert expected in (error.expected or "")
    assert error.received is not None
    assert len(error.received) <= 80
    # The example is a call that works.
    assert isinstance(error.example, dict)
    validate(BY_NAME[tool], error.example)


def test_the_nearest_parameter_is_named() -> None:
    with pytest.raises(CodePlaneError) as refused:
        validate(BY_NAME["map_repo"], {"inclde": "structure"})
    assert refused.value.remedy == "Use 'include'."


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_examples_are_valid_calls(spec: ToolSpec) -> None:
    assert spec.examples
    for example in spec.examples:
        validate(spec, example.arguments)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
_NAMES = [*sorted({param.name for spec in TOOLS for param in spec.params}), "zzz"]


@given(st.sampled_from(TOOLS), st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=12), _JSON, max_size=5))
def test_any_input_is_rejected_or_valid(spec: ToolSpec, sent: dict[str, object]) -> None:
    try:
        found = validate(spec, sent)
    except CodePlaneError as error:
        assert error.code in (ErrorCode.ARGUMENT_INVALID, ErrorCode.UNKNOWN_PARAMETER)
        return
    params = {param.name: param for param in spec.params}
    for name, value in found.items():
        if name in ("session_id", "task_id") and name not in params:
            continue
        param = params[name]
        assert isinstance(value, {"string": str, "integer": int, "boolean": bool, "array": tuple}[param.kind])
        if param.choices:
            assert set(value if isinstance(value, tuple) else (value,)) <= set(param.choices)
