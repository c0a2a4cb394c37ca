"""Tools that find code, and their older names."""

from __future__ import annotations

from codeplane.tools.catalog.shared import COMPACT, CURSOR, DETAIL, EXPLAIN, LIMIT, NO_CURSOR, PATH, POLICY
from codeplane.tools.spec import Deprecated, Example, Param, ToolSpec

MAX_QUERY = 256 * 1024
"""Characters: a whole issue, or the log of a failed run."""

SEARCH = ToolSpec(
    "search",
    ("core",),
    "Find code by words, name, fragment, error text or stack trace; the place to work comes first.",
    (
        Param(
            "query",
            "string",
            "May begin with filters, but in lexical and regex: lang:go path:src/ -path:gen/ must:word exclude:word.",
            aliases=("q", "pattern", "text", "search", "search_term", "name", "symbol", "query_string"),
            max_chars=MAX_QUERY,
        ),
        Param(
            "mode",
            "string",
            "lexical, regex and references find every match; the others rank.",
            choices=("auto", "lexical", "regex", "symbol", "definitions", "references", "files"),
            default="auto",
            aliases=("search_mode", "search_type"),
            synonyms={
                "hybrid": "auto",
                "default": "auto",
                "literal": "lexical",
                "text": "lexical",
                "exact": "lexical",
                "grep": "regex",
                "regexp": "regex",
                "symbols": "symbol",
                "definition": "definitions",
                "defs": "definitions",
                "reference": "references",
                "refs": "references",
                "usages": "references",
                **dict.fromkeys(("file", "filename", "filenames", "path", "glob"), "files"),
                "semantic": "semantic",
                "vector": "semantic",
            },
        ),
        Param(
            "scope",
            "string",
            "runtime: neither docs nor tests; docs: only those. Default mixed, of auto runtime.",
            choices=("runtime", "mixed", "docs"),
            synonyms={"all": "mixed", "everything": "mixed", "code": "runtime", "source": "runtime", "tests": "docs"},
            unfolds=("paths", "languages", "kinds"),
        ),
        Param(
            "paths",
            "array",
            "Patterns as in .gitignore.",
            aliases=("include", "glob", "globs", "files", "file_pattern", "include_pattern", "path_pattern"),
        ),
        Param("languages", "array", aliases=("language", "lang", "langs")),
        Param("kinds", "array", "e.g. function, class, method.", aliases=("kind", "symbol_kind", "symbol_kinds")),
        Param("case_sensitive", "boolean", "Default: if the query has a capital.", aliases=("case", "match_case")),
        Param("result_mode", "string", "raw: every match by itself.", choices=("grouped", "raw")),
        Param("group_by", "string", choices=("symbol", "file")),
        Param(
            "tiers",
            "array",
            "references: only these.",
            choices=("proven", "strong", "anchored", "unknown"),
            aliases=("tier",),
            advertised=False,
        ),
        Param(
            "ranking_mode",
            "string",
            "default: changed files get no preference.",
            choices=("auto_changed_first", "default"),
            default="auto_changed_first",
        ),
        DETAIL,
        Param(
            "enrichment",
            "string",
            "Older name of detail_level: none, minimal, standard, function or class.",
            choices=("none", "minimal", "standard", "function", "class"),
            advertised=False,
        ),
        Param("include_snippets", "boolean", "Default true.", aliases=("snippets",)),
        COMPACT,
        EXPLAIN,
        LIMIT,
        CURSOR,
        Param("debug", "boolean", "Adds hints.debug_search."),
        Param(
            "path",
            "string",
            "Directory to search in; default: this repository.",
            aliases=("root", "repo", "codebase", "directory", "dir", "cwd"),
        ),
        POLICY,
    ),
    when=("to find where something is done, defined or used", "in place of grep: it is exhaustive, counted and fresh"),
    when_not=("for the symbols of a known file: file_outline", "for the layout of the repository: map_repo"),
    examples=(
        Example("in your own words", {"query": "start the server"}),
        Example("every match of a pattern", {"query": r"def \w+_part_\d", "mode": "regex", "paths": ["src/"]}),
        Example("where a name is defined", {"query": "Server", "mode": "definitions"}),
        Example("only some files", {"query": "lang:python path:src/ start", "detail_level": "location"}),
    ),
)

SEARCH_CODEBASE = ToolSpec(
    "search_codebase",
    ("compat",),
    "Older name of search.",
    (
        Param("query", "string", NO_CURSOR, required=True, unless="cursor", max_chars=MAX_QUERY),
        Param("path", "string", "Directory to search in; default: this repository."),
        Param("scope", "string", choices=("runtime", "mixed", "docs"), default="runtime"),
        Param("resultMode", "string", choices=("grouped", "raw"), default="grouped"),
        Param("groupBy", "string", choices=("symbol", "file"), default="symbol"),
        Param("rankingMode", "string", choices=("auto_changed_first", "default"), default="auto_changed_first"),
        Param("limit", "integer", minimum=1, maximum=100),
        Param("debug", "boolean"),
        CURSOR,
    ),
    examples=(Example("in your own words", {"query": "start the server"}),),
    deprecated=Deprecated(
        "search",
        renames={"resultMode": "result_mode", "groupBy": "group_by", "rankingMode": "ranking_mode"},
        camel_case=True,
        echoes={"path": ".", "query": None, "scope": None, "groupBy": None, "resultMode": None, "limit": 20},
    ),
)

SEARCH_CODE = ToolSpec(
    "search_code",
    ("compat",),
    "Older name of search.",
    (
        Param("query", "string", NO_CURSOR, required=True, unless="cursor", max_chars=MAX_QUERY),
        Param("language", "string"),
        LIMIT,
        DETAIL,
        COMPACT,
        EXPLAIN,
        CURSOR,
        PATH,
        POLICY,
    ),
    examples=(Example("in your own words", {"query": "start the server"}),),
    deprecated=Deprecated("search", renames={"language": "languages"}),
)

LOCATE_SYMBOL = ToolSpec(
    "locate_symbol",
    ("compat",),
    "Older name of search with mode symbol.",
    (
        Param(
            "name",
            "string",
            f"Name, or Class.method. {NO_CURSOR}",
            required=True,
            unless="cursor",
            aliases=("query", "symbol"),
        ),
        Param("kind", "string", "Only of this kind: function, class, method ..."),
        Param("language", "string"),
        LIMIT,
        DETAIL,
        COMPACT,
        EXPLAIN,
        CURSOR,
        PATH,
        POLICY,
    ),
    examples=(Example("a class", {"name": "Server"}),),
    deprecated=Deprecated(
        "search",
        renames={"name": "query", "kind": "kinds", "language": "languages"},
        fixed={"mode": "symbol"},
    ),
)
