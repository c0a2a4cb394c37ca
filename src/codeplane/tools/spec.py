"""What a tool is, as one value: it feeds the listing, the validation, the documentation and the tests.

Plain data, quick to import: a front answers with it before anything else is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["string", "integer", "boolean", "array", "objects"]
Counts = Literal["mutations", "test_runs"]

MAX_TEXT = 10_000
"""Characters of one text, unless a parameter says otherwise."""


@dataclass(frozen=True)
class Param:
    """One parameter. Arrays hold strings, and objects too where they have `fields`; `objects` hold those alone."""

    name: str
    kind: Kind
    doc: str = ""
    required: bool = False
    unless: str = ""
    """Another parameter that makes a required one, or one that another may stand in for, needless."""
    default: object = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    aliases: tuple[str, ...] = ()
    """Other names that callers guess; taken, and not advertised."""
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Other values that callers guess, and what they stand for; taken, and not advertised."""
    unfolds: tuple[str, ...] = ()
    """Parameters whose values may come together in one object in place of this one's."""
    max_chars: int = MAX_TEXT
    advertised: bool = True
    may_be_empty: bool = False
    """Whether an empty text says something; of most it only fills a place."""
    fields: tuple[Param, ...] = ()
    """What an object may hold that is an item."""
    lists_fields: bool = True
    """Whether the schema lists `fields`; not where the tool itself has them all."""

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
    """An older name: its own parameters, and the call of the canonical tool that it stands for."""

    canonical: str
    renames: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    camel_case: bool = False
    """Whether its answers spell their fields so."""
    echoes: Mapping[str, object] = field(default_factory=dict)
    """Parameters that its answers say again, each with what it is when it was not given; None for nothing."""


@dataclass(frozen=True)
class ToolSpec:
    name: str
    toolsets: tuple[str, ...]
    doc: str
    params: tuple[Param, ...] = ()
    title: str = ""
    """Name for people; by default the name of the tool in words."""
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False
    harmless: Mapping[str, tuple[str | bool, ...]] = field(default_factory=dict)
    """Of a tool that can have effects: the values of a parameter with which it has none."""
    counts: Counts | None = None
    """Of a tool that can have effects: what of its task a call with one uses up."""
    journals: bool = False
    """Whether it notes its intent itself, with how to undo it."""
    repeatable_with: str = ""
    """Of a tool that may do something twice: the parameter with which it does not."""
    at_once: bool = False
    """Whether it tells only what is known already: such calls are asked above all when everything else waits."""
    at_once_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a tool that may wait: the values of a parameter with which it does not."""
    path_names_file: bool = False
    """Whether `path` is a file of the home repository; otherwise it is a repository."""
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """A required parameter, and the one whose value is meant for it when only that was given."""
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
        return not any(arguments.get(name) in values for name, values in self.harmless.items())

    @property
    def names_tasks(self) -> bool:
        """Whether it is about tasks, rather than within one."""
        return any(param.name == "task_id" for param in self.params)

    def counts_as(self, arguments: Mapping[str, object]) -> Counts | None:
        return self.counts if self.has_effect(arguments) else None

    def is_repeatable(self, arguments: Mapping[str, object]) -> bool:
        """Whether the same call, made again, does nothing more."""
        return self.idempotent or bool(self.repeatable_with and arguments.get(self.repeatable_with))

    def is_at_once(self, arguments: Mapping[str, object]) -> bool:
        return self.at_once or any(arguments.get(name) in values for name, values in self.at_once_with.items())

    def listed(self, *, read_only: bool = False) -> dict[str, object]:
        """As `tools/list` shows it. On a read-only surface only what has no effect can be asked for."""
        properties = {}
        for param in self.params:
            if not param.advertised:
                continue
            schema = param.schema()
            if read_only and param.name in self.harmless:
                schema["enum"] = list(self.harmless[param.name])
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
        """A required parameter that is not listed has another that stands in for it."""
        return param.name if param.advertised else self.stand_ins.get(param.name, param.name)

    def _annotations(self, *, read_only: bool) -> dict[str, bool]:
        """Hints for clients. The last two say nothing about a tool that only reads, so that it does not carry them."""
        if self.read_only or read_only:
            return {"readOnlyHint": True, "openWorldHint": self.open_world}
        return {
            "readOnlyHint": False,
            "openWorldHint": self.open_world,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
        }
