"""Catalog entries of the refactoring tools."""

from __future__ import annotations

from codeplane.tools.spec import Example, Param, ToolSpec

_FEATURE = "refactor"

_PLAN = Param("plan_id", "string", required=True, aliases=("refactor_id", "id", "plan"))
_INCLUDE = Param(
    "include",
    "array",
    "Possible uses to change too: path:line, or all.",
    aliases=("places", "possible"),
)
_ALLOW_BROKEN = Param(
    "allow_broken", "boolean", "Keep the change even if a reference is lost.", advertised=False, aliases=("force",)
)
_ALLOW_SENSITIVE = Param(
    "allow_sensitive", "boolean", "Also change CI, hooks, agent and editor config.", advertised=False
)
_KEY = Param(
    "idempotency_key", "string", "The same key again returns the same result.", max_chars=200, advertised=False
)

REFACTOR_RENAME = ToolSpec(
    "refactor_rename",
    ("core", "refactor"),
    "Rename a symbol with all of its proven uses (overrides, imports, keyword arguments); possible ones are listed.",
    (
        Param(
            "symbol",
            "string",
            required=True,
            aliases=("symbol_ref", "at", "target", "from", "old_name", "name"),
        ),
        Param("new_name", "string", required=True, max_chars=500, aliases=("to", "rename_to", "new")),
        Param(
            "apply",
            "boolean",
            "Apply if no use is in doubt.",
            default=False,
            aliases=("execute", "write"),
        ),
        Param(
            "include",
            "array",
            "Possible uses to change too: path:line, all, or none to leave them.",
            aliases=("places", "possible"),
            advertised=False,
        ),
        Param(
            "plan", "string", "Fingerprint of the preview that is meant.", advertised=False, aliases=("fingerprint",)
        ),
        _ALLOW_BROKEN,
        _ALLOW_SENSITIVE,
        _KEY,
    ),
    feature=_FEATURE,
    read_only=False,
    destructive=True,
    idempotent=False,
    read_only_when={"apply": (False,)},
    budget="mutations",
    records_intent=True,
    idempotent_with="idempotency_key",
    when=("to rename a function, class, member, variable or parameter with all of its uses",),
    when_not=("to replace a text: write_source with pattern",),
    examples=(
        Example("preview", {"symbol": "Server.start", "new_name": "run"}),
        Example("rename in one call", {"symbol": "src/app.py#main", "new_name": "serve", "apply": True}),
    ),
)

REFACTOR_APPLY = ToolSpec(
    "refactor_apply",
    ("core", "refactor"),
    "Apply a previewed refactoring.",
    (_PLAN, _INCLUDE, _ALLOW_BROKEN, _ALLOW_SENSITIVE, _KEY),
    feature=_FEATURE,
    read_only=False,
    destructive=True,
    idempotent=False,
    budget="mutations",
    records_intent=True,
    idempotent_with="idempotency_key",
    when=("after a preview, to apply what is proven, and the possible uses that are named",),
    when_not=("to rename in one call: refactor_rename with apply",),
    examples=(Example("apply, with one possible use", {"plan_id": "p_3fXk20aBcDeF", "include": ["src/view.py:20"]}),),
)

REFACTOR_INSPECT = ToolSpec(
    "refactor_inspect",
    ("refactor",),
    "List every site of a previewed refactoring with its tier: what is changed, what may be meant, what is not known.",
    (
        _PLAN,
        Param(
            "tier",
            "string",
            "Only sites of this tier.",
            choices=("proven", "strong", "anchored", "unknown"),
        ),
        Param("limit", "integer", "Maximum number of sites.", default=100, minimum=1, maximum=1000),
    ),
    feature=_FEATURE,
    when=("to judge possible uses before they are applied",),
    when_not=("for the references of a symbol: search with mode references",),
    examples=(Example("the possible uses", {"plan_id": "p_3fXk20aBcDeF", "tier": "anchored"}),),
)

REFACTOR_CANCEL = ToolSpec(
    "refactor_cancel",
    ("refactor",),
    "Discard a previewed refactoring. Plans also expire by themselves.",
    (_PLAN,),
    feature=_FEATURE,
    immediate=True,
    when=("when a plan is not wanted any more",),
    when_not=("to undo an applied one: rollback",),
    examples=(Example("discard", {"plan_id": "p_3fXk20aBcDeF"}),),
)
