"""Tools that change files."""

from __future__ import annotations

from codeplane.tools.spec import Example, Param, ToolSpec

MAX_CONTENT = 3_000_000
_LINES = "update: lines that are replaced, as they are before the call; end_line = start_line - 1 inserts."

EDIT_FIELDS = (
    Param("path", "string", required=True, aliases=("file", "file_path", "filename", "file_name")),
    Param(
        "action",
        "string",
        choices=("create", "update", "delete", "move"),
        aliases=("operation", "op", "type", "kind"),
        synonyms={
            **dict.fromkeys(("add", "new", "write", "createfile"), "create"),
            **dict.fromkeys(("edit", "modify", "replace", "patch", "strreplace", "insert", "change"), "update"),
            **dict.fromkeys(("remove", "rm", "unlink", "del"), "delete"),
            **dict.fromkeys(("rename", "mv"), "move"),
        },
    ),
    Param(
        "content",
        "string",
        "create: the file. update: all of it, with expected_file_sha256.",
        max_chars=MAX_CONTENT,
        may_be_empty=True,
        aliases=("text", "file_text", "contents", "body"),
    ),
    Param(
        "expected_content",
        "string",
        "update: text that is replaced. Stands there once, or at start_line; lines that moved are found.",
        max_chars=MAX_CONTENT,
        aliases=("old_string", "old_str", "old_text", "old_content", "search", "find", "old"),
    ),
    Param(
        "new_content",
        "string",
        max_chars=MAX_CONTENT,
        may_be_empty=True,
        aliases=("new_string", "new_str", "new_text", "replacement", "replace_with", "new"),
    ),
    Param("start_line", "integer", _LINES, minimum=1, aliases=("line_start", "line", "insert_line")),
    Param("end_line", "integer", minimum=0, aliases=("line_end",)),
    Param(
        "expected_file_sha256",
        "string",
        "file_sha256 as read; needed where no expected_content is.",
        aliases=("file_sha256", "sha256", "expected_sha256", "expected_hash", "old_hash", "hash"),
    ),
    Param("new_path", "string", "move.", aliases=("to", "destination", "dest", "target", "target_path", "new_name")),
    Param("final_newline", "boolean", "update: whether the file ends with a newline.", advertised=False),
    Param("executable", "boolean", "create.", advertised=False),
)

WRITE_SOURCE = ToolSpec(
    "write_source",
    ("core",),
    "Change files: all edits of a call or none of them, also if the process is killed. Encoding, line endings and mode "
    "stay. Returns the digests for the next edit, symbols changed and tests that may be affected.",
    (
        Param("edits", "objects", required=True, fields=EDIT_FIELDS, aliases=("changes", "files", "operations")),
        Param("dry_run", "boolean", "Only show the diff.", aliases=("preview", "dry")),
        Param("allow_sensitive", "boolean", "Also CI, hooks, and settings of agents and editors."),
        Param("idempotency_key", "string", "The same key again returns the same result.", max_chars=200),
    ),
    read_only=False,
    destructive=True,
    idempotent=False,
    harmless={"dry_run": (True,)},
    counts="mutations",
    journals=True,
    repeatable_with="idempotency_key",
    when=("to change, create, delete or move files, many of them at once",),
    when_not=("for .git: the git tools", "for secrets: a person does that"),
    examples=(
        Example(
            "replace a text",
            {"edits": [{"path": "src/app.py", "expected_content": "retries = 3", "new_content": "retries = 5"}]},
        ),
        Example(
            "see what two edits would do",
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

ROLLBACK = ToolSpec(
    "rollback",
    ("files",),
    "Undo one change of write_source. Refused, with the reason, when a file has changed since.",
    (Param("mutation_id", "string", required=True, aliases=("id", "mutation")),),
    read_only=False,
    destructive=True,
    idempotent=False,
    counts="mutations",
    journals=True,
    when=("to take back a change that turned out wrong",),
    when_not=("to undo what somebody else did: it knows only changes of write_source",),
    examples=(Example("undo a change", {"mutation_id": "m_2q5Zl1Y0b8Rk3WcXv9Tn"}),),
)
