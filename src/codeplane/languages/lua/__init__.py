"""Lua. A function may be a local, a global or a field of a table; everything that is not local is public."""

from __future__ import annotations

import re

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns

_MARKER = re.compile(r"^-+\s?|^\s*-+\[=*\[.*")
_TAG = re.compile(r"^@\w")


def module_name(path: str) -> str:
    """Return the argument of `require`: `kong` for `lua/kong/init.lua`."""
    stem = path.removesuffix(".lua").removesuffix("/init")
    for root in ("lua/", "src/", "lib/"):
        stem = stem.removeprefix(root)
    return stem.replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    if head.text.startswith("local") or head.name.startswith("_"):
        return "private"
    return "private" if head.parent_kind in ("function", "method") else "public"


def plain_lines(lines: list[str]) -> list[str]:
    """Remove the dashes and the tags (`@param`) of LDoc."""
    return [text for line in lines if not _TAG.match(text := _MARKER.sub("", line).strip())]


LANGUAGES = (
    Language(
        name="lua",
        roles=RolePatterns(
            tests=(("**/*_spec.lua", r".+_spec\.lua"), ("**/*_test.lua", r".+_test\.lua")),
        ),
        family="config",
        extensions=(".lua",),
        interpreters=("lua", "luajit", "resty"),
        grammar="tree_sitter_lua:language",
        distribution="tree-sitter-lua",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        comments=("--",),
        doc_prefixes=("--",),
        doc_lines=plain_lines,
        export_evidence="global",
    ),
)
