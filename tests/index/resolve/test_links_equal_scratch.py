"""Links that are kept up to date are those of a build from scratch, whatever changes: and only what a change concerns
is resolved again.

The long version: `CPL_ROUNDS=500 pytest -m sweep -s tests/index/resolve -k sweep` (seed by CPL_SEED).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from codeplane.index.indexer import Indexer
from support.repositories import logical_dump, make_repository, options_for, relinked_dump

Texts = dict[str, str]

_MODULES = ("shop/cart", "shop/items", "shop/sub/tools", "tests/test_cart")
_CLASSES = ("Cart", "Item", "Tool")
_METHODS = ("total", "first", "last")


def _python(chance: random.Random, module: str) -> str:
    """A module that takes from others, has a class with a base, a function that returns an object, and uses."""
    lines = ["import shop.items", f"from shop.cart import {chance.choice(_CLASSES)} as Taken"]
    other = chance.choice(_MODULES[:3]).replace("/", ".")
    lines.append(chance.choice([f"from {other} import *", f"from {other} import make", f"import {other} as other"]))
    name = chance.choice(_CLASSES)
    base = chance.choice(["", "(Taken)", "(shop.items.Item)", f"({chance.choice(_CLASSES)})"])
    lines += [f"class {name}{base}:", "    def __init__(self, part=None):"]
    lines.append(f"        self.part = {chance.choice(['part', 'Taken()', 'make()', 'shop.items.Item()'])}")
    for method in sorted(chance.sample(["total", "first", "last"], chance.randint(1, 3))):
        lines.append(
            f"    def {method}(self): return {chance.choice(['self.part', 'self', 'Taken()', 'self.part.total()'])}"
        )
    returns = chance.choice(["", f" -> {name}", " -> 'Taken'"])
    lines += [f"def make(){returns}:", f"    return {chance.choice([f'{name}()', 'Taken()', 'make', 'None'])}"]
    lines += ["def use(given: Taken):", "    made = make()", "    made.total().first()", "    given.part.last()"]
    lines += [f"    {chance.choice(['use(made)', 'shop.items.make()', 'other.make().total', 'make().part'])}"]
    return "\n".join(lines) + "\n"


def _php(chance: random.Random, module: str) -> str:
    space, name, other = chance.choice(("Shop", "Shop\\Sub", "Else")), chance.choice(_CLASSES), chance.choice(_CLASSES)
    lines = ["<?php", f"namespace {space};", f"use Shop\\{other} as Taken;"]
    lines.append(chance.choice(["", f"use Shop\\Sub\\{name};", "use function Shop\\make;"]))
    lines.append(f"{chance.choice(('class', 'trait', 'interface'))} {name} {{")
    lines.append(chance.choice(["", f"use {other};", "public ?Taken $part;", f"/** @var {other}[] */ public $part;"]))
    for method in chance.sample(_METHODS, 2):
        value = chance.choice(["$this->part", "new Taken()", "static::make()", "$this->part[0]", "make()"])
        lines.append(f"public function {method}({chance.choice(['', 'Taken $x', '$x'])}) {{ return {value}; }}")
    lines.append(
        f"public static function make(){chance.choice(['', ': static', f': {other}'])} {{ return new static(); }}"
    )
    lines += ["}", f"class More extends {chance.choice(_CLASSES)} {{}}", f"function make() {{ return new {other}(); }}"]
    lines += ["make()->total()->first();", "More::make()->last()->part->total();", f"(new \\Shop\\{name}())->first();"]
    return "\n".join(lines) + "\n"


def _ruby(chance: random.Random, module: str) -> str:
    name, other = chance.choice(_CLASSES), chance.choice(_CLASSES)
    lines = [f"module {chance.choice(('Shop', 'Else'))}", "LIMIT = 1"]
    head = chance.choice([f"class {name}", f"class {name} < {other}", f"module {name}"])
    lines += [head, chance.choice(["", f"include {other}", f"extend {other}", "attr_reader :part"])]
    lines.append(f"def initialize; @part = {chance.choice([f'{other}.new', 'nil', 'External.new'])}; end")
    for method in chance.sample(_METHODS, 2):
        value = chance.choice(["@part", "part", f"{other}.new", "self.class.make", "LIMIT", "total"])
        lines.append(f"def {chance.choice(['', 'self.'])}{method}; {value}; end")
    lines += [f"def self.make; {chance.choice(['new', f'{other}.make'])}; end", "end", "end"]
    lines += [f"Shop::{name}.make.total.first", f"Shop::{other}.new.part.last", "Else::LIMIT"]
    return "\n".join(lines) + "\n"


_SOURCES = ("./cart", "./items", "../shop/items.js", "./sub", "./sub/tools", "shop", "shop/items", "~/tools", "..")


def _typescript(chance: random.Random, module: str) -> str:
    """The same, in TypeScript, with types, literals, and functions that are passed."""

    def some(*texts: str) -> str:
        return chance.choice(texts)

    def source() -> str:
        return some(*_SOURCES)

    name = some(*_CLASSES)
    lines = [f'import {{ {some(*_CLASSES)} as Taken, make }} from "{source()}";']
    lines.append(some(f'import * as other from "{source()}";', f'import other from "{source()}";'))
    lines.append(
        some(
            f'export * from "{source()}";',
            f'export {{ make as made, Cart }} from "{source()}";',
            "export default make;",
        )
    )
    lines.append(f"interface Has<T> {{ part: T; {some('first', 'last')}(): {some('T', 'Taken', 'Has<T>')}; }}")
    base = some("", " extends Taken", " extends other.Item", " implements Has<Taken>")
    lines += [f"export class {name}{base} {{", f"  {some('', 'static ')}part{some(': Taken', ': Has<Taken>', '')};"]
    lines.append(f"  constructor({some('', 'public kept: Taken')}) {{ this.part = {some('new Taken()', 'make()')}; }}")
    for method in sorted(chance.sample(["total", "first", "last"], chance.randint(1, 3))):
        lines.append(f"  {method}() {{ return {some('this.part', 'this', 'new Taken()', 'pick(() => this, make)')}; }}")
    lines.append("}")
    lines.append(
        f"function pick<A, B>(one: () => A, two: () => B): {some('A', 'B', 'Has<A>')} {{ return null as any; }}"
    )
    lines.append(
        f"export const held = {{ {some('inner: make(),', '')} ...other, {some('part', 'last')}: new {name}() }};"
    )
    lines.append(f"export function build() {{ const {{ {some('part', 'inner: part')} }} = held; return part; }}")
    lines.append("build().total().first; held.part.last(); held.inner.total(); pick(make, build).part; other.make();")
    lines.append(some("[make()].map((one) => one.total());", "shared.part;", "make().part.kept.last();"))
    lines.append(some("declare global { var shared: Taken; }", ""))
    return "\n".join(lines) + "\n"


class _Language(NamedTuple):
    write: Callable[[random.Random, str], str]
    ending: str
    fixed: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Files that have one of these texts."""
    more: Mapping[str, str] = MappingProxyType({})
    """Files that stay."""
    comment: str = "#"


_PACKAGES = ("", "from shop.cart import *\n", "from .items import make\n", "from . import cart\n")
_INDEXES = ("", 'export * from "./cart";\n', 'export { make } from "./tools";\n', 'export * from "..";\n')
_LANGUAGES = {
    "python": _Language(_python, ".py", {"shop/__init__": _PACKAGES, "shop/sub/__init__": _PACKAGES}),
    "php": _Language(_php, ".php"),
    "ruby": _Language(_ruby, ".rb"),
    "typescript": _Language(
        _typescript,
        ".ts",
        {"shop/index": _INDEXES, "shop/sub/index": _INDEXES},
        {
            "package.json": '{"name": "all", "workspaces": ["shop"]}',
            "shop/package.json": '{"name": "shop"}',
            "tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["./shop/sub/*", "./other/*"]}}}',
        },
        "//",
    ),
}


def _change(chance: random.Random, texts: Texts, language: _Language) -> None:
    module = chance.choice([*_MODULES, *language.fixed, "other/cart"])
    path = f"{module}{language.ending}"
    if path in texts and chance.random() < 0.2:
        del texts[path]
    elif path in texts and chance.random() < 0.3:
        texts[path] = f"{texts[path]}{language.comment} {chance.random()}\n"
    elif module in language.fixed:
        texts[path] = chance.choice(language.fixed[module])
    else:
        texts[path] = language.write(chance, module)


def _carry_out(root: Path, before: Texts, after: Texts) -> None:
    for path in before.keys() - after.keys():
        (root / path).unlink()
    for path, text in after.items():
        if before.get(path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)


def _run(tmp_path: Path, seed: int, rounds: int, language: _Language) -> None:
    chance = random.Random(seed)
    texts = {f"{module}{language.ending}": language.write(chance, module) for module in _MODULES}
    texts |= {f"{module}{language.ending}": "" for module in list(language.fixed)[:1]} | {**language.more}
    root = make_repository(tmp_path / "repo", dict(texts))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(rounds):
            before = dict(texts)
            for _ in range(chance.randint(1, 3)):
                _change(chance, texts, language)
            _carry_out(root, before, texts)
            indexer.sync()
            kept, made = logical_dump(indexer), relinked_dump(root, tmp_path / str(number))
            assert [line for line in kept if line not in made] == [line for line in made if line not in kept], seed


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("language", _LANGUAGES)
def test_links_equal_scratch(tmp_path: Path, language: str, seed: int) -> None:
    _run(tmp_path, seed, 8, _LANGUAGES[language])


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_links_equal_scratch_sweep(tmp_path: Path) -> None:
    seed = int(os.environ.get("CPL_SEED", "1"))
    for part in range(int(os.environ.get("CPL_ROUNDS", "500")) // 10):
        for name, language in _LANGUAGES.items():
            _run(tmp_path / f"{name}{part}", seed + part, 10, language)


def _resolved(indexer: Indexer) -> int:
    return indexer.sync().resolved


def test_change_resolves_only_affected_files(tmp_path: Path) -> None:
    texts = {
        "a.py": "def f():\n    x = 1\n    return A()\nclass A:\n    def m(self): pass\n",
        "b.py": "from a import f\nf().m()\n",
        "c.py": "from b import f\n",
        "d.py": "import json\njson.dumps(1)\n",
        "e.py": "from later import g\ng()\n",
    }
    root = make_repository(tmp_path / "repo", dict(texts))
    with Indexer.open(options_for(root)) as indexer:
        assert _resolved(indexer) == 5
        (root / "a.py").write_text(texts["a.py"].replace("x = 1", "x = 2\n    print(x)"))
        assert _resolved(indexer) == 1, "invisible to other files"
        (root / "a.py").write_text(texts["a.py"].replace("def m(self)", "def m(self, more)"))
        assert _resolved(indexer) == 3, "a itself, b and c, which take from it"
        (root / "later.py").write_text("def g(): pass\n")
        assert _resolved(indexer) == 2, "the new one, and e, which asked for it"
        (root / "d.py").write_text("import json\n")
        assert _resolved(indexer) == 1
