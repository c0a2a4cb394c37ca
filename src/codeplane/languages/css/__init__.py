"""CSS, SCSS and Less: classes, ids, custom properties, variables, mixins, key frames. Read without a grammar.

Each name is defined once in a file, however many rules it has.
"""

from __future__ import annotations

from dataclasses import replace

from codeplane.languages.css.sheet import read_css, read_nested
from codeplane.languages.keys import module_name
from codeplane.languages.spec import DefinitionHead, Language, RolePatterns


def visibility(head: DefinitionHead) -> str:
    return (
        "private"
        if head.kind in ("variable", "function") and head.name.lstrip("$@").startswith(("_", "-"))
        else "public"
    )


_CSS = Language(
    name="css",
    roles=RolePatterns(
        generated="*.min.css *.css.map",
    ),
    family="config",
    extensions=(".css",),
    grammar="",
    distribution="",
    coverage="definitions",
    module_name=module_name,
    visibility=visibility,
    separator="#",
    comments=("/*",),
    doc_prefixes=(),
    variables_are_items=True,
    read=read_css,
)
_NESTED = replace(_CSS, folder="css", comments=("//", "/*"), doc_prefixes=("//",), read=read_nested)

LANGUAGES = (
    _CSS,
    replace(_NESTED, name="scss", extensions=(".scss",), aliases=("sass",), filter_extensions=(".sass",)),
    replace(_NESTED, name="less", extensions=(".less",)),
)
