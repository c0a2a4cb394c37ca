"""Origins of Rust imports."""

from __future__ import annotations

from codeplane.base.paths import basename, parent
from codeplane.languages.imports import INSIDE, STANDARD, ImportContext, OriginFinder

_STANDARD = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_RELATIVE = frozenset({"crate", "self", "super", "Self", "$crate"})


def find_origins(context: ImportContext) -> OriginFinder:
    crates = {context.repo_name.lower().replace("-", "_")}
    siblings: dict[str, set[str]] = {}
    for path in context.paths("rust"):
        folder, _, name = path.rpartition("/")
        siblings.setdefault(folder, set()).add(name.removesuffix(".rs"))
        siblings.setdefault(parent(folder), set()).add(basename(folder))
        if name in ("lib.rs", "main.rs"):
            root = parent(folder) if folder.endswith("src") else folder
            crates.add(basename(root).replace("-", "_"))
    crates.discard("")

    def find(folder: str, source: str) -> str:
        first = source.removeprefix("::").partition("::")[0].strip()
        if first in _STANDARD:
            return STANDARD
        # Crate names are lower case; `use Kind::*` is about a type of the file.
        if not first or first in _RELATIVE or first[:1].isupper() or first in crates:
            return INSIDE
        # A workspace often prefixes the directory with its own name: `grep_matcher` in `matcher`.
        if any(first.endswith(f"_{crate}") for crate in crates) or first in siblings.get(folder, ()):
            return INSIDE
        return first

    return find
