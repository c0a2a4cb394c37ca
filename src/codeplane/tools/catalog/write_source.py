"""Catalog entry of write_source."""

from __future__ import annotations

from dataclasses import replace

from codeplane.tools.spec import Example, Param, ToolSpec

MAX_CONTENT = 3_000_000

EDIT_FIELDS = (
    Param("path", "string", aliases=("file", "file_path", "filename", "file_name")),
    Param(
        "action",
        "string",
        "Default: inferred.",
        choices=(
            "create",
            "update",
            "delete",
            "move",
            "replace_symbol",
            "insert_before",
            "insert_after",
            "replace_pattern",
        ),
        aliases=("operation", "op", "type", "kind"),
        synonyms={
            **dict.fromkeys(("add", "new", "write", "createfile"), "create"),
            **dict.fromkeys(("edit", "modify", "replace", "patch", "strreplace", "insert", "change"), "update"),
            **dict.fromkeys(("remove", "rm", "unlink", "del"), "delete"),
            **dict.fromkeys(("rename", "mv"), "move"),
            **dict.fromkeys(("replacesymbolbody", "replacefunction", "replacedefinition"), "replace_symbol"),
            **dict.fromkeys(("insertbeforesymbol", "before"), "insert_before"),
            **dict.fromkeys(("insertaftersymbol", "after"), "insert_after"),
            **dict.fromkeys(("replaceregex", "regex", "regexreplace", "sed"), "replace_pattern"),
        },
    ),
    Param(
        "old_text",
        "string",
        "Text to replace. Must match once, unless replace_all or start_line (nearest match) is given.",
        max_chars=MAX_CONTENT,
        aliases=("expected_content", "old_string", "old_str", "old_content", "search", "find", "old"),
    ),
    Param(
        "new_text",
        "string",
        max_chars=MAX_CONTENT,
        allow_empty=True,
        aliases=("new_content", "new_string", "new_str", "replacement", "replace_with", "new"),
    ),
    Param("replace_all", "boolean", aliases=("all", "replace_every")),
    Param(
        "content",
        "string",
        "Whole file: new, or with expected_file_sha256 an existing one.",
        max_chars=MAX_CONTENT,
        allow_empty=True,
        aliases=("text", "file_text", "contents", "body"),
    ),
    Param(
        "start_line",
        "integer",
        "Hint for old_text. Without old_text: lines to replace, with expected_file_sha256.",
        minimum=1,
        aliases=("line_start", "line", "insert_line"),
    ),
    Param("end_line", "integer", minimum=0, aliases=("line_end",)),
    Param(
        "symbol",
        "string",
        "Class.method or path#name; new_text is re-indented.",
        aliases=("symbol_ref", "symbol_name", "name"),
    ),
    Param(
        "pattern",
        "string",
        r"RE2; new_text may use \1.",
        aliases=("regex", "regexp"),
    ),
    Param("paths", "array", "With pattern: files or globs.", aliases=("globs", "include")),
    Param("expected_count", "integer", "Refuse any other number of replacements.", minimum=0, aliases=("count",)),
    Param(
        "expected_file_sha256",
        "string",
        "Refuse if the file differs. At least 12 digits.",
        aliases=("file_sha256", "sha256", "sha", "expected_sha256", "expected_hash", "old_hash", "hash"),
    ),
    Param(
        "new_path", "string", "For move.", aliases=("to", "destination", "dest", "target", "target_path", "new_name")
    ),
    Param("final_newline", "boolean", "update: whether the file ends with a newline.", advertised=False),
    Param("executable", "boolean", "create: whether the file can be executed.", advertised=False),
    Param("whole_lines", "boolean", "update: old_text is whole lines, as in a patch.", advertised=False),
    Param("edit", "integer", "With batch: number of the edit that is corrected.", minimum=1, advertised=False),
)

WRITE_SOURCE = ToolSpec(
    "write_source",
    ("core",),
    "Change files: {path, old_text, new_text}, or several edits at once, all or none. Returns the new sha of each file "
    "and an id for rollback.",
    (
        *EDIT_FIELDS,
        Param(
            "edits",
            "objects",
            "Several edits: objects with the same fields.",
            # At the top level clients send an empty path as a placeholder; in an edit it is an error.
            fields=(replace(EDIT_FIELDS[0], allow_empty=True), *EDIT_FIELDS[1:]),
            lists_fields=False,
            aliases=("changes", "files", "operations"),
        ),
        Param(
            "batch",
            "string",
            "Id of a refused batch; edits then holds only corrections.",
            aliases=("batch_id",),
        ),
        Param("dry_run", "boolean", "Only show the diff.", aliases=("preview", "dry")),
        Param("allow_sensitive", "boolean", "Also change CI, hooks, agent and editor config.", advertised=False),
        Param(
            "idempotency_key",
            "string",
            "The same key again returns the same result.",
            max_chars=200,
            advertised=False,
        ),
    ),
    read_only=False,
    destructive=True,
    idempotent=False,
    path_names_file=True,
    read_only_when={"dry_run": (True,)},
    budget="mutations",
    records_intent=True,
    idempotent_with="idempotency_key",
    when=("to change, create, delete or move files, many of them at once",),
    when_not=("for .git: the git tools", "for secrets: ask a person"),
    examples=(
        Example("replace a text", {"path": "src/app.py", "old_text": "retries = 3", "new_text": "retries = 5"}),
        Example(
            "preview two edits",
            {
                "edits": [
                    {"path": "src/new.py", "action": "create", "content": "VALUE = 1\n"},
                    {"path": "src/app.py", "action": "move", "new_path": "src/main.py"},
                ],
                "dry_run": True,
            },
        ),
    ),
)
