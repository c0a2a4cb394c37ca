"""Links that are kept up to date are those of a build from scratch, whatever changes: and only what a change concerns
is resolved again.

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

Texts = dict[str, str]

_MODULES = ("shop/cart", "shop/items", "shop/sub/tools", "tests/test_cart")
_CLASSES = ("Cart", "Item", "Tool")


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


def _change(chance: random.Random, texts: Texts, write: Callable[[random.Random, str], str], ending: str) -> None:
    modules = [*_MODULES, "shop/__init__", "shop/sub/__init__", "other/cart"]
    module = chance.choice(modules)
    path = f"{module}{ending}"
    if path in texts and chance.random() < 0.2:
        del texts[path]
    elif path in texts and chance.random() < 0.3:
        texts[path] = f"{texts[path]}# {chance.random()}\n"
    elif module.endswith("__init__"):
        texts[path] = chance.choice(
            ["", "from shop.cart import *\n", "from .items import make\n", "from . import cart\n"]
        )
    else:
        texts[path] = write(chance, module)


def _carry_out(root: Path, before: Texts, after: Texts) -> None:
    for path in before.keys() - after.keys():
        (root / path).unlink()
    for path, text in after.items():
        if before.get(path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)


def _run(tmp_path: Path, seed: int, rounds: int) -> None:
    chance = random.Random(seed)
    texts = {f"{module}.py": _python(chance, module) for module in _MODULES} | {"shop/__init__.py": ""}
    root = make_repository(tmp_path / "repo", dict(texts))
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(rounds):
            before = dict(texts)
            for _ in range(chance.randint(1, 3)):
                _change(chance, texts, _python, ".py")
            _carry_out(root, before, texts)
            indexer.sync()
            kept, made = logical_dump(indexer), scratch_dump(root, tmp_path / str(number))
            assert [line for line in kept if line not in made] == [line for line in made if line not in kept], seed


@pytest.mark.parametrize("seed", range(2))
def test_python(tmp_path: Path, seed: int) -> None:
    _run(tmp_path, seed, 8)


@pytest.mark.sweep
@pytest.mark.timeout(0)
def test_sweep(tmp_path: Path) -> None:
    seed = int(os.environ.get("CPL_SEED", "1"))
    for part in range(int(os.environ.get("CPL_ROUNDS", "500")) // 10):
        _run(tmp_path / str(part), seed + part, 10)


def _resolved(indexer: Indexer) -> int:
    return indexer.sync().resolved


def test_only_those_are_resolved_again_that_a_change_concerns(tmp_path: Path) -> None:
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
        assert _resolved(indexer) == 1, "nobody else can see that"
        (root / "a.py").write_text(texts["a.py"].replace("def m(self)", "def m(self, more)"))
        assert _resolved(indexer) == 3, "a itself, b and c, which take from it"
        (root / "later.py").write_text("def g(): pass\n")
        assert _resolved(indexer) == 2, "the new one, and e, which asked for it"
        (root / "d.py").write_text("import json\n")
        assert _resolved(indexer) == 1
