"""`cpl search`: results by file, coloured matches, and the envelope of the tool."""

from __future__ import annotations

import json

import pytest

from codeplane.cli.commands.search import SearchOptions, make_marker
from codeplane.cli.terminal import Style
from support.sandbox import Sandbox

RED = "\x1b[31m"


@pytest.fixture
def shop(sandbox: Sandbox) -> Sandbox:
    (sandbox.root / "tests").mkdir()
    (sandbox.root / "tests" / "test_orders.py").write_text(
        "from shop.orders import place\n\n\ndef test_place():\n    assert place(1)\n"
    )
    (sandbox.root / "shop" / "tabs.go").write_text("package shop\n\nfunc Place() {\n\tif x {\tplace()\n\t}\n}\n")
    assert sandbox.run("init").returncode == 0
    return sandbox


def test_results_are_grouped_by_file(shop: Sandbox) -> None:
    done = shop.run("search", "order total")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("shop/orders.py:") and "\x1b" not in done.stdout
    assert any(line.startswith("shop/orders.py:4:def total(self)") and line.endswith("[Order]") for line in lines)
    _, text = shop.terminal("search", "order total")
    assert "shop/orders.py" in text.splitlines()[0]


def test_every_match_is_shown_and_counted(shop: Sandbox) -> None:
    done = shop.run("search", "place", "-m", "lexical")
    assert len(done.stdout.splitlines()) == 6 and done.stderr == ""
    assert "shop/tabs.go:4:\tif x {\tplace()" in done.stdout
    few = shop.run("search", "place", "-m", "lexical", "--limit", "2")
    assert len(few.stdout.splitlines()) == 2
    assert few.stderr == "4 more of 6 matches in 3 files (--limit N shows more)\n"
    runtime = shop.run("search", "place", "-m", "lexical", "--scope", "runtime")
    assert len(runtime.stdout.splitlines()) == 3 and runtime.stderr == "tests: 3 more (scope=mixed)\n"


def test_files_are_found_by_name(shop: Sandbox) -> None:
    assert shop.run("search", "tabs", "-m", "files").stdout == "shop/tabs.go\n"
    assert shop.run("search", "*.go", "-m", "files").stdout == "shop/tabs.go\n"
    assert shop.run("search", "orders.py").stdout == "shop/orders.py\n"


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("-s",), 5),
        (("-i",), 6),
        (("--path", "shop/"), 3),
        (("--path", "shop/*.go", "--path", "tests/"), 5),
        (("--lang", "go"), 2),
        (("--lang", "go", "--lang", "python"), 6),
        (("--scope", "docs"), 3),
    ],
)
def test_options_have_an_effect(shop: Sandbox, options: tuple[str, ...], count: int) -> None:
    assert shop.json("search", "place", "-m", "lexical", *options)["result"]["matches"] == count


def test_kinds_and_paths_accept_short_forms(shop: Sandbox) -> None:
    found = shop.json("search", "order", "-m", "symbol", "--kind", "class")
    assert {row["kind"] for row in found["result"]["results"]} == {"class"}
    inside = shop.run("search", "place", "-m", "lexical", "-p", "orders.py", "--json", cwd=shop.root / "shop")
    assert {row["path"] for row in json.loads(inside.stdout)["result"]["results"]} == {"shop/orders.py"}


def test_exit_codes_and_nothing_found(shop: Sandbox) -> None:
    nothing = shop.run("search", "qqzzxxq", "-m", "lexical")
    assert (nothing.returncode, nothing.stdout) == (0, "no matches in 4 files\n")
    unknown = shop.run("search", "Ordre", "-m", "definitions")
    message = "no symbol named 'Ordre'; did you mean shop/orders.py#Order?\n"
    assert (unknown.returncode, unknown.stdout) == (1, message)
    assert shop.run("search", " ").returncode == 2
    assert shop.run("search", "(", "-m", "regex").returncode == 2
    assert shop.run("search", "x", "-m", "semantic").returncode == 2


def test_command_line_gets_all_results_up_to_the_limit(shop: Sandbox) -> None:
    lines = "".join(f"place({number}, '{'x' * 200}')\n" for number in range(95))
    (shop.root / "shop" / "many.py").write_text(lines)
    found = shop.json("search", "place(", "-m", "lexical", "--path", "shop/many.py")
    assert len(found["result"]["results"]) == found["result"]["matches"] == 95


def test_json_is_the_envelope_of_the_tool(shop: Sandbox) -> None:
    found = shop.json("search", "place", "-m", "lexical")
    assert found["status"] == "ok" and found["meta"]["freshness"] == {"status": "fresh"}
    called = json.loads(
        shop.run("call", "search", "query=place", "mode=lexical", "result_mode=raw", "limit=100").stdout
    )
    assert called["result"] == found["result"]


def test_terminal_output_is_coloured_and_fits(shop: Sandbox) -> None:
    long = "place = " + " + ".join(str(n) for n in range(200))
    (shop.root / "shop" / "long.py").write_text(long + "\n")
    code, text = shop.terminal("search", "place", "-m", "regex")
    assert code == 0 and f"{RED}place\x1b[0m" in text and f"{RED}place\x1b[0m()" in text
    shop.variables["NO_COLOR"] = "1"
    code, text = shop.terminal("search", "place", "-m", "regex")
    assert code == 0 and "\x1b[" not in text
    assert max(map(len, text.splitlines())) <= 80 and "…" in text


@pytest.mark.parametrize(
    ("mode", "query", "text", "marked"),
    [
        ("lexical", "Place", "a Place place", "a <Place> place"),
        ("lexical", "place", "a Place place", "a <Place> <place>"),
        ("lexical", "é", "café é", "caf<é> <é>"),
        ("regex", r"\w*c", "abc é abc", "<abc> é <abc>"),
        ("regex", "x*", "éxxé", "é<xx>é"),
        ("regex", "(a+)+$", "a" * 200 + "b", "a" * 200 + "b"),
        ("references", "shop/cart.py#Cart.total@3", "cart.total()", "cart.<total>()"),
        ("auto", "place", "place", "place"),
    ],
)
def test_matches_are_coloured(mode: str, query: str, text: str, marked: str) -> None:
    assert marked_by(query, mode, text, {}) == marked


@pytest.mark.parametrize(
    ("query", "result", "text", "marked"),
    [
        ("Foo.", {}, "Foo.bar foo", "<Foo>.bar foo"),
        ("Foo#", {}, "Foo.bar", "<Foo>.bar"),
        ("pkg::name", {"searched_as": "name"}, "pkg.name(1)", "pkg.<name>(1)"),
        ("pkg::name", {}, "pkg.name(1)", "pkg.<name>(1)"),
        ("a.py:5", {"symbols": ["a.py#Foo.bar@5"]}, "x.bar() in a.py:5", "x.<bar>() in a.py:5"),
        ("a.py:5", {}, "x.bar() in a.py:5", "x.bar() in a.py:5"),
        ("a.js#Counter.#value@3", {"symbols": ["a.js#Counter.#value@3"]}, "this.#value", "this.#<value>"),
        ("lang:python total", {"symbols": ["a.py#Cart.total@5"]}, "Total total", "Total <total>"),
        ("$", {}, "$(x)", "<$>(x)"),
        ("...", {}, "a...b", "a...b"),
        ("é", {}, "é e", "<é> e"),
    ],
)
def test_referenced_name_is_coloured(query: str, result: dict[str, object], text: str, marked: str) -> None:
    assert marked_by(query, "references", text, result) == marked


def marked_by(query: str, mode: str, text: str, result: dict[str, object]) -> str:
    shown = make_marker(SearchOptions(query, mode), Style(colour=True), result)(text)
    return shown.replace(RED, "<").replace("\x1b[0m", ">")
