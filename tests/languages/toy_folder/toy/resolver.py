"""Name resolution of Toy: `local total = require("cart").total` refers to `total` in `cart.toy`."""

from __future__ import annotations

from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.resolver import LanguageResolver
from codeplane.index.resolve.types import Site, definition_site


class ToyResolver(LanguageResolver):
    def resolve_import(self, file: FileScope, number: int) -> list[Site]:
        row = file.imports[number]
        path = f"{row.source}.toy"
        other = self.evaluator.library.file(path)
        return [definition_site(path, each) for each in other.defs_in.get((0, row.imported_name), [])] if other else []
