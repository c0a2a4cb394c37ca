"""file_outline: nesting in every language, exact symbols, line ranges, limits, and files without an outline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.base.errors import ErrorCode
from codeplane.tools.surface import Surface
from support.repositories import make_repository, write
from support.tooling import Server, codes_of, error_of, follow, serving

CART = (
    "class Cart:\n    size = 0\n\n    def __init__(self, owner=None):\n        self.owner = owner\n\n"
    "    def total(self) -> int:\n        return 1\n\n\ndef total(carts):\n    return 0\n"
)
FILES: dict[str, str | bytes] = {
    "shop/cart.py": CART,
    "shop/sum.go": (
        "package shop\n\ntype Price struct {\n\tCents int\n}\n\n"
        "func (p *Price) Add(o Price) Price { return o }\n\nfunc Sum(c int) int { return c }\n"
    ),
    "shop/lib.rs": (
        "pub struct Item {\n    pub count: u32,\n}\n\n"
        "impl Item {\n    pub fn take(&mut self) -> u32 {\n        1\n    }\n}\n"
    ),
    "shop/view.ts": (
        "export interface Shape {\n  area(): number;\n}\n\nexport class Box {\n  draw(s: Shape): void {}\n}\n"
    ),
    "big/One.java": (
        "class One {\n"
        + "".join(f"    public int method{n}(String a, long b) {{ return {n}; }}\n" for n in range(90))
        + "}\n"
    ),
    "big/Most.java": "class Most {\n" + "".join(f"    int method{n}() {{ return {n}; }}\n" for n in range(900)) + "}\n",
    "big/many.py": "".join(
        f"class Many{n}:\n" + "".join(f"    def method_{m}(self, value):\n        return {m}\n" for m in range(12))
        for n in range(40)
    ),
    "big/deep.py": "".join(
        f"class Deep{n}:\n    def outer(self, value):\n"
        + "".join(f"        def inner_{m}(value):\n            return {m}\n" for m in range(10))
        for n in range(15)
    ),
    "big/head.h": "".join(f"#define SIZE_{n} {n}\n" for n in range(60))
    + "".join(f"int work_{n}(const char *first_{n}, unsigned long second_{n});\n" for n in range(120)),
    "shop/App.java": (
        "package shop;\n\npublic class App {\n    App(int size) {}\n\n    void run() {}\n\n"
        "    interface Hook {\n        void call(App app);\n    }\n}\n"
    ),
    "shop/broken.py": "def fine():\n    return 1\n\n\ndef broken(:\n    return 1\n",
    "shop/empty.py": "",
    "shop/notes.rst": "Notes\n",
    "shop/blob.bin": bytes(range(256)),
    "huge.py": "".join(f"def function_{n}(argument_{n}: int) -> int:\n    return {n}\n\n\n" for n in range(2000)),
    "odd name.py": "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(5)),
    "sub/.gitignore": "*.gen.py\n",
}
UNTRACKED = {"sub/a.gen.py": "x = 1\n", ".env": "KEY=1\n", "dist/out.py": "y = 1\n", ".cplignore": "left/\n"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Asked by all and changed by none."""
    root = make_repository(tmp_path_factory.mktemp("outline") / "repo", FILES)
    for path, text in {**UNTRACKED, "left/b.py": "z = 1\n"}.items():
        write(root, path, text)
    with serving(root) as server:
        yield server


def lines_of(symbols: list[dict[str, Any]], indent: str = "") -> list[str]:
    shown = []
    for symbol in symbols:
        shown.append(f"{indent}{symbol['kind']} {symbol['name']} {symbol['line_start']}-{symbol['line_end']}")
        shown += lines_of(symbol.get("children", []), indent + "  ")
    return shown


TREES = [
    (
        "shop/cart.py",
        "python",
        ["class Cart 1-8", "  field size 2-2", "  method __init__ 4-5", "  method total 7-8", "function total 11-12"],
    ),
    ("shop/sum.go", "go", ["struct Price 3-5", "  field Cents 4-4", "  method Add 7-7", "function Sum 9-9"]),
    ("shop/lib.rs", "rust", ["struct Item 1-3", "  field count 2-2", "  method take 6-8"]),
    ("shop/view.ts", "typescript", ["interface Shape 1-3", "  method area 2-2", "class Box 5-7", "  method draw 6-6"]),
    (
        "shop/App.java",
        "java",
        ["class App 3-11", "  constructor App 4-4", "  method run 6-6", "  interface Hook 8-10", "    method call 9-9"],
    ),
]


@pytest.mark.parametrize(("file", "language", "tree"), TREES, ids=lambda value: value if isinstance(value, str) else "")
def test_the_tree_of_a_file(shop: Server, file: str, language: str, tree: list[str]) -> None:
    found = shop.call("file_outline", {"file": file})
    result = found["result"]
    assert (result["file"], result["language"], result["has_more"]) == (file, language, False)
    assert lines_of(result["symbols"]) == tree
    assert found["meta"]["freshness"] == {"status": "fresh"}
    top = shop.call("file_outline", {"file": file, "depth": "top"})["result"]
    assert lines_of(top["symbols"]) == [line for line in tree if not line.startswith(" ")]
    assert top["has_more"] is False, "what was not asked for is not left out"


@pytest.mark.parametrize(
    "arguments",
    [
        {"file": "./shop/cart.py"},
        {"path": "shop/cart.py"},
        {"file": "shop//cart.py"},
        {"file": "shop\\cart.py"},
        {"file_path": ["shop/cart.py"]},
        {"filePath": "shop/cart.py", "limitSymbols": "1000"},
        {"file": "shop/cart.py", "language": "Python"},
        {"file": "shop/cart.py", "path": "shop"},
    ],
)
def test_argument_spellings(shop: Server, arguments: dict[str, object]) -> None:
    plain = shop.call("file_outline", {"file": "shop/cart.py"})["result"]
    assert shop.call("file_outline", arguments)["result"] == plain
    assert shop.call("file_outline", {"file": str(shop.root / "shop/cart.py")})["result"] == plain


@pytest.mark.parametrize(
    ("arguments", "tree"),
    [
        ({"start_line": 4, "end_line": 5}, ["class Cart 1-8", "  method __init__ 4-5"]),
        ({"start_line": 9}, ["function total 11-12"]),
        ({"end_line": 2}, ["class Cart 1-8", "  field size 2-2"]),
        ({"line_start": 9, "line_end": 10}, []),
        ({"start_line": 4, "end_line": 12, "depth": "top"}, ["class Cart 1-8", "function total 11-12"]),
    ],
)
def test_line_range_shows_overlapping_symbols(shop: Server, arguments: dict[str, object], tree: list[str]) -> None:
    assert lines_of(shop.call("file_outline", {"file": "shop/cart.py", **arguments})["result"]["symbols"]) == tree


def test_reversed_line_range_is_rejected(shop: Server) -> None:
    told = shop.call("file_outline", {"file": "shop/cart.py", "start_line": 9, "end_line": 8})
    assert error_of(told, ErrorCode.ARGUMENT_INVALID)["expected"] == "end_line of at least 9"


@pytest.mark.parametrize(
    ("arguments", "status", "lines"),
    [
        ({"symbol_label": "Cart.total"}, "ok", ["method total 7-8"]),
        ({"symbol_label": "Cart"}, "ok", ["class Cart 1-8"]),
        ({"symbol_id": "shop/cart.py#total@11"}, "ok", ["function total 11-12"]),
        ({"symbol_id": "shop/cart.py:8"}, "ok", ["method total 7-8"]),
        ({"symbol_id": "Cart.total"}, "ok", ["method total 7-8"]),
        ({"symbol": "Cart::total"}, "ok", ["method total 7-8"]),
        ({"symbol_label": "total"}, "ambiguous", ["method total 7-8", "function total 11-12"]),
        ({"symbol_label": "Cart.totl"}, "not_found", []),
        ({"symbol_label": "zzz"}, "not_found", []),
    ],
)
def test_exact(shop: Server, arguments: dict[str, object], status: str, lines: list[str]) -> None:
    for mode in ({"resolve_mode": "exact"}, {}):
        found = shop.call("file_outline", {"file": "shop/cart.py", **arguments, **mode})
        assert found["status"] == status
        assert lines_of(found["result"]["symbols"]) == lines
        assert ("message" in found) == (status != "ok")
        for symbol in found["result"]["symbols"]:
            named = {"file": "shop/cart.py", "symbol_id": symbol["symbol_ref"]}
            assert shop.call("file_outline", named)["result"]["symbols"] == [symbol], "a reference names one symbol"
    if arguments.get("symbol_label") == "Cart.totl":
        assert found["result"]["similar"] == ["shop/cart.py#Cart.total"]


def test_exact_without_a_symbol_is_refused(shop: Server) -> None:
    told = shop.call("file_outline", {"file": "shop/cart.py", "resolve_mode": "exact"})
    error = error_of(told, ErrorCode.ARGUMENT_INVALID)
    assert error["expected"] == "symbol"
    assert shop.call("file_outline", error["example"])["status"] != "error", "the example is a call that works"


def test_limit_counts_what_it_leaves_out(shop: Server) -> None:
    found = shop.call("file_outline", {"file": "shop/cart.py", "limit": 2})
    assert lines_of(found["result"]["symbols"]) == ["class Cart 1-8", "  field size 2-2"]
    assert (found["result"]["has_more"], found["result"]["left_out"]) == (True, 3)
    following = follow(shop, found["hints"]["next"])
    assert lines_of(following["result"]["symbols"]) == ["class Cart 1-8", "  method __init__ 4-5"]


def test_a_huge_file_stays_within_one_answer(shop: Server) -> None:
    found = shop.call("file_outline", {"file": "huge.py", "limit": 100_000})
    result = found["result"]
    assert result["has_more"] is True
    assert len(result["symbols"]) + result["left_out"] == 2000
    rest = shop.call("file_outline", {"file": "huge.py", "start_line": 7990})["result"]
    assert rest["has_more"] is False and rest["symbols"][-1]["name"] == "function_1999"


@pytest.mark.parametrize(
    ("file", "total", "shown"),
    [
        ("shop/cart.py", 5, "all"),
        ("big/deep.py", 180, "two levels"),
        ("big/One.java", 91, "two levels, bare"),
        ("big/many.py", 520, "one level"),
        ("big/Most.java", 901, "some"),
        ("huge.py", 2000, "some"),
    ],
)
def test_outline_without_a_limit_has_default_size(shop: Server, file: str, total: int, shown: str) -> None:
    found = shop.call("file_outline", {"file": file})
    assert len(json.dumps(found, separators=(",", ":"))) < 8_000
    result = found["result"]
    listed = lines_of(result["symbols"])
    others = result.get("others", [])
    assert len(listed) + len(others) + result.get("left_out", 0) == total
    assert result["has_more"] == (len(listed) + len(others) < total)
    assert bool(others) == (shown in ("one level", "some")), "members of the main class, or what does not fit"
    assert ("whole" in found.get("hints", {})) == (shown != "all")
    levels = {(len(line) - len(line.lstrip())) // 2 for line in listed}
    wanted = {"two levels": (30, 2), "two levels, bare": (91, 2), "one level": (40, 1)}
    if shown in wanted:
        assert (len(listed), len(levels)) == wanted[shown]
    signed = [child for symbol in result["symbols"] for child in symbol.get("children", []) if "signature" in child]
    assert bool(signed) == (shown in ("all", "two levels"))
    if shown != "all":
        whole = follow(shop, found["hints"]["whole"])["result"]
        assert len(json.dumps(whole)) > len(json.dumps(result))
        assert len(lines_of(whole["symbols"])) >= len(listed)


@pytest.mark.parametrize("depth", ["all", "top"])
def test_names_of_hidden_symbols_are_references(shop: Server, depth: str) -> None:
    result = shop.call("file_outline", {"file": "big/head.h", "depth": depth})["result"]
    assert {symbol["kind"] for symbol in result["symbols"]} == {"function"}, "macros give way"
    assert (len(result["symbols"]) + len(result["others"]), result["has_more"]) == (180, False)
    assert "work_119@180" in result["others"] and "SIZE_0@1" in result["others"]
    read = shop.call("read", {"target": "big/head.h#work_119@180"})["result"]
    assert read["line_start"] == 180
    members = shop.call("file_outline", {"file": "big/Most.java"})["result"]
    assert members["symbols"][0]["name"] == "Most" and members["others"]
    name = members["others"][-1]
    assert shop.call("read", {"target": f"big/Most.java#{name}"})["result"]["symbol_ref"] == f"big/Most.java#{name}"


@pytest.mark.parametrize(("file", "total"), [("huge.py", 2000), ("big/Most.java", 901)])
def test_next_hint_continues_to_the_last_symbol(shop: Server, file: str, total: int) -> None:
    named: set[str] = set()
    found = shop.call("file_outline", {"file": file, "end_line": 100_000})
    for _ in range(20):
        result = found["result"]
        named |= {line.split()[1] for line in lines_of(result["symbols"])}
        named |= {name.rpartition("@")[0].rpartition(".")[2] for name in result.get("others", [])}
        if "next" not in found.get("hints", {}):
            break
        assert found["hints"]["next"]["args"]["end_line"] == 100_000
        found = follow(shop, found["hints"]["next"])
    assert len(named) == total


def test_hints_keep_the_line_range(shop: Server) -> None:
    found = shop.call("file_outline", {"file": "big/deep.py", "start_line": 100, "end_line": 330})
    whole = found["hints"]["whole"]["args"]
    assert (whole["start_line"], whole["end_line"]) == (100, 330)


def test_the_command_that_follows_is_quoted(shop: Server) -> None:
    surface = Surface(("admin",), everything=True)
    found = shop.call("file_outline", {"file": "odd name.py", "limit": 1}, surface=surface)
    command = "cpl call file_outline 'file=odd name.py' start_line=5 limit_symbols=1"
    assert found["hints"]["next"] == {"command": command}


def test_syntax_errors_are_reported(shop: Server) -> None:
    found = shop.call("file_outline", {"file": "shop/broken.py"})
    assert found["status"] == "ok"
    assert found["result"]["symbols"][0]["name"] == "fine"
    (warning,) = found["warnings"]
    assert warning["code"] == "FILE_NOT_PARSED_WHOLE"
    assert warning["errors"] >= 1 and warning["first_line"] >= 5


def test_a_file_without_symbols_has_an_empty_outline(shop: Server) -> None:
    found = shop.call("file_outline", {"file": "shop/empty.py"})
    assert (found["status"], found["result"]["symbols"], codes_of(found)) == ("ok", [], [])


MISSING = [
    ("shop/crt.py", "not_found", "FILE_NOT_FOUND", {"nearest": "shop/cart.py"}),
    ("cart.py", "not_found", "FILE_NOT_FOUND", {"nearest": "shop/cart.py"}),
    ("shop", "not_found", "FILE_NOT_FOUND", {"nearest": "shop/App.java"}),
    ("sub/a.gen.py", "not_found", "FILE_NOT_FOUND", {"ignored_by": "gitignore: sub/.gitignore:1 *.gen.py"}),
    ("dist/out.py", "not_found", "FILE_NOT_FOUND", {"ignored_by": "prunable directory: dist"}),
    ("left/b.py", "not_found", "FILE_NOT_FOUND", {"ignored_by": "cplignore: .cplignore:1 left/"}),
    (".git/config", "error", "PROTECTED_PATH", {}),
    ("shop/notes.rst", "unsupported", "LANGUAGE_UNSUPPORTED", {"reason": "no_grammar"}),
    ("shop/blob.bin", "unsupported", "LANGUAGE_UNSUPPORTED", {"reason": "binary"}),
    (".env", "error", "SECRET_PATH", {}),
    ("../elsewhere.py", "error", "PATH_ESCAPE", {}),
    ("/etc/passwd", "error", "PATH_ESCAPE", {}),
    ("~/.ssh/config", "error", "PATH_ESCAPE", {}),
]


@pytest.mark.parametrize(("file", "status", "code", "details"), MISSING, ids=lambda value: str(value)[:20])
def test_no_outline_and_why(shop: Server, file: str, status: str, code: str, details: dict[str, str]) -> None:
    told = shop.call("file_outline", {"file": file})
    assert told["status"] == status
    error = error_of(told, ErrorCode[code])
    for name, value in details.items():
        found = error["details"][name]
        assert value in (found if isinstance(found, list) else [found])
    if "nearest" in details:
        assert error["example"] == {"file": details["nearest"]}
        assert shop.call("file_outline", error["example"])["status"] == "ok"


@pytest.mark.parametrize(
    ("file", "line"), [("sub/a.gen.py", "!/sub/a.gen.py"), ("dist/out.py", "!/dist"), ("left/b.py", None)]
)
def test_the_remedy_for_an_ignored_file_works(tmp_path: Path, file: str, line: str | None) -> None:
    root = make_repository(tmp_path / "repo", {"sub/.gitignore": "*.gen.py\n", "a.py": "x = 1\n"})
    for path, text in {**UNTRACKED, "left/b.py": "z = 1\n"}.items():
        write(root, path, text)
    with serving(root) as server:
        error = error_of(server.call("file_outline", {"file": file}), ErrorCode.FILE_NOT_FOUND)
        if line is None:
            assert "remedy" not in error
            return
        assert f"'{line}'" in error["remedy"]
        write(root, ".cplignore", f"{line}\n")
        assert server.call("file_outline", {"file": file})["status"] == "ok"


def test_another_language_than_expected_is_refused(shop: Server) -> None:
    told = shop.call("get_file_outline", {"path": "shop/cart.py", "language": "rust"})
    error = error_of(told, ErrorCode.ARGUMENT_INVALID)
    assert (error["expected"], error["received"]) == ("python", "rust")


def test_change_is_visible_in_the_next_answer(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "def before():\n    return 1\n"})
    with serving(root) as server:
        assert server.call("file_outline", {"file": "a.py"})["result"]["symbols"][0]["name"] == "before"
        write(root, "a.py", "def after():\n    return 1\n")
        found = server.call("file_outline", {"file": "a.py"})
        assert found["result"]["symbols"][0]["name"] == "after"
        assert found["meta"]["freshness"] == {"status": "fresh", "decision": "synced"}
        write(root, "new.py", "def new():\n    return 1\n")
        assert server.call("file_outline", {"file": "new.py"})["result"]["symbols"][0]["name"] == "new"
