"""Fuzzing: any input to any tool gives an envelope, never an exception or an internal error.

`FUZZ_EXAMPLES=100000 pytest tests/contract/test_tool_fuzz.py` looks longer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeplane.base.errors import CodePlaneError
from codeplane.tools.arguments import validate
from codeplane.tools.catalog import BY_NAME, TOOLS
from codeplane.tools.spec import Param, ToolSpec
from codeplane.tools.surface import EVERYTHING, Surface
from support.repositories import make_repository, write
from support.tooling import QUIET, Server, serving

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "1000"))
FILES: dict[str, str | bytes] = {
    "a.py": "class A:\n    def run(self):\n        return 1\n\n\ndef broken(:\n",
    "pkg/b.go": "package pkg\n\nfunc B() {}\n",
    "pkg/naïve name.rs": "struct S;\n",
    "notes.md": "# Notes\n",
    ".gitignore": "*.log\n",
}
_PATHS = [
    "a.py",
    "./a.py",
    "pkg",
    "pkg/b.go",
    "pkg/naïve name.rs",
    "notes.md",
    "x.log",
    ".env",
    ".git/config",
    "..",
    "/",
]
_PATHS += ["a.py/", "a.py/b", "pkg//b.go", "~", "C:\\a.py", "", ".", "a" * 300, "a/" * 2000, "\u202e.py", "\udc80.py"]
_WORDS = ["A", "A.run", "a.py#A.run@2", "a.py:2", "#", "@", "a.py#@", ":1", "::", "a.py:99999999999999999999", "."]
_WORDS += ["t_" + "A" * 24, "open", "close"]
_WORDS += ["c_" + "A" * 12, "s_" + "A" * 24, "map_repo", ".py=python", "=", ".x=", "!", "[", "**/", "\\", "\ud800"]

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, 1, -1, 2**31, 2**53, 2**63, 2**64, 10**30]),
    st.floats(),
    st.sampled_from(_PATHS + _WORDS),
    st.text(max_size=30),
    st.sampled_from(["\x01", "é", "\\", '"']).map(lambda char: char * 9_999),
)
_ANYTHING = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def _values(param: Param) -> st.SearchStrategy[object]:
    """Generate values that the schema allows or that agents send instead, more often than arbitrary ones."""
    if param.choices:
        meant: st.SearchStrategy[object] = st.sampled_from(param.choices)
        meant = st.lists(meant, max_size=3) if param.kind == "array" else meant
    elif param.kind == "objects":
        first, *others = param.fields
        some = st.fixed_dictionaries(
            {first.name: _values(first)}, optional={part.name: _values(part) for part in others}
        )
        meant = st.lists(some, max_size=3) | some
    elif param.kind == "boolean":
        meant = st.sampled_from([True, False, "true", "no", 1])
    elif param.kind == "integer":
        meant = st.integers(-2, 2000) | st.integers(1, 50).map(str)
    else:
        meant = st.sampled_from(_PATHS + _WORDS)
        meant = st.lists(meant, max_size=3) if param.kind == "array" else meant
    return st.one_of(meant, meant, meant, _ANYTHING)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    spec = draw(st.sampled_from(TOOLS))
    arguments: dict[str, object] = {}
    for param in spec.params:
        if draw(st.booleans()) or (param.required and draw(st.integers(0, 9))):
            name = draw(st.sampled_from([param.name, param.name, *param.aliases]))
            arguments[name] = draw(_values(param))
    if draw(st.integers(0, 9)) == 0:
        odd = st.sampled_from(["session_id", "task_id", "pth", "x" * 10_000])
        arguments[draw(st.text(max_size=8) | odd)] = draw(_ANYTHING)
    name = spec.name if draw(st.integers(0, 30)) else draw(st.text(max_size=20))
    return name, arguments


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = make_repository(tmp_path_factory.mktemp("fuzz") / "repo", FILES)
    write(root, "x.log", "")
    write(root, ".env", "KEY=1\n")
    with serving(root, config=QUIET) as server:
        yield server


_SURFACES = [EVERYTHING, EVERYTHING, Surface(), Surface(("all", "compat"), read_only=True), Surface(("files",))]


@settings(
    max_examples=EXAMPLES,
    derandomize="FUZZ_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=_calls(), surface=st.sampled_from(_SURFACES))
def test_every_call_is_answered(target: Server, call: tuple[str, dict[str, object]], surface: Surface) -> None:
    tool, arguments = call
    found = target.call(tool, arguments, surface=surface)
    error = found.get("error", {})
    for text in (error.get("received", ""), error.get("message", "")):
        assert len(text) < 11_000
    example = error.get("example")
    if isinstance(example, dict) and tool in BY_NAME:
        _check_example(BY_NAME[tool], example)


def _check_example(spec: ToolSpec, example: dict[str, object]) -> None:
    """The example of an error is a call that the tool takes, or that its canonical one takes."""
    specs = [spec, BY_NAME[spec.deprecated.canonical]] if spec.deprecated else [spec]
    for candidate in specs:
        try:
            validate(candidate, example)
            return
        except CodePlaneError:
            continue
    raise AssertionError(f"{spec.name} does not take its own example: {example}")
