"""Small repository in every parsed language, with content for each section of a map."""

from __future__ import annotations

from pathlib import Path

from codeplane.index.indexer import Indexer
from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state
from support.repositories import make_repository, options_for


def index(root: Path, files: dict[str, str | bytes]) -> Snapshot:
    """Return the first epoch of a repository of these files; the caller closes it."""
    make_repository(root, files)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
    state = open_state(root)
    assert state is not None
    return open_current(state, lexical=False)


FILES: dict[str, str | bytes] = {
    "README.md": "# Shop\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/__init__.py": '"""A shop."""\n',
    "shop/__main__.py": "from shop.cli import main\n\nmain()\n",
    "shop/cli.py": (
        "import sys\n\nimport click\n\nfrom shop.cart import Cart\n\n\n"
        "def main() -> None:\n    Cart().total()\n\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "shop/cart.py": (
        "from __future__ import annotations\n\nimport decimal\n\nimport requests\n\nLIMIT = 3\n\n\n"
        "class Cart:\n    size = 0\n\n    def __init__(self, owner=None):\n        self.owner = owner\n\n"
        "    @property\n    def empty(self):\n        return True\n\n"
        "    @empty.setter\n    def empty(self, value):\n        def checked():\n            return value\n\n"
        "        self.size = checked()\n\n    def total(self) -> int:\n        return LIMIT\n\n\n"
        "def total(carts: list[Cart]) -> int:\n    return 0\n"
    ),
    "tests/test_cart.py": "import pytest\n\nfrom shop.cart import Cart\n\n\ndef test_total():\n    assert Cart()\n",
    "tests/test_cli.py": "import unittest\n\nfrom shop import cli\nfrom shop.cart import Cart\n",
    "go.mod": "module example.org/acme/shop\n",
    "cmd/shopd/main.go": (
        'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/acme/shop/pricing"\n\t"github.com/spf13/cobra/doc"\n)\n\n'
        "func main() {\n\tfmt.Println(pricing.Sum(1), doc.X)\n}\n"
    ),
    "pricing/types.go": "package pricing\n\n// Price is what is paid.\ntype Price struct {\n\tCents int\n}\n",
    "pricing/sum.go": (
        "package pricing\n\nfunc Sum(cents int) int { return cents }\n\n"
        "func (p *Price) Add(other Price) Price { return other }\n"
        "func (p *Price) Zero() bool { return p.Cents == 0 }\n"
    ),
    "pricing/sum_test.go": 'package pricing\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {}\n',
    "crates/stock/Cargo.toml": "[package]\nname = 'shop_stock'\n",
    "crates/stock/src/lib.rs": (
        "use serde::Serialize;\nuse std::fmt;\n\npub struct Item {\n    pub count: u32,\n}\n\n"
        "impl Item {\n    pub fn take(&mut self, count: u32) -> u32 {\n        count\n    }\n}\n\n"
        "impl fmt::Display for Item {\n"
        "    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n        Ok(())\n    }\n}\n\n"
        "impl Shelf {\n    fn full(&self) -> bool {\n        true\n    }\n}\n\n"
        "mod tests {\n    fn takes() {}\n}\n"
    ),
    "crates/stock/src/main.rs": "use shop_stock::Item;\nuse anyhow::Result;\n\nfn main() {}\n",
    "server/src/main/java/org/acme/App.java": (
        "package org.acme;\n\nimport java.util.List;\nimport org.slf4j.Logger;\nimport org.acme.model.Order;\n\n"
        "public class App {\n    private final int size;\n\n"
        "    public App(int size) {\n        this.size = size;\n    }\n\n"
        "    public static void main(String[] args) {\n        new App(1);\n"
        "    }\n\n    interface Hook {\n        void run(App app);\n    }\n}\n"
    ),
    "server/src/main/java/org/acme/model/Order.java": "package org.acme.model;\n\npublic record Order(int id) {}\n",
    "server/src/test/java/org/acme/AppTest.java": (
        "package org.acme;\n\nimport org.junit.jupiter.api.Test;\n\n"
        "public class AppTest {\n    @Test\n    void starts() {}\n}\n"
    ),
    "packages/ui/package.json": '{"name": "@acme/ui"}\n',
    "packages/core/package.json": '{"name": "@acme/core"}\n',
    "packages/core/src/index.ts": 'export { render } from "./render";\nexport * from "./types";\n',
    "packages/core/src/types.ts": "export interface Shape {\n  area(): number;\n}\nexport type Size = number;\n",
    "packages/core/src/render.ts": (
        'import { readFileSync } from "node:fs";\nimport { Shape } from "./types";\n\n'
        "export function render(shape: Shape): string {\n  return String(shape.area());\n}\n\n"
        "export class Canvas {\n  #ink = 1;\n  draw(shape: Shape): void {}\n}\n"
    ),
    "packages/ui/src/index.tsx": (
        'import React from "react";\nimport { render } from "@acme/core";\nimport { Other } from "@acme/ui";\n\n'
        "export const View = () => <p>{render(null)}</p>;\n"
    ),
    "packages/ui/src/view.spec.ts": 'import { expect } from "vitest";\nimport { View } from "./index";\n',
    "legacy/app.js": 'const lodash = require("lodash");\n\nfunction start() {}\n\nmodule.exports = { start };\n',
    "docs/guide.md": "# Guide\n",
    "data/table.sql": "SELECT 1;\n",
}
