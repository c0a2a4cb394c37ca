"""A function that is declared and defined in different places is read at its definition only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.repositories import make_repository
from support.tooling import Server, serving

FILES: dict[str, str | bytes] = {
    "list.h": "struct node;\nint list_length(struct node *n);\nint twice(int a);\nvoid alone(void);\n",
    "list.c": '#include "list.h"\n\nint list_length(struct node *first)\n{\n    return 0;\n}\n',
    "use.c": (
        '#include "list.h"\n\nint use_list(void) { return list_length(0); }\n\nvoid use_alone(void) { alone(); }\n'
    ),
    "one.c": "int twice(int a) { return a; }\n",
    "two.c": "int twice(int a) { return 2 * a; }\n",
    "shape.hpp": (
        "namespace geo {\nclass Shape {\n public:\n  int area(int scale) const;\n"
        "  int area(double scale) const;\n};\n}\n"
    ),
    "shape.cpp": '#include "shape.hpp"\n\nint geo::Shape::area(int s) const {\n  return s;\n}\n',
    "render.ts": (
        "export function render(source: { text: string }): string\nexport function render(source: number): string\n"
        "export function render(source: any): string {\n  return String(source)\n}\n"
    ),
    "parse.py": (
        "from typing import overload\n\n\n@overload\ndef parse(text: str) -> str: ...\n@overload\n"
        "def parse(text: int) -> int: ...\ndef parse(text):\n    return text\n"
    ),
    "old.py": "def parse(text):\n    return 1\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    with serving(make_repository(tmp_path_factory.mktemp("declared") / "repo", FILES)) as server:
        yield server


@pytest.mark.parametrize(
    ("target", "reference", "declarations"),
    [
        ("list_length", "list.c#list_length@3", ["list.h#list_length@2"]),
        ("render", "render.ts#render@3", ["render.ts#render@1", "render.ts#render@2"]),
        ("parse.py#parse", "parse.py#parse@8", ["parse.py#parse@4", "parse.py#parse@6"]),
    ],
)
def test_definition_is_preferred_over_declaration(
    server: Server, target: str, reference: str, declarations: list[str]
) -> None:
    found = server.call("read", {"target": target})
    assert found["status"] == "ok"
    assert (found["result"]["symbol_ref"], found["result"]["declarations"]) == (reference, declarations)
    for declaration in declarations:
        exact = server.call("read", {"target": declaration})["result"]
        assert exact["symbol_ref"] == declaration and "declarations" not in exact


def candidates(server: Server, target: str) -> list[str]:
    found = server.call("read", {"target": target})
    assert found["status"] == "ambiguous"
    return [candidate["symbol_ref"] for candidate in found["result"]["candidates"]]


def test_several_definitions_stay_ambiguous(server: Server) -> None:
    assert candidates(server, "twice") == ["one.c#twice@1", "two.c#twice@1"]
    assert candidates(server, "parse") == ["old.py#parse@1", "parse.py#parse@8"]


def test_undefined_overload_is_listed(server: Server) -> None:
    assert candidates(server, "Shape::area") == ["shape.cpp#geo.Shape.area@3", "shape.hpp#geo.Shape.area@5"]


def test_declaration_without_definition_is_read(server: Server) -> None:
    assert server.call("read", {"target": "alone"})["result"]["symbol_ref"] == "list.h#alone@4"
    assert server.call("read", {"target": "list_length", "path": "list.h"})["result"]["line_start"] == 2


def test_call_of_a_header_declaration_is_one_edge(server: Server) -> None:
    found = server.call("call_graph", {"symbol": "use_list"})["result"]
    assert [edge["callee"] for edge in found["edges"]] == ["list.c#list_length@3"]
    callers = server.call("call_graph", {"symbol": "list_length", "direction": "callers"})["result"]
    assert callers["roots"] == ["list.c#list_length@3"]
    assert [(edge["caller"], edge["lines"]) for edge in callers["edges"]] == [("use.c#use_list@3", [3])]
    only = server.call("call_graph", {"symbol": "use_alone"})["result"]
    assert [edge["callee"] for edge in only["edges"]] == ["list.h#alone@4"]
    header = server.call("call_graph", {"symbol": "list.h#list_length@2", "direction": "callers"})["result"]
    assert [edge["caller"] for edge in header["edges"]] == ["use.c#use_list@3"]
