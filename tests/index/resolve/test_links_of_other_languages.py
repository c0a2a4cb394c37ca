"""A changed file is seen by the others of its language, whatever they looked up before."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.index.indexer import Indexer
from support.repositories import logical_dump, make_repository, options_for, relinked_dump, write

_GO = {
    "go.mod": "module shop\n",
    "cart.go": 'package shop\n\nimport "shop/items"\n\nfunc Total() int { return items.Make().Price() + add(1) }\n',
    "add.go": "package shop\n\nfunc add(n int) int { return n }\n",
    "items/item.go": "package items\n\ntype Item struct{}\n\nfunc Make() *Item { return &Item{} }\n",
}
_JAVA = {
    "shop/Cart.java": "package shop;\nclass Cart { int total(Item item) { return item.price() + Sum.of(1); } }\n",
    "shop/Item.java": "package shop;\nclass Item extends Base { }\n",
    "shop/Base.java": "package shop;\nclass Base { }\n",
}
_KOTLIN = {
    "shop/Cart.kt": "package shop\nimport parts.Item\nfun total(item: Item) = item.price() + item.twice() + sum(1)\n",
    "parts/Item.kt": "package parts\nopen class Item : Base()\n",
    "parts/Base.kt": "package parts\nopen class Base\n",
}
_CSHARP = {
    "shop/Cart.cs": "namespace Shop;\nclass Cart { int Total(Item item) { return item.Price() + item.Twice(); } }\n",
    "parts/Item.cs": "namespace Parts;\npublic partial class Item : Base { }\n",
    "parts/Base.cs": "namespace Parts;\npublic class Base { }\n",
}
_RUST = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "mod cart;\nmod item;\npub use item::*;\n",
    "src/cart.rs": "use crate::item::{make, Item};\nfn f(i: &Item) -> u32 { i.price() + make().count + help::add() }\n",
    "src/item.rs": "pub struct Item { pub count: u32 }\npub fn make() -> Item { Item { count: 1 } }\n",
    "tests/all.rs": "use shop::Item;\nfn f(i: Item) { i.price(); }\n",
}
_CPP = {
    "shop/item.h": "namespace shop {\nclass Item : public Base {\n public:\n  int price();\n};\n}\n",
    "shop/item.cc": '#include "item.h"\nnamespace shop {\nint Item::price() { return add(1); }\n}\n',
    "main.cc": '#include "shop/item.h"\nint total(shop::Item& item) { return item.price() + item.count() + help(); }\n',
    "list.h": "struct node { int value; };\nint size(struct node *n);\n",
    "list.c": '#include "list.h"\nint size(struct node *n) { return n->value; }\n',
}
_PHP = {
    "src/Cart.php": "<?php\nnamespace Shop;\nuse Shop\\Parts\\Item;\nfunction f(Item $i) { $i->price(); sum(); }\n",
    "src/Item.php": "<?php\nnamespace Shop\\Parts;\nclass Item extends Base {}\n",
    "src/Base.php": "<?php\nnamespace Shop\\Parts;\nclass Base {}\n",
}
_RUBY = {
    "cart.rb": "module Shop\nclass Cart\ndef total; Item.new.price; end\nend\nend\n",
    "item.rb": "module Shop\nclass Item\ninclude Priced\nend\nend\n",
    "priced.rb": "module Shop\nmodule Priced\nend\nend\n",
}
_TYPESCRIPT = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "packages/items/package.json": '{"name": "items", "main": "dist/index.js"}',
    "packages/items/src/index.ts": "export * from './item';\n",
    "packages/items/src/item.ts": (
        "import { Base } from './base';\n"
        "export class Item extends Base { rate() { return pick(() => this.low(), () => this.high()); }\n"
        "  low() { return new Low(); } high() { return new High(); } }\n"
        "class Low { first() {} }\nclass High { second() {} }\n"
        "function pick<A, B>(one: () => A, other: () => B): A { return one(); }\n"
        "export function make() { const { held } = keep(); return held; }\n"
        "function keep() { return { held: new Low(), kept: new High() }; }\n"
    ),
    "packages/items/src/base.ts": "export class Base { }\n",
    "packages/shop/package.json": '{"name": "shop"}',
    "packages/shop/cart.ts": (
        "import { Item, make } from 'items';\nimport { add } from './add';\n"
        "export function total(item: Item) { item.price(); item.rate().first(); item.rate().second(); add(make());\n"
        "  make().first(); make().second(); global(); }\n"
    ),
    "packages/shop/page.js": "const { add } = require('./add');\nmodule.exports = { show() { return add(1); } };\n",
}


@pytest.mark.parametrize(
    ("files", "changes"),
    [
        (
            _GO,
            [
                ("items/price.go", "package items\n\nfunc (i *Item) Price() int { return 1 }\n"),
                ("add.go", "package shop\n\nfunc plus(n int) int { return n }\n"),
                ("more.go", "package shop\n\nfunc add(n, m int) int { return n }\n"),
                ("go.mod", "module other\n"),
            ],
        ),
        (
            _JAVA,
            [
                ("shop/Base.java", "package shop;\nclass Base { int price() { return 1; } }\n"),
                ("shop/Sum.java", "package shop;\nclass Sum { static int of(int n) { return n; } }\n"),
                ("shop/Item.java", "package shop;\nclass Item { int price() { return 2; } }\n"),
            ],
        ),
        (
            _RUST,
            [
                ("src/price.rs", "use crate::item::Item;\nimpl Item { pub fn price(&self) -> u32 { 1 } }\n"),
                ("src/lib.rs", "mod cart;\nmod item;\nmod price;\npub mod help;\npub use item::*;\n"),
                ("src/help.rs", "pub fn add() -> u32 { 1 }\n"),
                (
                    "src/price.rs",
                    "use crate::item::Item;\ntrait P { fn price(&self); }\nimpl P for Item { fn price(&self) {} }\n",
                ),
                (
                    "src/item.rs",
                    "pub type Item = Thing;\npub struct Thing { pub count: u32 }\npub fn make() -> Thing { todo!() }\n",
                ),
                ("Cargo.toml", '[package]\nname = "store"\n'),
            ],
        ),
        (
            _CPP,
            [
                (
                    "shop/base.h",
                    "namespace shop {\nclass Base { public: int count(); };\nint add(int n);\n}\nint help();\n",
                ),
                (
                    "shop/item.h",
                    '#include "base.h"\nnamespace shop {\nclass Item : public Base { public: int price();\n};\n}\n',
                ),
                ("shop/base.cc", '#include "base.h"\nnamespace shop {\nint Base::count() { return 1; }\n}\n'),
                ("list.h", "struct node { int worth; };\nint size(struct node *n);\n"),
                ("other/shop/item.h", "namespace shop { class Item {}; }\n"),
            ],
        ),
        (
            _KOTLIN,
            [
                ("parts/Base.kt", "package parts\nopen class Base { fun price() = 1 }\n"),
                ("shop/more.kt", "package shop\nimport parts.Base\nfun sum(n: Int) = n\nfun Base.twice() = 2\n"),
                ("parts/Item.kt", "package other\nclass Item\n"),
                ("shop/Item.kt", "package parts\nclass Item { fun twice() = 2 }\n"),
            ],
        ),
        (
            _CSHARP,
            [
                ("GlobalUsings.cs", "global using Parts;\n"),
                ("parts/Base.cs", "namespace Parts;\npublic class Base { public int Price() { return 1; } }\n"),
                (
                    "parts/Item.More.cs",
                    "namespace Parts;\npublic partial class Item { public int Twice() { return 2; } }\n",
                ),
                ("GlobalUsings.cs", "global using Other;\n"),
                ("shop/Shop.csproj", '<Project><ItemGroup><Using Include="Parts" /></ItemGroup></Project>\n'),
            ],
        ),
        (
            _PHP,
            [
                ("src/Base.php", "<?php\nnamespace Shop\\Parts;\nclass Base { function price() {} }\n"),
                ("src/sum.php", "<?php\nnamespace Shop;\nfunction sum() {}\n"),
                ("src/Other.php", "<?php\nnamespace Shop\\Parts;\nclass Item { function price() {} }\n"),
                ("src/Item.php", "<?php\nnamespace Else;\nclass Item {}\n"),
            ],
        ),
        (
            _RUBY,
            [
                ("priced.rb", "module Shop\nmodule Priced\ndef price; end\nend\nend\n"),
                ("more.rb", "module Shop\nclass Item\ndef price; end\nend\nend\n"),
                ("item.rb", "module Shop\nclass Item < Missing\nend\nend\n"),
                ("inner.rb", "module Shop\nclass Cart\nclass Item\nend\nend\nend\n"),
            ],
        ),
        (
            _TYPESCRIPT,
            [
                ("packages/items/src/base.ts", "export class Base { price() { return 1; } }\n"),
                ("packages/shop/add.ts", "export const add = (n: unknown) => n;\n"),
                (
                    "packages/items/src/item.ts",
                    _TYPESCRIPT["packages/items/src/item.ts"].replace("{ held }", "{ kept: held }"),
                ),
                (
                    "packages/items/src/item.ts",
                    _TYPESCRIPT["packages/items/src/item.ts"].replace(
                        "() => this.low(), () => this.high()", "() => this.high(), () => this.low()"
                    ),
                ),
                ("packages/shop/add/index.ts", "export function add(n: unknown): void {}\n"),
                ("packages/shop/all.d.ts", "declare function global(): void;\n"),
                ("packages/items/src/index.ts", "export { Base as Item } from './base';\n"),
                ("packages/items/package.json", '{"name": "others"}'),
                ("packages/shop/package.json", '{"name": "items", "main": "cart.ts"}'),
            ],
        ),
    ],
    ids=["go", "java", "rust", "cpp", "kotlin", "csharp", "php", "ruby", "typescript"],
)
def test_links_equal_scratch(tmp_path: Path, files: dict[str, str], changes: list[tuple[str, str]]) -> None:
    root = make_repository(tmp_path / "repo", dict(files))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number, (path, text) in enumerate(changes):
            write(root, path, text)
            indexer.sync()
            kept, made = logical_dump(indexer), relinked_dump(root, tmp_path / str(number))
            assert [line for line in kept if line not in made] == [line for line in made if line not in kept], path


@pytest.mark.parametrize(
    ("files", "separate", "change", "concerned"),
    [
        (
            _GO,
            {"tools/tool.go": "package tools\n\nfunc Run() {}\n"},
            (
                "items/item.go",
                "package items\n\ntype Item struct{}\n\nfunc Make() *Item { return nil }\nfunc More() {}\n",
            ),
            {"cart.go", "add.go", "items/item.go"},
        ),
        (
            _JAVA,
            {"tools/Tool.java": "package tools;\nclass Tool { void run() { } }\n"},
            ("shop/Base.java", "package shop;\nclass Base { int price() { return 1; } }\n"),
            {"shop/Cart.java", "shop/Item.java", "shop/Base.java"},
        ),
        (
            _RUST,
            {"tools/Cargo.toml": '[package]\nname = "tools"\n', "tools/src/lib.rs": "pub fn run() {}\n"},
            (
                "src/item.rs",
                "pub struct Item { pub count: u32 }\npub fn make() -> Item { Item { count: 2 } }\nfn f() {}\n",
            ),
            {"src/lib.rs", "src/cart.rs", "src/item.rs", "tests/all.rs"},
        ),
        (
            _CPP,
            {"tools/tool.cc": "int run() { return 1; }\n"},
            ("shop/item.h", "namespace shop {\nclass Item {\n public:\n  int price();\n  int count();\n};\n}\n"),
            {"shop/item.h", "shop/item.cc", "main.cc"},
        ),
        (
            _KOTLIN,
            {"tools/Tool.kt": "package tools\nfun run() = 1\n"},
            ("parts/Base.kt", "package parts\nopen class Base { fun price() = 1 }\n"),
            {"shop/Cart.kt", "parts/Item.kt", "parts/Base.kt"},
        ),
        (
            _CSHARP | {"GlobalUsings.cs": "global using Parts;\n"},
            {"tools/Tool.cs": "namespace Tools;\nclass Tool { void Run() { } }\n"},
            ("parts/Base.cs", "namespace Parts;\npublic class Base { public int Price() { return 1; } }\n"),
            {"shop/Cart.cs", "parts/Item.cs", "parts/Base.cs"},
        ),
    ],
    ids=["go", "java", "rust", "cpp", "kotlin", "csharp"],
)
def test_files_without_a_dependency_are_not_resolved_again(
    tmp_path: Path, files: dict[str, str], separate: dict[str, str], change: tuple[str, str], concerned: set[str]
) -> None:
    root = make_repository(tmp_path / "repo", {**files, **separate})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        write(root, *change)
        indexer.sync_files()
        writer = indexer.writer
        assert writer is not None
        names: dict[int, str] = dict(writer.rows("SELECT file_id, path FROM files"))
        left = {names[file_id] for file_id in writer.links.list_unresolved()}
    assert change[0] in left
    assert left <= concerned and not left & set(separate)
