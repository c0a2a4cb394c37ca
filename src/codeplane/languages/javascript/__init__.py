"""JavaScript, JSX included. Members have a namespace of their own, since no plain name ever means one."""

from __future__ import annotations

from types import MappingProxyType

from codeplane.languages.javascript.mending import mend
from codeplane.languages.javascript.syntax import (
    DECORATORS,
    doc_lines,
    module_name,
    pattern_names,
    read_import,
    visibility,
)
from codeplane.languages.spec import MEMBER, Language

LANGUAGES = (
    Language(
        name="javascript",
        family="javascript",
        extensions=(".js", ".mjs", ".cjs", ".jsx"),
        interpreters=("node", "nodejs", "bun"),
        grammar="tree_sitter_javascript:language",
        distribution="tree-sitter-javascript",
        shared="javascript/shared.scm",
        module_name=module_name,
        visibility=visibility,
        signature_noise=DECORATORS,
        doc_lines=doc_lines,
        namespaces=MappingProxyType(
            {"method": (MEMBER,), "constructor": (MEMBER,), "field": (MEMBER,), "property": (MEMBER,)}
        ),
        attributes_through="function",
        blank_aliases=frozenset(),
        expand_import=read_import,
        expand_pattern=pattern_names,
        mend=mend,
    ),
)
