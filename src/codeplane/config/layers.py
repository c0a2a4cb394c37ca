"""Layers in, one Config out. Later layers win; a list replaces the list below it.

An unknown key or a value of the wrong type stops everything, with the place where it
was written: a setting that is quietly without effect is worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.config.keys import BY_NAME, Key, Refused
from codeplane.config.model import Config, Ignored, IndexConfig, LoggingConfig

ENVIRONMENT_PREFIX = "CODEPLANE__"
_SECTIONS = {name.partition(".")[0] for name in BY_NAME}
_MAX_SHOWN = 120


@dataclass(frozen=True)
class Entry:
    key: str
    value: object
    origin: str


@dataclass(frozen=True)
class Layer:
    """Values from one place. An untrusted layer came with the repository."""

    entries: tuple[Entry, ...] = ()
    trusted: bool = True


def merge(layers: Iterable[Layer]) -> Config:
    """One Config from layers in rising order of precedence."""
    values: dict[str, object] = {}
    origins: dict[str, str] = {}
    ignored: list[Ignored] = []
    for layer in layers:
        for entry in layer.entries:
            key = BY_NAME.get(entry.key)
            if key is None:
                raise _unknown(entry)
            if key.trusted_only and not layer.trusted:
                ignored.append(Ignored(entry.key, entry.origin, "a repository may not choose where log lines go"))
                continue
            values[key.name] = _parse(key, entry)
            origins[key.name] = entry.origin
    return Config(
        logging=LoggingConfig(**_section(values, "logging", LoggingConfig)),
        index=IndexConfig(**_section(values, "index", IndexConfig)),
        origins=origins,
        ignored=tuple(ignored),
    )


def document_layer(document: Mapping[object, object], origin: str, *, trusted: bool) -> Layer:
    """The layer that a configuration file's content makes; `origin` is the file as a person would name it."""
    return Layer(tuple(_flatten(document, origin)), trusted)


def environment_layer(environment: Mapping[str, str]) -> Layer:
    """CODEPLANE__SECTION__KEY variables."""
    names = sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX))
    return Layer(
        tuple(
            Entry(
                name.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", "."),
                _from_text(environment[name]),
                f"environment {display(name)}",
            )
            for name in names
        )
    )


def override_layer(overrides: Iterable[str], option: str = "--set") -> Layer:
    """One-off `key=value` overrides."""
    entries = []
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"{option} needs key=value",
                expected="key=value",
                received=_shown(text),
                example=f"{option} index.overlay=off",
            )
        entries.append(Entry(key.strip(), _from_text(value), f"{option} {display(key.strip())}"))
    return Layer(tuple(entries))


def _flatten(document: Mapping[object, object], origin: str) -> Iterable[Entry]:
    for section, content in document.items():
        if not isinstance(section, str):
            raise _invalid(f"{origin} has a section that is not a word", "a section name", section, "index")
        if content is None and section in _SECTIONS:
            continue
        if not isinstance(content, dict):
            if section in _SECTIONS:
                raise _invalid(
                    f"'{section}' in {origin} is not a section", f"keys below '{section}'", content, f"{section}: {{}}"
                )
            yield Entry(section, content, origin)
            continue
        for name, value in content.items():
            yield Entry(f"{section}.{name}", value, origin)
        if not content and section not in _SECTIONS:
            yield Entry(section, content, origin)


def _section(values: Mapping[str, object], section: str, shape: type) -> dict[str, Any]:
    """Constructor arguments of one section. Each value was made by its key's own parser."""
    return {
        field.name: values[f"{section}.{field.name}"] for field in fields(shape) if f"{section}.{field.name}" in values
    }


def _parse(key: Key, entry: Entry) -> object:
    try:
        return key.parse(entry.value)
    except Refused:
        raise _invalid(
            f"{key.name} has a value that cannot be used ({entry.origin})",
            key.expected,
            entry.value,
            f"{key.name}: {key.example}",
            key=key.name,
            origin=entry.origin,
        ) from None


def _from_text(text: str) -> object:
    """Lists and objects are written as JSON in variables and overrides; all else is for the key to read."""
    if not text.lstrip().startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _unknown(entry: Entry) -> CodePlaneError:
    near = get_close_matches(entry.key[:100], BY_NAME, n=1, cutoff=0.5)
    if not near:
        last = entry.key.rpartition(".")[2]
        near = [name for name in BY_NAME if name.rpartition(".")[2] == last]
    nearest = near[0] if near else None
    return CodePlaneError(
        ErrorCode.CONFIG_UNKNOWN_KEY,
        f"there is no setting '{_shown(entry.key)}' ({entry.origin})",
        details={"origin": entry.origin},
        expected=nearest or ", ".join(BY_NAME),
        received=_shown(entry.key),
        remedy=f"Use '{nearest}', or remove it." if nearest else "Remove it.",
    )


def _invalid(message: str, expected: str, received: object, example: str, **details: object) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.CONFIG_INVALID,
        message,
        details=details,
        expected=expected,
        received=_shown(received),
        example=example,
    )


def _shown(value: object) -> str:
    text = display(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
