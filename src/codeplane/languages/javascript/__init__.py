"""JavaScript and JSX. Members have a namespace of their own, since no plain name refers to one."""

from __future__ import annotations

import re
from types import MappingProxyType

from codeplane.languages.javascript.origins import find_origins
from codeplane.languages.javascript.repair import repair
from codeplane.languages.javascript.syntax import (
    DECORATORS,
    doc_lines,
    module_name,
    pattern_names,
    read_import,
    visibility,
)
from codeplane.languages.javascript.workspaces import FAMILY as FAMILY
from codeplane.languages.names import NameRules, words
from codeplane.languages.spec import MEMBER, EntryPoints, Language, RolePatterns

NAME_RULES = NameRules(
    reserved=words(
        "await break case catch class const continue debugger default delete do else enum export extends false"
        " finally for function if implements import in instanceof interface let new null package private protected"
        " public return static super switch this throw true try typeof var void while with yield"
    ),
    valid=re.compile(r"#?[^\W\d][\w$]*|\$[\w$]*"),
    shorthand=True,
    called_by_convention=re.compile(r"constructor"),
)

LANGUAGES = (
    Language(
        name="javascript",
        resolver="codeplane.languages.javascript.resolver.adapter:JavaScriptResolver",
        name_rules=NAME_RULES,
        aliases=("js", "jsx", "mjs", "cjs", "node", "ecmascript"),
        roles=RolePatterns(
            tests=(
                ("**/*.spec.*", r".+[._](?:\w+-)?spec\.[cm]?[jt]sx?"),
                ("**/*.test.*", r".+[._]test(?:-d)?\.(?:[cm]?[jt]sx?|vue|svelte)|.+\.(?:cy|e2e)\.[cm]?[jt]sx?"),
            ),
            generated=(
                "*_pb.js *_pb.d.ts *_grpc_web_pb.js *.min.js *.min.mjs *.bundle.js *.js.map"
                " package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb"
            ),
            build=(
                "package.json lerna.json nx.json turbo.json gulpfile.js Gruntfile.js pnpm-workspace.yaml"
                " rush.json deno.json deno.jsonc"
            ),
        ),
        family="javascript",
        extensions=(".js", ".mjs", ".cjs", ".jsx"),
        interpreters=("node", "nodejs", "bun"),
        grammar="tree_sitter_javascript:language",
        distribution="tree-sitter-javascript",
        shared="javascript/shared.scm",
        module_name=module_name,
        find_origins=find_origins,
        entry_points=EntryPoints(
            scripts=(
                r"(?:[^/]+/){0,3}bin/[^/]+\.[cm]?[jt]s"
                r"|(?:(?:packages|apps|projects)/[^/]+/)?(?:src/)?(?:main|server|cli|app)\.[cm]?[jt]sx?"
            ),
            libraries=(
                r"(?:(?:packages|libs|apps|projects)/[^/]+/)?(?:(?:src|lib)/)?(?:index|public_api|mod)\.[cm]?[jt]sx?"
            ),
        ),
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
        repair=repair,
    ),
)
