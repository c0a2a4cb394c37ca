"""Kinds of results, and the names that people and models use for them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools.arguments import shown

KINDS = (
    "annotation",
    "block",
    "cell",
    "class",
    "column",
    "component",
    "constant",
    "constructor",
    "element",
    "enum",
    "enum_member",
    "field",
    "function",
    "heading",
    "index",
    "interface",
    "key",
    "macro",
    "message",
    "method",
    "module",
    "object",
    "property",
    "record",
    "rpc",
    "selector",
    "stage",
    "struct",
    "table",
    "trait",
    "trigger",
    "type",
    "variable",
    "view",
    "file",
    "text",
)
"""Kinds of definitions, and of results that are not definitions."""

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "class": ("cls", "klass"),
    "constant": ("const",),
    "constructor": ("ctor", "initializer"),
    "enum": ("enumeration",),
    "enum_member": ("enum_constant", "enum_value", "enum_variant", "variant", "enumerator"),
    "field": ("attr", "attribute", "member_variable", "instance_variable"),
    "function": ("func", "fn", "fun", "def", "procedure", "proc", "subroutine"),
    "interface": ("iface", "protocol"),
    "method": ("meth", "member_function"),
    "module": ("mod", "namespace", "package"),
    "property": ("prop", "getter", "setter", "accessor", "attr", "attribute"),
    "struct": ("structure",),
    "type": ("typedef", "type_alias", "alias"),
    "variable": ("var",),
}


def read_kinds(names: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds that names refer to, each once. An unknown name is rejected with the nearest kind."""
    return tuple(dict.fromkeys(kind for name in names for kind in _kinds_named(name)))


def _kinds_named(name: str) -> tuple[str, ...]:
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    for form in (plain, plain.removesuffix("s"), plain.removesuffix("es"), plain.removesuffix("ies") + "y"):
        for spelling in (form, form.replace("_", "")):
            if spelling in _BY_NAME:
                return _BY_NAME[spelling]
    close = difflib.get_close_matches(plain, sorted(_BY_NAME), 1, 0.6)
    nearest = _BY_NAME[close[0]][0] if close else None
    raise CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no kind of symbol named '{shown(name)}'",
        expected=nearest or ", ".join(KINDS),
        received=shown(name),
        example={"query": "checkout", "kinds": [nearest or "function"]},
        remedy=f"Use '{nearest}'." if nearest else None,
    )


def _by_name() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for kind in KINDS:
        for name in (kind, *_SYNONYMS.get(kind, ())):
            for spelling in {name, name.replace("_", "")}:
                found[spelling] = (*found.get(spelling, ()), kind)
    return found


_BY_NAME = _by_name()
