"""Specification of a tool: one value feeds the listing, the validation, the documentation and the tests.

Plain data and quick to import: a server front answers `tools/list` from it before anything else is loaded. Handlers are
loaded on the first call (`handler.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["string", "integer", "boolean", "array", "objects"]
Budget = Literal["mutations", "test_runs"]

MAX_TEXT = 10_000
"""Maximum characters of a string, unless its parameter sets another limit."""


@dataclass(frozen=True)
class Param:
    """One parameter. An array holds strings, and objects too if it has `fields`; `objects` holds objects only."""

    name: str
    kind: Kind
    doc: str = ""
    required: bool = False
    unless: str = ""
    """Another parameter; if it is given, this one is not required."""
    default: object = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    aliases: tuple[str, ...] = ()
    """Names that callers guess: accepted, not advertised."""
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Values that callers guess, and the choices they map to: accepted, not advertised."""
    expands_to: tuple[str, ...] = ()
    """Parameters whose values may be sent together as one object under this name."""
    max_chars: int = MAX_TEXT
    advertised: bool = True
    allow_empty: bool = False
    """True if an empty string is a value. Otherwise it counts as not given."""
    fields: tuple[Param, ...] = ()
    """Fields of an object in the list."""
    lists_fields: bool = True
    """False if the schema omits `fields`, because the tool has the same parameters."""

    def schema(self) -> dict[str, object]:
        schema: dict[str, object] = {"type": self.kind}
        if self.kind == "array":
            schema["items"] = {"type": "string"} | ({"enum": list(self.choices)} if self.choices else {})
            if self.fields:
                schema["items"] = {"anyOf": [{"type": "string"}, {"type": "object"}]}
        elif self.kind == "objects":
            items: dict[str, object] = {"type": "object"}
            if self.lists_fields:
                items["properties"] = {field.name: field.schema() for field in self.fields if field.advertised}
                items["required"] = [field.name for field in self.fields if field.required]
            schema |= {"type": "array", "items": items}
        elif self.choices:
            schema["enum"] = list(self.choices)
        if self.doc:
            schema["description"] = self.doc
        bounds = (("default", self.default), ("minimum", self.minimum), ("maximum", self.maximum))
        schema.update((key, value) for key, value in bounds if value is not None)
        return schema


@dataclass(frozen=True)
class Example:
    description: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Deprecated:
    """Deprecated name of a tool: how its own parameters map to a call of the canonical tool."""

    canonical: str
    renames: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    camel_case: bool = False
    """True if its answers have field names in camelCase."""
    echoes: Mapping[str, object] = field(default_factory=dict)
    """Parameters that its answers repeat, with the value shown if they were not given; None shows nothing."""


@dataclass(frozen=True)
class ToolSpec:
    name: str
    toolsets: tuple[str, ...]
    doc: str
    params: tuple[Param, ...] = ()
    unlisted_in: tuple[str, ...] = ()
    """Toolsets with which it can be called although it is not listed, so that it costs no tokens."""
    title: str = ""
    """Display name. Default: the tool name with spaces."""
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False
    read_only_when: Mapping[str, tuple[str | bool, ...]] = field(default_factory=dict)
    """Parameter values with which a tool that can have effects has none."""
    budget: Budget | None = None
    """Task budget that a call with an effect consumes."""
    records_intent: bool = False
    """True if the handler records its intent itself, together with the undo plan."""
    idempotent_with: str = ""
    """Parameter that makes a repeated call of a non-idempotent tool safe."""
    immediate: bool = False
    """True if it never waits for the index or the disk. Such calls bypass the queue."""
    immediate_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Parameter values with which a tool that may wait does not."""
    path_names_file: bool = False
    """True if `path` names a file of the home repository; otherwise it may select a repository."""
    substitutes: Mapping[str, str] = field(default_factory=dict)
    """Required parameter -> parameter whose value is used for it if it is missing."""
    feature: str = ""
    """Module under `handlers`, `catalog` and `text`. Default: the tool name."""
    when: tuple[str, ...] = ()
    when_not: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    deprecated: Deprecated | None = None

    @property
    def category(self) -> str:
        return self.toolsets[-1]

    def has_effect(self, arguments: Mapping[str, object]) -> bool:
        if self.read_only:
            return False
        return not any(arguments.get(name) in values for name, values in self.read_only_when.items())

    @property
    def is_task_tool(self) -> bool:
        """True if the tool manages tasks, so that `task_id` is a parameter of its own."""
        return any(param.name == "task_id" for param in self.params)

    def charged_budget(self, arguments: Mapping[str, object]) -> Budget | None:
        return self.budget if self.has_effect(arguments) else None

    def is_repeatable(self, arguments: Mapping[str, object]) -> bool:
        """True if a caller may send the same call again without a further effect."""
        return (
            self.idempotent
            or not self.has_effect(arguments)
            or bool(self.idempotent_with and arguments.get(self.idempotent_with))
        )

    def is_immediate(self, arguments: Mapping[str, object]) -> bool:
        return self.immediate or any(arguments.get(name) in values for name, values in self.immediate_when.items())

    def listing(self, *, read_only: bool = False) -> dict[str, object]:
        """Entry of `tools/list`. A read-only surface offers only the values that have no effect."""
        properties = {}
        for param in self.params:
            if not param.advertised:
                continue
            schema = param.schema()
            if read_only and param.name in self.read_only_when:
                schema["enum"] = list(self.read_only_when[param.name])
            properties[param.name] = schema
        schema = {"type": "object", "properties": properties}
        required = [self._shown_name(param) for param in self.params if param.required and not param.unless]
        if required:
            schema["required"] = required
        return {
            "name": self.name,
            "title": self.title or self.name.replace("_", " ").capitalize(),
            "description": self.doc,
            "inputSchema": schema,
            "annotations": self._annotations(read_only=read_only),
        }

    def _shown_name(self, param: Param) -> str:
        """Return the advertised parameter that a required one can be given by."""
        return param.name if param.advertised else self.substitutes.get(param.name, param.name)

    def _annotations(self, *, read_only: bool) -> dict[str, bool]:
        """Hints for clients. Read-only tools carry only two: the others do not apply to them."""
        if self.read_only or read_only:
            return {"readOnlyHint": True, "openWorldHint": self.open_world}
        return {
            "readOnlyHint": False,
            "openWorldHint": self.open_world,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
        }
