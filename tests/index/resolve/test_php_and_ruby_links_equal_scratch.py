"""Links of PHP and Ruby that are kept up to date are those of a build from scratch, whatever changes.

The long version: `CPL_ROUNDS=500 pytest -m sweep -s tests/index/resolve -k sweep` (seed by CPL_SEED).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from codeplane.index.indexer import Indexer
from support.repositories import logical_dump, make_repository, options_for, scratch_dump

_NAMES = ("Cart", "Item", "Tool")
_PLACES = ("a", "b", "sub/c", "test/d")
_METHODS = ("total", "first", "last")


def _php(chance: random.Random) -> str:
    space, name, other = chance.choice(("Shop", "Shop\\Sub", "Else")), chance.choice(_NAMES), chance.choice(_NAMES)
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
    lines += ["}", f"class More extends {chance.choice(_NAMES)} {{}}", f"function make() {{ return new {other}(); }}"]
    lines += ["make()->total()->first();", "More::make()->last()->part->total();", f"(new \\Shop\\{name}())->first();"]
    return "\n".join(lines) + "\n"


def _ruby(chance: random.Random) -> str:
    name, other = chance.choice(_NAMES), chance.choice(_NAMES)
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


def _run(tmp_path: Path, seed: int, rounds: int, write: Callable[[random.Random], str], ending: str) -> None:
    chance = random.Random(seed)
    texts = {f"{place}{ending}": write(chance) for place in _PLACES}
    root = make_repository(tmp_path / "repo", dict(texts))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for _ in range(rounds):
            for place in chance.sample(_PLACES, chance.randint(1, 2)):
                path = root / f"{place}{ending}"
                if path.exists() and chance.random() < 0.2:
                    path.unlink()
                else:
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(write(chance))
            indexer.sync()
            kept, made = logical_dump(indexer), scratch_dump(root, tmp_path)
            assert [line for line in kept if line not in made] == [line for line in made if line not in kept], seed


@pytest.mark.parametrize("seed", range(2))
def test_php(tmp_path: Path, seed: int) -> None:
    _run(tmp_path, seed, 5, _php, ".php")


@pytest.mark.parametrize("seed", range(2))
def test_ruby(tmp_path: Path, seed: int) -> None:
    _run(tmp_path, seed, 5, _ruby, ".rb")


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_sweep(tmp_path: Path) -> None:
    seed = int(os.environ.get("CPL_SEED", "1"))
    for part in range(int(os.environ.get("CPL_ROUNDS", "500")) // 20):
        _run(tmp_path / f"php{part}", seed + part, 10, _php, ".php")
        _run(tmp_path / f"ruby{part}", seed + part, 10, _ruby, ".rb")
