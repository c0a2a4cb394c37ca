"""Stable ids of definitions and imports, and relocation of facts to another path.

An id is a hash of family, path, kind, lexical path, signature and a number among equals. Apart from ids, only the
module prefix of qualified names depends on the path.
"""

from __future__ import annotations

from hashlib import sha256

from codeplane.facts.blocks import PackedFacts
from codeplane.facts.model import Attribute, Def, Import
from codeplane.languages.spec import Language

ATTRIBUTE = "attribute"
"""Kind of an attribute that a method assigns on its object."""


class Ids:
    """Generator of the ids of one file's definitions, or of its imports, in document order."""

    def __init__(self, family: str, path: str) -> None:
        self._family = family
        self._path = path
        self._alike: dict[str, int] = {}

    def of_definition(self, kind: str, lexical_path: str, signature_hash: str) -> str:
        return self._next(f"{self._family}:{kind}:{self._path}#{lexical_path}:{signature_hash}")

    def of_import(self, kind: str, source: str | None, name: str, alias: str | None) -> str:
        return self._next(f"{self._family}:{self._path}:{kind}:{source}:{name}:{alias or ''}")

    def _next(self, identity: str) -> str:
        alike = self._alike[identity] = self._alike.get(identity, -1) + 1
        return sha256(f"{identity}:{alike}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


def qualify(language: Language, module: str, lexical_path: str) -> str:
    return f"{module}{language.separator}{lexical_path}" if module else lexical_path


def relocate(facts: PackedFacts, language: Language, path: str) -> PackedFacts:
    """Return the facts of a text as they are at `path`. Not for documents, whose parts have modules of their own."""
    module = language.module_name(path)
    ids = Ids(language.family, path)
    defs = [
        row._replace(
            def_uid=ids.of_definition(row.kind, row.lexical_path, row.signature_hash),
            qualified_name=qualify(language, module, row.lexical_path),
        )
        for row in (Def(*row) for row in facts.defs)
    ]
    ids = Ids(language.family, path)
    attributes = [
        row._replace(def_uid=ids.of_definition(ATTRIBUTE, f"{defs[row.parent].lexical_path}.{row.name}", ""))
        for row in (Attribute(*row) for row in facts.attributes)
    ]
    ids = Ids(language.family, path)
    imports = [
        row._replace(import_uid=ids.of_import(row.import_kind, row.source_literal, row.imported_name, row.alias))
        for row in (Import(*row) for row in facts.imports)
    ]
    return facts._replace(defs=defs, imports=imports, attributes=attributes)
