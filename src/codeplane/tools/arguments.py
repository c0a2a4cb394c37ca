"""Argument parsing: lenient about form, strict about meaning.

Other spellings of a name, numbers in strings, one value for a list and a list in a string are accepted. Unknown
parameters and values out of range are rejected with the expected value, the received value and an example call.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools.spec import MAX_TEXT, Param, ToolSpec

SESSION = Param("session_id", "string")
"""Accepted by every tool; answers name it to clients that need it."""

TASK = Param("task_id", "string")
"""Accepted by every tool: the task of the call. The `task` tool has a parameter of this name."""

FORMAT = Param("format", "string", choices=("text", "json"))
"""Accepted by every tool: the format of the answer."""

_MAX_SHOWN = 80
_MAX_ITEMS = 1_000
_MAX_OBJECTS_TEXT = 4 * 1024 * 1024
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Base class of the parsed arguments of a tool.

    A subclass has one field per parameter of the tool, with the default of the specification, or None
    (`tests/contract/test_argument_types.py` compares them).
    """

    given: tuple[str, ...] = ()
    """Names of the parameters that have a value: in the order of the call, then defaults."""

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Self:
        """Make arguments of validated values."""
        made = {field.name: field.metadata["items"] for field in fields(cls) if "items" in field.metadata}
        converted = {
            name: tuple(made[name].parse(item) if isinstance(item, Mapping) else item for item in value)
            if name in made
            else value
            for name, value in values.items()
        }
        return cls(given=tuple(values), **converted)

    def as_dict(self) -> dict[str, Any]:
        """Return the given arguments by name, in the order of the call."""
        return {name: _plain(getattr(self, name)) for name in self.given}


def _plain(value: object) -> object:
    if isinstance(value, Arguments):
        return value.as_dict()
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def validate(spec: ToolSpec, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the values by parameter name, with defaults. Parameters without a value are left out."""
    return _validate(spec, (SESSION, TASK, FORMAT, *spec.params), arguments)


def _validate(spec: ToolSpec, known: tuple[Param, ...], arguments: Mapping[str, object]) -> dict[str, object]:
    params = {param.name: param for param in known}
    found: dict[str, object] = {}
    spellings: dict[str, str] = {}
    for name, value in _expanded(spec, params, arguments):
        param = _recognize(spec, params, name)
        skips_empty = not param.required and not param.allow_empty and param.kind not in ("array", "objects")
        if value is None or (value == "" and skips_empty):
            # Many clients send empty values for parameters that they do not use.
            continue
        if param.name in found:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{spec.name}: '{param.name}' was given twice",
                expected=param.name,
                received=f"{spellings[param.name]} and {shown(name)}",
                example=example(spec),
            )
        found[param.name] = _convert(spec, param, value)
        spellings[param.name] = shown(name)
    for name, substitute in spec.substitutes.items():
        if name not in found and substitute in found and params[name].unless not in found:
            found[name] = found.pop(substitute)
    _add_defaults(spec, found)
    for param in spec.params:
        if param.required and param.name not in found and param.unless not in found:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{spec.name} needs '{param.name}'",
                expected=_expected(param),
                received=", ".join(spellings.values()) or "no arguments",
                example=example(spec),
            )
    return found


def _add_defaults(spec: ToolSpec, found: dict[str, object]) -> None:
    # A cursor continues its first call; defaults of a deprecated name could contradict it.
    if spec.deprecated is None or "cursor" not in found:
        defaults = {param.name: param.default for param in spec.params if param.default is not None}
        found.update((name, value) for name, value in defaults.items() if name not in found)


def example(spec: ToolSpec) -> dict[str, object] | None:
    return dict(spec.examples[0].arguments) if spec.examples else None


def nearest(word: str, known: list[str]) -> str | None:
    close = difflib.get_close_matches(_normalized(word), [_normalized(name) for name in known], 1, 0.6)
    return next((name for name in known if close and _normalized(name) == close[0]), None)


def shown(value: object) -> str:
    """Return a received value as text, truncated."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _expanded(
    spec: ToolSpec, params: Mapping[str, Param], arguments: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield the arguments; an object that combines several parameters is expanded."""
    for name, value in arguments.items():
        param = _recognize(spec, params, str(name)) if isinstance(value, str | Mapping) else None
        parts = _object(value) if param is not None and param.expands_to else None
        if param is None or parts is None:
            yield str(name), value
            continue
        within = {part: params[part] for part in (*param.expands_to, param.name)}
        for part, inner in parts.items():
            yield _recognize(spec, within, str(part)).name, inner


def _object(value: object) -> Mapping[str, object] | None:
    """Return an object, or one encoded as a JSON string."""
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or not value.lstrip().startswith("{") or len(value) > MAX_TEXT:
        return None
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _recognize(spec: ToolSpec, params: Mapping[str, Param], name: str) -> Param:
    if name in params:
        return params[name]
    for param in params.values():
        if _normalized(name) in map(_normalized, (param.name, *param.aliases)):
            return param
    own = [param for param in params.values() if param not in (SESSION, TASK, FORMAT)]
    names = [param.name for param in own if param.advertised]
    guess = nearest(name, [param.name for param in own])
    raise CodePlaneError(
        ErrorCode.UNKNOWN_PARAMETER,
        f"{spec.name} has no parameter '{shown(name)}'",
        expected=guess or (", ".join(names) or "no parameters"),
        received=shown(name),
        example=example(spec),
        remedy=f"Use '{guess}'." if guess else None,
    )


def _normalized(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _convert(spec: ToolSpec, param: Param, value: object) -> object:
    if param.fields:
        return _items(spec, param, value)
    converted = _CONVERT[param.kind](value)
    if converted is None:
        raise _invalid(spec, param, value)
    if isinstance(converted, bool):
        return converted
    if isinstance(converted, int):
        if (param.minimum is not None and converted < param.minimum) or abs(converted) > 2**53:
            raise _invalid(spec, param, value)
        # Above the maximum: clamp, because the caller wants everything.
        return min(converted, param.maximum) if param.maximum is not None else converted
    if isinstance(converted, list):
        if len(converted) > _MAX_ITEMS:
            raise _too_many(spec, param, len(converted))
        return tuple(_choose(spec, param, item) for item in converted)
    return _choose(spec, param, str(converted))


def _items(spec: ToolSpec, param: Param, value: object) -> tuple[object, ...]:
    """Parse a list of objects, or of strings too if the parameter is an array. A single item is a list of one."""
    if isinstance(value, str) and _object(value) is None:
        value = _split_list(value) if param.kind == "array" else _decoded(spec, param, value)
    items = list(value) if isinstance(value, list | tuple) else [value]
    if len(items) > _MAX_ITEMS:
        raise _too_many(spec, param, len(items))
    if not items and param.kind != "array":
        raise _invalid(spec, param, f"{len(items)} values")
    return tuple(_item(spec, param, number, item) for number, item in enumerate(items, 1))


def _item(spec: ToolSpec, param: Param, number: int, value: object) -> object:
    parts = _object(value)
    if parts is None:
        text = _text(value) if param.kind == "array" else None
        if not text:
            raise _invalid(spec, param, value)
        return _choose(spec, param, text)
    part = replace(
        spec, name=f"{spec.name}: {param.name} {number}", params=param.fields, substitutes={}, deprecated=None
    )
    return _validate(part, param.fields, {str(name): inner for name, inner in parts.items()})


def _decoded(spec: ToolSpec, param: Param, value: str) -> object:
    """Decode a list that was sent as a JSON string."""
    try:
        return json.loads(value) if len(value) <= _MAX_OBJECTS_TEXT else value
    except (ValueError, RecursionError):
        raise _invalid(spec, param, value) from None


def _choose(spec: ToolSpec, param: Param, text: str) -> str:
    if "\0" in text:
        raise _invalid(spec, param, text, expected=f"{_expected(param)}, without NUL")
    if len(text) > param.max_chars or not _is_text(text):
        raise _invalid(spec, param, text)
    if not param.choices:
        return text
    wanted = _normalized(text)
    for choice in param.choices:
        if _normalized(choice) == wanted:
            return choice
    if wanted in param.synonyms:
        return param.synonyms[wanted]
    raise _invalid(spec, param, text, nearest(text, list(param.choices)))


def _is_text(text: str) -> bool:
    """True unless the text has lone surrogates other than those of undecodable file names."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    # A list of one where a single value is expected.
    if isinstance(value, list | tuple) and len(value) == 1:
        return _text(value[0])
    return None


def _integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else None
    if isinstance(value, str):
        text = value.strip()
        return int(text) if re.fullmatch(r"[+-]?[0-9]{1,16}", text, re.ASCII) else None
    return value if isinstance(value, int) else None


def _boolean(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    return _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else None


def _array(value: object) -> list[str] | None:
    if isinstance(value, str):
        value = _split_list(value)
    if isinstance(value, Mapping):
        return None
    items = list(value) if isinstance(value, list | tuple) else [value]
    texts = [_text(item) for item in items]
    return None if any(text is None for text in texts) else [text for text in texts if text is not None]


def _split_list(text: str) -> object:
    """Return the items of a list that was sent as a string: JSON or comma-separated."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]") and len(stripped) <= MAX_TEXT:
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return text
    return [part.strip() for part in text.split(",") if part.strip()]


_CONVERT = {"string": _text, "integer": _integer, "boolean": _boolean, "array": _array}


def _invalid(
    spec: ToolSpec, param: Param, value: object, guess: str | None = None, expected: str | None = None
) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"{spec.name}: '{param.name}' cannot be {shown(value) or 'empty'}",
        expected=expected or _expected(param),
        received=shown(value),
        example=example(spec),
        remedy=f"Use '{guess}'." if guess else None,
    )


def _too_many(spec: ToolSpec, param: Param, count: int) -> CodePlaneError:
    expected = f"{_expected(param)}; at most {_MAX_ITEMS} of them"
    return _invalid(spec, param, f"{count} values", expected=expected)


def _expected(param: Param) -> str:
    if param.choices:
        return ("a list of " if param.kind == "array" else "") + " | ".join(param.choices)
    if param.kind == "integer":
        low = param.minimum if param.minimum is not None else "any"
        return f"a whole number from {low}" + (f" to {param.maximum}" if param.maximum is not None else "")
    if param.kind == "string" and param.max_chars != MAX_TEXT:
        return f"text of at most {param.max_chars} characters"
    if param.fields:
        kinds = "objects" if param.kind == "objects" else "texts, or of objects"
        return f"a list of {kinds} with {', '.join(field.name for field in param.fields if field.advertised)}"
    return {"string": "text", "boolean": "true or false", "array": "a list of texts"}[param.kind]
