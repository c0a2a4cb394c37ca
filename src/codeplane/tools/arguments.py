"""From what a caller sent to what a tool takes: forgiving in form, strict in meaning.

Names in another spelling, numbers in strings, one value where a list is meant, a list in a
string: taken. A parameter that nobody knows, or a value out of bounds: refused, with what
was expected, what came, and a call that works.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.tools.spec import MAX_TEXT, Param, ToolSpec

SESSION = Param("session_id", "string")
"""Taken by every tool, and told to those who need it by the answers themselves."""

TASK = Param("task_id", "string")
"""Likewise: the task that a call belongs to. A tool may have its own."""

FORMAT = Param("format", "string", choices=("text", "json"))
"""Likewise: the form of the answer."""

_MAX_SHOWN = 80
_MAX_ITEMS = 1_000
_MAX_OBJECTS_TEXT = 4 * 1024 * 1024
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def validate(spec: ToolSpec, arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments by their own names, with defaults; what was not given and has no default is left out."""
    return _validated(spec, (SESSION, TASK, FORMAT, *spec.params), arguments)


def _validated(spec: ToolSpec, known: tuple[Param, ...], arguments: Mapping[str, object]) -> dict[str, object]:
    params = {param.name: param for param in known}
    found: dict[str, object] = {}
    spelled: dict[str, str] = {}
    for name, value in _unfolded(spec, params, arguments):
        param = _recognize(spec, params, name)
        silent = not param.required and not param.may_be_empty and param.kind not in ("array", "objects")
        if value is None or (value == "" and silent):
            # Many clients fill in what they do not mean to say.
            continue
        if param.name in found:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{spec.name}: '{param.name}' was given twice",
                expected=param.name,
                received=f"{spelled[param.name]} and {shown(name)}",
                example=example(spec),
            )
        found[param.name] = _convert(spec, param, value)
        spelled[param.name] = shown(name)
    for meant, given in spec.stand_ins.items():
        if meant not in found and given in found and params[meant].unless not in found:
            found[meant] = found.pop(given)
    # A cursor goes on with what its first call settled, which what an older name assumes may contradict.
    assumes = spec.deprecated is None or "cursor" not in found
    for param in spec.params:
        if param.name not in found and param.default is not None and assumes:
            found[param.name] = param.default
        if param.required and param.name not in found and param.unless not in found:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{spec.name} needs '{param.name}'",
                expected=_expected(param),
                received=", ".join(spelled.values()) or "no arguments",
                example=example(spec),
            )
    return found


def example(spec: ToolSpec) -> dict[str, object] | None:
    return dict(spec.examples[0].arguments) if spec.examples else None


def nearest(word: str, known: list[str]) -> str | None:
    close = difflib.get_close_matches(_bare(word), [_bare(name) for name in known], 1, 0.6)
    return next((name for name in known if close and _bare(name) == close[0]), None)


def shown(value: object) -> str:
    """What came, short enough to show: it is the caller's own."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _unfolded(
    spec: ToolSpec, params: Mapping[str, Param], arguments: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """The arguments one by one; an object that stands for several parameters is taken apart."""
    for name, value in arguments.items():
        param = _recognize(spec, params, str(name)) if isinstance(value, str | Mapping) else None
        parts = _object(value) if param is not None and param.unfolds else None
        if param is None or parts is None:
            yield str(name), value
            continue
        within = {part: params[part] for part in (*param.unfolds, param.name)}
        for part, inner in parts.items():
            yield _recognize(spec, within, str(part)).name, inner


def _object(value: object) -> Mapping[str, object] | None:
    """An object, or one that was put into a string."""
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
        if _bare(name) == _bare(param.name) or any(_bare(name) == _bare(alias) for alias in param.aliases):
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


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _convert(spec: ToolSpec, param: Param, value: object) -> object:
    if param.fields:
        return _items(spec, param, value)
    converted = _CONVERT[param.kind](value)
    if converted is None:
        raise _refused(spec, param, value)
    if isinstance(converted, bool):
        return converted
    if isinstance(converted, int):
        if (param.minimum is not None and converted < param.minimum) or abs(converted) > 2**53:
            raise _refused(spec, param, value)
        # Who asks for more than there can be gets all that there can be.
        return min(converted, param.maximum) if param.maximum is not None else converted
    if isinstance(converted, list):
        if len(converted) > _MAX_ITEMS:
            raise _too_many(spec, param, len(converted))
        return tuple(_chosen(spec, param, item) for item in converted)
    return _chosen(spec, param, str(converted))


def _items(spec: ToolSpec, param: Param, value: object) -> tuple[object, ...]:
    """Objects by the names of their fields, and texts where they may be texts; one alone is a list of one."""
    if isinstance(value, str) and _object(value) is None:
        value = _listed(value) if param.kind == "array" else _decoded(spec, param, value)
    items = list(value) if isinstance(value, list | tuple) else [value]
    if len(items) > _MAX_ITEMS:
        raise _too_many(spec, param, len(items))
    if not items and param.kind != "array":
        raise _refused(spec, param, f"{len(items)} values")
    return tuple(_item(spec, param, number, item) for number, item in enumerate(items, 1))


def _item(spec: ToolSpec, param: Param, number: int, value: object) -> object:
    parts = _object(value)
    if parts is None:
        text = _text(value) if param.kind == "array" else None
        if not text:
            raise _refused(spec, param, value)
        return _chosen(spec, param, text)
    part = replace(spec, name=f"{spec.name}: {param.name} {number}", params=param.fields, stand_ins={}, deprecated=None)
    return _validated(part, param.fields, {str(name): inner for name, inner in parts.items()})


def _decoded(spec: ToolSpec, param: Param, value: str) -> object:
    """A list that came in a string."""
    try:
        return json.loads(value) if len(value) <= _MAX_OBJECTS_TEXT else value
    except (ValueError, RecursionError):
        raise _refused(spec, param, value) from None


def _chosen(spec: ToolSpec, param: Param, text: str) -> str:
    if "\0" in text:
        raise _refused(spec, param, text, expected=f"{_expected(param)}, without NUL")
    if len(text) > param.max_chars or not _is_text(text):
        raise _refused(spec, param, text)
    if not param.choices:
        return text
    wanted = _bare(text)
    for choice in param.choices:
        if _bare(choice) == wanted:
            return choice
    if wanted in param.synonyms:
        return param.synonyms[wanted]
    raise _refused(spec, param, text, nearest(text, list(param.choices)))


def _is_text(text: str) -> bool:
    """Names on disk may hold bytes that are no text, escaped in one way; half a character is nothing."""
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
    # One value in a list, where one value is meant.
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
    return _WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _array(value: object) -> list[str] | None:
    if isinstance(value, str):
        value = _listed(value)
    if isinstance(value, Mapping):
        return None
    items = list(value) if isinstance(value, list | tuple) else [value]
    texts = [_text(item) for item in items]
    return None if any(text is None for text in texts) else [text for text in texts if text is not None]


def _listed(text: str) -> object:
    """A list that was put into a string, as JSON or by commas."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]") and len(stripped) <= MAX_TEXT:
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return text
    return [part.strip() for part in text.split(",") if part.strip()]


_CONVERT = {"string": _text, "integer": _integer, "boolean": _boolean, "array": _array}


def _refused(
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
    return _refused(spec, param, f"{count} values", expected=expected)


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
