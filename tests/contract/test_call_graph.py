"""call_graph: both directions, depth, limits, unresolved counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import ErrorCode
from support.callers import CASES
from support.repositories import make_repository, write
from support.tooling import Server, error_of, follow, serving

FILES: dict[str, str | bytes] = {
    "shop/cart.py": (
        "import json\n\n\n"
        "class Cart:\n    def total(self):\n        return add(1)\n\n    def dump(self, to):\n"
        "        to.write(json.dumps(self.total()))\n\n\n"
        "def add(n):\n    return n\n"
    ),
    "shop/pay.py": "from shop.cart import Cart\n\n\ndef pay():\n    return Cart().total()\n\n\npay()\n",
    "shop/other.py": "def other(x):\n    return x.total()\n",
    "notes.sh": "run() {\n  echo hi\n}\nrun\n",
    "many.py": "def hub():\n    return 1\n" + "".join(f"def user_{n:02}():\n    hub()\n" for n in range(40)),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("calls") / "repo", FILES)) as server:
        yield server


def edges(envelope: dict[str, object]) -> set[tuple[str, str]]:
    result = envelope["result"]
    assert isinstance(result, dict)
    return {(edge["caller"], edge["callee"]) for edge in result["edges"]}


TOTAL, ADD, PAY = "shop/cart.py#Cart.total@5", "shop/cart.py#add@12", "shop/pay.py#pay@4"


def test_callers_and_callees_with_unresolved_counts(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "Cart.total"})
    dump = "shop/cart.py#Cart.dump@8"
    assert edges(envelope) == {(PAY, TOTAL), (dump, TOTAL), (TOTAL, ADD)}
    result = envelope["result"]
    assert result["roots"] == [TOTAL]
    assert {edge["tier"] for edge in result["edges"]} == {"strong", "proven"}
    assert result["unresolved_members_of_the_name"] == {TOTAL: 1}
    assert [edge["lines"] for edge in result["edges"] if edge["caller"] == PAY] == [[5]]
    inner = server.call("call_graph", {"symbol": dump, "direction": "callees"})["result"]
    (node,) = [node for node in inner["nodes"] if node["symbol_ref"] == dump]
    assert (node["unresolved_calls"], node["calls_outside"]) == (1, 1)


def test_depth_and_symbol_forms(server: Server) -> None:
    deep = edges(server.call("call_graph", {"symbol": ADD, "direction": "callers", "depth": 3}))
    assert deep == {(TOTAL, ADD), (PAY, TOTAL), ("shop/cart.py#Cart.dump@8", TOTAL), ("shop/pay.py:1", PAY)}
    for name in ("shop/cart.py:12", "shop/cart.py:6:16", "add"):
        assert edges(server.call("call_graph", {"symbol_ref": name, "direction": "incoming"})) == {(TOTAL, ADD)}


def test_truncated_graph_has_a_hint(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "hub", "direction": "callers"})
    assert len(envelope["result"]["edges"]) == 20 and envelope["result"]["left_out"] == 20
    more = envelope["hints"]["more"]
    whole = follow(server, more)
    assert len(whole["result"]["edges"]) == 40 and "left_out" not in whole["result"]


def test_unknown_symbol(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "Car.tot"})
    assert (envelope["status"], envelope["hints"]["search"]["tool"]) == ("not_found", "search")
    assert envelope["message"] == "no symbol named 'Car.tot'; did you mean shop/cart.py#Cart.total?"
    assert server.call("call_graph", {"symbol": "ad"})["result"]["similar"] == ["shop/cart.py#add"]
    for odd in ("\ud800", "shop/cart.py#\ud800@3", "a.\udfff", "shop/\ud800.py:3", "", " ", "#", ":1", "\0", "::", "%"):
        found = server.call("call_graph", {"symbol": odd})
        assert found["status"] == "not_found" or found["error"]["error"] in ("ARGUMENT_INVALID", "PATH_INVALID"), found
    error_of(server.call("call_graph", {"symbol": "add", "direction": "sideways"}), ErrorCode.ARGUMENT_INVALID)


def test_language_resolved_only_within_a_file(server: Server) -> None:
    envelope = server.call("call_graph", {"symbol": "run"})
    assert envelope["status"] == "ok" and "within a file only" in envelope["message"]


def test_search_hints_at_the_call_graph(server: Server) -> None:
    hint = server.call("search", {"query": "Cart.total", "mode": "symbol"})["result"]["call_graph_hint"]
    assert edges(follow(server, hint)) >= {(PAY, TOTAL)}
    assert "call_graph_hint" not in server.call("search", {"query": "total", "mode": "lexical"})["result"]


def test_edit_is_visible_in_the_next_answer(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with serving(root) as server:
        assert edges(server.call("call_graph", {"symbol": "add", "direction": "callers"})) == {(TOTAL, ADD)}
        write(root, "shop/other.py", "from shop.cart import add\ndef other(x):\n    return add(x)\n")
        found = edges(server.call("call_graph", {"symbol": "add", "direction": "callers"}))
        assert found == {(TOTAL, ADD), ("shop/other.py#other@2", ADD)}


# Symbols without a known caller

SILENT: dict[str, str | bytes] = {
    "app.py": (
        "from typing import Protocol\n\n\nclass Job(Protocol):\n    def run(self): ...\n\n\n"
        "class Base:\n    def stop(self): ...\n\n\n"
        "class Mail(Base):\n    def load(self): ...\n\n    def send(self): ...\n\n    def never(self): ...\n\n"
        "    def twin(self): ...\n\n    def __add__(self, other): ...\n\n\n"
        "class Other:\n    def twin(self): ...\n\n\n"
        "class Handler(LibraryHandler):\n    def handle(self): ...\n\n\n"
        "def on_click(): ...\n\n\n"
        "def use(unknown, other: Other, register):\n    unknown.load()\n    unknown.load()\n    other.twin()\n"
        "    unknown.attribute = unknown.send\n    register(on_click)\n"
    ),
}


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("silent") / "repo", SILENT)) as server:
        yield server


@pytest.mark.parametrize(
    ("symbol", "fields", "line"),
    [
        (
            "Mail.load",
            {"unresolved": 2, "elsewhere": 0, "references": 0},
            "no callers found; 2 calls of .load() could not be resolved (search mode=references query=Mail.load)",
        ),
        (
            "Mail.send",
            {"unresolved": 1, "elsewhere": 0, "references": 0},
            "no callers found; 1 use of .send could not be resolved (search mode=references query=Mail.send)",
        ),
        (
            "Mail.never",
            {"unresolved": 0, "elsewhere": 0, "references": 0},
            "no callers; the name is not called anywhere",
        ),
        (
            "Mail.twin",
            {"unresolved": 0, "elsewhere": 1, "references": 0},
            "no callers; the only call of this name resolves elsewhere",
        ),
        (
            "Mail.__add__",
            {"unresolved": 0, "elsewhere": 0, "references": 0},
            "no callers found; .__add__ is called implicitly, which is seen only where types are known",
        ),
        (
            "Handler.handle",
            {"unresolved": 0, "elsewhere": 0, "references": 0, "open_base": True},
            "no callers; the name is not called anywhere; a base class outside the repository may call it",
        ),
        (
            "on_click",
            {"unresolved": 0, "elsewhere": 0, "references": 1},
            "no callers found; 1 reference that is not a call (search mode=references query=on_click)",
        ),
    ],
)
def test_zero_callers_have_a_reason(silent: Server, symbol: str, fields: dict[str, object], line: str) -> None:
    result = silent.call("call_graph", {"symbol": symbol})["result"]
    assert result["no_callers"] == {result["roots"][0]: fields}
    assert silent.text("call_graph", {"symbol": symbol}).splitlines()[1:] == [line]


def test_overridden_callees_list_implementations(tmp_path: Path) -> None:
    case = CASES["java"]
    with serving(make_repository(tmp_path / "repo", case.files)) as server:
        result = server.call("call_graph", {"symbol": "Use.run", "direction": "callees"})["result"]
        (node,) = [node for node in result["nodes"] if "Loader.load" in node["symbol_ref"]]
        assert node["implemented_by"] == ["a/FileLoader.java#FileLoader.load@5"]
        assert "no_callers" not in result
        shown = server.text("call_graph", {"symbol": "Use.run", "direction": "callees"})
        assert shown.splitlines() == [
            "Use.run  a/Use.java:3",
            '> 4\treturn loader.load("a");  Loader.load a/Loader.java:3 (or FileLoader.load)',
        ]


def test_name_in_too_many_files_is_not_reported_uncalled(silent: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeplane.query.routes.MAX_NAME_FILES", 0)
    (fields,) = silent.call("call_graph", {"symbol": "Mail.never"})["result"]["no_callers"].values()
    assert fields["skipped_files"] == 1
    shown = silent.text("call_graph", {"symbol": "Mail.never"})
    assert "no callers found; 1 file with this name not searched (search mode=references" in shown


def test_caller_is_the_code_that_runs_the_call(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "plugins.py": (
            "def register(function):\n    return function\n\n\n"
            "def default():\n    return 1\n\n\n"
            "@register\ndef plugin(count=default()):\n    return count\n\n\n"
            "names = default()\nall_names = [default() for _ in range(3)]\n\n\n"
            "class Holder:\n    value = default()\n\n"
            "    @register\n    def get(self):\n        return default()\n"
        )
    }
    with serving(make_repository(tmp_path / "repo", files)) as server:
        top, holder = "plugins.py:1", "plugins.py#Holder@18"
        register, default = "plugins.py#register@1", "plugins.py#default@5"
        callers = {"direction": "callers"}
        assert edges(server.call("call_graph", {"symbol": "register", **callers})) == {
            (top, register),
            (holder, register),
        }
        assert edges(server.call("call_graph", {"symbol": "default", **callers})) == {
            (top, default),
            (holder, default),
            ("plugins.py#Holder.get@21", default),
        }
        for name in ("plugin", "names"):
            assert edges(server.call("call_graph", {"symbol": name, "direction": "callees"})) == set()


LAMBDAS: dict[str, str | bytes] = {
    "run.py": (
        "import json\n\n\n"
        "def work():\n    return json.dumps(len([]))\n\n\n"
        "def make():\n    return lambda: work()\n\n\n"
        "task = make()\ntask()\nprint('done')\n\n\n"
        "def rank(rows):\n    return sorted(rows, key=lambda row: work())\n"
    )
}


@pytest.fixture(scope="module")
def lambdas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(make_repository(tmp_path_factory.mktemp("lambdas") / "repo", LAMBDAS)) as server:
        yield server


def test_called_lambda_is_a_node(lambdas: Server) -> None:
    work, inner = "run.py#work@4", "run.py:9:12"
    envelope = lambdas.call("call_graph", {"symbol": "work", "direction": "callers"})
    assert edges(envelope) == {(inner, work), ("run.py#rank@17", work)}
    (node,) = [node for node in envelope["result"]["nodes"] if node["symbol_ref"] == inner]
    assert node == {"symbol_ref": inner, "kind": "lambda", "name": "make.<lambda>", "line_end": 9}
    made = lambdas.call("call_graph", {"symbol": "make", "direction": "callees"})
    assert edges(made) == {(inner, work)}
    text = lambdas.text("call_graph", {"symbol": "make", "direction": "callees"})
    assert "> 9\treturn lambda: work()  work :4" in text


def test_file_as_root_lists_the_calls_of_its_top_level(lambdas: Server) -> None:
    envelope = lambdas.call("call_graph", {"symbol": "run.py"})
    assert envelope["result"]["roots"] == ["run.py:1"]
    assert edges(envelope) == {("run.py:1", "run.py#make@8"), ("run.py:1", "run.py:9:12")}
    text = lambdas.text("call_graph", {"symbol": "run.py"})
    assert text.splitlines()[:3] == [
        "(top level)  run.py:1",
        "> 12\ttask = make()  make :8",
        "> 13\ttask()  make.<lambda> :9",
    ]
    assert "no callers" in lambdas.text("call_graph", {"symbol": "run.py", "direction": "callers"})


def test_external_callees_are_named(lambdas: Server) -> None:
    def externals(symbol: str) -> object:
        result = lambdas.call("call_graph", {"symbol": symbol, "direction": "callees"})["result"]
        (node,) = [node for node in result["nodes"] if node["symbol_ref"] == result["roots"][0]]
        return node["outside"]

    assert externals("work") == ["builtins.len", "json.dumps"]
    assert externals("run.py") == ["builtins.print"]


def test_a_base_is_called_only_if_the_order_of_bases_allows_it(tmp_path: Path) -> None:
    text = (
        "class Top:\n    def run(self): ...\n\n\nclass Left(Top): ...\n\n\n"
        "class Right(Top):\n    def run(self): ...\n\n\nclass Both(Left, Right): ...\n\n\n"
        "class Other:\n    def run(self): ...\n\n\nclass Pair(Right, Other): ...\n\n\nBoth().run()\n"
    )
    with serving(make_repository(tmp_path / "repo", {"m.py": text})) as server:

        def callers(symbol: str) -> list[tuple[str, str]]:
            envelope = server.call("call_graph", {"symbol": symbol, "direction": "callers"})
            return [(edge["caller"], edge["tier"]) for edge in envelope["result"]["edges"]]

        assert callers("Right.run") == [("m.py:1", "strong")]
        assert callers("Top.run") == []
        # Nothing tells which base comes first.
        assert callers("Other.run") == [("m.py:1", "anchored")]
